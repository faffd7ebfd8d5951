import type { Price, Quantity } from "../decimal/index.ts";
import type { RejectReason } from "./native-order.ts";
import type { Side } from "./side.ts";

/**
 * A new order that was refused for a business reason before it had an id. Fields that the request did not contain are
 * absent (contract, Errors, "Early new-order business rejections").
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
  /** The negative error code of the answer. */
  code: number;
  rejectReason: RejectReason;
  /** The text of the answer, unchanged. */
  errorMessage: string;
  /** Epoch milliseconds. */
  timeMs: number;
}>;
