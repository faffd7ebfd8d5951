import { errorMessage, Pause } from "../../common/index.ts";
import { executable, executableLevels, isActive, isExpired, isSlotOver } from "../../lifecycle/index.ts";
import { type ChildRequest, type ParentOrder, shardOfId } from "../../model/index.ts";
import type { ExecutionVenue, SubmitOptions } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import { childRequestOf } from "../core/live-order.ts";
import type { ExposureTracker } from "../eligibility/exposure-tracker.ts";
import { LATE, LATE_IN_QUEUE, OVERTAKEN } from "../eligibility/stall-watch.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";
import type { ChildReports, Withdrawal } from "./child-reports.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Submissions } from "./submissions.ts";
import type { VenueClock } from "./venue-clock.ts";
import type { DueChild, VenueQueue } from "./venue-queue.ts";

/**
 * Returns why a child must not be handed over any more; undefined when it may be. This is the last check before the
 * child leaves: a cancel, an expiry, its list, the market or other executions of the account may have come in between (I13,
 * I23, I25).
 */
function objectionTo(
  child: ChildRequest,
  core: Core,
  { shards, market }: Readonly<{ shards: Shards; market: MarketHub }>,
): string | undefined {
  const shard = shards.ofOrder(child.parentOrderId);
  const live = shard.liveOrders.get(child.parentOrderId);
  const order = live?.working;
  if (shard.state === "reloading") return "the state is being read again";
  if (shard.state !== "running" || order?.child?.childId !== child.childId)
    return "the order is not here any more";
  if (!isActive(order)) return "the order is ending";
  const isUnknown = (leg: ParentOrder): boolean => leg !== order && leg.child?.state === "UNKNOWN";
  if (shard.memory.legsOf(order).some(isUnknown)) return "the outcome of a child of its list is not known";
  if (shards.isFrozen(order)) return "the account is frozen";
  // Also by a wall clock that is not confirmed: it ends nothing, but nothing is placed past it.
  const latestMs = Math.max(core.nowMs(), core.wallMs());
  if (isSlotOver(order, latestMs)) return "its slot has closed";
  if (isExpired(order, latestMs)) return "the order has expired";
  if (child.reduceOnly) {
    const { unreserved } = shard.memory.account(order.accountId).sums.of(order);
    if (live?.coveredTo === undefined || unreserved > live.coveredTo) return OVERTAKEN;
  }
  const now = market.now(child.symbol);
  if (now?.fresh !== true) return "the quote is stale";
  const levels = executableLevels(order, now.quote);
  const { quantity, value } = executable(order, { levels, wanted: child.quantity });
  if (quantity <= 0 || (child.timeInForce === "FOK" && quantity < child.quantity))
    return "the market went away";
  return !child.reduceOnly && value < core.rules.minimum
    ? "what is left in the market is below the minimum"
    : undefined;
}

/** Dependencies of {@link Dispatcher}. */
type DispatchParts = Readonly<{
  venue: ExecutionVenue;
  venueQueue: VenueQueue;
  timers: Timers;
  shards: Shards;
  market: MarketHub;
  exposure: ExposureTracker;
  reports: ChildReports;
  reconciler: Reconciler;
  submissions: Submissions;
  venueClock: VenueClock;
}>;

/** Why the children of a shard that leaves are withdrawn. No pause has a reason: nobody has refused them. */
const MOVING: Withdrawal = { detail: "the shard goes to another node", atOnce: true };

/**
 * Hands durable intents to the venue, each once. Keeps the venue's rate: due children queue, reduce-only ones first,
 * and none is dropped (decision 26).
 *
 * An engine that takes a shard over looks up the children that it finds. It settles them when the deadline of a child
 * handed over at that time and the quiet time have passed. A child that waited here for longer than the quiet time
 * therefore goes out only after the store has confirmed again that the shard is this engine's (I26).
 *
 * No child goes out while the trust of the engine has lapsed. It waits for the next renewal.
 *
 * No child goes out after the time that its intent names, by the estimate of the venue's time. A late child is withdrawn
 * by a record, and the parent tries again. Whatever the process does between that check and the arrival at the venue,
 * the venue refuses the child after this time (decision YB).
 */
export class Dispatcher {
  readonly #core: Core;
  readonly #parts: DispatchParts;
  readonly #handed: Set<string> = new Set();
  /** By shard number: when the store was asked for what last confirmed that the shard is this engine's. */
  readonly #confirmedAt: Map<number, Moment> = new Map();
  /** True while a timer is awaited, or a confirmation by the store for a short time. Nothing goes out until then. */
  #waiting = false;
  /** When all children have waited last for a confirmation that did not come in a short time, by the monotonic clock. */
  #silentAtMs: number = Number.NEGATIVE_INFINITY;
  /** By shard number: due children of shards of which nothing goes out any more. */
  readonly #held: Map<number, DueChild[]> = new Map();
  #stopped = false;
  /** By shard number: submits without an answer whose deadline has not passed. */
  readonly #unanswered: Map<number, number> = new Map();
  readonly #answerListeners: Set<() => void> = new Set();

  constructor(core: Core, parts: DispatchParts) {
    this.#core = core;
    this.#parts = parts;
    core.trust.onExtended(() => this.#pump(false));
  }

  /** Returns whether this process holds the child: queued, or handed over without an outcome yet. */
  holds(childId: string): boolean {
    return this.#handed.has(childId);
  }

  /** Queues the child of a record that became durable. The shard was this engine's at that moment. */
  submit(order: ParentOrder, ownedAt: Moment): void {
    const child = childRequestOf(order);
    if (child === undefined || order.child === undefined) return;
    const { notAfterMs } = order.child;
    const isInTime = !this.#isLate(notAfterMs, ownedAt);
    const due = { child, notAfterMs, requestedAt: ownedAt, isInTime };
    const shard = shardOfId(order.orderId);
    this.#handed.add(child.childId);
    this.#confirmed(shard, ownedAt);
    const held = this.#held.get(shard);
    if (held !== undefined) return void held.push(due);
    this.#parts.venueQueue.add(due);
    this.#pump(false);
  }

  /** Forgets a resolved child. */
  evict(childId: string): void {
    this.#handed.delete(childId);
  }

  /**
   * Hands nothing more over of some shards, until {@link release}: their children wait. Resolves when every child of them that
   * was handed over is answered, or its deadline has passed, or the engine closes.
   */
  async hold(shards: ReadonlySet<number>): Promise<void> {
    for (const number of shards) if (!this.#held.has(number)) this.#held.set(number, []);
    for (const due of this.#parts.venueQueue.removeOf(shards))
      this.#held.get(shardOfId(due.child.parentOrderId))?.push(due);
    const isOver = (): boolean =>
      this.#stopped || [...shards].every((number) => !this.#unanswered.has(number));
    if (isOver()) return;
    const pause = new Pause();
    const look = (): void => {
      if (isOver()) pause.end();
    };
    this.#answerListeners.add(look);
    await pause.until((over) => this.#parts.timers.after(this.#core.settings.submitDeadlineMs, over));
    this.#answerListeners.delete(look);
  }

  /** Withdraws the children of some shards that were not handed over, each by a record. Returns whether there was any. */
  withdraw(shards: ReadonlySet<number>): boolean {
    const { venueQueue } = this.#parts;
    const held = [...shards].flatMap((number) => this.#held.get(number)?.splice(0) ?? []);
    const withdrawn = [...venueQueue.removeOf(shards), ...held];
    for (const { child } of withdrawn) this.#withdraw(child, MOVING);
    return withdrawn.length > 0;
  }

  /** Ends the hold of shards that other nodes run now. */
  release(shards: ReadonlySet<number>): void {
    for (const number of shards) this.#held.delete(number);
  }

  /** Stops handing children over. Queued children stay intents and are looked up after a restart. */
  stop(): void {
    this.#stopped = true;
    this.#look();
  }

  /** Hands over all children that the rate allows now. `waited` says that a timer was set for it. */
  #pump(waited: boolean): void {
    const { venueQueue } = this.#parts;
    venueQueue.readRate();
    while (!this.#stopped && !this.#waiting && this.#core.trust.holds) {
      const { first: due } = venueQueue;
      if (due === undefined) return;
      const waitMs = venueQueue.waitMs();
      if (waitMs > 0) return this.#pumpAfter(waitMs);
      const isOwned = this.#isConfirmed(shardOfId(due.child.parentOrderId));
      if (!isOwned && !this.#isLate(due.notAfterMs, due.requestedAt)) return void this.#confirm(due.child);
      venueQueue.shift();
      // A late child is only withdrawn, which a later owner of the shard refuses.
      if (!isOwned) this.#withdraw(due.child, { detail: LATE });
      else if (this.#send(due)) venueQueue.sent(waited);
    }
  }

  /** Whether the time of a child has passed: also if the wall clock has gone forward since, because the machine may have slept. */
  #isLate(notAfterMs: number, requestedAt: Moment): boolean {
    const sleptMs = this.#core.time.steppedSinceMs(requestedAt);
    return this.#parts.venueClock.nowMs() + sleptMs >= notAfterMs;
  }

  /**
   * Returns whether the store has confirmed the shard as this engine's within the quiet time by both clocks: a machine that has
   * slept has stopped the monotonic one.
   */
  #isConfirmed(shard: number): boolean {
    const at = this.#confirmedAt.get(shard);
    if (at === undefined) return false;
    const { wallMs, monotonicMs } = this.#core.time.moment();
    return Math.max(wallMs - at.wallMs, monotonicMs - at.monotonicMs) <= this.#core.settings.venueQuietMs;
  }

  /** Notes that the store, asked at that moment, has taken this engine for the owner of a shard. */
  #confirmed(shard: number, requestedAt: Moment): void {
    const before = this.#confirmedAt.get(shard);
    if (before === undefined || before.monotonicMs <= requestedAt.monotonicMs)
      this.#confirmedAt.set(shard, requestedAt);
    if (this.#isConfirmed(shard)) this.#parts.venueQueue.withdraw(shard);
  }

  #pumpAfter(waitMs: number): void {
    this.#waiting = true;
    this.#parts.timers.after(waitMs, () => this.#resume());
  }

  #resume(): void {
    this.#waiting = false;
    this.#pump(true);
  }

  /**
   * Asks the store for the owner of the child's shard. The store may fail or be silent for this shard alone, and must not keep
   * the children of the others: after a short time they go on, while those of this shard wait for the answer.
   */
  async #confirm({ parentOrderId }: ChildRequest): Promise<void> {
    const { venueQueue, timers, shards } = this.#parts;
    const { retryMinMs } = this.#core.settings;
    const shard = shardOfId(parentOrderId);
    const requestedAt = this.#core.time.moment();
    let isAside = false;
    this.#waiting = true;
    const patienceMs = this.#patienceMs();
    const cancel = timers.after(patienceMs, () => {
      isAside = true;
      if (patienceMs > 0) this.#silentAtMs = this.#core.monotonicMs();
      // An append that became durable meanwhile has confirmed it.
      if (!this.#isConfirmed(shard)) venueQueue.setAside(shard);
      this.#resume();
    });
    try {
      await shards.at(shard).confirm();
      this.#core.counters.activity++;
      this.#confirmed(shard, requestedAt);
      venueQueue.withdraw(shard);
    } catch (error) {
      this.#core.telemetry.event("warn", "confirm.failed", { message: errorMessage(error) });
      // They stay aside for a pause. Otherwise a store that fails at once would be asked again at once.
      if (isAside) return void timers.after(retryMinMs, () => this.#resumeWith(shard));
      this.#putLast(shard);
    }
    cancel();
    if (isAside) this.#pump(true);
    else if (this.#isConfirmed(shard)) this.#resume();
    else this.#pumpAfter(retryMinMs);
  }

  /**
   * Returns how long the children of other shards wait for a confirmation: not again soon after one in vain, so that this does
   * not grow with the number of silent shards. After `venueQuietMs` they wait again: an answer that came too late for its
   * child in the meantime is not good any more, and at a slow venue no other one would come in time.
   */
  #patienceMs(): number {
    const { venueQuietMs, retryMinMs } = this.#core.settings;
    return this.#core.monotonicMs() - this.#silentAtMs <= venueQuietMs ? 0 : retryMinMs;
  }

  /** Lets the children of a shard that was aside wait for their turn again. */
  #resumeWith(shard: number): void {
    this.#putLast(shard);
    this.#pump(true);
  }

  /** Puts the children of a shard last whose owner the store did not name, unless an append has confirmed it meanwhile. */
  #putLast(shard: number): void {
    if (!this.#isConfirmed(shard)) this.#parts.venueQueue.putLast(shard);
  }

  #send(due: DueChild): boolean {
    const { child, notAfterMs, requestedAt, isInTime } = due;
    const { reports, reconciler, timers, submissions, venueClock } = this.#parts;
    const venueMs = venueClock.nowMs();
    const late = isInTime ? LATE_IN_QUEUE : LATE;
    const objection = this.#isLate(notAfterMs, requestedAt)
      ? late
      : objectionTo(child, this.#core, this.#parts);
    const live = this.#parts.shards.live(child.parentOrderId);
    if (objection !== undefined) {
      if (objection === OVERTAKEN && live !== undefined) this.#parts.exposure.overtaken(live);
      this.#withdraw(child, { detail: objection });
      return false;
    }
    if (live?.margin !== undefined) live.margin = undefined;
    const deadlineMs = Math.min(notAfterMs, venueMs + this.#core.settings.submitDeadlineMs);
    reconciler.follow(child, "SENT", deadlineMs);
    this.#core.counters.children++;
    const submission = submissions.begin(deadlineMs);
    const over = this.#awaited(child);
    const cancelDeadline = timers.after(deadlineMs - venueMs, () => {
      reports.lost(child, "no answer by the deadline");
      submission.abandon();
      over();
    });
    const answered = (): void => {
      over();
      cancelDeadline();
      submission.answered();
      this.#core.probe("after-submit");
    };
    this.#core.probe("before-submit");
    this.#call(child, submission.options).then(
      (answer) => {
        answered();
        reports.answered(child, answer);
      },
      (error: unknown) => {
        answered();
        // The venue gave up because it was told to. The outcome counts as unknown already.
        if (!submission.isAborted) reports.lost(child, errorMessage(error));
      },
    );
    return true;
  }

  #withdraw(child: ChildRequest, why: Withdrawal): void {
    this.#handed.delete(child.childId);
    this.#parts.reports.withdrawn(child, why);
  }

  /** Counts a submit whose answer is awaited. The returned function ends that, once. */
  #awaited({ parentOrderId }: ChildRequest): () => void {
    const shard = shardOfId(parentOrderId);
    this.#unanswered.set(shard, (this.#unanswered.get(shard) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#unanswered.get(shard) ?? 1) - 1;
      if (left > 0) this.#unanswered.set(shard, left);
      else this.#unanswered.delete(shard);
      this.#look();
    };
  }

  #look(): void {
    for (const look of [...this.#answerListeners]) look();
  }

  /** Calls the venue. A venue that throws instead of rejecting has an unknown outcome too. */
  async #call(child: ChildRequest, options: SubmitOptions): Promise<unknown> {
    return await this.#parts.venue.submit(child, options);
  }
}
