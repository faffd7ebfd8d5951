import type { ClientClock } from "../http/platform.ts";

/** One reading of the server's clock: its time, and the client's monotonic time before and after. */
export type ClockReading = Readonly<{ serverMs: number; sentAtMs: number; receivedAtMs: number }>;

/** A difference between the wall clock and the monotonic clock that only a sleep of the machine explains. */
const SLEEP_MS = 1000;

/**
 * An estimate of the server's time that is never ahead of it. A reading says that the server's clock had reached
 * `serverMs` when the reply arrived; from then on the estimate advances with the monotonic clock. It is late by the
 * time that the reply took, however the round trip is divided between the two directions. A timestamp that is late is
 * valid for the whole receive window; one that is early by a second is refused.
 */
export class ServerClock {
  readonly #clock: ClientClock;
  readonly #retentionMs: number;
  /** Server time minus monotonic time, and the wall clock minus monotonic time, at the last reading. */
  #known: Readonly<{ offsetMs: number; wallOffsetMs: number; atMs: number }> | undefined;

  /** A reading counts for `retentionMs`. */
  constructor(clock: ClientClock, retentionMs: number) {
    this.#clock = clock;
    this.#retentionMs = retentionMs;
  }

  /** Whether the estimate needs a new reading: there is none, it is old, or the machine has slept since. */
  get isStale(): boolean {
    if (this.#known === undefined) return true;
    const { wallOffsetMs, atMs } = this.#known;
    const monotonicMs = this.#clock.monotonicMs();
    const sleptMs = this.#clock.nowMs() - monotonicMs - wallOffsetMs;
    return monotonicMs - atMs >= this.#retentionMs || Math.abs(sleptMs) > SLEEP_MS;
  }

  /** Returns the estimate in whole epoch milliseconds; the wall clock before the first reading. */
  nowMs(): number {
    if (this.#known === undefined) return this.#clock.nowMs();
    return Math.floor(this.#clock.monotonicMs() + this.#known.offsetMs);
  }

  /**
   * Takes a reading. The earlier estimate stays if it is ahead of the reading and the reading does not rule it out:
   * it was under way for less time, and is the closer of two lower bounds.
   */
  learn({ serverMs, sentAtMs, receivedAtMs }: ClockReading): void {
    const lowest = serverMs - receivedAtMs;
    const highest = serverMs + 1 - sentAtMs;
    const earlier = this.isStale ? undefined : this.#known?.offsetMs;
    const offsetMs = earlier !== undefined && earlier > lowest && earlier < highest ? earlier : lowest;
    const wallOffsetMs = this.#clock.nowMs() - this.#clock.monotonicMs();
    this.#known = { offsetMs, wallOffsetMs, atMs: receivedAtMs };
  }

  /** Returns how far the wall clock is ahead of the server's by the last reading; undefined before the first. */
  wallAheadMs(): number | undefined {
    return this.#known && Math.round(this.#known.wallOffsetMs - this.#known.offsetMs);
  }

  /** Drops the estimate, because the server refused a timestamp. */
  reset(): void {
    this.#known = undefined;
  }
}
