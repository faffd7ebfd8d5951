import type { Displayed, Gated, Limited, OrderTerms, TrailBy, TrailingLimit } from "./orders.ts";

/** A leg that triggers at a stop price; with a distance it trails from there. */
export interface LegAtStop {
  /** Price in USD that triggers the order, as a decimal string. */
  readonly stopPrice: string;
  /** Distance in basis points, 1 to 9,999. */
  readonly trailingDelta?: number | undefined;
}

/** A leg that trails the market. */
export interface LegThatTrails {
  /** Distance in basis points, 1 to 9,999. */
  readonly trailingDelta: number;
  /** Price in USD from which the trigger trails, as a decimal string. */
  readonly stopPrice?: string | undefined;
}

/** At least one of a stop price and a distance. */
export type LegTrigger = LegThatTrails | LegAtStop;

/** A persistent limit. */
export interface LimitLeg extends OrderTerms, Limited, Displayed {
  readonly type: "LIMIT" | "SYNTHETIC_LIMIT";
}

/** A LIMIT that is post-only. */
export interface PostOnlyLimitLeg extends Omit<OrderTerms, "timeInForce">, Limited {
  readonly type: "LIMIT";
  readonly timeInForce: "GTX" | "POST_ONLY";
  readonly icebergQty?: undefined;
}

/** A post-only limit. */
export interface LimitMakerLeg extends OrderTerms, Limited {
  readonly type: "LIMIT_MAKER" | "POST_ONLY";
}

/** A limit that shows only a part of its quantity at a time. It cannot be a leg of an OCO pair (decision 33). */
export interface IcebergLeg extends OrderTerms, Limited {
  readonly type: "ICEBERG";
  /** How much is shown, and sent, at once: a decimal string, at most the quantity. */
  readonly icebergQty: string;
}

/** A stop that trades at the market price. It takes a stop price, a distance or both: see {@link LegTrigger}. */
export interface StopMarketLeg extends OrderTerms {
  readonly type: "STOP_MARKET" | "STOP" | "STOP_LOSS";
}

/** A stop with a limit. It takes a stop price, a distance or both: see {@link LegTrigger}. */
export interface StopLimitLeg extends OrderTerms, Limited, Displayed {
  readonly type: "STOP_LOSS_LIMIT" | "STOP_LIMIT";
}

/** A take-profit that trades at the market price. It takes a stop price, a distance or both: see {@link LegTrigger}. */
export interface TakeProfitMarketLeg extends OrderTerms {
  readonly type: "TAKE_PROFIT_MARKET" | "TAKE_PROFIT";
}

/** A take-profit with a limit. It takes a stop price, a distance or both: see {@link LegTrigger}. */
export interface TakeProfitLimitLeg extends OrderTerms, Limited, Displayed {
  readonly type: "TAKE_PROFIT_LIMIT";
}

/** A trailing stop that trades at the market price. It takes exactly one distance: see {@link TrailBy}. */
export interface TrailingStopMarketLeg extends OrderTerms, Gated {
  readonly type: "TRAILING_STOP_MARKET" | "TRAILING_STOP";
}

/**
 * A trailing stop with a limit. It takes exactly one distance and exactly one limit: see {@link TrailBy} and
 * {@link TrailingLimit}.
 */
export interface TrailingStopLimitLeg extends OrderTerms, Gated, Displayed {
  readonly type: "TRAILING_STOP_LIMIT";
}

/** A leg that takes the profit: a limit or a take-profit. */
export type ProfitLeg =
  | (TakeProfitMarketLeg & LegTrigger)
  | (TakeProfitLimitLeg & LegTrigger)
  | LimitMakerLeg
  | PostOnlyLimitLeg
  | LimitLeg;

/** A leg that limits the loss: a stop or a trailing stop. */
export type StopLeg =
  | (StopMarketLeg & LegTrigger)
  | (StopLimitLeg & LegTrigger)
  | (TrailingStopMarketLeg & TrailBy)
  | (TrailingStopLimitLeg & TrailBy & TrailingLimit);

/** A leg outside a pair. */
export type FreeLeg = ProfitLeg | StopLeg | IcebergLeg;
