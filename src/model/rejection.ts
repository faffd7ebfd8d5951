import type { Price, Quantity } from "../decimal/index.ts";
import type { RejectReason } from "./native-order.ts";
import type { Side } from "./side.ts";

/**
 * A new order that was refused for a business reason before it had an id. Fields that the request did not contain are
 * absent (contract, Errors, "Early new-order business rejections").
 */
export interface Rejection {
  /** 22 letters and digits, unique. */
  readonly rejectionId: string;
  readonly accountId: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side?: Side;
  readonly type?: string;
  readonly timeInForce?: string;
  readonly price?: Price;
  readonly stopPrice?: Price;
  readonly quantity?: Quantity;
  /** The negative error code of the answer. */
  readonly code: number;
  readonly rejectReason: RejectReason;
  /** The text of the answer, unchanged. */
  readonly errorMessage: string;
  /** Epoch milliseconds. */
  readonly timeMs: number;
}
