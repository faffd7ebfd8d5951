import type { Quantity } from "../../decimal/index.ts";
import type { Effect, WaitReason } from "../../lifecycle/index.ts";
import type { ChildRequest, Fact, JournalRecord, OrderList, ParentOrder } from "../../model/index.ts";

/**
 * One open parent in memory, as decided and as durable. The two differ while a record is under way. Only the functions of this
 * file change it. There are many live orders, so rare properties are added only when needed.
 */
export type LiveOrder = Readonly<State>;

type State = {
  working: ParentOrder;
  durable: ParentOrder | undefined;
  /** Its newest record that is not durable yet. */
  pending: PendingRecord | undefined;
  /** Why the parent sent nothing on the last quote that it looked at. */
  wait: WaitReason | undefined;
  /** Whether the memory of quotes counts the parent. */
  isWatching: boolean;
  /** The measurement of exposure under way. Answers to earlier measurements do not count. */
  measuring?: object | undefined;
  /**
   * The `unreserved` of its exposure's sum up to which its reduce-only child asks for no more than is there. Absent after its
   * shard was read again: nothing is known of that measurement any more.
   */
  coveredTo?: Quantity | undefined;
  /**
   * The part of its exposure that its next child leaves to executions that may overtake it, as they did those before. Present
   * from the first that was overtaken until one goes out.
   */
  margin?: Quantity | undefined;
  /**
   * When it was first measured that there is nothing that the parent could reduce, by the monotonic clock. Absent if the last
   * measurement found something, or nothing was measured.
   */
  nothingSinceMs?: number | undefined;
  /** The child that the venue closed with less than asked and that has been looked up since. */
  lookedUp?: string | undefined;
  /** Number of the print up to which the parent has followed prints (POV). */
  followedTo?: number | undefined;
  /** What it knows of the volume of others where prints do not tell own fills from others (POV). */
  others?: OthersVolume | undefined;
  /** Whether an offer of a print is in its mailbox (POV). It covers all prints until it is made, so that none piles up. */
  isFollowing?: boolean | undefined;
  /** The quote or heartbeat of its market on which its last child was sent. */
  servedOn?: number | undefined;
} & { [timer in Timer]?: (() => void) | undefined };

/** What cancels a timer of a parent, by timer. */
const TIMERS = ["cancelExpiry", "cancelRetry", "cancelSlot", "cancelScheduleEnd"] as const;
type Timer = (typeof TIMERS)[number];

/**
 * Bounds of the volume of others, for prints that name own fills by other ids. `followed` is the most that it can have been
 * when the parent last followed it; absent until own prints of before a restart can no longer come, from `knownFromMs` on.
 */
export type OthersVolume = Readonly<{ followed: Quantity | undefined; knownFromMs: number }>;

/** Creates the live order of a parent without a record under way. */
export function liveOrderOf(working: ParentOrder, durable: ParentOrder | undefined): LiveOrder {
  return { working, durable, pending: undefined, wait: undefined, isWatching: false };
}

/** Takes a decided state, and the record that it is decided in unless that is durable. */
export function decide(live: State, working: ParentOrder, pending: PendingRecord | undefined): void {
  live.working = working;
  live.pending = pending;
}

/** Takes a durable state, after a record that was under way if there was one. */
export function settle(live: State, durable: ParentOrder, settled: PendingRecord | undefined): void {
  live.durable = durable;
  if (live.pending === settled) live.pending = undefined;
}

/** Notes why the parent sends nothing, if it does not. */
export function hesitate(live: State, wait: WaitReason | undefined): void {
  live.wait = wait;
}

/** Notes whether the memory of quotes counts the parent. Returns whether that is new. */
export function setWatching(live: State, isWatching: boolean): boolean {
  if (live.isWatching === isWatching) return false;
  live.isWatching = isWatching;
  return true;
}

/** Begins a measurement of exposure, in place of an earlier one. */
export function beginMeasuring(live: State, request: object): void {
  live.measuring = request;
}

/** Ends a measurement. Returns whether no other one has been begun since. */
export function endMeasuring(live: State, request: object): boolean {
  if (live.measuring !== request) return false;
  live.measuring = undefined;
  return true;
}

/** Notes up to which `unreserved` the child of the parent is covered by its exposure. */
export function cover(live: State, unreserved: Quantity): void {
  live.coveredTo = unreserved;
}

/** Sets the margin of the next child; undefined because a child goes out. */
export function leaveMargin(live: State, margin: Quantity | undefined): void {
  if (live.margin !== margin) live.margin = margin;
}

/** Notes since when there has been nothing to reduce; undefined if there is something. */
export function findNothing(live: State, sinceMs: number | undefined): void {
  if (live.nothingSinceMs !== sinceMs) live.nothingSinceMs = sinceMs;
}

/** Notes that a child that was closed early has been looked up. */
export function noteLookUp(live: State, childId: string): void {
  live.lookedUp = childId;
}

/** Marks all prints up to a number as followed (POV). */
export function followTo(live: State, position: number): void {
  live.followedTo = position;
}

/** Begins to tell the volume of others from own fills (POV). */
export function knowOthers(live: State, others: OthersVolume): void {
  live.others = others;
}

/** Notes the most that others can have traded when they are followed (POV). */
export function followOthers(others: { followed: Quantity | undefined }, followed: Quantity): void {
  others.followed = followed;
}

/** Notes whether an offer of a print is in the mailbox of the parent (POV). */
export function offerPrint(live: State, isFollowing: true | undefined): void {
  live.isFollowing = isFollowing;
}

/** Notes on which quote or heartbeat the parent has sent a child. */
export function serve(live: State, observation: number | undefined): void {
  live.servedOn = observation;
}

/** Notes what cancels a timer that was set, or that the timer has run. */
export function setTimer(live: State, timer: Timer, cancel: (() => void) | undefined): void {
  live[timer] = cancel;
}

/** Cancels a timer of a parent if it has one. Adds no property to a parent that never had the timer. */
export function cancelTimer(live: State, timer: Timer): void {
  const cancel = live[timer];
  if (cancel === undefined) return;
  live[timer] = undefined;
  cancel();
}

/** Cancels all timers of a parent. */
export function cancelTimers(live: State): void {
  for (const timer of TIMERS) cancelTimer(live, timer);
}

/** Forgets what an engine knows of a parent besides its state. The timers of the parent must be called off. */
export function clearWork(live: State): void {
  live.wait = undefined;
  if (live.measuring !== undefined) live.measuring = undefined;
  if (live.margin !== undefined) live.margin = undefined;
  if (live.nothingSinceMs !== undefined) live.nothingSinceMs = undefined;
  if (live.lookedUp !== undefined) live.lookedUp = undefined;
  if (live.followedTo !== undefined) live.followedTo = undefined;
  if (live.others !== undefined) live.others = undefined;
  // The mailbox of a shard that leaves drops the offer.
  if (live.isFollowing !== undefined) live.isFollowing = undefined;
}

/** The effect of one record on one parent: the parent after it, its facts, and the effects that follow. */
export type ParentStep = Readonly<{ order: ParentOrder; facts: readonly Fact[]; effects: readonly Effect[] }>;

/** A record of a shard that is not durable yet, and what follows when it is. */
export type PendingRecord = {
  readonly record: JournalRecord;
  /** The record in its journal format. */
  readonly text: string;
  /** Number of the decision, across all shards. Decisions on one quote are acted on in this order. */
  readonly decision: number;
  /** When it was decided, by the monotonic clock. */
  readonly decidedAtMs: number;
  /** Steps in the order of the record's changes. */
  readonly steps: readonly ParentStep[];
  /** The list that the record touches, in its state after the record. */
  readonly list: OrderList | undefined;
  waiters: Waiter[] | undefined;
};

/** A caller that waits until a record is durable. It is called synchronously when that is known. */
export type Waiter = Readonly<{ resolve: () => void; reject: (error: unknown) => void }>;

/** Adds a caller that waits for a record. Most records have one, or none. */
export function awaitRecord(pending: PendingRecord, waiter: Waiter): void {
  if (pending.waiters === undefined) pending.waiters = [waiter];
  else pending.waiters.push(waiter);
}

/** Calls a function if the store does not keep a record, in the step in which that is known. */
export function ifLost(pending: PendingRecord | undefined, decideAgain: () => void): void {
  if (pending !== undefined) awaitRecord(pending, { resolve: () => undefined, reject: decideAgain });
}

/** A durable record, reduced to the fields that follow-up work needs. */
export type DurableRecord = Omit<PendingRecord, "text" | "decision" | "waiters">;

/** Returns a parent in its state after a pending record; undefined if the record does not touch it. */
export function orderIn({ steps }: PendingRecord, orderId: number): ParentOrder | undefined {
  return steps.find(({ order }) => order.orderId === orderId)?.order;
}

/** Returns whether a parent sends nothing until the child that was closed with less than asked is looked up. */
export function awaitsLookUp({ working, lookedUp }: LiveOrder): boolean {
  const child = working.earlyClose?.child;
  return child !== undefined && child.childId !== lookedUp;
}

/** Returns the request to the venue for a child of a parent, by default the outstanding one. */
export function childRequestOf(
  order: ParentOrder,
  child: ParentOrder["child"] = order.child,
): ChildRequest | undefined {
  if (child === undefined) return undefined;
  const { intent } = order;
  return {
    childId: child.childId,
    parentOrderId: order.orderId,
    accountId: order.accountId,
    symbol: intent.symbol,
    side: intent.side,
    quantity: child.quantity,
    ...(child.limitPrice === undefined ? {} : { limitPrice: child.limitPrice }),
    timeInForce: intent.childTimeInForce,
    reduceOnly: intent.reduceOnly,
  };
}

/** Returns whether a step accepts its order. */
export const isAcceptance = ({ facts }: ParentStep): boolean => facts.some(({ kind }) => kind === "ACCEPTED");

/** Returns the order that takes the place of another when the record that ends the other is durable; undefined if none does. */
export function successorOf({ working, pending }: LiveOrder): ParentOrder | undefined {
  if (working.ended === undefined) return undefined;
  const isNext = ({ order: { replaces } }: ParentStep): boolean =>
    replaces?.canceled === true && replaces.orderId === working.orderId;
  return pending?.steps.find((step) => isAcceptance(step) && isNext(step))?.order;
}
