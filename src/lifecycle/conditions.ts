import type { Price } from "../decimal/index.ts";
import type { ParentOrder, ParentType } from "../model/index.ts";
import {
  executableSide,
  gateDirection,
  type LevelCondition,
  limitDirection,
  stopDirection,
  takeProfitDirection,
  type Watch,
} from "../triggers/index.ts";

/** Whether a type waits for a trigger before its first child. */
export function needsTrigger(type: ParentType): type is Exclude<ParentType, "SYNTHETIC_LIMIT"> {
  return type !== "SYNTHETIC_LIMIT";
}

/** The cap (BUY) or floor (SELL) of a parent's children now; undefined means at market. */
export function limitOf(order: ParentOrder): Price | undefined {
  return order.intent.price ?? order.trigger?.limit;
}

/** Whether a parent can still send children at all. */
export function isActive(order: ParentOrder): boolean {
  return order.ended === undefined && order.pendingEnd === undefined && order.frozen === undefined;
}

/** The prices inside a parent's cap (BUY) or floor (SELL) now; undefined means any price. */
export function limitConditionOf(order: ParentOrder): LevelCondition | undefined {
  const level = limitOf(order);
  return level === undefined ? undefined : { direction: limitDirection(order.intent.side), level };
}

/**
 * What a parent waits for on counted quotes; undefined while it has nothing to look for: ended, ending, frozen, or
 * with a child in flight.
 */
export function watchOf(order: ParentOrder): Watch | undefined {
  if (!isActive(order) || order.child !== undefined) return undefined;
  const side = executableSide(order.intent.side);
  const { type } = order.intent;
  if (needsTrigger(type) && order.trigger === undefined) return triggerWatch(order, type);
  const condition = limitConditionOf(order);
  return condition === undefined ? { kind: "every", side } : { kind: "level", side, condition };
}

type TriggeredType = Exclude<ParentType, "SYNTHETIC_LIMIT">;

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
