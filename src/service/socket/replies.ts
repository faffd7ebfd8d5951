import type { OrderError } from "../../errors/index.ts";
import type { OrderCounts, RateLimits } from "../../ports/index.ts";
import { type JsonInput, type RequestId, writeJson } from "../../wire/index.ts";
import { rateLimitItems } from "../access/rate-limits.ts";
import type { Answer } from "../rest/parts.ts";
import { refusalReply } from "../rest/replies.ts";

/** What a request has used of the limits; what is not known of it is left out. */
export type LimitUsage = Readonly<{
  limits: RateLimits | undefined;
  weight?: number;
  orders?: OrderCounts | undefined;
}>;

/** What stands in every reply: whose it is and, unless it was asked not to, what was used of the limits. */
export type ReplyStamp = Readonly<{ id: RequestId; used: LimitUsage | undefined }>;

/** The reply of a request that was done; the result is what REST answers with. Source: convention 4.1. */
export function resultText({ body }: Answer, stamp: ReplyStamp): string {
  return writeJson({ id: stamp.id, status: 200, result: body, ...usedItems(stamp.used) });
}

/** How a refusal is told. */
export type RefusalContext = Readonly<{ businessAs200: boolean; nowMs: number }>;

/**
 * The reply of a refusal: the status number of REST, code and text; with a limit or a ban also when to come back.
 * Source: contract, WebSocket request methods; convention 1, gap 25.
 */
export function refusalText(
  error: OrderError,
  stamp: ReplyStamp,
  { businessAs200, nowMs }: RefusalContext,
): string {
  const { status } = refusalReply(error, { businessAs200 });
  const { retryAfter } = error.details;
  const data = typeof retryAfter === "number" && {
    serverTime: nowMs,
    retryAfter: nowMs + retryAfter * 1_000,
  };
  const told = { code: error.code, msg: error.message, ...(data && { data }) };
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
