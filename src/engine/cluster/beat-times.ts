import type { ReadTimes } from "./beat-watch.ts";

/** Part of a beat after which a node reads the beats of the others. */
const READ_AFTER = 0.1;

/**
 * When a node renews and reads: every node at the same times of the store's clock, and each reads soon after all have renewed
 * (decision RL). A beat is then known to be the newest one nearly as long as it is. Nothing depends on it being so: clocks that
 * step, and answers that take long, only make the others learn later of a beat.
 */
export class BeatTimes {
  readonly #beatMs: number;
  readonly #monotonicMs: () => number;
  /** By how much the store's clock is ahead of the monotonic one. */
  #aheadMs = 0;

  constructor(beatMs: number, monotonicMs: () => number) {
    this.#beatMs = beatMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Takes what the store's clock said between a question and its answer, which are by the monotonic clock. */
  observe(storeMs: number, { requestedMs, answeredMs }: ReadTimes): void {
    this.#aheadMs = storeMs - (requestedMs + answeredMs) / 2;
  }

  /** Time until the next renewal: half a beat to one and a half. */
  get untilBeatMs(): number {
    return this.#until(0);
  }

  /** Time until the next read: half a beat to one and a half. */
  get untilReadMs(): number {
    return this.#until(READ_AFTER * this.#beatMs);
  }

  /**
   * Returns the time, in whole milliseconds, until the store's clock is so much after a multiple of a beat. One that is less
   * than half a beat away is left out.
   */
  #until(afterMs: number): number {
    const beatMs = this.#beatMs;
    const sinceMs = this.#monotonicMs() + this.#aheadMs - afterMs;
    const leftMs = beatMs - (sinceMs - Math.floor(sinceMs / beatMs) * beatMs);
    return Math.ceil(leftMs < beatMs / 2 ? leftMs + beatMs : leftMs);
  }
}
