import { price, quantity } from "../../decimal/index.ts";
import type { Rejection } from "../../model/index.ts";

let made = 0;

/** A rejection of account 1 at time 1,000 with its own id. */
export function rejectionOf(fields: Partial<Rejection> = {}): Rejection {
  return {
    rejectionId: `rejection-${++made}`,
    accountId: 1,
    symbol: "BTC/USD",
    clientOrderId: "mine",
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    price: price("9999999999.99999999"),
    quantity: quantity("999999999999.999999"),
    code: -2010,
    rejectReason: "INSUFFICIENT_BALANCES",
    errorMessage: "Account has insufficient balance for requested action.",
    timeMs: 1_000,
    ...fields,
  };
}
