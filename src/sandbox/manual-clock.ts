import type { Clock, KeyValueStore } from "../ports/index.ts";
import { EPOCH_MS, InputError, parseWhole, SettingsError } from "./input.ts";

/** Key of the stored time. */
const NOW_KEY = "clock.now";

/**
 * Opens a manual clock stored in `store`. It continues from the stored time; `startMs` is the time of the very first
 * start. A time is durable before anything happens at it, so that a restart never goes back before something that
 * happened.
 */
export async function openManualClock(
  options: Readonly<{ store: KeyValueStore; startMs: number }>,
): Promise<ManualClock> {
  const stored = await options.store.get(NOW_KEY);
  if (stored === undefined) await options.store.set(NOW_KEY, String(options.startMs));
  const nowMs = stored === undefined ? options.startMs : parseWhole(stored, EPOCH_MS);
  if (nowMs === undefined) throw new SettingsError(`the stored time ${NOW_KEY} cannot be read`);
  return new ManualClock(options.store, nowMs);
}

/** A clock that moves only when told to. */
export class ManualClock implements Clock {
  readonly #store: KeyValueStore;
  /** Sorted by time, then by the order of scheduling. */
  readonly #timers: Readonly<{ atMs: number; run: () => void }>[] = [];
  #nowMs: number;
  #storedMs: number;
  #lastAdvance: Promise<void> = Promise.resolve();
  #isAdvancing = false;

  constructor(store: KeyValueStore, nowMs: number) {
    this.#store = store;
    this.#nowMs = nowMs;
    this.#storedMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** The monotonic time equals the wall time: a manual clock is never set. */
  monotonicMs(): number {
    return this.#nowMs;
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  schedule(atMs: number, run: () => void): () => void {
    const timer = { atMs, run };
    const later = this.#timers.findIndex((other) => other.atMs > atMs);
    this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer);
    if (atMs <= this.#nowMs) setImmediate(() => this.#runOverdue());
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  /**
   * Moves to `targetMs`. Everything due on the way runs in order, each at its own time. `settle` is awaited first and
   * after each, before time continues. Rejects with InputError if the target is in the past.
   */
  advanceTo(targetMs: number, settle: () => Promise<void>): Promise<void> {
    return this.#inTurn(() => this.#advance(targetMs, settle));
  }

  /** Moves by a duration from the start of this advance, so that several concurrent calls add up. */
  advanceBy(ms: number, settle: () => Promise<void>): Promise<void> {
    return this.#inTurn(() => this.#advance(this.#nowMs + ms, settle));
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const advance = this.#lastAdvance.then(async () => {
      this.#isAdvancing = true;
      try {
        await run();
      } finally {
        this.#isAdvancing = false;
      }
    });
    this.#lastAdvance = advance.catch(() => undefined);
    return advance;
  }

  async #advance(targetMs: number, settle: () => Promise<void>): Promise<void> {
    if (targetMs < this.#nowMs) throw new InputError(`the clock cannot go back: it is at ${this.#nowMs}`);
    if (targetMs > EPOCH_MS.max) throw new InputError(`the clock cannot go beyond ${EPOCH_MS.max}`);
    await settle();
    do {
      await this.#runUntil(targetMs, settle);
      await this.#persist(targetMs);
      // While the time was being stored, an earlier timer may have been added.
    } while ((this.#timers[0]?.atMs ?? Number.POSITIVE_INFINITY) < targetMs);
    this.#nowMs = targetMs;
    await settle();
    // Settling may have scheduled something for the same time.
    await this.#runUntil(targetMs, settle);
  }

  async #runUntil(targetMs: number, settle: () => Promise<void>): Promise<void> {
    for (let next = this.#timers[0]; next !== undefined && next.atMs <= targetMs; next = this.#timers[0]) {
      await this.#persist(next.atMs);
      const due = this.#timers[0];
      // While the time was being stored, the timer may have been canceled, or an earlier one added.
      if (due === undefined || due.atMs > next.atMs) continue;
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      this.#timers.shift();
      due.run();
      await settle();
    }
  }

  async #persist(ms: number): Promise<void> {
    if (ms <= this.#storedMs) return;
    await this.#store.set(NOW_KEY, String(ms));
    this.#storedMs = ms;
  }

  /** Runs overdue timers. A running advance takes them itself, one at a time, and settles after each. */
  #runOverdue(): void {
    if (this.#isAdvancing) return;
    for (let next = this.#timers[0]; next !== undefined && next.atMs <= this.#nowMs; next = this.#timers[0]) {
      this.#timers.shift();
      next.run();
    }
  }
}
