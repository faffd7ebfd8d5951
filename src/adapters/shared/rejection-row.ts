import { formatPrice, formatQuantity, parsePrice, parseQuantity } from "../../decimal/index.ts";
import { invariant } from "../../errors/index.ts";
import type { Rejection, Side } from "../../model/index.ts";

/** A stored rejection: its amounts are canonical decimal text, and what a refused request did not say is null. */
export type RejectionRow = Readonly<{
  rejectionId: string;
  accountId: number;
  symbol: string;
  clientOrderId: string;
  side: Side | null;
  type: string | null;
  timeInForce: string | null;
  price: string | null;
  stopPrice: string | null;
  quantity: string | null;
  code: number;
  rejectReason: Rejection["rejectReason"];
  errorMessage: string;
  timeMs: number;
}>;

/** Returns a rejection as it is stored. */
export function rejectionRow(rejection: Rejection): RejectionRow {
  const { side = null, type = null, timeInForce = null, price, stopPrice, quantity } = rejection;
  const { rejectionId, accountId, symbol, clientOrderId, code, rejectReason, errorMessage, timeMs } =
    rejection;
  return {
    ...{ rejectionId, accountId, symbol, clientOrderId, side, type, timeInForce },
    ...{ code, rejectReason, errorMessage, timeMs },
    price: price === undefined ? null : formatPrice(price),
    stopPrice: stopPrice === undefined ? null : formatPrice(stopPrice),
    quantity: quantity === undefined ? null : formatQuantity(quantity),
  };
}

/** Returns a stored rejection. Throws an InvariantError I16 for an amount that is none. */
export function rejectionIn(stored: RejectionRow): Rejection {
  const { side, type, timeInForce, price, stopPrice, quantity, ...row } = stored;
  return {
    ...row,
    ...(side !== null && { side }),
    ...(type !== null && { type }),
    ...(timeInForce !== null && { timeInForce }),
    ...(price !== null && { price: read(price, parsePrice) }),
    ...(stopPrice !== null && { stopPrice: read(stopPrice, parsePrice) }),
    ...(quantity !== null && { quantity: read(quantity, parseQuantity) }),
  };
}

function read<T>(text: string, parse: (text: string) => T | undefined): T {
  const value = parse(text);
  invariant(value !== undefined, "I16", `a stored rejection has an invalid amount: ${text}`);
  return value;
}
