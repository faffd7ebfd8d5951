import { networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type {
  Awaitable,
  Clock,
  OrderRefusal,
  RateLimiter,
  RateLimits,
  WeightRefusal,
  WeightVerdict,
} from "../../ports/index.ts";
import type { RATE_LIMIT, WrittenOf } from "../../replies/index.ts";

/** Open connections by network, so that a ban can end them. Source: convention 4.1. */
export class Bans {
  readonly #open: Map<string, Set<() => void>> = new Map();

  /** Calls `end` once the network of an address is banned, unless the returned function is called first. */
  watch(address: string, end: () => void): () => void {
    const network = networkOf(address);
    const connections = this.#open.get(network) ?? new Set();
    this.#open.set(network, connections.add(end));
    return () => {
      connections.delete(end);
      if (connections.size === 0 && this.#open.get(network) === connections) this.#open.delete(network);
    };
  }

  /** Ends every connection of a banned address's network. */
  notify(address: string): void {
    for (const end of [...(this.#open.get(networkOf(address)) ?? [])]) end();
  }
}

/** Remembers which networks have proved a key and have not been refused since. */
export type ProvedNetworks = Readonly<{
  proved: (network: string) => void;
  refused: (network: string) => void;
}>;

/** The limiter, whose limits may be unknown, and the clock. */
type LimitParts = Readonly<{ clock: Clock; rateLimiter: Pick<RateLimiter, "limits" | "connect"> }>;

/** What is told of refusals. */
type Refused = Readonly<{ bans: Bans; traffic: Pick<ProvedNetworks, "refused"> }>;

/** The client's address and the weight of its request. */
export type WeightRequest = Readonly<{ address: string; weight: number }>;

/**
 * Counts the weight of a request, whatever its result. Weight 0 only reads the count. Throws an OrderError -1001 if
 * that fails.
 */
export function weigh(
  { rateLimiter }: Readonly<{ rateLimiter: Pick<RateLimiter, "weigh"> }>,
  { address, weight }: WeightRequest,
): Awaitable<WeightVerdict> {
  return rateLimiter.weigh({ address: networkOf(address), weight });
}

/**
 * Withdraws the proved state of an address when one of its requests is refused. Ends every connection of the address if
 * the refusal is a ban.
 */
export function reportRefusal({ bans, traffic }: Refused, address: string, { refused }: WeightVerdict): void {
  if (refused === undefined) return;
  traffic.refused(networkOf(address));
  if (refused.kind === "ban") bans.notify(address);
}

/** Throws the OrderError -1003 of a verdict that refuses the request. */
export function requireWeight(parts: LimitParts, { refused }: WeightVerdict): void {
  if (refused !== undefined) throw tooMuchWeight(refused, parts);
}

/** Refuses a request above the limits of its address. A ban ends every connection of that address. */
export function refuseExcess(parts: LimitParts & Refused, address: string, verdict: WeightVerdict): void {
  reportRefusal(parts, address, verdict);
  requireWeight(parts, verdict);
}

/** Counts one WebSocket connection. Throws an OrderError -1003 above the limit. Source: convention 4.2. */
export async function requireConnection(parts: LimitParts, client: string): Promise<void> {
  const address = networkOf(client);
  const { refusedUntilMs } = (await parts.rateLimiter.connect?.({ address })) ?? {};
  if (refusedUntilMs === undefined) return;
  const limit = parts.rateLimiter.limits?.connectionsPer5Min ?? 0;
  const retryAfter = secondsUntil(refusedUntilMs, parts);
  throw new OrderError("TOO_MANY_CONNECTIONS", { limit, interval: "5 MINUTE", retryAfter });
}

/** Returns the whole seconds until a time, rounded up, at least one: the detail that goes to header and body. */
const secondsUntil = (untilMs: number, { clock }: LimitParts): number =>
  Math.max(1, Math.ceil((untilMs - clock.nowMs()) / 1000));

/** Returns the error of a request above the weight limit of its address: -1003 for limit and ban alike. */
function tooMuchWeight({ kind, untilMs }: WeightRefusal, parts: LimitParts): OrderError {
  const retryAfter = secondsUntil(untilMs, parts);
  if (kind === "ban") return new OrderError("IP_BANNED", { until: untilMs, retryAfter });
  const limit = parts.rateLimiter.limits?.weightPerMinute ?? 0;
  return new OrderError("TOO_MANY_REQUESTS", { limit, interval: "1 MINUTE", retryAfter });
}

/** Returns the error of a placement above the order-count limit: -1015. Source: convention 5.3. */
export function tooManyOrders({ window, untilMs }: OrderRefusal, parts: LimitParts): OrderError {
  const { limits } = parts.rateLimiter;
  const daily = window === "perDay";
  const limit = (daily ? limits?.ordersPerDay : limits?.ordersPer10s) ?? 0;
  const retryAfter = secondsUntil(untilMs, parts);
  return new OrderError("TOO_MANY_ORDERS", { limit, interval: daily ? "1 DAY" : "10 SECOND", retryAfter });
}

/** Returns each limit in the form that clients receive, in the order of exchangeInfo. Source: convention 5.2. */
export function rateLimitItems(
  limits: RateLimits,
): Readonly<Record<"weightPerMinute" | "ordersPer10s" | "ordersPerDay", WrittenOf<typeof RATE_LIMIT>>> {
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
