import type { Effect, WaitReason } from "../../lifecycle/index.ts";
import type { ChildRequest, Fact, JournalRecord, OrderList, ParentOrder } from "../../model/index.ts";

/** One open parent in memory: as decided, and as durable. They differ while a record is on its way. */
export type LiveOrder = {
  working: ParentOrder;
  durable: ParentOrder | undefined;
  /** Its newest record that is not durable yet. */
  pending: PendingRecord | undefined;
  /** Why it sent nothing on the last quote it looked at. */
  wait: WaitReason | undefined;
  /** Whether the memory of quotes counts it. */
  isWatching: boolean;
  /** The measurement of exposure under way for it; the answer to an earlier one does not count. */
  measuring?: object | undefined;
  /** Prints up to this position of the volume tape have been followed (POV). */
  followedTo?: number;
  cancelExpiry?: (() => void) | undefined;
  cancelRetry?: (() => void) | undefined;
  cancelSlot?: (() => void) | undefined;
  cancelScheduleEnd?: (() => void) | undefined;
};

/** A parent in memory of which nothing is on its way. What few have comes to it when it is there: there are many. */
export function liveOrderOf(working: ParentOrder, durable: ParentOrder | undefined): LiveOrder {
  return { working, durable, pending: undefined, wait: undefined, isWatching: false };
}

/** What one record does to one parent: the parent after it, the facts that say so, and what is to be done then. */
export type ParentStep = Readonly<{ order: ParentOrder; facts: readonly Fact[]; effects: readonly Effect[] }>;

/** A record of a shard that is not durable yet, with what follows when it is. */
export type PendingRecord = {
  readonly record: JournalRecord;
  /** The record as the journal holds it. */
  readonly text: string;
  /** Counts the decisions of all shards: what they decided on one quote is acted on in that order (decision 20). */
  readonly decision: number;
  /** In the order of the record's changes. */
  readonly steps: readonly ParentStep[];
  /** The list it touches, as it is after it. */
  readonly list?: OrderList;
  readonly waiters: Waiter[];
};

/** Somebody who waits until a record is durable, and is told in the step in which that is known. */
export type Waiter = Readonly<{ resolve: () => void; reject: (error: unknown) => void }>;

/** A record that is durable, as what follows from it needs it. */
export type DurableRecord = Omit<PendingRecord, "text" | "decision" | "waiters">;

/** A parent as a record on its way leaves it; undefined when the record does not touch it. */
export function orderIn({ steps }: PendingRecord, orderId: number): ParentOrder | undefined {
  return steps.find(({ order }) => order.orderId === orderId)?.order;
}

/** The request a venue gets for the outstanding child of a parent. */
export function childRequestOf(order: ParentOrder): ChildRequest | undefined {
  const { child, intent } = order;
  if (child === undefined) return undefined;
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
