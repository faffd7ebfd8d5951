import type { Price } from "../decimal/index.ts";
import { type MarketSide, type Side, TRAITS, type TriggeredType, type TriggerKind } from "../model/index.ts";
import type { Direction, LevelCondition } from "./watch.ts";

/**
 * Returns the side of the market that an order executes against, which is the only side it observes: the ask for BUY,
 * the bid for SELL (contract, Trigger rules).
 *
 *
 * @example
 * ```ts
 * import { executableSide } from "managed-orders/rules";
 * console.log(executableSide("SELL")); // bid
 * ```
 */
export function executableSide(side: Side): MarketSide {
  return side === "BUY" ? "ask" : "bid";
}

/**
 * Returns where a stop triggers: BUY at or above its stop price, SELL at or below (contract, Trigger rules 1).
 *
 *
 * @example
 * ```ts
 * import { stopDirection } from "managed-orders/rules";
 * console.log(stopDirection("BUY")); // atOrAbove
 * ```
 */
export function stopDirection(side: Side): Direction {
  return side === "BUY" ? "atOrAbove" : "atOrBelow";
}

/**
 * Returns where a take-profit triggers: BUY at or below its stop price, SELL at or above (contract, Trigger rules 2).
 *
 *
 * @example
 * ```ts
 * import { takeProfitDirection } from "managed-orders/rules";
 * console.log(takeProfitDirection("BUY")); // atOrBelow
 * ```
 */
export function takeProfitDirection(side: Side): Direction {
  return side === "BUY" ? "atOrBelow" : "atOrAbove";
}

/**
 * Returns where a limit may execute: BUY at or below its cap, SELL at or above its floor (contract, Trigger rules 3).
 *
 *
 * @example
 * ```ts
 * import { limitDirection } from "managed-orders/rules";
 * console.log(limitDirection("SELL")); // atOrAbove
 * ```
 */
export function limitDirection(side: Side): Direction {
  return side === "BUY" ? "atOrBelow" : "atOrAbove";
}

/**
 * Returns where the gate of a trailing trigger opens. TRAILING_STOP_* opens on the favourable side (BUY at or below,
 * SELL at or above). STOP_* and TAKE_PROFIT_* that trail open where their type triggers (decision 18).
 *
 *
 * @example
 * ```ts
 * import { gateDirection } from "managed-orders/rules";
 * console.log(gateDirection({ type: "TRAILING_STOP_MARKET", side: "BUY" })); // atOrBelow
 * console.log(gateDirection({ type: "STOP_LOSS_LIMIT", side: "BUY" })); // atOrAbove
 * ```
 */
export function gateDirection(order: Readonly<{ type: TriggeredType; side: Side }>): Direction {
  const { trigger } = TRAITS[order.type];
  if (trigger === undefined) throw new RangeError(`an order of type ${order.type} has no trigger`);
  return GATES[trigger](order.side);
}

/**
 * Gate direction of each kind of trigger. A trailing trigger starts at a price better than the market, which is where
 * a take-profit triggers.
 */
const GATES: Readonly<Record<TriggerKind, (side: Side) => Direction>> = {
  stop: stopDirection,
  takeProfit: takeProfitDirection,
  trailing: takeProfitDirection,
};

/**
 * Returns whether a price meets a condition. Reaching the level is enough (decision 8).
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { meets } from "managed-orders/rules";
 * console.log(meets({ direction: "atOrAbove", level: Price.parse("100") }, Price.parse("100.00"))); // true
 * ```
 */
export function meets(condition: LevelCondition, price: Price): boolean {
  return condition.direction === "atOrAbove" ? price >= condition.level : price <= condition.level;
}
