import { ERRORS } from "../../errors/index.ts";
import type { ChildRequest, NativeTerms, RejectReason } from "../../model/index.ts";
import type { ChildResolved } from "./entry.ts";
import type { OrderEnd, OrderTerms } from "./kept-order.ts";

/** Refusal of a child whose instrument is not listed. */
export const UNKNOWN_INSTRUMENT = "Unknown instrument.";

/** Reason for closing a child that a crash left undecided. */
export const VENUE_RESTARTED = "The venue restarted.";

const REJECT_REASONS: ReadonlyMap<string, RejectReason> = new Map([
  [ERRORS.INSUFFICIENT_BALANCE.text, "INSUFFICIENT_BALANCES"],
  [UNKNOWN_INSTRUMENT, "UNKNOWN_INSTRUMENT"],
]);

/** Returns a child as an order of its account: a LIMIT if it has a limit price, else a MARKET (decision 4). */
export function childTermsOf(child: ChildRequest): OrderTerms {
  const { accountId, symbol, side, timeInForce, quantity, limitPrice, childId } = child;
  const common = { accountId, symbol, side, timeInForce, quantity, clientOrderId: childId, isChild: true };
  return limitPrice === undefined
    ? { ...common, type: "MARKET" }
    : { ...common, type: "LIMIT", price: limitPrice };
}

/** Returns a native order as requested. A market order has GTC, as in the convention. */
export function nativeTermsOf(accountId: number, terms: NativeTerms): OrderTerms {
  return { timeInForce: "GTC", ...terms, accountId, isChild: false };
}

/** Returns the end of a child that was not filled. */
export function childEndOf({ type, timeInForce }: OrderTerms, outcome: ChildResolved): OrderEnd {
  const { state, detail } = outcome;
  if (state === "rejected") {
    return { status: "REJECTED", rejectReason: REJECT_REASONS.get(detail) ?? "OTHER", errorMessage: detail };
  }
  if (detail === VENUE_RESTARTED) return { status: "EXPIRED", reason: "SYSTEM_FAILURE" };
  if (timeInForce === "FOK") return { status: "EXPIRED", reason: "UNFILLED_FOK_ORDER_EXPIRED" };
  const reason = type === "MARKET" ? "INSUFFICIENT_LIQUIDITY" : "UNFILLED_IOC_QUANTITY_EXPIRED";
  return { status: "EXPIRED", reason };
}
