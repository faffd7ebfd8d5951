import type { Price } from "../decimal/index.ts";
import { type ParentOrder, type ParentType, TRAITS, type TriggeredType } from "../model/index.ts";
import {
  executableSide,
  gateDirection,
  type LevelCondition,
  limitDirection,
  type Watch,
} from "../triggers/index.ts";
import { openSlotOf } from "./slots.ts";

/** Returns whether a type waits for a trigger before its first child. */
export function needsTrigger(type: ParentType): type is TriggeredType {
  return TRAITS[type].trigger !== undefined;
}

/**
 * Returns whether a post-only order still needs the first quote, which shows whether it would match at once (decision
 * 21).
 */
export function awaitsPostOnlyCheck(order: ParentOrder): boolean {
  return TRAITS[order.intent.type].postOnly && order.postOnlyCleared === undefined;
}

/** Returns the current cap (BUY) or floor (SELL) of a parent's children; undefined means at market. */
export function limitOf(order: ParentOrder): Price | undefined {
  return order.intent.price ?? order.trigger?.limit;
}

/** Returns whether a parent can send children: it is neither held, ending, ended, stopped nor restored. */
export function isActive(order: ParentOrder): boolean {
  return (
    order.ended === undefined &&
    order.pendingEnd === undefined &&
    order.frozen === undefined &&
    order.restored === undefined &&
    order.held === undefined
  );
}

/** Returns the prices inside a parent's current cap (BUY) or floor (SELL); undefined means any price. */
export function limitConditionOf(order: ParentOrder): LevelCondition | undefined {
  const level = limitOf(order);
  return level === undefined ? undefined : { direction: limitDirection(order.intent.side), level };
}

/**
 * Returns what a parent waits for on counted quotes at `nowMs`. Returns undefined while it watches nothing: held,
 * ended, ending, frozen, with a child in flight, or between two slots.
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { type TriggerBook, watchOf } from "managed-orders/rules";
 * const arm = (book: TriggerBook, order: ParentOrder, nowMs: number): void => {
 *   const watch = watchOf(order, nowMs);
 *   if (watch !== undefined) book.add({ ...order, watch });
 * };
 * ```
 */
export function watchOf(order: ParentOrder, nowMs: number): Watch | undefined {
  if (!isActive(order) || order.child !== undefined) return undefined;
  const side = executableSide(order.intent.side);
  const { type } = order.intent;
  if (needsTrigger(type) && order.trigger === undefined) return triggerWatch(order, type);
  if (awaitsPostOnlyCheck(order)) return { kind: "every", side };
  if (order.plan !== undefined && openSlotOf(order, nowMs) === undefined) return undefined;
  const condition = limitConditionOf(order);
  return condition === undefined ? { kind: "every", side } : { kind: "level", side, condition };
}

function triggerWatch({ intent, activation }: ParentOrder, type: TriggeredType): Watch | undefined {
  const side = executableSide(intent.side);
  const level = intent.stopPrice;
  const condition =
    level === undefined ? undefined : { direction: gateDirection({ type, side: intent.side }), level };
  if (intent.trailing === undefined) return condition && { kind: "level", side, condition };
  return {
    kind: "trail",
    side,
    distance: intent.trailing,
    ...(condition !== undefined && { gate: condition }),
    ...(activation !== undefined && { activation }),
  };
}
