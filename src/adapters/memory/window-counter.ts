import { createOldestDropper } from "./oldest-dropper.ts";

/**
 * Counts by key in windows that start at whole multiples of their length. A window that begins forgets the one
 * before; a time before the running window counts in it. Beyond `maxKeys` the key seen first is forgotten.
 */
export class WindowCounter<K> {
  readonly #lengthMs: number;
  readonly #maxKeys: number;
  readonly #counts: Map<K, number> = new Map();
  readonly #dropOldest: (most: number) => void = createOldestDropper(this.#counts);
  #startMs = 0;

  constructor(lengthMs: number, maxKeys: number) {
    this.#lengthMs = lengthMs;
    this.#maxKeys = maxKeys;
  }

  /** What is counted for a key in the window of `nowMs`. */
  count(key: K, nowMs: number): number {
    this.#roll(nowMs);
    return this.#counts.get(key) ?? 0;
  }

  /**
   * Adds to a key and returns its count. A negative amount takes back what was added at `nowMs`, never more than is
   * counted; when that window is over, or the key was forgotten, nothing changes.
   */
  add(key: K, change: Readonly<{ amount: number; nowMs: number }>): number {
    const before = this.count(key, change.nowMs);
    if (change.amount < 0 && (change.nowMs < this.#startMs || before === 0)) return before;
    const after = Math.max(0, before + change.amount);
    if (after === 0) this.#counts.delete(key);
    else this.#counts.set(key, after);
    this.#dropOldest(this.#maxKeys);
    return after;
  }

  /** Sets a key back to 0. */
  forget(key: K): void {
    this.#counts.delete(key);
  }

  /** When the window of `nowMs` ends, on the same clock. */
  endMs(nowMs: number): number {
    this.#roll(nowMs);
    return this.#startMs + this.#lengthMs;
  }

  #roll(nowMs: number): void {
    const startMs = nowMs - (nowMs % this.#lengthMs);
    if (startMs <= this.#startMs) return;
    this.#startMs = startMs;
    this.#counts.clear();
  }
}
