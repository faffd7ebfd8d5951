import type { ChildReports, ClosedChildren } from "./children/child-reports.ts";
import type { Reconciler } from "./children/reconciler.ts";
import type { VenueQueue } from "./children/venue-queue.ts";
import type { Committer } from "./commit/committer.ts";
import type { Housekeeping } from "./commit/housekeeping.ts";
import type { Core } from "./core/core.ts";
import type { OpenCalls } from "./core/open-calls.ts";
import type { ExposureTracker } from "./eligibility/exposure-tracker.ts";
import type { Timers } from "./time/timers.ts";

/**
 * Turns without activity after which an engine counts as idle. A turn of a manual clock is one step of a promise, and
 * the answer of a host's adapter may be many steps away.
 */
const CALM_TURNS = 32;

/** Turns without activity, while an answer is awaited, after which the elapsed time is checked. */
const PATIENT_TURNS = 4_096;

/** Parts that may wait for something. */
type RestParts = Readonly<{
  committer: Committer;
  timers: Timers;
  reports: ChildReports;
  /** Parts that may have an open question to the host. */
  queries: Readonly<{
    calls: OpenCalls;
    venueQueue: VenueQueue;
    reconciler: Reconciler;
    closed: ClosedChildren;
    exposure: ExposureTracker;
    housekeeping: Housekeeping;
  }>;
}>;

/** Detects when an engine is at rest: nothing more can happen without time, input, or an overdue answer. */
export class Rest {
  readonly #core: Core;
  readonly #parts: RestParts;
  /** Count of activity when rest was last reached with nothing to wait for. */
  #restedAt = -1;

  constructor(core: Core, parts: RestParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Whether rest was reached, nothing has happened since, and no question to the host is unanswered. Cheap, because a
   * simulation asks after every quote and most quotes meet no order.
   */
  get lasts(): boolean {
    const { calls, venueQueue, reconciler, closed, exposure, housekeeping } = this.#parts.queries;
    if (this.#happened !== this.#restedAt || this.#isAwaiting) return false;
    const isQuerying = calls.busy || exposure.busy || venueQueue.size > 0 || reconciler.busy || closed.busy;
    return !isQuerying && !housekeeping.busy;
  }

  /**
   * Resolves to what the engine still waits for. The list is empty, or names what has not been answered although time
   * stands still, or for `patienceMs` in which nothing else happened. Ends in any case at `untilMs` of the monotonic
   * clock.
   */
  async reached(patienceMs: number, untilMs: number = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
    const { counters, monotonicMs } = this.#core;
    let [calm, still, seen, sinceMs] = [0, 0, counters.activity, monotonicMs()];
    for (;;) {
      await this.#core.turns.next();
      const awaited = this.#awaited();
      if (counters.activity !== seen) {
        [calm, still, seen, sinceMs] = [0, 0, counters.activity, monotonicMs()];
        if (sinceMs >= untilMs) return [...awaited, "ongoing work"];
      } else if (awaited.length === 0) {
        if (++calm >= CALM_TURNS) {
          this.#restedAt = this.#happened;
          return awaited;
        }
      } else {
        calm = 0;
        if (++still < PATIENT_TURNS) continue;
        const waitedMs = monotonicMs() - sinceMs;
        if (waitedMs === 0 || waitedMs >= patienceMs || sinceMs + waitedMs >= untilMs) return awaited;
      }
    }
  }

  /** Lets all work run that was waiting already. */
  async calm(): Promise<void> {
    for (let turn = 0; turn < CALM_TURNS; turn++) await this.#core.turns.next();
  }

  get #isAwaiting(): boolean {
    const { committer, timers, reports } = this.#parts;
    return committer.busy || timers.isBehind || reports.busy;
  }

  /** Returns what the engine waits for now. */
  #awaited(): readonly string[] {
    const { committer, timers, reports } = this.#parts;
    const awaited: string[] = [];
    if (committer.busy) awaited.push("an append to the store");
    if (timers.isBehind) awaited.push("timers that are due");
    if (reports.busy) awaited.push("the read of an ended order from the store");
    return awaited;
  }

  get #happened(): number {
    return this.#core.counters.activity + this.#parts.timers.ran;
  }
}
