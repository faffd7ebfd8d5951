import type { ScheduledType, Side, TimeInForce } from "../model/index.ts";
import type { OrderFields } from "./order-fields.ts";

/** The four ways to write an order list down. Source: contract, List creation rules 2-5. */
export type ListForm = "oco" | "oto" | "otoco" | "legacyOco";

/** What a leg of a pair may say; schedules are not supported in lists (contract rule 8). */
export type LegFields = Readonly<
  { type: Exclude<OrderFields["type"], ScheduledType> } & Omit<
    OrderFields,
    | "symbol"
    | "side"
    | "quantity"
    | "type"
    | "targetStrategy"
    | "interval"
    | "intervalCount"
    | "intervalDelay"
    | "volumeProfile"
    | "participationBips"
  >
>;

/** What a leg with a side and a quantity of its own may say. */
export type FreeLegFields = LegFields & Pick<OrderFields, "side" | "quantity">;

/** The fields of a leg as they are sent: price is abovePrice, newClientOrderId is aboveClientOrderId. */
export type Prefixed<P extends string, T> = {
  [K in keyof T as K extends "newClientOrderId"
    ? `${P}ClientOrderId`
    : `${P}${Capitalize<K & string>}`]: T[K];
};

/** What every list says; the expiry holds for each leg whose TimeInForce is GTD and that has none (decision 10). */
export type ListCommonFields = Readonly<{
  /** Canonical here. */
  symbol: string;
  listClientOrderId: string;
  /** Epoch milliseconds. */
  expireTime?: number;
  /** Another name of expireTime. */
  goodTillDate?: number;
}>;

/** Two legs of which one wins. Source: contract, List creation rule 2. */
export type OcoFields = ListCommonFields &
  Readonly<{ side: Side; quantity: string }> &
  Prefixed<"above", LegFields> &
  Prefixed<"below", LegFields>;

/** A working order that releases a pending one when it is filled. Source: contract, List creation rule 3. */
export type OtoFields = ListCommonFields &
  Prefixed<"working", FreeLegFields> &
  Prefixed<"pending", FreeLegFields>;

/** A working order that releases an OCO pair when it is filled. Source: contract, List creation rule 4. */
export type OtocoFields = ListCommonFields &
  Prefixed<"working", FreeLegFields> &
  Readonly<{ pendingSide: Side; pendingQuantity: string }> &
  Prefixed<"pendingAbove", LegFields> &
  Prefixed<"pendingBelow", LegFields>;

/** A limit and a stop in the words of the older call. Source: contract, List creation rule 5. */
export type LegacyOcoFields = ListCommonFields &
  Readonly<{
    side: Side;
    quantity: string;
    price: string;
    limitClientOrderId?: string;
    limitIcebergQty?: string;
    /** The stop needs this or trailingDelta, or takes both. */
    stopPrice?: string;
    trailingDelta?: number;
    /** Makes the stop a stop-limit. */
    stopLimitPrice?: string;
    stopLimitTimeInForce?: TimeInForce;
    stopClientOrderId?: string;
    stopIcebergQty?: string;
  }>;

/** The fields of each form. */
export type ListFields = {
  oco: OcoFields;
  oto: OtoFields;
  otoco: OtocoFields;
  legacyOco: LegacyOcoFields;
};
