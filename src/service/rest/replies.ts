import { type ErrorBody, type ErrorName, OrderError } from "../../errors/index.ts";
import { type JsonInput, type WireResponse, writeJson } from "../../wire/index.ts";
import type { Answer, ServiceParts } from "./parts.ts";

/** Data for the headers of every reply; `headers` are those for the request's web origin. */
export type ReplyStamp = Readonly<{
  requestId: string;
  usedWeight: number;
  headers: WireResponse["headers"];
}>;

const REQUEST_ID_LENGTH = 22;

/**
 * Returns an id for a request in logs and headers. Returns zeros when the host's entropy fails: a reply does not depend
 * on randomness.
 */
export function requestIdOf({ entropy }: Pick<ServiceParts, "entropy">): string {
  try {
    return entropy.token(REQUEST_ID_LENGTH);
  } catch {
    return "0".repeat(REQUEST_ID_LENGTH);
  }
}

/** A reply before its common headers. */
export type Reply = Readonly<{ status: number; body?: JsonInput; headers?: WireResponse["headers"] }>;

/**
 * Refusals about the order itself, not about how the request was written, signed or addressed. Only these may be sent with
 * HTTP 200. Source: contract "Errors" (business errors).
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
  "CANCEL_RESTRICTED",
  "NO_SUCH_ORDER",
  "REDUCE_ONLY_REJECTED",
  "CLIENT_ID_MISMATCH",
]);

/** Returns whether a refusal is about the order and not about the request. Source: contract "Errors". */
export function isBusinessRefusal(reason: ErrorName): boolean {
  return BUSINESS.has(reason);
}

/** Builds the reply of a refusal. A `retryAfter` detail goes to header and body. */
export function refusalReply(error: OrderError, options: Readonly<{ businessAs200: boolean }>): Reply {
  const status = options.businessAs200 && isBusinessRefusal(error.reason) ? 200 : error.status;
  const { retryAfter } = error.details;
  const body: ErrorBody = error.toBody();
  if (retryAfter === undefined) return { status, body };
  const seconds = String(retryAfter);
  return { status, body: { ...body, retryAfter: seconds }, headers: { "Retry-After": seconds } };
}

/** Builds the response: the common headers, then the body, if there is one, as JSON with its members in insertion order. */
export function wireReply({ status, body, headers }: Reply, stamp: ReplyStamp): WireResponse {
  const weight = String(stamp.usedWeight);
  const sent = {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Request-Id": stamp.requestId,
    "X-MBX-USED-WEIGHT": weight,
    "X-MBX-USED-WEIGHT-1M": weight,
    ...headers,
    ...stamp.headers,
  };
  if (body !== undefined) return { status, headers: sent, body: writeJson(body) };
  const { "Content-Type": _type, ...bodiless } = sent;
  return { status, headers: bodiless, body: "" };
}

/** Builds the reply of a successful request. The reply of a placement has the order counts. Source: convention 5.3. */
export function successReply({ body, counts }: Answer): Reply {
  if (counts === undefined) return { status: 200, body };
  const { per10s, perDay } = counts;
  const headers = { "X-MBX-ORDER-COUNT-10S": String(per10s), "X-MBX-ORDER-COUNT-1D": String(perDay) };
  return { status: 200, body, headers };
}

/** Context of a failed request: log fields that identify its caller, and whether it only read. */
type FailureContext = Readonly<{
  fields: Readonly<Record<string, string>>;
  onlyReads: boolean;
}>;

/**
 * Returns the refusal that answers a failure, and logs the failure. Neither contains a secret, a payload or a stack.
 */
export function refusalOf(
  { telemetry }: Pick<ServiceParts, "telemetry">,
  error: unknown,
  failed: FailureContext,
): OrderError {
  // After a request that may have written, the error says that the outcome is unknown. Source: convention 2.1.
  const refusal =
    error instanceof OrderError
      ? publicErrorOf(error, failed)
      : new OrderError(failed.onlyReads ? "UNKNOWN" : "UNEXPECTED_RESPONSE");
  const fields = { ...failed.fields, code: refusal.code, reason: refusal.reason };
  if (refusal.status < 500) telemetry.event("debug", "request.refused", fields);
  else {
    const level = error instanceof OrderError ? "warn" : "error";
    telemetry.event(level, "request.failed", { ...fields, ...originOf(error) });
  }
  return refusal;
}

/** An error as the client is told: after a request that only reads, it says nothing of what was stored. */
function publicErrorOf(error: OrderError, { onlyReads }: FailureContext): OrderError {
  if (!onlyReads || error.status < 500) return error;
  return new OrderError(error.reason, { ...error.details, request: "read" }, { cause: error.cause });
}

/** Returns the kind and place of a failure. The message is left out, because it may quote a client or a store. */
function originOf(error: unknown): Readonly<Record<string, string>> {
  const origin = error instanceof OrderError ? error.cause : error;
  if (!(origin instanceof Error)) return {};
  const frames = (origin.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: origin.name,
    at: frames
      .slice(0, 5)
      .map((line) => line.trim())
      .join("; "),
  };
}
