import type { ChildOrder } from "./child-order.ts";
import type { ParentOrder } from "./parent-order.ts";

/** A parent in the making: its own until it is handed on as a {@link ParentOrder}. */
export type ParentCopy = { -readonly [K in keyof ParentOrder]: ParentOrder[K] };

/**
 * A copy with every member in one place, absent ones as undefined. `{...order}` would make an object of another shape for
 * each set of members, which the machine copies and reads many times slower: a parent is copied for each of its facts.
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
    executedNotional: order.executedNotional,
    executions: order.executions,
    postOnlyCleared: order.postOnlyCleared,
    plan: order.plan,
    volumeBefore: order.volumeBefore,
    list: order.list,
    held: order.held,
    releasedAtMs: order.releasedAtMs,
    activation: order.activation,
    trigger: order.trigger,
    child: order.child,
    lastChildId: order.lastChildId,
    nextSlot: order.nextSlot,
    invalidReports: order.invalidReports,
    pendingEnd: order.pendingEnd,
    ended: order.ended,
    frozen: order.frozen,
  } satisfies Record<keyof ParentOrder, unknown>;
}

/** A child in the making. */
export type ChildCopy = { -readonly [K in keyof ChildOrder]: ChildOrder[K] };

/** The same of a child. */
export function childCopyOf(child: ChildOrder): ChildCopy {
  return {
    childId: child.childId,
    attempt: child.attempt,
    quantity: child.quantity,
    limitPrice: child.limitPrice,
    executedQuantity: child.executedQuantity,
    state: child.state,
    intendedAtMs: child.intendedAtMs,
    notAfterMs: child.notAfterMs,
    slot: child.slot,
    problem: child.problem,
  } satisfies Record<keyof ChildOrder, unknown>;
}
