import type { ParentType, SharedTerms, Side } from "../model/index.ts";

type Optional<T> = { readonly [N in keyof T]?: T[N] | undefined };

/** Fields that every order takes, alone or as a leg of a list. */
export interface OrderTerms extends Optional<SharedTerms> {
  /** When the order ends by itself, in epoch milliseconds. It makes the order GTD. */
  readonly expireTime?: number | undefined;
  /** Alias of `expireTime`. */
  readonly goodTillDate?: number | undefined;
  /** Makes a single LIMIT a managed order. */
  readonly apiManaged?: true | undefined;
  /** Your id of the order: 1-36 letters, digits, `.`, `_` or `-`. */
  readonly newClientOrderId?: string | undefined;
}

/** Side and size of an order. */
export interface Sized {
  readonly side: Side;
  /** How much of the base asset to trade: a decimal string with at most 6 decimals. */
  readonly quantity: string;
}

/** Fields that every single order takes. */
export interface OrderBase extends OrderTerms, Sized {
  /** The canonical symbol, such as BTC/USD. */
  readonly symbol: string;
}

/** A limit at a fixed price. */
export interface Limited {
  /** Worst price in USD, as a decimal string: the most to pay, or the least to take. */
  readonly price: string;
}

/** An order that may show only a part of its quantity. */
export interface Displayed {
  /** How much is shown, and sent, at once: a decimal string, at most the quantity. */
  readonly icebergQty?: string | undefined;
}

/** A trigger at a fixed price. */
export interface Triggered {
  /** Price in USD that triggers the order, as a decimal string. */
  readonly stopPrice: string;
}

/** A trailing trigger that may wait for a price before it trails. */
export interface Gated {
  /** Price in USD from which the trigger trails, as a decimal string. */
  readonly stopPrice?: string | undefined;
}

/** A trigger that trails the market by an amount. */
export interface TrailByAmount {
  /** Distance in USD, as a decimal string. */
  readonly trailingAmount: string;
  readonly trailingDelta?: undefined;
  readonly price2?: undefined;
}

/** A trigger that trails the market by a percentage. */
export interface TrailByPercent {
  /** Distance in percent: a decimal string above 0 and below 100. */
  readonly price2: string;
  readonly trailingDelta?: undefined;
  readonly trailingAmount?: undefined;
}

/** A trigger that trails the market by basis points. */
export interface TrailByBasisPoints {
  /** Distance in basis points, 1 to 9,999. */
  readonly trailingDelta: number;
  readonly price2?: undefined;
  readonly trailingAmount?: undefined;
}

/** Exactly one distance between the market and the trigger that trails it. */
export type TrailBy = TrailByAmount | TrailByPercent | TrailByBasisPoints;

/** A trailing order whose limit follows the trigger. */
export interface LimitAtOffset {
  /** How far beyond the trigger the limit is set, in USD: a decimal string of 0 or more. */
  readonly limitOffset: string;
  readonly price?: undefined;
}

/** A trailing order whose limit is a fixed price. */
export interface LimitAtPrice extends Limited {
  readonly limitOffset?: undefined;
}

/** Exactly one limit of a trailing order. */
export type TrailingLimit = LimitAtOffset | LimitAtPrice;

/** The slots of a TWAP. */
export interface EvenSlots {
  /** Milliseconds of one slot, 1,000 to 86,400,000. */
  readonly interval: number;
  /** Number of slots, 2 to 10,000. */
  readonly intervalCount: number;
  /** Milliseconds before the first slot; 0 by default. */
  readonly intervalDelay?: number | undefined;
}

/** The slots of a VWAP. */
export interface VolumeSlots {
  /** Milliseconds of one slot; a minute by default. */
  readonly interval?: number | undefined;
  /** Number of slots, 2 to 10,000. */
  readonly intervalCount?: number | undefined;
  /** Milliseconds before the first slot; 0 by default. */
  readonly intervalDelay?: number | undefined;
  /** Weights separated by commas, one per slot, in place of the service's own volumes. */
  readonly volumeProfile?: string | undefined;
}

/** The share of a POV. */
export interface VolumeShare {
  /** Share of the executed volume in basis points, 1 to 10,000. */
  readonly participationBips: number;
}

/** A TWAP with a price limit. */
export interface CappedTwapOrder extends OrderBase, Limited, EvenSlots {
  readonly type: "LIMIT";
  readonly targetStrategy: 180;
}

/** A VWAP with a price limit. */
export interface CappedVwapOrder extends OrderBase, Limited, VolumeSlots {
  readonly type: "LIMIT";
  readonly targetStrategy: 1_000_002;
}

/** A POV with a price limit. */
export interface CappedPovOrder extends OrderBase, Limited, VolumeShare {
  readonly type: "LIMIT";
  readonly targetStrategy: 1_000_004;
}

/** A LIMIT that is post-only. */
export interface PostOnlyLimitOrder extends Omit<OrderBase, "timeInForce">, Limited {
  readonly type: "LIMIT";
  readonly timeInForce: "GTX" | "POST_ONLY";
  readonly icebergQty?: undefined;
  readonly targetStrategy?: undefined;
}

/** A LIMIT that its display quantity makes a managed order. */
export interface IcebergLimitOrder extends OrderBase, Limited {
  readonly type: "LIMIT";
  /** How much is shown, and sent, at once: a decimal string, at most the quantity. */
  readonly icebergQty: string;
  readonly targetStrategy?: undefined;
}

/** A LIMIT that its expiry, given as `goodTillDate`, makes a managed order. */
export interface DatedLimitOrder extends Omit<OrderBase, "timeInForce" | "goodTillDate">, Limited, Displayed {
  readonly type: "LIMIT";
  readonly timeInForce?: "GTD" | undefined;
  /** When the order ends by itself, in epoch milliseconds. */
  readonly goodTillDate: number;
  readonly targetStrategy?: undefined;
}

/** A LIMIT that its expiry makes a managed order. */
export interface ExpiringLimitOrder
  extends Omit<OrderBase, "timeInForce" | "expireTime">,
    Limited,
    Displayed {
  readonly type: "LIMIT";
  readonly timeInForce?: "GTD" | undefined;
  /** When the order ends by itself, in epoch milliseconds. */
  readonly expireTime: number;
  readonly targetStrategy?: undefined;
}

/** A persistent limit by the name LIMIT. Without `apiManaged` a LIMIT is a native order, unless another field decides. */
export interface LimitOrder extends OrderBase, Limited, Displayed {
  readonly type: "LIMIT";
  readonly apiManaged: true;
  readonly targetStrategy?: undefined;
}

/** A persistent limit. */
export interface SyntheticLimitOrder extends OrderBase, Limited, Displayed {
  readonly type: "SYNTHETIC_LIMIT";
}

/** A post-only limit: refused if the first quote would match it. */
export interface LimitMakerOrder extends OrderBase, Limited {
  readonly type: "LIMIT_MAKER" | "POST_ONLY";
}

/** A limit that shows only a part of its quantity at a time. */
export interface IcebergOrder extends OrderBase, Limited {
  readonly type: "ICEBERG";
  /** How much is shown, and sent, at once: a decimal string, at most the quantity. */
  readonly icebergQty: string;
}

/** A stop that trades at the market price. */
export interface StopMarketOrder extends OrderBase, Triggered {
  readonly type: "STOP_MARKET" | "STOP" | "STOP_LOSS";
}

/** A stop with a limit. */
export interface StopLimitOrder extends OrderBase, Triggered, Limited, Displayed {
  readonly type: "STOP_LOSS_LIMIT" | "STOP_LIMIT";
}

/** A take-profit that trades at the market price. */
export interface TakeProfitMarketOrder extends OrderBase, Triggered {
  readonly type: "TAKE_PROFIT_MARKET" | "TAKE_PROFIT";
}

/** A take-profit with a limit. */
export interface TakeProfitLimitOrder extends OrderBase, Triggered, Limited, Displayed {
  readonly type: "TAKE_PROFIT_LIMIT";
}

/** A trailing stop that trades at the market price. It takes exactly one distance: see {@link TrailBy}. */
export interface TrailingStopMarketOrder extends OrderBase, Gated {
  readonly type: "TRAILING_STOP_MARKET" | "TRAILING_STOP";
}

/**
 * A trailing stop with a limit. It takes exactly one distance and exactly one limit: see {@link TrailBy} and
 * {@link TrailingLimit}.
 */
export interface TrailingStopLimitOrder extends OrderBase, Gated, Displayed {
  readonly type: "TRAILING_STOP_LIMIT";
}

/** An order in equal slots. */
export interface TwapOrder extends OrderBase, EvenSlots {
  readonly type: "TWAP";
}

/** An order in slots that are weighted by volume. */
export interface VwapOrder extends OrderBase, VolumeSlots {
  readonly type: "VWAP";
}

/** An order that trades a share of the executed volume. */
export interface PovOrder extends OrderBase, VolumeShare {
  readonly type: "POV";
}

/**
 * An order in the contract's input fields: decimals and weights as strings; times, ids, counts and basis points as
 * numbers. `type` decides which other fields the order takes. Source: contract, Order input fields.
 */
// For a LIMIT that fits no member, the compiler explains the last one: LimitOrder.
export type OrderFields =
  | CappedTwapOrder
  | CappedVwapOrder
  | CappedPovOrder
  | PostOnlyLimitOrder
  | IcebergLimitOrder
  | DatedLimitOrder
  | ExpiringLimitOrder
  | LimitOrder
  | SyntheticLimitOrder
  | LimitMakerOrder
  | IcebergOrder
  | StopMarketOrder
  | StopLimitOrder
  | TakeProfitMarketOrder
  | TakeProfitLimitOrder
  | (TrailingStopMarketOrder & TrailBy)
  | (TrailingStopLimitOrder & TrailBy & TrailingLimit)
  | TwapOrder
  | VwapOrder
  | PovOrder;

type WithFields<T extends OrderFields["type"]> = T;

/** The canonical types. A new one does not compile until {@link OrderFields} has its fields. */
export type FieldsType = WithFields<ParentType>;

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

/** A limit that shows only a part of its quantity at a time. It cannot be a leg of an OCO pair. */
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
