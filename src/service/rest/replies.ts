import { type ErrorBody, type ErrorName, OrderError } from "../../errors/index.ts";
import { type JsonInput, type WireResponse, writeJson } from "../../wire/index.ts";
import type { Answer, ServiceParts } from "./parts.ts";

/** What stands in the headers of every reply; `headers` are those that its web origin asks for. */
export type ReplyStamp = Readonly<{
  requestId: string;
  usedWeight: number;
  headers: WireResponse["headers"];
}>;

const REQUEST_ID_LENGTH = 22;

/** A name for a request in logs and headers; zeros when the host has none to give, for a reply needs no luck. */
export function requestIdOf({ entropy }: Pick<ServiceParts, "entropy">): string {
  try {
    return entropy.token(REQUEST_ID_LENGTH);
  } catch {
    return "0".repeat(REQUEST_ID_LENGTH);
  }
}

/** A reply before its common headers. */
export type Reply = Readonly<{ status: number; body: JsonInput; headers?: WireResponse["headers"] }>;

/**
 * Refusals that are about orders and not about how the request was written, signed or addressed: what may come with
 * HTTP 200. Source: contract "Errors" (business errors); decision 37.
 */
const BUSINESS: ReadonlySet<ErrorName> = new Set([
  "FILTER_NOTIONAL",
  "FILTER_ICEBERG_PARTS",
  "ICEBERG_EXCEEDS_QUANTITY",
  "NO_DEPTH",
  "ORDER_REJECTED",
  "DUPLICATE_ORDER",
  "INSUFFICIENT_BALANCE",
  "ACCOUNT_DISABLED",
  "UNKNOWN_ACCOUNT",
  "ACCOUNT_RESTRICTED",
  "SYMBOL_RESTRICTED",
  "MARKET_CLOSED",
  "WOULD_MATCH",
  "BAD_PRICE_RELATION",
  "NO_VOLUME_HISTORY",
  "CANCEL_REJECTED",
  "NO_SUCH_ORDER",
  "REDUCE_ONLY_REJECTED",
  "CLIENT_ID_MISMATCH",
]);

/** Whether a refusal is about the order and not about the request. Source: contract "Errors". */
export function isBusinessRefusal(reason: ErrorName): boolean {
  return BUSINESS.has(reason);
}

/** The reply of a refusal; one with a `retryAfter` detail says it in header and body. Source: decisions 37 and 42. */
export function refusalReply(error: OrderError, options: Readonly<{ businessAs200: boolean }>): Reply {
  const status = options.businessAs200 && isBusinessRefusal(error.reason) ? 200 : error.status;
  const { retryAfter } = error.details;
  const body: ErrorBody = error.toBody();
  if (retryAfter === undefined) return { status, body };
  const seconds = String(retryAfter);
  return { status, body: { ...body, retryAfter: seconds }, headers: { "Retry-After": seconds } };
}

/** The reply as it goes out: common headers, then the body as JSON with its members in the order they were made. */
export function wireReply(reply: Reply, stamp: ReplyStamp): WireResponse {
  const type = "application/json; charset=utf-8";
  return {
    status: reply.status,
    headers: { "Content-Type": type, ...stampHeaders(stamp), ...reply.headers, ...stamp.headers },
    body: writeJson(reply.body),
  };
}

/** A reply of status 204, which has no body. */
export function emptyReply(headers: WireResponse["headers"], stamp: ReplyStamp): WireResponse {
  return { status: 204, headers: { ...stampHeaders(stamp), ...headers, ...stamp.headers }, body: "" };
}

function stampHeaders({ requestId, usedWeight }: ReplyStamp): WireResponse["headers"] {
  const weight = String(usedWeight);
  return {
    "Cache-Control": "no-store",
    "X-Request-Id": requestId,
    "X-MBX-USED-WEIGHT": weight,
    "X-MBX-USED-WEIGHT-1M": weight,
  };
}

/** An unexpected failure: whether a write took place is not known then. Source: convention 2.1. */
export function unexpectedError(onlyReads: boolean): OrderError {
  return new OrderError(onlyReads ? "UNKNOWN" : "UNEXPECTED_RESPONSE");
}

/** The reply of a request that was done; that of a placement tells the order counts. Source: convention 5.3. */
export function successReply({ body, counts }: Answer): Reply {
  if (counts === undefined) return { status: 200, body };
  const { per10s, perDay } = counts;
  const headers = { "X-MBX-ORDER-COUNT-10S": String(per10s), "X-MBX-ORDER-COUNT-1D": String(perDay) };
  return { status: 200, body, headers };
}
