import type { ChildOrder } from "./child-order.ts";
import type { ParentOrder } from "./parent-order.ts";

/** A mutable parent that only its creator refers to, until it is passed on as a {@link ParentOrder}. */
export type ParentCopy = { -readonly [K in keyof ParentOrder]: ParentOrder[K] };

/**
 * Returns a copy with all members in a fixed order, absent ones as undefined. `{...order}` would create an object of
 * another shape for each set of members. The JavaScript engine copies and reads such objects many times slower, and a
 * parent is copied for each of its facts.
 */
export function copyOf(order: ParentOrder): ParentCopy {
  return {
    orderId: order.orderId,
    accountId: order.accountId,
    intent: order.intent,
    acceptedAtMs: order.acceptedAtMs,
    acceptance: order.acceptance,
    aheadMs: order.aheadMs,
    updatedAtMs: order.updatedAtMs,
    lastSequence: order.lastSequence,
    attempts: order.attempts,
    consecutiveUnfilled: order.consecutiveUnfilled,
    notBeforeMs: order.notBeforeMs,
    executedQuantity: order.executedQuantity,
    executedFine: order.executedFine,
    executedNotional: order.executedNotional,
    notionalFine: order.notionalFine,
    executions: order.executions,
    postOnlyCleared: order.postOnlyCleared,
    plan: order.plan,
    volumeBefore: order.volumeBefore,
    volumeLogged: order.volumeLogged,
    list: order.list,
    held: order.held,
    releasedAtMs: order.releasedAtMs,
    activation: order.activation,
    trigger: order.trigger,
    child: order.child,
    earlyClose: order.earlyClose,
    lastChildId: order.lastChildId,
    nextSlot: order.nextSlot,
    invalidReports: order.invalidReports,
    stall: order.stall,
    pendingEnd: order.pendingEnd,
    ended: order.ended,
    frozen: order.frozen,
    restored: order.restored,
  } satisfies Record<keyof ParentOrder, unknown>;
}

/** A mutable child that only its creator refers to. */
export type ChildCopy = { -readonly [K in keyof ChildOrder]: ChildOrder[K] };

/** Like {@link copyOf}, for a child. */
export function childCopyOf(child: ChildOrder): ChildCopy {
  return {
    childId: child.childId,
    attempt: child.attempt,
    quantity: child.quantity,
    limitPrice: child.limitPrice,
    executedQuantity: child.executedQuantity,
    executedFine: child.executedFine,
    state: child.state,
    intendedAtMs: child.intendedAtMs,
    notAfterMs: child.notAfterMs,
    slot: child.slot,
    problem: child.problem,
  } satisfies Record<keyof ChildOrder, unknown>;
}
