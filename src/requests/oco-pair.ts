import { type ErrorName, OrderError } from "../errors/index.ts";
import { type LegIntent, type LegRole, type ParentIntent, type Side, TRAITS } from "../model/index.ts";
import type { Leg } from "./list-legs.ts";

/** The two legs of an OCO by position. */
export type LegPair = Readonly<{ upper: Leg; lower: Leg }>;

/**
 * Returns the legs of a pair in display order: protective, then profit. The profit leg is the lower leg of a BUY and
 * the upper leg of a SELL. Throws OCO_BOTH_LIMIT (-1168) or OCO_TYPE_REJECTED (-1158) for two legs of one kind; -1165,
 * -1166 or -1196 to -1199 for a leg on the wrong side; BAD_PRICE_RELATION (-2010) with both fields if the upper level
 * is not above the lower one. Source: contract, List creation rules 2 and 5; decisions 6 and 33; complaint 44.
 */
export function pairOf({ upper, lower }: LegPair): readonly LegIntent[] {
  refuseOneKind(upper, lower);
  const { side } = upper.intent;
  const [protective, profit] = side === "BUY" ? [upper, lower] : [lower, upper];
  if (!takesProfit(profit)) throw wrongSide(side, { protective: profit, profit: protective });
  refuseCrossed(upper, lower);
  return [asLeg(protective, "protective"), asLeg(profit, "profit")];
}

/** Returns the pair of a leg that takes the profit and one that stops, in display order. Throws as {@link pairOf}. */
export function exitsOf({ profit, stop }: Readonly<{ profit: Leg; stop: Leg }>): readonly LegIntent[] {
  const isBuy = profit.intent.side === "BUY";
  return pairOf(isBuy ? { upper: stop, lower: profit } : { upper: profit, lower: stop });
}

/** Returns the leg with its role in the list. */
export function asLeg({ intent, generatedClientId }: Leg, role: LegRole): LegIntent {
  return { role, intent, generatedClientId };
}

const isLimit = ({ intent }: Leg): boolean => TRAITS[intent.type].trigger === undefined;
const takesProfit = (leg: Leg): boolean => isLimit(leg) || TRAITS[leg.intent.type].trigger === "takeProfit";

/** Refuses two legs of the same kind, whatever their prices. The error names the lower leg. */
function refuseOneKind(upper: Leg, lower: Leg): void {
  const field = lower.nameOf("type");
  if (isLimit(upper) && isLimit(lower)) throw new OrderError("OCO_BOTH_LIMIT", { field });
  if (takesProfit(upper) === takesProfit(lower)) throw new OrderError("OCO_TYPE_REJECTED", { field });
}

type WrongSide = Readonly<Record<"limit" | "stop" | "takeProfit", ErrorName>>;

const WRONG_SIDE: Readonly<Record<Side, WrongSide>> = {
  BUY: {
    limit: "BUY_OCO_LIMIT_BELOW",
    stop: "BUY_OCO_STOP_ABOVE",
    takeProfit: "BUY_OCO_TAKE_PROFIT_BELOW",
  },
  SELL: {
    limit: "SELL_OCO_LIMIT_ABOVE",
    stop: "SELL_OCO_STOP_BELOW",
    takeProfit: "SELL_OCO_TAKE_PROFIT_ABOVE",
  },
};

/**
 * Returns the error for legs on the wrong sides. Both are wrong then. The error names the limit, else a trailing leg,
 * else the take-profit.
 */
function wrongSide(
  side: Side,
  { protective, profit }: Readonly<Record<"protective" | "profit", Leg>>,
): OrderError {
  const errors = WRONG_SIDE[side];
  if (isLimit(profit)) return new OrderError(errors.limit, { field: profit.nameOf("type") });
  return protective.intent.trailing === undefined
    ? new OrderError(errors.takeProfit, { field: profit.nameOf("type") })
    : new OrderError(errors.stop, { field: protective.nameOf("type") });
}

/** Refuses levels that are equal or in the wrong order. A leg without a level is not compared. */
function refuseCrossed(upper: Leg, lower: Leg): void {
  const [high, low] = [levelOf(upper.intent), levelOf(lower.intent)];
  if (high === undefined || low === undefined || high.price > low.price) return;
  const [upperName, lowerName] = [upper.nameOf(high.field), lower.nameOf(low.field)];
  const advice = `'${upperName}' must be higher than '${lowerName}'.`;
  throw new OrderError("BAD_PRICE_RELATION", {
    field: upperName,
    upper: upperName,
    lower: lowerName,
    advice,
  });
}

type Level = Readonly<{ field: "price" | "stopPrice"; price: NonNullable<ParentIntent["price"]> }>;

function levelOf({ price, stopPrice }: ParentIntent): Level | undefined {
  if (stopPrice !== undefined) return { field: "stopPrice", price: stopPrice };
  return price === undefined ? undefined : { field: "price", price };
}
