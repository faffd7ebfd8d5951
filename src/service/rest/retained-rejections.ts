import { errorName } from "../../common/index.ts";
import { type ErrorName, OrderError } from "../../errors/index.ts";
import { harmless } from "../../host-answers/index.ts";
import type { Rejection, RejectReason } from "../../model/index.ts";
import type { ServiceParts } from "./parts.ts";
import { isBusinessRefusal } from "./replies.ts";

/** A new order, native or managed, with the fields that its rejection records. */
export type NewOrder = Readonly<{
  accountId: number;
  order: Pick<Rejection, "symbol" | "clientOrderId" | "timeInForce" | "price" | "stopPrice" | "quantity"> &
    Required<Pick<Rejection, "side" | "type">>;
}>;

const REASONS: ReadonlyMap<ErrorName, RejectReason> = new Map([
  ["MARKET_CLOSED", "MARKET_CLOSED"],
  ["DUPLICATE_ORDER", "DUPLICATE_ORDER"],
  ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCES"],
  ["ACCOUNT_DISABLED", "ACCOUNT_INACTIVE"],
  ["UNKNOWN_ACCOUNT", "ACCOUNT_INACTIVE"],
  ["ACCOUNT_RESTRICTED", "ACCOUNT_INACTIVE"],
  ["WOULD_MATCH", "WOULD_MATCH_IMMEDIATELY"],
  ["BAD_PRICE_RELATION", "OCO_BAD_PRICES"],
  ["REDUCE_ONLY_REJECTED", "REDUCE_ONLY_REJECT"],
  ["FILTER_NOTIONAL", "MIN_NOTIONAL"],
]);

const RANDOM_ID_LENGTH = 22;

/**
 * Places a new order and retains its refusal if it is a business refusal. The contract keeps "early new-order business
 * rejections" and does not distinguish native from managed orders, so both are kept. Errors of the request itself, its
 * signature, its rate or the service are not kept. Neither are lists, because no look-up by an order's client id finds
 * them. Rejects as `place` does. Source: contract, Errors.
 */
export async function retaining<T>(
  parts: ServiceParts,
  order: NewOrder,
  place: () => Promise<T>,
): Promise<T> {
  try {
    return await place();
  } catch (error) {
    if (error instanceof OrderError && isBusinessRefusal(error.reason)) retain(parts, order, error);
    throw error;
  }
}

/** Stores a rejection. The caller receives the refusal even if storing it fails. */
function retain(parts: ServiceParts, order: NewOrder, error: OrderError): void {
  harmless(
    () => parts.rejections.retain(rejectionOf(parts, order, error)),
    (cause) => parts.telemetry.event("warn", "rejection.lost", { code: error.code, error: errorName(cause) }),
  );
}

function rejectionOf(parts: ServiceParts, { accountId, order }: NewOrder, error: OrderError): Rejection {
  const { symbol, side, type, clientOrderId, timeInForce, price, stopPrice, quantity } = order;
  return {
    rejectionId: parts.entropy.token(RANDOM_ID_LENGTH),
    accountId,
    symbol,
    clientOrderId,
    side,
    type,
    ...(timeInForce !== undefined && { timeInForce }),
    ...(price !== undefined && { price }),
    ...(stopPrice !== undefined && { stopPrice }),
    ...(quantity !== undefined && { quantity }),
    code: error.code,
    rejectReason: REASONS.get(error.reason) ?? "OTHER",
    errorMessage: error.msg,
    timeMs: parts.clock.nowMs(),
  };
}
