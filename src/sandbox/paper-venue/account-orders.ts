import type { Fill, NativeExecution, NativeOrder } from "../../model/index.ts";
import type { ExecutionQuery, NativeKey, NativePage } from "../../ports/index.ts";
import {
  executionAt,
  isOpen,
  type KeptOrder,
  type OrderEnd,
  type OrderTerms,
  orderOf,
  updatedAtOf,
} from "./kept-order.ts";

/** The first order id: beyond 2^53 and odd, so that a client that rounds ids shows it. */
export const FIRST_ORDER_ID = 9_007_199_254_740_993n;

/** One event of one order, in the order in which events came. */
type Moment = readonly [order: KeptOrder, event: number];

type Range = Readonly<{ startTimeMs?: number; endTimeMs?: number }>;

/**
 * All orders of the venue, children of managed parents and native ones, by id, by client id, by market and by time. Ids
 * rise by one in the order of arrival, so that the record alone makes them again.
 */
export class AccountOrders {
  readonly #orders: Map<bigint, KeptOrder> = new Map();
  readonly #byClientId: Map<string, KeptOrder[]> = new Map();
  readonly #byMarket: Map<string, KeptOrder[]> = new Map();
  readonly #byAccount: Map<number, Moment[]> = new Map();
  #news: Moment[] = [];

  /** Every order in the order of arrival. */
  get all(): readonly KeptOrder[] {
    return [...this.#orders.values()];
  }

  /** An order arrived. */
  add(terms: OrderTerms, timeMs: number): KeptOrder {
    const { accountId, symbol, clientOrderId } = terms;
    const orderId = FIRST_ORDER_ID + BigInt(this.#orders.size);
    const order: KeptOrder = { orderId, terms, fills: [], timesMs: [] };
    this.#orders.set(orderId, order);
    grouped(this.#byClientId, `${accountId} ${clientOrderId}`).push(order);
    grouped(this.#byMarket, `${accountId} ${symbol}`).push(order);
    this.#happened(order, timeMs);
    return order;
  }

  /** Some of it was filled, at this time as far as anybody was told. */
  fill(order: KeptOrder, fills: readonly Fill[], timeMs: number): void {
    for (const fill of fills) {
      order.fills.push(fill);
      this.#happened(order, timeMs);
    }
  }

  /** It ended without being filled. */
  end(order: KeptOrder, end: OrderEnd, timeMs: number): void {
    order.end = end;
    this.#happened(order, timeMs);
  }

  /** The order of an id, whoever owns it. */
  byId(orderId: bigint): KeptOrder | undefined {
    return this.#orders.get(orderId);
  }

  /** The newest order that a key names. */
  find(key: NativeKey): KeptOrder | undefined {
    const { accountId, symbol } = key;
    const named = "orderId" in key ? [this.byId(key.orderId)] : this.#named(accountId, key.clientOrderId);
    return named.findLast((order) => order?.terms.accountId === accountId && order.terms.symbol === symbol);
  }

  /** The open order of an account under a client id, whatever its market. */
  findOpen(accountId: number, clientOrderId: string): KeptOrder | undefined {
    return this.#named(accountId, clientOrderId).findLast(isOpen);
  }

  /** One snapshot per order, ids rising. */
  page(page: NativePage): readonly NativeOrder[] {
    const { accountId, symbol, clientOrderId, fromOrderId, limit } = page;
    const market = this.#byMarket.get(`${accountId} ${symbol}`) ?? [];
    const matching = market.filter(
      (order) =>
        (fromOrderId === undefined || order.orderId >= fromOrderId) &&
        (clientOrderId === undefined || order.terms.clientOrderId === clientOrderId) &&
        isWithin(updatedAtOf(order), page),
    );
    const shown = fromOrderId === undefined ? matching.slice(-limit) : matching.slice(0, limit);
    return shown.map(orderOf);
  }

  /** The newest executions, oldest first. */
  executions(query: ExecutionQuery): readonly NativeExecution[] {
    const { accountId, symbol, orderId, clientOrderId, limit } = query;
    const newestFirst: Moment[] = [];
    const moments = this.#byAccount.get(accountId) ?? [];
    for (let index = moments.length - 1; index >= 0 && newestFirst.length < limit; index--) {
      const moment = moments[index] as Moment;
      const [{ orderId: id, terms, timesMs }, event] = moment;
      const matches =
        (symbol === undefined || terms.symbol === symbol) &&
        (orderId === undefined || id === orderId) &&
        (clientOrderId === undefined || terms.clientOrderId === clientOrderId) &&
        isWithin(timesMs[event] ?? 0, query);
      if (matches) newestFirst.push(moment);
    }
    return newestFirst.reverse().map(([order, event]) => executionAt(order, event));
  }

  /** What happened since the last call. */
  takeNews(): readonly Moment[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  #named(accountId: number, clientOrderId: string): readonly KeptOrder[] {
    return this.#byClientId.get(`${accountId} ${clientOrderId}`) ?? [];
  }

  #happened(order: KeptOrder, timeMs: number): void {
    const moment: Moment = [order, order.timesMs.push(timeMs) - 1];
    grouped(this.#byAccount, order.terms.accountId).push(moment);
    this.#news.push(moment);
  }
}

function grouped<K, V>(groups: Map<K, V[]>, key: K): V[] {
  const group = groups.get(key) ?? [];
  groups.set(key, group);
  return group;
}

function isWithin(timeMs: number, { startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY }: Range): boolean {
  return timeMs >= startTimeMs && timeMs <= endTimeMs;
}
