import type { OrderTypeAlias, ParentType, ScheduledType, Side, TimeInForce } from "../model/index.ts";
import type { OrderTerms, Sized } from "./orders.ts";

/** The four forms of an order list. Source: contract, List creation rules 2-5. */
export type ListForm = "oco" | "oto" | "otoco" | "legacyOco";

/**
 * Fields of a leg of a pair, without the rules of its type: in a request they are prefixed, and the type is read when
 * the leg is. Schedules are not supported in lists (contract rule 8).
 */
export interface LegFields extends Omit<OrderTerms, "timeInForce"> {
  readonly type: Exclude<ParentType | OrderTypeAlias, ScheduledType>;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly trailingDelta?: number;
  readonly price2?: string;
  readonly trailingAmount?: string;
  readonly limitOffset?: string;
  readonly icebergQty?: string;
  readonly timeInForce?: TimeInForce | "GTX" | "POST_ONLY";
}

/** Fields of a leg with its own side and quantity. */
export interface FreeLegFields extends LegFields, Sized {}

/**
 * The fields of a leg under their names in the request: price is abovePrice, newClientOrderId is aboveClientOrderId.
 */
export type Prefixed<P extends string, T> = {
  [K in keyof T as K extends "newClientOrderId"
    ? `${P}ClientOrderId`
    : `${P}${Capitalize<K & string>}`]: T[K];
};

/**
 * Fields of every list. The expiry applies to each leg whose TimeInForce is GTD and that has no expiry of its own
 * (decision 10).
 */
export type ListCommonFields = Readonly<{
  /** The canonical symbol, such as BTC/USD. */
  symbol: string;
  /** Your id of the list: 1-36 letters, digits, `.`, `_` or `-`. */
  listClientOrderId: string;
  /** Epoch milliseconds. */
  expireTime?: number;
  /** Alias of `expireTime`. */
  goodTillDate?: number;
}>;

/** A pair of legs of which one wins. Source: contract, List creation rule 2. */
export type OcoFields = ListCommonFields &
  Readonly<{ side: Side; quantity: string }> &
  Prefixed<"above", LegFields> &
  Prefixed<"below", LegFields>;

/** A working order that releases a pending order when it is filled. Source: contract, List creation rule 3. */
export type OtoFields = ListCommonFields &
  Prefixed<"working", FreeLegFields> &
  Prefixed<"pending", FreeLegFields>;

/** A working order that releases an OCO pair when it is filled. Source: contract, List creation rule 4. */
export type OtocoFields = ListCommonFields &
  Prefixed<"working", FreeLegFields> &
  Readonly<{ pendingSide: Side; pendingQuantity: string }> &
  Prefixed<"pendingAbove", LegFields> &
  Prefixed<"pendingBelow", LegFields>;

/** A limit and a stop, in the fields of the older call. Source: contract, List creation rule 5. */
export type LegacyOcoFields = ListCommonFields &
  Readonly<{
    side: Side;
    quantity: string;
    price: string;
    limitClientOrderId?: string;
    limitIcebergQty?: string;
    /** The stop needs stopPrice or trailingDelta, or takes both. */
    stopPrice?: string;
    trailingDelta?: number;
    /** Makes the stop a stop-limit. */
    stopLimitPrice?: string;
    stopLimitTimeInForce?: TimeInForce;
    stopClientOrderId?: string;
    stopIcebergQty?: string;
  }>;

/** The fields by form. */
export interface ListFields {
  readonly oco: OcoFields;
  readonly oto: OtoFields;
  readonly otoco: OtocoFields;
  readonly legacyOco: LegacyOcoFields;
}
