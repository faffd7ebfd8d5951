import { executable, executableLevels, isActive, isExpired, isSlotOver } from "../../lifecycle/index.ts";
import { type ChildRequest, type ParentOrder, shardOfId } from "../../model/index.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import { childRequestOf, leaveMargin } from "../core/live-order.ts";
import type { ExposureTracker } from "../eligibility/exposure-tracker.ts";
import { LATE, LATE_IN_QUEUE, OVERTAKEN } from "../eligibility/stall-watch.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { VenueSide, Withdrawal } from "./child-reports.ts";
import { Confirmations } from "./confirmations.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Submissions } from "./submissions.ts";
import type { VenueClock } from "./venue-clock.ts";
import type { DueChild, VenueQueue } from "./venue-queue.ts";

/**
 * Returns why a child must not be handed over any more; undefined when it may be. This is the last check before the
 * child leaves: a cancel, an expiry, its list, the market or other executions of the account may have come in between (I13,
 * I23, I25).
 */
function objectionTo(child: ChildRequest, core: Core, { shards, market }: DispatchParts): string | undefined {
  const shard = shards.ofOrder(child.parentOrderId);
  const live = shard.liveOrders.get(child.parentOrderId);
  const order = live?.working;
  if (shard.state === "reloading") return "the state is being read again";
  if (shard.state !== "running" || order?.child?.childId !== child.childId)
    return "the order is not here any more";
  if (!isActive(order)) return "the order is ending";
  const isUnknown = (leg: ParentOrder): boolean => leg !== order && leg.child?.state === "UNKNOWN";
  // The exits of a bracket share what is certain.
  if (order.list?.kind !== "BRACKET" && shard.memory.legsOf(order).some(isUnknown))
    return "the outcome of a child of its list is not known";
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
type DispatchParts = VenueSide &
  Readonly<{
    venueQueue: VenueQueue;
    market: MarketHub;
    exposure: ExposureTracker;
    reconciler: Reconciler;
    submissions: Submissions;
    venueClock: VenueClock;
  }>;

/** Why the children of a shard that leaves are withdrawn. No pause has a reason: nobody has refused them. */
const MOVING: Withdrawal = { detail: "the shard goes to another node", atOnce: true };

/**
 * Takes due children from the queue in their turn, each once: at the venue's rate, while the trust of the engine holds, and
 * only of shards that are this engine's (I26). A child of which nothing speaks against it in the last check goes to the venue.
 *
 * No child goes out after the time that its intent names, by the estimate of the venue's time. A late child is withdrawn by
 * a record, and the parent tries again. Whatever the process does between that check and the arrival at the venue, the
 * venue refuses the child after this time.
 */
export class Dispatcher {
  readonly #core: Core;
  readonly #parts: DispatchParts;
  readonly #handed: Set<string> = new Set();
  readonly #confirmations: Confirmations;
  /** True while a timer is awaited, or a confirmation by the store for a short time. Nothing goes out until then. */
  #waiting = false;
  #stopped = false;

  constructor(core: Core, parts: DispatchParts) {
    this.#core = core;
    this.#parts = parts;
    this.#confirmations = new Confirmations(core, parts.venueQueue, parts.timers, parts.shards);
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
    this.#handed.add(child.childId);
    this.#confirmations.note(shardOfId(order.orderId), ownedAt);
    if (this.#parts.venueQueue.add({ child, notAfterMs, requestedAt: ownedAt, isInTime })) this.#pump(false);
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
    this.#parts.venueQueue.hold(shards);
    await this.#parts.submissions.answered(shards);
  }

  /** Withdraws the children of some shards that were not handed over, each by a record. Returns whether there was any. */
  withdraw(shards: ReadonlySet<number>): boolean {
    const withdrawn = this.#parts.venueQueue.takeOf(shards);
    for (const { child } of withdrawn) this.#withdraw(child, MOVING);
    return withdrawn.length > 0;
  }

  /** Ends the hold of shards that other nodes run now. */
  release(shards: ReadonlySet<number>): void {
    this.#parts.venueQueue.release(shards);
  }

  /** Stops handing children over. Queued children stay intents and are looked up after a restart. */
  stop(): void {
    this.#stopped = true;
    this.#parts.submissions.endWaits();
  }

  /** Hands over all children that the rate allows now. `waited` says that a timer was set for it. */
  #pump(waited: boolean): void {
    const { venueQueue, timers } = this.#parts;
    venueQueue.readRate();
    while (!this.#stopped && !this.#waiting && this.#core.trust.holds) {
      const { first: due } = venueQueue;
      if (due === undefined) return;
      const waitMs = venueQueue.waitMs();
      if (waitMs > 0) {
        this.#waiting = true;
        return void timers.after(waitMs, () => this.#goOn(true));
      }
      const shard = shardOfId(due.child.parentOrderId);
      const isOwned = this.#confirmations.holds(shard);
      if (!isOwned && !this.#isLate(due.notAfterMs, due.requestedAt)) {
        this.#waiting = true;
        return void this.#confirmations.ask(shard, (isWaiting) => this.#goOn(isWaiting));
      }
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

  /** Goes on after a wait; `isWaiting` says that all children have waited for it. */
  #goOn(isWaiting: boolean): void {
    if (isWaiting) this.#waiting = false;
    this.#pump(true);
  }

  #send({ child, notAfterMs, requestedAt, isInTime }: DueChild): boolean {
    const { exposure, shards, reconciler, submissions, venueClock } = this.#parts;
    const venueMs = venueClock.nowMs();
    const late = isInTime ? LATE_IN_QUEUE : LATE;
    const objection = this.#isLate(notAfterMs, requestedAt)
      ? late
      : objectionTo(child, this.#core, this.#parts);
    const live = shards.live(child.parentOrderId);
    if (objection !== undefined) {
      if (objection === OVERTAKEN && live !== undefined) exposure.overtaken(live);
      this.#withdraw(child, { detail: objection });
      return false;
    }
    if (live !== undefined) leaveMargin(live, undefined);
    const deadlineMs = Math.min(notAfterMs, venueMs + this.#core.settings.submitDeadlineMs);
    reconciler.follow(child, "SENT", deadlineMs);
    this.#core.counters.children++;
    submissions.send(child, deadlineMs, deadlineMs - venueMs);
    return true;
  }

  #withdraw(child: ChildRequest, why: Withdrawal): void {
    this.#handed.delete(child.childId);
    this.#parts.reports.withdrawn(child, why);
  }
}
