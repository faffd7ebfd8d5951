import type { ChildTimeInForce, Side } from "../../model/index.ts";

/** A child in the venue's own record, as `GET /control/children` shows it. `price` is null for a market order. */
export interface ChildRow {
  readonly clientOrderId: string;
  readonly parentOrderId: number;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: string;
  readonly price: string | null;
  readonly timeInForce: ChildTimeInForce;
  readonly executedQty: string;
  readonly averagePrice: string;
  readonly submissions: number;
  readonly time: number;
}
