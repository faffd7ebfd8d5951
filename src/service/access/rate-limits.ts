import { type ErrorDetails, OrderError } from "../../errors/index.ts";
import type { Awaitable, OrderRefusal, RateLimits, WeightRefusal, WeightVerdict } from "../../ports/index.ts";
import { networkOf } from "./ip-address.ts";
import type { AccessParts } from "./parts.ts";

/** The limits, where they are known, and the time. */
type LimitParts = Pick<AccessParts, "rateLimiter" | "clock">;

/** Who asks: address of the client, and what that weighs. */
export type WeightRequest = Readonly<{ address: string; weight: number }>;

/** Counts the weight of a request, whatever becomes of it; 0 only asks. Throws an OrderError -1001 when that fails. */
export function weigh(
  { rateLimiter }: Pick<AccessParts, "rateLimiter">,
  { address, weight }: WeightRequest,
): Awaitable<WeightVerdict> {
  return rateLimiter.weigh({ address: networkOf(address), weight });
}

/** Makes a stranger of an address when a request of it is refused, and ends every connection of it when that is a ban. */
export function tellRefusal(
  { bans, traffic }: Pick<AccessParts, "bans" | "traffic">,
  address: string,
  { refused }: WeightVerdict,
): void {
  if (refused === undefined) return;
  traffic.refused(networkOf(address));
  if (refused.kind === "ban") bans.tell(address);
}

/** Throws the OrderError -1003 of a verdict that refuses. Source: decision 42. */
export function demandWeight(parts: LimitParts, { refused }: WeightVerdict): void {
  if (refused !== undefined) throw tooMuchWeight(refused, parts);
}

/** Counts one WebSocket connection; throws an OrderError -1003 for one too many. Source: convention 4.2. */
export async function demandConnection(parts: LimitParts, client: string): Promise<void> {
  const address = networkOf(client);
  const { refusedUntilMs } = (await parts.rateLimiter.connect?.({ address })) ?? {};
  if (refusedUntilMs !== undefined) throw tooManyConnections(refusedUntilMs, parts);
}

/** Whole seconds until a time, rounded up, at least one. */
function secondsUntil(untilMs: number, { clock }: LimitParts): number {
  return Math.max(1, Math.ceil((untilMs - clock.nowMs()) / 1000));
}

/**
 * The error of a request that was too much for its address, -1003 for limit and ban alike.
 * Its detail `retryAfter` (seconds) goes to header and body. Source: decision 42.
 */
function tooMuchWeight(refused: WeightRefusal, parts: LimitParts): OrderError {
  const { kind, untilMs } = refused;
  const retryAfter = secondsUntil(untilMs, parts);
  if (kind === "ban") return new OrderError("IP_BANNED", { until: untilMs, retryAfter });
  const limit = parts.rateLimiter.limits?.weightPerMinute ?? 0;
  const details: ErrorDetails = { limit, interval: "1 MINUTE", retryAfter };
  return new OrderError("TOO_MANY_REQUESTS", details);
}

/** The error of one WebSocket connection too many, -1003, with the same detail. Source: convention 4.2. */
function tooManyConnections(untilMs: number, parts: LimitParts): OrderError {
  const limit = parts.rateLimiter.limits?.connectionsPer5Min ?? 0;
  return new OrderError("TOO_MANY_CONNECTIONS", {
    limit,
    interval: "5 MINUTE",
    retryAfter: secondsUntil(untilMs, parts),
  });
}

/** The error of one placement too many, -1015, with the same detail. Source: decision 42; convention 5.3. */
export function tooManyOrders(refused: OrderRefusal, parts: LimitParts): OrderError {
  const { limits } = parts.rateLimiter;
  const daily = refused.window === "perDay";
  const limit = (daily ? limits?.ordersPerDay : limits?.ordersPer10s) ?? 0;
  const retryAfter = secondsUntil(refused.untilMs, parts);
  return new OrderError("TOO_MANY_ORDERS", { limit, interval: daily ? "1 DAY" : "10 SECOND", retryAfter });
}

/** A limit as clients are told of it. */
type RateLimitItem = Readonly<{
  rateLimitType: string;
  interval: string;
  intervalNum: number;
  limit: number;
}>;

/** What clients are told of each limit, in the order of exchangeInfo. Source: convention 5.2. */
export function rateLimitItems(
  limits: RateLimits,
): Readonly<Record<"weightPerMinute" | "ordersPer10s" | "ordersPerDay", RateLimitItem>> {
  const { weightPerMinute, ordersPer10s, ordersPerDay } = limits;
  return {
    weightPerMinute: {
      rateLimitType: "REQUEST_WEIGHT",
      interval: "MINUTE",
      intervalNum: 1,
      limit: weightPerMinute,
    },
    ordersPer10s: { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: ordersPer10s },
    ordersPerDay: { rateLimitType: "ORDERS", interval: "DAY", intervalNum: 1, limit: ordersPerDay },
  };
}
