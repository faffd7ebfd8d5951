import {
  add,
  type Notional,
  notionalOf,
  type Price,
  type Quantity,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type {
  ExecutionReason,
  NativeExecution,
  NativeOrder,
  NativeStatus,
  RejectReason,
  Side,
} from "../model/index.ts";
import type { ExecutionQuery, NativeKey, NativePage, OpenNativeQuery } from "../ports/index.ts";
import type { VenueFill } from "./execution-terms.ts";
import { total } from "./order-book.ts";

/** The terms of an order at the venue, a child of a managed parent or a native order. */
export type OrderTerms = Readonly<{
  accountId: number;
  symbol: string;
  side: Side;
  type: "LIMIT" | "MARKET";
  timeInForce: "GTC" | "IOC" | "FOK";
  clientOrderId: string;
  price?: Price;
  /** Absent for an order by amount. Its quantity is the sum of its fills. */
  quantity?: Quantity;
  quoteQuantity?: Notional;
  isChild: boolean;
}>;

/** The end of an order that was not filled. */
export type OrderEnd = Readonly<{
  status: "CANCELED" | "EXPIRED" | "REJECTED";
  reason?: ExecutionReason;
  rejectReason?: RejectReason;
  errorMessage?: string;
}>;

/**
 * One order of the venue's record. Its events are numbered: 0 is its arrival, then come its fills, and last its end.
 * `timesMs` contains the time of each.
 */
export type StoredOrder = {
  readonly orderId: bigint;
  readonly terms: OrderTerms;
  /** Highest commission rate of its fills. Absent if none is charged. */
  readonly commissionRate?: string;
  readonly fills: VenueFill[];
  readonly timesMs: number[];
  end?: OrderEnd;
};

/** Returns the quantity left to fill. */
export function restOf({ terms, fills }: StoredOrder): Quantity {
  return terms.quantity === undefined ? ZERO_QUANTITY : subtract(terms.quantity, total(fills));
}

/** Returns whether an order can still fill. */
export function isOpen(order: StoredOrder): boolean {
  return order.end === undefined && restOf(order) > 0;
}

/** Returns the order in its current state. */
export function orderOf(order: StoredOrder): NativeOrder {
  return snapshotAt(order, order.timesMs.length - 1);
}

/** Returns the order as it was after one of its events. */
function snapshotAt(order: StoredOrder, event: number): NativeOrder {
  const { orderId, terms, timesMs } = order;
  const { isChild: _, quantity, ...requested } = terms;
  const fills = order.fills.slice(0, event);
  const end = event > order.fills.length ? order.end : undefined;
  const whole = quantity ?? total(order.fills);
  const executedQuantity = total(fills);
  const { status = filledStatus(executedQuantity, whole), ...why } = end ?? {};
  return {
    orderId,
    ...requested,
    quantity: whole,
    executedQuantity,
    executedNotional: amountOf(fills),
    status,
    ...why,
    updatedAtMs: timesMs[event] ?? 0,
    isWorking: status !== "REJECTED",
  };
}

/** Returns the sum of price · quantity over fills. */
export function amountOf(fills: readonly VenueFill[]): Notional {
  return fills.reduce((sum, { price, quantity }) => add(sum, notionalOf(price, quantity)), ZERO_NOTIONAL);
}

function filledStatus(executed: Quantity, whole: Quantity): NativeStatus {
  if (executed <= 0) return "NEW";
  return executed < whole ? "PARTIALLY_FILLED" : "FILLED";
}

/** Returns one event of an order as an execution. */
export function executionAt(stored: StoredOrder, event: number): NativeExecution {
  const order = snapshotAt(stored, event);
  const timeMs = order.updatedAtMs;
  const fill = event === 0 ? undefined : stored.fills[event - 1];
  if (fill !== undefined) {
    const { executionId, quantity, price } = fill;
    return { executionId, execType: "TRADE", order, lastQuantity: quantity, lastPrice: price, timeMs };
  }
  const execType = event === 0 ? "NEW" : (stored.end?.status ?? "EXPIRED");
  return { executionId: `pv-${stored.orderId}-${event}`, execType, order, timeMs };
}

/** The first order id: odd, and beyond 2^53, where every double is even. */
const FIRST_ORDER_ID = 9_007_199_254_740_993n;

/**
 * Distance between order ids. All of them are odd, so a rounded id never names an order; and a page from the rounded id
 * plus one on skips none.
 */
const ORDER_ID_STEP = 10n;

/** One event of one order. */
type Moment = readonly [order: StoredOrder, event: number];

/** Events of orders that have not been reported yet. */
export type OrderNews = readonly Moment[];

type Range = Readonly<{ startTimeMs?: number; endTimeMs?: number }>;

/**
 * All orders of the venue, children of managed parents and native ones, by id, client id, market and time. Ids rise in
 * the order of arrival.
 */
export class PaperAccountOrders {
  readonly #orders: Map<bigint, StoredOrder> = new Map();
  readonly #byClientId: Map<string, StoredOrder[]> = new Map();
  readonly #byMarket: Map<string, Set<StoredOrder>> = new Map();
  readonly #byAccount: Map<number, Timeline<Moment>> = new Map();
  /** Events of children, so that they can be removed when the child is forgotten. */
  readonly #momentsOf: Map<StoredOrder, TimelineNode<Moment>[]> = new Map();
  #arrived = 0;
  #news: Moment[] = [];

  /** Every order in the order of arrival. */
  get all(): readonly StoredOrder[] {
    return [...this.#orders.values()];
  }

  /** The id of the next order that arrives. */
  get nextId(): bigint {
    return FIRST_ORDER_ID + ORDER_ID_STEP * BigInt(this.#arrived);
  }

  /** Adds an arriving order. */
  add(
    terms: OrderTerms,
    {
      orderId,
      commissionRate,
      timeMs,
    }: Readonly<{ orderId: bigint; commissionRate?: string; timeMs: number }>,
  ): StoredOrder {
    const { accountId, symbol, clientOrderId } = terms;
    this.#arrived += 1;
    const rate = commissionRate === undefined ? {} : { commissionRate };
    const order: StoredOrder = { orderId, terms, ...rate, fills: [], timesMs: [] };
    this.#orders.set(orderId, order);
    grouped(this.#byClientId, `${accountId} ${clientOrderId}`, () => []).push(order);
    grouped(this.#byMarket, `${accountId} ${symbol}`, () => new Set()).add(order);
    if (terms.isChild) this.#momentsOf.set(order, []);
    this.#happened(order, timeMs);
    return order;
  }

  /** Skips the ids of orders that arrived and are forgotten. */
  pass(count: number): void {
    this.#arrived += count;
  }

  /** Forgets the order of a child. Its id is not used again. */
  prune(order: StoredOrder): void {
    const { accountId, clientOrderId, symbol } = order.terms;
    const [named, market] = [`${accountId} ${clientOrderId}`, `${accountId} ${symbol}`];
    this.#orders.delete(order.orderId);
    const others = this.#named(accountId, clientOrderId).filter((other) => other !== order);
    if (others.length === 0) this.#byClientId.delete(named);
    else this.#byClientId.set(named, others);
    this.#byMarket.get(market)?.delete(order);
    if (this.#byMarket.get(market)?.size === 0) this.#byMarket.delete(market);
    const moments = this.#byAccount.get(accountId);
    for (const moment of this.#momentsOf.get(order) ?? []) moments?.remove(moment);
    if (moments?.isEmpty === true) this.#byAccount.delete(accountId);
    this.#momentsOf.delete(order);
  }

  /** Adds fills, at the time at which they were reported. */
  fill(order: StoredOrder, fills: readonly VenueFill[], timeMs: number): void {
    for (const fill of fills) {
      order.fills.push(fill);
      this.#happened(order, timeMs);
    }
  }

  /** Ends an order that is not filled. */
  end(order: StoredOrder, end: OrderEnd, timeMs: number): void {
    order.end = end;
    this.#happened(order, timeMs);
  }

  /** Returns the order with an id, whoever owns it. */
  byId(orderId: bigint): StoredOrder | undefined {
    return this.#orders.get(orderId);
  }

  /** Returns the newest order that a key names. */
  find(key: NativeKey): StoredOrder | undefined {
    const { accountId, symbol } = key;
    const named = "orderId" in key ? [this.byId(key.orderId)] : this.#named(accountId, key.clientOrderId);
    return named.findLast((order) => order?.terms.accountId === accountId && order.terms.symbol === symbol);
  }

  /** Returns the open order of an account with a client id, in any market. */
  findOpen(accountId: number, clientOrderId: string): StoredOrder | undefined {
    return this.#named(accountId, clientOrderId).findLast(isOpen);
  }

  /** Returns one snapshot per order, by rising id. */
  page(page: NativePage): readonly NativeOrder[] {
    const { accountId, symbol, clientOrderId, fromOrderId, limit } = page;
    const market = [...(this.#byMarket.get(`${accountId} ${symbol}`) ?? [])];
    const matching = market.filter(
      (order) =>
        (fromOrderId === undefined || order.orderId >= fromOrderId) &&
        (clientOrderId === undefined || order.terms.clientOrderId === clientOrderId) &&
        isWithin(order.timesMs.at(-1) ?? 0, page),
    );
    const shown = fromOrderId === undefined ? matching.slice(-limit) : matching.slice(0, limit);
    return shown.map(orderOf);
  }

  /** Returns the open orders of an account, by rising id. */
  open({ accountId, symbol, limit }: OpenNativeQuery): readonly NativeOrder[] {
    const markets = symbol === undefined ? this.#byMarket.keys() : [`${accountId} ${symbol}`];
    const open = [...markets]
      .filter((market) => market.startsWith(`${accountId} `))
      .flatMap((market) => [...(this.#byMarket.get(market) ?? [])].filter(isOpen));
    return open
      .sort((a, b) => (a.orderId < b.orderId ? -1 : 1))
      .slice(0, limit)
      .map(orderOf);
  }

  /** Returns the newest executions, oldest first. */
  executions(query: ExecutionQuery): readonly NativeExecution[] {
    const { accountId, symbol, orderId, clientOrderId, limit } = query;
    const newestFirst: Moment[] = [];
    for (const moment of this.#byAccount.get(accountId)?.newestFirst() ?? []) {
      if (newestFirst.length >= limit) break;
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

  /** Returns the events since the last call. */
  takeNews(): OrderNews {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  #named(accountId: number, clientOrderId: string): readonly StoredOrder[] {
    return this.#byClientId.get(`${accountId} ${clientOrderId}`) ?? [];
  }

  #happened(order: StoredOrder, timeMs: number): void {
    const moment: Moment = [order, order.timesMs.push(timeMs) - 1];
    const node = grouped(this.#byAccount, order.terms.accountId, () => new Timeline()).push(moment);
    this.#momentsOf.get(order)?.push(node);
    this.#news.push(moment);
  }
}

function grouped<K, G>(groups: Map<K, G>, key: K, empty: () => G): G {
  const group = groups.get(key) ?? empty();
  groups.set(key, group);
  return group;
}

function isWithin(timeMs: number, { startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY }: Range): boolean {
  return timeMs >= startTimeMs && timeMs <= endTimeMs;
}

/** A position in a timeline. */
type TimelineNode<T> = {
  readonly value: T;
  before: TimelineNode<T> | undefined;
  after: TimelineNode<T> | undefined;
};

/** Values in order of occurrence. Removing any of them has the same small cost. */
class Timeline<T> {
  #first: TimelineNode<T> | undefined;
  #last: TimelineNode<T> | undefined;

  /** Adds a value after all others. */
  push(value: T): TimelineNode<T> {
    const node: TimelineNode<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
    return node;
  }

  /** Removes a value. Call it once per node. */
  remove(node: TimelineNode<T>): void {
    const { before, after } = node;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Iterates from the newest to the oldest. */
  *newestFirst(): Iterable<T> {
    for (let node = this.#last; node !== undefined; node = node.before) yield node.value;
  }
}

/** The resting orders of one symbol and side, best price first, then oldest first. */
export class RestingOrders {
  /** Symbols with a resting order. */
  readonly #queues: Map<string, Readonly<Record<Side, StoredOrder[]>>> = new Map();

  /** Adds an order behind those with the same or a better price. */
  add(order: StoredOrder): void {
    const { symbol, side } = order.terms;
    const queues = this.#queues.get(symbol) ?? { BUY: [], SELL: [] };
    this.#queues.set(symbol, queues);
    const queue = queues[side];
    const worse = queue.findIndex((other) => isBetter(order, other));
    queue.splice(worse < 0 ? queue.length : worse, 0, order);
  }

  /** Removes an order. Does nothing if it does not rest. */
  remove(order: StoredOrder): void {
    const { symbol, side } = order.terms;
    const queues = this.#queues.get(symbol);
    const index = queues?.[side].indexOf(order) ?? -1;
    if (queues === undefined || index < 0) return;
    queues[side].splice(index, 1);
    if (queues.BUY.length + queues.SELL.length === 0) this.#queues.delete(symbol);
  }

  /** Returns the order that a quote meets first. */
  first({ symbol, side }: Pick<OrderTerms, "symbol" | "side">): StoredOrder | undefined {
    return this.#queues.get(symbol)?.[side][0];
  }

  /** Returns whether any order of a symbol rests. */
  has(symbol: string): boolean {
    return this.#queues.has(symbol);
  }
}

function isBetter({ terms: a }: StoredOrder, { terms: b }: StoredOrder): boolean {
  if (a.price === undefined || b.price === undefined) return false;
  return a.side === "BUY" ? a.price > b.price : a.price < b.price;
}
