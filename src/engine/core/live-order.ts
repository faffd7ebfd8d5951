import type { Quantity } from "../../decimal/index.ts";
import type { Effect, WaitReason } from "../../lifecycle/index.ts";
import type { ChildRequest, Fact, JournalRecord, OrderList, ParentOrder } from "../../model/index.ts";

/** One open parent in memory, as decided and as durable. The two differ while a record is under way. */
export type LiveOrder = {
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
  cancelExpiry?: (() => void) | undefined;
  cancelRetry?: (() => void) | undefined;
  cancelSlot?: (() => void) | undefined;
  cancelScheduleEnd?: (() => void) | undefined;
};

/**
 * Bounds of the volume of others, for prints that name own fills by other ids. `followed` is the most that it can have been
 * when the parent last followed it; absent until own prints of before a restart can no longer come, from `knownFromMs` on.
 */
export type OthersVolume = {
  followed: Quantity | undefined;
  readonly knownFromMs: number;
};

/**
 * Creates the live order of a parent without a record under way. There are many live orders, so rare properties are
 * added only when needed.
 */
export function liveOrderOf(working: ParentOrder, durable: ParentOrder | undefined): LiveOrder {
  return { working, durable, pending: undefined, wait: undefined, isWatching: false };
}

/** Forgets what an engine knows of a parent besides its state. The timers of the parent must be called off. */
export function clearWork(live: LiveOrder): void {
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
  /** Number of the decision, across all shards. Decisions on one quote are acted on in this order (decision 20). */
  readonly decision: number;
  /** When it was decided, by the monotonic clock. */
  readonly decidedAtMs: number;
  /** Steps in the order of the record's changes. */
  readonly steps: readonly ParentStep[];
  /** The list that the record touches, in its state after the record. */
  readonly list: OrderList | undefined;
  readonly waiters: Waiter[];
};

/** A caller that waits until a record is durable. It is called synchronously when that is known. */
export type Waiter = Readonly<{ resolve: () => void; reject: (error: unknown) => void }>;

/** Calls a function if the store does not keep a record, in the step in which that is known. */
export function ifLost(pending: PendingRecord | undefined, decideAgain: () => void): void {
  pending?.waiters.push({ resolve: () => undefined, reject: decideAgain });
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
