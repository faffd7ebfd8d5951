import type { Awaitable } from "./host.ts";

/** Limits that are shown in exchangeInfo: request weight a minute per address, orders placed per account (decision 42). */
export type RateLimits = Readonly<{
  weightPerMinute: number;
  ordersPer10s: number;
  ordersPerDay: number;
  /** WebSocket connections that an address may open in five minutes. */
  connectionsPer5Min?: number;
}>;

/** Too much weight in this minute, or banned for going on after that; `untilMs` is when to come back, epoch ms. */
export type WeightRefusal = Readonly<{ kind: "limit" | "ban"; untilMs: number }>;

/** What became of a request's weight; `used` is the weight of its address in this minute. */
export type WeightVerdict = Readonly<{ used: number; refused?: WeightRefusal }>;

/** Whether an address may open one more connection; `refusedUntilMs` is when to come back, epoch ms. */
export type ConnectionVerdict = Readonly<{ refusedUntilMs?: number }>;

/** Orders that an account has placed in the running windows. */
export type OrderCounts = Readonly<{ per10s: number; perDay: number }>;

/** The window that has no room and when it ends, epoch ms. */
export type OrderRefusal = Readonly<{ window: keyof OrderCounts; untilMs: number }>;

/** What became of a placement; `takenAtMs` names the windows it was counted in. */
export type OrderVerdict = Readonly<{ counts: OrderCounts; takenAtMs: number; refused?: OrderRefusal }>;

/**
 * Counts request weight per address and orders placed per account, and says when it was too much. What counts as one
 * address is an IPv4 address, or the first 64 bits of an IPv6 address, such as `2001:db8:0:1::/64`: the service says it
 * like this. A rejected promise is answered as a service failure. Source: contract "Errors"; decision 42; convention 3.5
 * and 5.3.
 */
export type RateLimiter = {
  /** The limits that hold; undefined when nothing is ever refused. */
  readonly limits: RateLimits | undefined;
  /** Counts the weight of one request; weight 0 only asks. */
  weigh(request: Readonly<{ address: string; weight: number }>): Awaitable<WeightVerdict>;
  /** Counts one WebSocket connection of an address; a limiter without this lets all of them in. */
  connect?(request: Readonly<{ address: string }>): Awaitable<ConnectionVerdict>;
  /** Counts the orders of one placement, a list's legs each, unless a window has no room for all of them. */
  takeOrders(placement: Readonly<{ accountId: number; count: number }>): Awaitable<OrderVerdict>;
  /** Takes the orders of a placement back that created nothing; resolves to what is counted then. */
  returnOrders(
    placement: Readonly<{ accountId: number; count: number; takenAtMs: number }>,
  ): Awaitable<OrderCounts>;
};
