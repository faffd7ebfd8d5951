import { SHARD_COUNT } from "../model/index.ts";
import type { ChildReports, ClosedChildren } from "./children/child-reports.ts";
import type { Dispatcher } from "./children/dispatcher.ts";
import type { Reconciler } from "./children/reconciler.ts";
import type { Submissions } from "./children/submissions.ts";
import type { VenueQueue } from "./children/venue-queue.ts";
import type { Committer } from "./commit/committer.ts";
import type { Housekeeping } from "./commit/housekeeping.ts";
import type { AtRest } from "./core/api.ts";
import type { Core } from "./core/core.ts";
import type { OpenCalls } from "./core/open-calls.ts";
import type { ExposureTracker } from "./eligibility/exposure-tracker.ts";
import type { MarketHub } from "./market/market-hub.ts";
import type { EndedNames } from "./shards/ended.ts";
import type { Shards } from "./shards/shards.ts";
import type { Bursts } from "./time/bursts.ts";
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

/** What an engine has to do with the leases of its shards. */
export type Lease = Readonly<{
  /** Resolves when the shards may be given away. Rejects with a HandOverError if nobody can take them. */
  announce: () => Promise<void>;
  /** Notes that the engine begins to close: it takes no more shards. */
  closing: () => void;
  /** Makes the shards nobody's. */
  release: () => Promise<void>;
  /** Ends the part in the cluster. */
  leave: () => Promise<void>;
}>;

/** The parts that are closed, and those needed to close them. */
type ClosingParts = Readonly<{
  core: Core;
  committer: Committer;
  timers: Timers;
  bursts: Bursts;
  shards: Shards;
  market: MarketHub;
  endedNames: EndedNames;
  housekeeping: Housekeeping;
  calls: OpenCalls;
  rest: Rest;
  reconciler: Reconciler;
  submissions: Submissions;
  dispatcher: Dispatcher;
}>;

/**
 * Functions that end the engine's subscriptions to market data, time and the venue, and its look-ups, in this order.
 */
type Unsubscribes = readonly (() => void)[];

/** Every shard of accounts. */
export const ALL_SHARDS: ReadonlySet<number> = new Set(
  Array.from({ length: SHARD_COUNT }, (_, shard) => shard),
);

/**
 * Closes the parts of an engine within `closeTimeoutMs`: nothing new is sent, decided records become durable, every
 * call is answered, all timers and pending work are canceled, and the store is released. A part that does not answer
 * in time is left behind and named in the result. With a lease, decided children that were not handed over are withdrawn,
 * and the shards are released right after the last append. Rejects when the store fails to close.
 */
export async function closeParts(
  parts: ClosingParts,
  unsubscribes: Unsubscribes,
  lease?: Lease,
): Promise<AtRest> {
  const { core, committer, rest } = parts;
  const { closeTimeoutMs } = core.settings;
  const untilMs = core.monotonicMs() + closeTimeoutMs;
  const followed = parts.reconciler.followed;
  const late = new Set<string>();
  const within = async (what: string, work: Promise<unknown>): Promise<void> => {
    if (!(await isDone(parts, work, untilMs))) late.add(what);
  };
  const settled = async (): Promise<void> => {
    if ((await rest.reached(closeTimeoutMs, untilMs)).length === 0) return;
    await within("an append to the store", committer.resting);
    for (const what of await rest.reached(closeTimeoutMs, untilMs)) late.add(what);
  };
  lease?.closing();
  parts.market.close();
  unsubscribe(parts, unsubscribes);
  await settled();
  // Only now are all children known that were decided and will not be handed over.
  if (lease !== undefined && parts.dispatcher.withdraw(ALL_SHARDS)) await settled();
  await within("the write of the last quotes to the store", committer.finish());
  if (lease !== undefined) {
    stop(parts);
    await within("the release of the shards", lease.release());
  }
  await within("housekeeping in the store", parts.housekeeping.finished());
  if (lease === undefined) stop(parts);
  // Callers that wait for a record get its outcome before the remaining calls are rejected as closed.
  await rest.calm();
  parts.calls.close();
  if (lease !== undefined) await within("the end of the lease", lease.leave());
  // A store that closes at once may return no promise.
  const closed = async (): Promise<void> => await core.store.close();
  await within("the close of the store", closed());
  return { ...followed, waitingFor: [...late] };
}

/** Undoes the start of an opening that failed. The store stays with its owner. */
export function abandonParts(parts: ClosingParts, unsubscribes: Unsubscribes): void {
  unsubscribe(parts, unsubscribes);
  stop(parts);
  parts.calls.close();
}

/** Cancels everything that would happen later. Nothing is decided from now on. */
function stop(parts: ClosingParts): void {
  const { timers, bursts, shards, committer, housekeeping, endedNames, submissions } = parts;
  timers.stop();
  bursts.stop();
  housekeeping.stop();
  endedNames.stop();
  for (const shard of shards.all) shard.close();
  committer.stop();
  submissions.stop();
}

/**
 * Resolves to whether the work is done by `untilMs` of the monotonic clock. Work that needs only turns, and no more
 * time, still counts as done after that. Rejects if the work does.
 */
function isDone({ core, rest }: ClosingParts, work: Promise<unknown>, untilMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const late = (): void => void rest.calm().then(() => resolve(false));
    const cancel = core.clock.schedule(untilMs, late);
    work.then(() => resolve(true), reject).finally(cancel);
  });
}

/** Ends all subscriptions. An unsubscribe function that throws does not keep the others from running. */
function unsubscribe({ core }: ClosingParts, unsubscribes: Unsubscribes): void {
  for (const end of unsubscribes) {
    try {
      end();
    } catch (error) {
      core.telemetry.event("warn", "unsubscribe.failed", { message: String(error) });
    }
  }
}
