import { createManualClock, type ManualClock } from "../../src/adapters/memory/index.ts";

/** An hour in milliseconds. */
export const HOUR_MS = 3_600_000;

/** A wall clock this far ahead is followed at once, and any after this long. */
const [STEP_MS, CONFIRM_MS] = [1_000, 10_000];

/** Waits until everything has happened that needs no time. */
export type Turn = () => Promise<void>;

/** The time of a world. True time passes evenly; the wall clock of the engines' machine may be set. */
export class WorldTime {
  readonly clock: ManualClock;
  readonly #turn: Turn;
  #steppedAtMs: number;
  /** The lead over true time that the step before the last one ended, and since when it was so. */
  #last = { leadMs: 0, sinceMs: Number.NEGATIVE_INFINITY };
  #confirmedMs = 0;
  /** Calls under way that need turns of the event loop, and no time. */
  #timeless = 0;

  constructor(options: Readonly<{ startMs: number; turn: Turn }>) {
    this.clock = createManualClock({ startMs: options.startMs });
    this.#turn = options.turn;
    this.#steppedAtMs = options.startMs;
  }

  /** True time, the time of every correct clock such as the venue's, in epoch milliseconds. */
  get trueMs(): number {
    return this.clock.monotonicMs();
  }

  /** Wall-clock time of the machine, in epoch milliseconds. */
  get wallMs(): number {
    return this.clock.nowMs();
  }

  /** Sets the wall clock. A process that stands still while it is set back and forth has seen the same all the time. */
  step(ms: number): void {
    this.confirmedLeadMs();
    const before = { leadMs: this.wallMs - this.trueMs, sinceMs: this.#steppedAtMs };
    this.clock.stepWall(ms);
    const { leadMs, sinceMs } = this.#last;
    const isAgain = Math.abs(this.wallMs - this.trueMs - leadMs) <= STEP_MS;
    this.#steppedAtMs = isAgain && this.trueMs - sinceMs <= 2 * CONFIRM_MS ? sinceMs : this.trueMs;
    this.#last = before;
  }

  /** Returns the most by which the wall clock has been ahead of true time for so long that engine time may have followed it. */
  confirmedLeadMs(): number {
    const leadMs = this.wallMs - this.trueMs;
    if (leadMs <= this.#confirmedMs + STEP_MS || this.trueMs - this.#steppedAtMs >= CONFIRM_MS)
      this.#confirmedMs = Math.max(this.#confirmedMs, leadMs);
    return this.#confirmedMs;
  }

  /** Lets engine time have followed the wall clock as it is: nothing is in the store that could say otherwise. */
  confirm(): void {
    this.#steppedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advanceBy(ms, () => this.settle());
    await this.settle();
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    do await this.#turn();
    while (this.#timeless > 0);
  }

  /** Makes a call that needs turns of the event loop: no time passes until it is answered. */
  async timeless(call: () => Promise<void>): Promise<void> {
    this.#timeless++;
    try {
      await call();
    } finally {
      this.#timeless--;
    }
  }

  /** Resolves after a number of milliseconds. */
  after(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.schedule(this.trueMs + ms, resolve));
  }
}

/** Lets a number of promise steps pass. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await Promise.resolve();
}
