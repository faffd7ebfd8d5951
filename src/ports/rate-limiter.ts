import type { Awaitable } from "./host.ts";

/** Limits that exchangeInfo shows: request weight per minute and address, orders placed per account. */
export interface RateLimits {
  readonly weightPerMinute: number;
  readonly ordersPer10s: number;
  readonly ordersPerDay: number;
  /** WebSocket connections that an address may open in five minutes. */
  readonly connectionsPer5Min?: number;
}

/**
 * Refusal for too much weight in this minute, or a ban for going on after that. `untilMs` is when to retry, in epoch
 * ms.
 */
export interface WeightRefusal {
  readonly kind: "limit" | "ban";
  readonly untilMs: number;
}

/** Result of weighing a request. `used` is the weight of its address in this minute. */
export interface WeightVerdict {
  readonly used: number;
  readonly refused?: WeightRefusal;
}

/** Whether an address may open one more connection. `refusedUntilMs` is when to retry, in epoch ms. */
export interface ConnectionVerdict {
  readonly refusedUntilMs?: number;
}

/** Number of orders that an account has placed in the running windows. */
export interface OrderCounts {
  readonly per10s: number;
  readonly perDay: number;
}

/** The window that has no room, and when it ends, in epoch ms. */
export interface OrderRefusal {
  readonly window: keyof OrderCounts;
  readonly untilMs: number;
}

/** Result of counting a placement. `takenAtMs` identifies the windows in which it was counted. */
export interface OrderVerdict {
  readonly counts: OrderCounts;
  readonly takenAtMs: number;
  readonly refused?: OrderRefusal;
}

/**
 * Counts request weight per address and orders placed per account, and decides when a limit is exceeded. An address is an
 * IPv4 address, or the first 64 bits of an IPv6 address, such as `2001:db8:0:1::/64`; the service passes it in this form. A
 * rejected promise is answered as a service failure (contract "Errors"; convention 3.5 and 5.3).
 */
export interface RateLimiter {
  /** The limits in force; undefined when nothing is ever refused. */
  readonly limits: RateLimits | undefined;
  /** Counts the weight of one request. Weight 0 only queries. */
  weigh(request: Readonly<{ address: string; weight: number }>): Awaitable<WeightVerdict>;
  /** Counts one WebSocket connection of an address. A limiter without this method allows all connections. */
  connect?(request: Readonly<{ address: string }>): Awaitable<ConnectionVerdict>;
  /** Counts the orders of one placement (each leg of a list counts), unless a window has no room for all of them. */
  takeOrders(placement: Readonly<{ accountId: number; count: number }>): Awaitable<OrderVerdict>;
  /** Reverts the count of a placement that created nothing. Resolves to the counts after that. */
  returnOrders(
    placement: Readonly<{ accountId: number; count: number; takenAtMs: number }>,
  ): Awaitable<OrderCounts>;
  /**
   * Called when this node of a cluster has begun to serve further accounts. `isHere` says at any time whether an account is
   * served here. A limiter that keeps orders of the day in a store reads those that other nodes have counted of accounts that
   * are here; what it has counted itself stays. Orders are counted meanwhile. May resolve when they are read.
   */
  gained?(isHere: (accountId: number) => boolean): Awaitable<void>;
  /**
   * Called when accounts of this node have gone to other nodes. A limiter that keeps orders of the day in a store writes now
   * what it has counted, so that the next node finds it. May resolve when it is written.
   */
  lost?(): Awaitable<void>;
}
