import type { ChildTimeInForce, OrderTypeAlias, ParentType, Side, TimeInForce } from "../model/index.ts";

/**
 * An order in the words of the contract's input fields: decimals and weights as strings, times, ids, counts and basis
 * points as numbers. `symbol` is canonical here. Source: contract, Order input fields.
 */
export type OrderFields = Readonly<{
  symbol: string;
  side: Side;
  type: ParentType | OrderTypeAlias;
  quantity: string;
  price?: string;
  stopPrice?: string;
  trailingDelta?: number;
  price2?: string;
  trailingAmount?: string;
  limitOffset?: string;
  icebergQty?: string;
  /** With type LIMIT: 180 TWAP, 1000002 VWAP, 1000004 POV, capped by the price. */
  targetStrategy?: number;
  /** Milliseconds. */
  interval?: number;
  intervalCount?: number;
  /** Milliseconds. */
  intervalDelay?: number;
  /** Weights separated by commas, one per interval. */
  volumeProfile?: string;
  participationBips?: number;
  /** GTX and POST_ONLY make a LIMIT a LIMIT_MAKER. */
  timeInForce?: TimeInForce | "GTX" | "POST_ONLY";
  /** Epoch milliseconds. */
  expireTime?: number;
  /** Another name of expireTime. */
  goodTillDate?: number;
  reduceOnly?: boolean;
  childTimeInForce?: ChildTimeInForce;
  apiManaged?: boolean;
  newClientOrderId?: string;
}>;
