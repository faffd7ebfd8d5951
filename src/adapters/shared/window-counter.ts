import { createOldestDropper } from "./oldest-dropper.ts";

/**
 * Counts by key in windows that start at whole multiples of their length. A new window drops the counts of the previous
 * one. A time before the running window counts in the running one. Beyond `maxKeys` the key first seen is dropped.
 */
export class KeyedWindowCounter<K> {
  readonly #lengthMs: number;
  readonly #maxKeys: number;
  readonly #counts: Map<K, number> = new Map();
  readonly #dropOldest: (most: number) => void = createOldestDropper(this.#counts);
  #startMs = 0;

  constructor(lengthMs: number, maxKeys: number) {
    this.#lengthMs = lengthMs;
    this.#maxKeys = maxKeys;
  }

  /** Returns the count of a key in the window of `nowMs`. */
  count(key: K, nowMs: number): number {
    this.#roll(nowMs);
    return this.#counts.get(key) ?? 0;
  }

  /**
   * Adds to a key and returns its count. A negative amount reverts an amount that was added at `nowMs`, but never more
   * than is counted. If that window is over or the key was dropped, nothing changes.
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

  /** Resets a key to 0. */
  evict(key: K): void {
    this.#counts.delete(key);
  }

  /** Returns the end of the window of `nowMs`, on the same clock. */
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
