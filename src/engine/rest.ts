import type { ChildReports } from "./children/child-reports.ts";
import type { Reconciler } from "./children/reconciler.ts";
import type { VenueQueue } from "./children/venue-queue.ts";
import type { Committer } from "./commit/committer.ts";
import type { Housekeeping } from "./commit/housekeeping.ts";
import type { Core } from "./core/core.ts";
import type { OpenCalls } from "./core/open-calls.ts";
import type { ExposureTracker } from "./eligibility/exposure-tracker.ts";
import type { Timers } from "./time/timers.ts";

/**
 * Turns without anything happening after which an engine counts as idle. A turn of a manual clock is one step of a
 * promise, and the answer of a host's adapter may be many steps away.
 */
const CALM_TURNS = 32;

/** Turns in which nothing happened though something is awaited, after which time is looked at. */
const PATIENT_TURNS = 4_096;

/** The parts that may wait for something by themselves. */
export type RestParts = Readonly<{
  committer: Committer;
  timers: Timers;
  reports: ChildReports;
  /** Those that may have asked somebody outside. */
  asking: Readonly<{
    calls: OpenCalls;
    venueQueue: VenueQueue;
    reconciler: Reconciler;
    exposure: ExposureTracker;
    housekeeping: Housekeeping;
  }>;
}>;

/** Tells when an engine is at rest: nothing more can happen without time, input, or an answer that does not come. */
export class Rest {
  readonly #core: Core;
  readonly #parts: RestParts;
  /** What had happened when rest was reached with nothing to wait for. */
  #restedAt = -1;

  constructor(core: Core, parts: RestParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Whether rest was reached, nothing has happened since, and nobody outside was asked anything that is not answered: a
   * simulation asks after every quote, and most quotes meet nothing.
   */
  get lasts(): boolean {
    const { calls, venueQueue, reconciler, exposure, housekeeping } = this.#parts.asking;
    if (this.#happened !== this.#restedAt || this.#awaited().length > 0) return false;
    const isAsking = calls.busy || exposure.busy || venueQueue.size > 0 || reconciler.busy;
    return !isAsking && !housekeeping.busy;
  }

  /**
   * Resolves to what is waited for still: nothing, or what has not been answered although time stands still, or has not
   * been for `patienceMs` in which nothing else happened. At `untilMs` of the monotonic clock it is over in any case.
   */
  async reached(patienceMs: number, untilMs: number = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
    const { counters, monotonicMs } = this.#core;
    let [calm, still, seen, sinceMs] = [0, 0, counters.activity, monotonicMs()];
    for (;;) {
      await this.#turn();
      const awaited = this.#awaited();
      if (counters.activity !== seen) {
        [calm, still, seen, sinceMs] = [0, 0, counters.activity, monotonicMs()];
        if (sinceMs >= untilMs) return [...awaited, "what is going on"];
      } else if (awaited.length === 0) {
        if (++calm >= CALM_TURNS) {
          this.#restedAt = this.#happened;
          return awaited;
        }
      } else {
        calm = 0;
        const waitedMs = monotonicMs() - sinceMs;
        const isOver = waitedMs === 0 || waitedMs >= patienceMs || sinceMs + waitedMs >= untilMs;
        if (++still >= PATIENT_TURNS && isOver) return awaited;
      }
    }
  }

  /** Lets everything happen that was waiting already. */
  async calm(): Promise<void> {
    for (let turn = 0; turn < CALM_TURNS; turn++) await this.#turn();
  }

  /** What is waited for just now. */
  #awaited(): readonly string[] {
    const { committer, timers, reports } = this.#parts;
    const awaited: string[] = [];
    if (committer.busy) awaited.push("an append to the store");
    if (timers.isBehind) awaited.push("what is due by now");
    if (reports.busy) awaited.push("an ended order from the store");
    return awaited;
  }

  get #happened(): number {
    return this.#core.counters.activity + this.#parts.timers.ran;
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#core.clock.soon(resolve));
  }
}
