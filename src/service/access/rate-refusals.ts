import { type ErrorDetails, OrderError } from "../../errors/index.ts";
import type { OrderRefusal, RateLimits, WeightRefusal } from "../../ports/index.ts";

/** The limits that were broken, where they are known, and the time. */
export type RateContext = Readonly<{ limits: RateLimits | undefined; nowMs: number }>;

/** Whole seconds until a time, rounded up, at least one. */
function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
}

/**
 * The error of a request that was too much for its address, -1003 for limit and ban alike.
 * Its detail `retryAfter` (seconds) goes to header and body. Source: decision 42.
 */
export function tooMuchWeight(refused: WeightRefusal, { limits, nowMs }: RateContext): OrderError {
  const { kind, untilMs } = refused;
  const retryAfter = secondsUntil(untilMs, nowMs);
  if (kind === "ban") return new OrderError("IP_BANNED", { until: untilMs, retryAfter });
  const details: ErrorDetails = { limit: limits?.weightPerMinute ?? 0, interval: "1 MINUTE", retryAfter };
  return new OrderError("TOO_MANY_REQUESTS", details);
}

/** The error of one WebSocket connection too many, -1003, with the same detail. Source: convention 4.2. */
export function tooManyConnections(untilMs: number, { limits, nowMs }: RateContext): OrderError {
  const limit = limits?.connectionsPer5Min ?? 0;
  return new OrderError("TOO_MANY_CONNECTIONS", {
    limit,
    interval: "5 MINUTE",
    retryAfter: secondsUntil(untilMs, nowMs),
  });
}

/** The error of one placement too many, -1015, with the same detail. Source: decision 42; convention 5.3. */
export function tooManyOrders(refused: OrderRefusal, { limits, nowMs }: RateContext): OrderError {
  const daily = refused.window === "perDay";
  const limit = (daily ? limits?.ordersPerDay : limits?.ordersPer10s) ?? 0;
  const retryAfter = secondsUntil(refused.untilMs, nowMs);
  return new OrderError("TOO_MANY_ORDERS", { limit, interval: daily ? "1 DAY" : "10 SECOND", retryAfter });
}
