import type { OrderError } from "../../errors/index.ts";
import type { OrderCounts, RateLimits } from "../../ports/index.ts";
import { type JsonInput, type RequestId, writeJson } from "../../wire/index.ts";
import { rateLimitItems } from "../access/rate-limits.ts";
import type { Answer } from "../rest/parts.ts";
import { refusalReply } from "../rest/replies.ts";

/** Used amounts of the rate limits. Unknown amounts are left out. */
export type LimitUsage = Readonly<{
  limits: RateLimits | undefined;
  weight?: number;
  orders?: OrderCounts | undefined;
}>;

/** Members of every reply: the request's id and, unless the client declined them, the used amounts of the limits. */
export type SocketReplyStamp = Readonly<{ id: RequestId; used: LimitUsage | undefined }>;

/** Builds the reply of a successful request. Its result is the body that REST returns. Source: convention 4.1. */
export function resultText({ body }: Answer, stamp: SocketReplyStamp): string {
  return writeJson({ id: stamp.id, status: 200, result: body, ...usedItems(stamp.used) });
}

/** Settings and time for the reply of a refusal. */
export type RefusalContext = Readonly<{ businessAs200: boolean; nowMs: number }>;

/**
 * Builds the reply of a refusal: the HTTP status and the body that REST would return, and the parameter that the
 * error is about; for a limit or a ban also the time after which to retry.
 * Source: contract, WebSocket request methods; convention 1, gap 25; decision MG.
 */
export function refusalText(
  error: OrderError,
  stamp: SocketReplyStamp,
  { businessAs200, nowMs }: RefusalContext,
): string {
  const { status } = refusalReply(error, { businessAs200 });
  const { retryAfter } = error.details;
  const data = typeof retryAfter === "number" && {
    serverTime: nowMs,
    retryAfter: nowMs + retryAfter * 1_000,
  };
  const { field } = error;
  const told = { ...error.toBody(), ...(field !== undefined && { field }), ...(data && { data }) };
  return writeJson({ id: stamp.id, status, error: told, ...usedItems(stamp.used) });
}

function usedItems(used: LimitUsage | undefined): Readonly<{ rateLimits?: readonly JsonInput[] }> {
  return used === undefined ? {} : { rateLimits: itemsOf(used) };
}

function itemsOf({ limits, weight, orders }: LimitUsage): readonly JsonInput[] {
  if (limits === undefined) return [];
  const { weightPerMinute, ordersPer10s, ordersPerDay } = rateLimitItems(limits);
  return [
    ...(orders === undefined ? [] : [{ ...ordersPer10s, count: orders.per10s }]),
    ...(orders === undefined ? [] : [{ ...ordersPerDay, count: orders.perDay }]),
    ...(weight === undefined ? [] : [{ ...weightPerMinute, count: weight }]),
  ];
}
