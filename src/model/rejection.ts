import type { Price, Quantity } from "../decimal/index.ts";
import type { RejectReason } from "./native-order.ts";
import type { Side } from "./side.ts";

/**
 * A new order that was refused as a matter of business before it had an id; what the request did not say is absent.
 * Source: contract, Errors ("Early new-order business rejections").
 */
export type Rejection = Readonly<{
  /** 22 letters and digits, unique. */
  rejectionId: string;
  accountId: number;
  symbol: string;
  clientOrderId: string;
  side?: Side;
  type?: string;
  timeInForce?: string;
  price?: Price;
  stopPrice?: Price;
  quantity?: Quantity;
  /** The negative number that the request was answered with. */
  code: number;
  rejectReason: RejectReason;
  /** The text that the request was answered with, as it is. */
  errorMessage: string;
  /** Epoch milliseconds. */
  timeMs: number;
}>;
