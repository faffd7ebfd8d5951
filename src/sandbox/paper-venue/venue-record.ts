import {
  add,
  averagePriceText,
  formatPrice,
  formatQuantity,
  notionalOf,
  ZERO_NOTIONAL,
} from "../../decimal/index.ts";
import { ERRORS } from "../../errors/index.ts";
import type { ChildRequest, ChildTimeInForce, Fill, Side } from "../../model/index.ts";
import type { ChildReport, Instruments } from "../../ports/index.ts";
import { AccountOrders } from "./account-orders.ts";
import { childEndOf, childTermsOf, nativeTermsOf } from "./asked-terms.ts";
import type { ChildArrived, ChildReleased, ChildResolved, Entry } from "./entry.ts";
import { isOpen, type KeptOrder, restOf } from "./kept-order.ts";
import { type Debit, debitOf, Ledger, type Trade } from "./ledger.ts";
import { total } from "./order-book.ts";
import type { OrderCanceled, OrderEntry, OrderFilled, OrderPlaced } from "./order-entry.ts";
import { Positions } from "./positions.ts";
import { RestingOrders } from "./resting-orders.ts";

/** The venue's record contradicts itself or cannot be read; the venue does not start on it. */
export class VenueRecordError extends Error {
  override readonly name = "VenueRecordError";
}

/** A child in the venue's own record, as `GET /control/children` shows it; `price` is null at market. */
export type ChildRow = Readonly<{
  clientOrderId: string;
  parentOrderId: number;
  symbol: string;
  side: Side;
  quantity: string;
  price: string | null;
  timeInForce: ChildTimeInForce;
  executedQty: string;
  averagePrice: string;
  submissions: number;
  time: number;
}>;

type ChildEntry = {
  readonly request: ChildRequest;
  readonly order: KeptOrder;
  readonly arrivedAtMs: number;
  submissions: number;
  outcome?: ChildResolved;
};

type TradeOf<F> = Omit<Trade, "fills"> & Readonly<{ fills: readonly F[] }>;

/** Whose trade it is, and of what. */
type Traded = Readonly<{ accountId: number; side: Side; symbol: string }>;

/** What the venue knows: children, native orders and balances, made from entries alone, live and after a restart alike. */
export class VenueRecord {
  readonly ledger: Ledger = new Ledger();
  readonly positions: Positions = new Positions();
  /** Children and native orders as native orders of their accounts. */
  readonly orders: AccountOrders = new AccountOrders();
  /** Native orders that wait for quotes. */
  readonly resting: RestingOrders = new RestingOrders();
  readonly #requests: Map<string, KeptOrder> = new Map();
  readonly #instruments: Instruments;
  readonly #children: Map<string, ChildEntry> = new Map();
  #executions = 0;

  constructor(instruments: Instruments) {
    this.#instruments = instruments;
  }

  /** Takes one more entry. */
  apply(entry: Entry): void {
    if (entry.kind === "balances") this.ledger.set(entry.accountId, entry.balances);
    else if (entry.kind === "positions") this.positions.set(entry.accountId, entry.positions);
    else if (entry.kind === "arrived") this.#arrived(entry);
    else if (entry.kind === "resolved") this.#resolved(entry);
    else if (entry.kind === "released") this.#released(entry);
    else this.#ordered(entry);
  }

  /** The native order that a signed request was answered with; undefined when it never was. */
  orderOfRequest(accountId: number, requestKey: string): KeptOrder | undefined {
    return this.#requests.get(`${accountId} ${requestKey}`);
  }

  /** Whether a child of that id ever arrived. */
  has(childId: string): boolean {
    return this.#children.has(childId);
  }

  /** Executions so far; the next one's number. */
  get executions(): number {
    return this.#executions;
  }

  /** What the venue says of a child; `undefined` when it never arrived. */
  report(childId: string): ChildReport | undefined {
    const outcome = this.#children.get(childId)?.outcome;
    if (outcome === undefined || outcome.held) {
      return this.has(childId) ? { childId, state: "open", fills: [] } : undefined;
    }
    const { state, fills, final, detail } = outcome;
    return {
      childId,
      state,
      fills,
      ...(final ? { final } : {}),
      ...(detail === ERRORS.INSUFFICIENT_BALANCE.text ? { mark: "INSUFFICIENT_FUNDS" } : {}),
      ...(detail === "" ? {} : { detail }),
    };
  }

  /** The request a child arrived with. */
  request(childId: string): ChildRequest | undefined {
    return this.#children.get(childId)?.request;
  }

  /** Ids of children that arrived and have no outcome. */
  unresolved(): readonly string[] {
    return [...this.#children].filter(([, child]) => child.outcome === undefined).map(([id]) => id);
  }

  /** Ids of held children, oldest first. */
  held(): readonly string[] {
    return [...this.#children].filter(([, child]) => child.outcome?.held === true).map(([id]) => id);
  }

  /** All children, or those of one parent, in the order of arrival. */
  rows(parentOrderId?: number): readonly ChildRow[] {
    const children = [...this.#children.values()];
    return children
      .filter(({ request }) => parentOrderId === undefined || request.parentOrderId === parentOrderId)
      .map((child) => rowOf(child, this.report(child.request.childId)));
  }

  #arrived({ child, timeMs }: ChildArrived): void {
    const known = this.#children.get(child.childId);
    if (known !== undefined) {
      known.submissions += 1;
      return;
    }
    const order = this.orders.add(childTermsOf(child), timeMs);
    this.#children.set(child.childId, { request: child, order, arrivedAtMs: timeMs, submissions: 1 });
  }

  #resolved(entry: ChildResolved): void {
    const child = this.#child(entry.childId);
    child.outcome = entry;
    this.#executions += entry.fills.length;
    if (!entry.held) this.#told(child.order, entry, entry.timeMs);
    if (entry.fills.length === 0) return;
    if (entry.held) this.ledger.promise(entry.childId, debitOf(this.#tradeOf(child.request, entry.fills)));
    else this.#move(child.request, entry.fills);
  }

  /** What became of a child, once it is known outside the venue. */
  #told(order: KeptOrder, outcome: ChildResolved, timeMs: number): void {
    this.orders.fill(order, outcome.fills, timeMs);
    if (restOf(order) > 0) this.orders.end(order, childEndOf(order.terms, outcome), timeMs);
  }

  #released({ childId, timeMs }: ChildReleased): void {
    const child = this.#child(childId);
    const { outcome } = child;
    if (outcome === undefined || !outcome.held) return;
    child.outcome = { ...outcome, held: false };
    this.ledger.forget(childId);
    this.#told(child.order, outcome, timeMs);
    this.#move(child.request, outcome.fills);
  }

  #ordered(entry: OrderEntry): void {
    if (entry.kind === "placed") this.#placed(entry);
    else if (entry.kind === "filled") this.#filled(entry);
    else this.#canceled(entry);
  }

  #placed({ accountId, requestKey, terms, fills, expired, timeMs }: OrderPlaced): void {
    const order = this.orders.add(nativeTermsOf(accountId, terms), timeMs);
    this.#requests.set(`${accountId} ${requestKey}`, order);
    this.#trade(order, fills, timeMs);
    if (expired !== undefined) this.orders.end(order, { status: "EXPIRED", reason: expired }, timeMs);
    if (isOpen(order)) this.resting.add(order);
    this.#setAside(order);
  }

  #filled({ orderId, fills, timeMs }: OrderFilled): void {
    const order = this.#restingOrder(orderId);
    this.#trade(order, fills, timeMs);
    if (!isOpen(order)) this.resting.remove(order);
    this.#setAside(order);
  }

  #canceled({ orderId, reason, timeMs }: OrderCanceled): void {
    const order = this.#restingOrder(orderId);
    this.orders.end(order, { status: "CANCELED", reason }, timeMs);
    this.resting.remove(order);
    this.#setAside(order);
  }

  #trade(order: KeptOrder, fills: readonly Fill[], timeMs: number): void {
    this.#executions += fills.length;
    this.orders.fill(order, fills, timeMs);
    this.#move(order.terms, fills);
  }

  /** A trade moves balances, and a position where one was set. */
  #move(traded: Traded, fills: readonly Fill[]): void {
    if (fills.length === 0) return;
    this.ledger.move(this.#tradeOf(traded, fills));
    const { accountId, symbol, side } = traded;
    this.positions.move({ accountId, symbol, side, fills });
  }

  /** An open order holds what its rest will cost at its limit, so that nothing else spends it. */
  #setAside(order: KeptOrder): void {
    if (isOpen(order)) this.ledger.promise(String(order.orderId), this.restingDebit(order));
    else this.ledger.forget(String(order.orderId));
  }

  /** What the rest of an order costs at most. */
  restingDebit(order: KeptOrder): Debit {
    const { price } = order.terms;
    const fills = price === undefined ? [] : [{ price, quantity: restOf(order) }];
    return debitOf(this.#tradeOf(order.terms, fills));
  }

  #restingOrder(orderId: bigint): KeptOrder {
    const order = this.orders.byId(orderId);
    if (order === undefined || !isOpen(order)) throw new VenueRecordError(`order ${orderId} is not open`);
    return order;
  }

  #child(childId: string): ChildEntry {
    const child = this.#children.get(childId);
    if (child === undefined) throw new VenueRecordError(`child ${childId} never arrived`);
    return child;
  }

  #tradeOf<F>({ accountId, side, symbol }: Traded, fills: readonly F[]): TradeOf<F> {
    const instrument = this.#instruments.find(symbol);
    if (instrument === undefined) throw new VenueRecordError(`${symbol} is not listed`);
    return { accountId, side, baseAsset: instrument.baseAsset, fills };
  }
}

function rowOf({ request, submissions, arrivedAtMs }: ChildEntry, report: ChildReport | undefined): ChildRow {
  const fills = report?.fills ?? [];
  const executed = total(fills);
  const value = fills.reduce((sum, fill) => add(sum, notionalOf(fill.price, fill.quantity)), ZERO_NOTIONAL);
  return {
    clientOrderId: request.childId,
    parentOrderId: request.parentOrderId,
    symbol: request.symbol,
    side: request.side,
    quantity: formatQuantity(request.quantity),
    price: request.limitPrice === undefined ? null : formatPrice(request.limitPrice),
    timeInForce: request.timeInForce,
    executedQty: formatQuantity(executed),
    averagePrice: averagePriceText(value, executed),
    submissions,
    time: arrivedAtMs,
  };
}
