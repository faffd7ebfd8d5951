import { type Price, withinPriceRange } from "../decimal/index.ts";
import type { ParentOrder, ParentType, TriggeredType } from "../model/index.ts";
import {
  executableSide,
  gateDirection,
  type LevelCondition,
  limitDirection,
  stopDirection,
  takeProfitDirection,
  type Watch,
} from "../triggers/index.ts";
import { openSlotOf } from "./slots.ts";

const TRIGGERED: ReadonlySet<ParentType> = new Set<TriggeredType>([
  "STOP_MARKET",
  "STOP_LOSS_LIMIT",
  "TAKE_PROFIT_MARKET",
  "TAKE_PROFIT_LIMIT",
  "TRAILING_STOP_MARKET",
  "TRAILING_STOP_LIMIT",
]);

/** Whether a type waits for a trigger before its first child. */
export function needsTrigger(type: ParentType): type is TriggeredType {
  return TRIGGERED.has(type);
}

/** Whether a post-only order has yet to meet the quote that shows that it would not match at once (decision 21). */
export function isUnposted(order: ParentOrder): boolean {
  return order.intent.type === "LIMIT_MAKER" && order.posted === undefined;
}

/** The cap (BUY) or floor (SELL) of a parent's children now; undefined means at market. */
export function limitOf(order: ParentOrder): Price | undefined {
  return order.intent.price ?? frozenLimitOf(order);
}

/** The dynamic limit that the trigger froze. Triggers of before it was held to the range of prices may lie above it. */
export function frozenLimitOf({ trigger }: ParentOrder): Price | undefined {
  return trigger?.limit === undefined ? undefined : withinPriceRange(trigger.limit);
}

/** Whether a parent can send children as it is: neither held, ending, ended nor stopped. */
export function isActive(order: ParentOrder): boolean {
  return (
    order.ended === undefined &&
    order.pendingEnd === undefined &&
    order.frozen === undefined &&
    order.held === undefined
  );
}

/** The prices inside a parent's cap (BUY) or floor (SELL) now; undefined means any price. */
export function limitConditionOf(order: ParentOrder): LevelCondition | undefined {
  const level = limitOf(order);
  return level === undefined ? undefined : { direction: limitDirection(order.intent.side), level };
}

/**
 * What a parent waits for on counted quotes at `nowMs`; undefined while it has nothing to look for: held, ended,
 * ending, frozen, with a child in flight, or between two slots.
 */
export function watchOf(order: ParentOrder, nowMs: number): Watch | undefined {
  if (!isActive(order) || order.child !== undefined) return undefined;
  const side = executableSide(order.intent.side);
  const { type } = order.intent;
  if (needsTrigger(type) && order.trigger === undefined) return triggerWatch(order, type);
  if (isUnposted(order)) return { kind: "every", side };
  if (order.plan !== undefined && openSlotOf(order, nowMs) === undefined) return undefined;
  const condition = limitConditionOf(order);
  return condition === undefined ? { kind: "every", side } : { kind: "level", side, condition };
}

function triggerWatch({ intent, activation }: ParentOrder, type: TriggeredType): Watch | undefined {
  const side = executableSide(intent.side);
  const level = intent.stopPrice;
  if (intent.trailing === undefined) {
    if (level === undefined) return undefined;
    const takesProfit = type === "TAKE_PROFIT_MARKET" || type === "TAKE_PROFIT_LIMIT";
    const direction = takesProfit ? takeProfitDirection(intent.side) : stopDirection(intent.side);
    return { kind: "level", side, condition: { direction, level } };
  }
  return {
    kind: "trail",
    side,
    distance: intent.trailing,
    ...(level === undefined
      ? {}
      : { gate: { direction: gateDirection({ type, side: intent.side }), level } }),
    ...(activation === undefined ? {} : { activation }),
  };
}
