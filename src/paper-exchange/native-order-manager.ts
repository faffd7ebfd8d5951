import { add, QUANTITY_LIMIT, type Quantity, ZERO_QUANTITY } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type {
  CancelRestriction,
  NativeExecution,
  NativeLimitTerms,
  NativeMarketTerms,
  NativeOrder,
  Side,
} from "../model/index.ts";
import type {
  Clock,
  ExecutionQuery,
  Instruments,
  NativeKey,
  NativeOrders,
  NativePage,
  NativePlaced,
  NativePlacement,
  NativeRequest,
  OpenNativeQuery,
} from "../ports/index.ts";
import type { DurableVenueRecord } from "./durable-record.ts";
import type { BookReason, EntryOf } from "./entry.ts";
import { charged, type Liquidity, type Terms, type VenueFill } from "./execution-terms.ts";
import { type Debit, debitOf } from "./ledger.ts";
import { type OrderBook, type PrintPublisher, type Take, type Taker, total } from "./order-book.ts";
import { executionAt, isOpen, type OrderNews, orderOf, restOf, type StoredOrder } from "./orders.ts";
import type { VenueRecord } from "./venue-record.ts";

/** Dependencies of the manager on its venue. */
export type NativeOrderManagerParts = Readonly<{
  clock: Clock;
  instruments: Instruments;
  record: VenueRecord;
  durable: DurableVenueRecord;
  book: OrderBook;
  /** Counts a promise as work of the venue until it settles. */
  work: <T>(work: Promise<T>) => Promise<T>;
  /** Converts parts of an order to new executions. */
  fillsOf: (
    executed: Readonly<{ symbol: string; liquidity: Liquidity }>,
    takes: readonly Take[],
  ) => readonly VenueFill[];
  terms: Terms;
  prints: PrintPublisher;
  /** The price at which a resting order executes: its own limit, or that of the quote that reaches it. */
  restingPrice: "limit" | "quote";
}>;

/**
 * The immediate executions of an order, the amount that the account must be able to pay, and the reason for its end if
 * it is not filled.
 */
type Match = Readonly<{
  takes: readonly Take[];
  fills: readonly VenueFill[];
  debit: Debit;
  expired?: BookReason;
}>;

type AccountSide = Readonly<{ accountId: number; side: Side; baseAsset: string }>;

/** Commission of a fill for which the venue charges none. */
const NO_COMMISSION = { commission: "0", commissionAsset: "USD" };

/**
 * Native orders at the paper venue: LIMIT and MARKET against the venue's quotes and balances, in its own record.
 */
export class NativeOrderManager implements NativeOrders {
  readonly isPaperTrade = true;
  readonly #parts: NativeOrderManagerParts;
  readonly #listeners: Set<(execution: NativeExecution) => void> = new Set();

  constructor(parts: NativeOrderManagerParts) {
    this.#parts = parts;
  }

  async place(placement: NativePlacement): Promise<NativePlaced> {
    const { record, book } = this.#parts;
    const blocked = this.#known(placement) === undefined ? this.#blocked() : undefined;
    if (blocked !== undefined) await blocked;
    // Do not await between this check and the entry; otherwise a copy could pass in between.
    const known = this.#known(placement);
    if (known !== undefined) return await this.#parts.durable.read(() => known);
    const match = this.#match(placement);
    book.take(takerOf(placement), match.takes);
    this.#parts.terms.executed(takerOf(placement), match.takes);
    const committed = this.#commit(this.#entryOf(placement, match));
    const order = record.orderOfRequest(placement.accountId, placement.requestKey);
    if (order === undefined) throw new OrderError("UNEXPECTED_RESPONSE");
    const placed = placedOf(order, true);
    await committed;
    return placed;
  }

  findRequest(request: NativeRequest): Promise<NativePlaced | undefined> {
    return this.#parts.durable.read(() => this.#known(request));
  }

  #known({ accountId, requestKey }: NativeRequest): NativePlaced | undefined {
    const order = this.#parts.record.orderOfRequest(accountId, requestKey);
    return order && placedOf(order, false);
  }

  cancel(key: NativeKey): Promise<NativeOrder | undefined> {
    return this.#cancel(key);
  }

  cancelIf(key: NativeKey, restriction: CancelRestriction): Promise<NativeOrder | undefined> {
    return this.#cancel(key, restriction);
  }

  async #cancel(key: NativeKey, restriction?: CancelRestriction): Promise<NativeOrder | undefined> {
    const blocked = this.#blocked();
    if (blocked !== undefined) await blocked;
    const order = this.#parts.record.orders.find(key);
    if (order === undefined || order.terms.isChild || !isOpen(order))
      return await this.#parts.durable.read(() => undefined);
    const isNew = order.fills.length === 0;
    if (restriction !== undefined && isNew !== (restriction === "ONLY_NEW")) {
      await this.#parts.durable.read(() => undefined);
      throw new OrderError("CANCEL_RESTRICTED");
    }
    const committed = this.#commit(this.#cancelOf(order, "USER_CANCELED"));
    const canceled = orderOf(order);
    await committed;
    return canceled;
  }

  find(key: NativeKey): Promise<NativeOrder | undefined> {
    return this.#parts.durable.read(() => {
      const order = this.#parts.record.orders.find(key);
      return order && orderOf(order);
    });
  }

  page(page: NativePage): Promise<readonly NativeOrder[]> {
    return this.#parts.durable.read(() => this.#parts.record.orders.page(page));
  }

  open(query: OpenNativeQuery): Promise<readonly NativeOrder[]> {
    return this.#parts.durable.read(() => this.#parts.record.orders.open(query));
  }

  executions(query: ExecutionQuery): Promise<readonly NativeExecution[]> {
    return this.#parts.durable.read(() => this.#parts.record.orders.executions(query));
  }

  subscribe(listener: (execution: NativeExecution) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports events that have become durable. */
  notify(news: OrderNews): void {
    if (this.#listeners.size === 0) return;
    for (const [order, event] of news) {
      for (const listener of [...this.#listeners]) listener(executionAt(order, event));
    }
  }

  /** Fills resting orders against a new quote. */
  meet(symbol: string): void {
    if (!this.#parts.record.resting.has(symbol)) return;
    for (const side of ["BUY", "SELL"] as const) this.#meetSide({ symbol, side });
  }

  #meetSide(market: Readonly<{ symbol: string; side: Side }>): void {
    const { resting } = this.#parts.record;
    for (let order = resting.first(market); order !== undefined; order = resting.first(market)) {
      const entry = this.#met(order);
      if (entry === undefined) return;
      void this.#commit(entry);
      if (isOpen(order)) return;
    }
  }

  /**
   * Returns the result of a quote for the first resting order. An account that no longer has the funds loses the order.
   */
  #met(order: StoredOrder): EntryOf<"filled" | "canceled"> | undefined {
    const { book, record, fillsOf, clock, restingPrice } = this.#parts;
    const { symbol, side, price } = order.terms;
    const taker = {
      symbol,
      side,
      quantity: restOf(order),
      ...(price !== undefined && { limitPrice: price }),
    };
    const takes = book.match(taker);
    if (takes.length === 0) return undefined;
    const limit = restingPrice === "limit" && price !== undefined ? { price } : {};
    const fills = fillsOf(
      { symbol, liquidity: "maker" },
      takes.map((take) => ({ ...take, ...limit })),
    );
    if (!record.ledger.holds(debitOf({ ...this.#accountSide(order.terms), fills }))) {
      return this.#cancelOf(order, "EXCHANGE_CANCELED");
    }
    book.take(taker, takes);
    return { kind: "filled", orderId: order.orderId, fills, timeMs: clock.nowMs() };
  }

  /** Matches a new order, or throws its refusal. */
  #match(placement: NativePlacement): Match {
    const { record } = this.#parts;
    const accountSide = this.#accountSide(placement);
    if (record.orders.findOpen(placement.accountId, placement.clientOrderId) !== undefined) {
      throw new OrderError("DUPLICATE_ORDER", { field: "newClientOrderId" });
    }
    const match =
      placement.type === "LIMIT"
        ? this.#matchLimit(placement, accountSide)
        : this.#matchMarket(placement, accountSide);
    if (!record.ledger.covers(match.debit)) throw new OrderError("INSUFFICIENT_BALANCE");
    return match;
  }

  /**
   * Matches a limit order. Whatever it fills now, the account must be able to pay the whole order at its limit and at the
   * higher commission rate.
   */
  #matchLimit(terms: NativeLimitTerms, accountSide: AccountSide): Match {
    const { quantity, price, timeInForce } = terms;
    const whole = charged({ price, quantity }, this.#parts.terms.highestRate(terms.symbol));
    const debit = debitOf({ ...accountSide, fills: [whole] });
    const takes = this.#parts.book.match(takerOf(terms));
    const executed = { takes, fills: this.#executed(terms, takes), debit };
    if (timeInForce === "GTC" || total(takes) >= quantity) return executed;
    if (timeInForce === "FOK") return { takes: [], fills: [], debit, expired: "UNFILLED_FOK_ORDER_EXPIRED" };
    return { ...executed, expired: "UNFILLED_IOC_QUANTITY_EXPIRED" };
  }

  #matchMarket(terms: NativeMarketTerms, accountSide: AccountSide): Match {
    const { book } = this.#parts;
    if (!book.has(terms.symbol)) throw new OrderError("NO_DEPTH");
    if ("quoteQuantity" in terms) return this.#matchAmount(terms, accountSide);
    const takes = book.match(takerOf(terms));
    const fills = this.#executed(terms, takes);
    const isFull = total(takes) >= terms.quantity;
    const debit =
      accountSide.side === "SELL"
        ? { accountId: accountSide.accountId, asset: accountSide.baseAsset, amount: terms.quantity }
        : debitOf({ ...accountSide, fills });
    return { takes, fills, debit, ...(!isFull && { expired: "INSUFFICIENT_LIQUIDITY" as const }) };
  }

  #matchAmount(
    terms: Extract<NativeMarketTerms, { quoteQuantity: unknown }>,
    accountSide: AccountSide,
  ): Match {
    const { symbol, side, quoteQuantity: amount } = terms;
    const { book, fillsOf } = this.#parts;
    let ahead: Quantity = ZERO_QUANTITY;
    const slip = (take: Take): Take => {
      const [slippedTake = take] = this.#parts.terms.slipped(takerOf(terms), [take], ahead);
      // A level that is followed by another one is taken completely.
      ahead = add(ahead, take.quantity);
      return slippedTake;
    };
    const { takes, spent } = book.matchAmount({ symbol, side, amount, slip });
    if (spent && takes.length === 0) {
      throw new OrderError("ORDER_REJECTED", { text: "Price * QTY is zero or less." });
    }
    if (total(takes) >= QUANTITY_LIMIT)
      throw new OrderError("PARAMETER_OVERFLOW", { field: "quoteOrderQty" });
    const fills = fillsOf({ symbol, liquidity: "taker" }, takes);
    const spending = debitOf({ ...accountSide, fills });
    // An order by amount that is not spent completely may spend the amount on a better book, so all of it is checked.
    const debit = side === "BUY" && spending.amount < amount ? { ...spending, amount } : spending;
    return { takes, fills, debit, ...(!spent && { expired: "INSUFFICIENT_LIQUIDITY" as const }) };
  }

  /** Returns the executions of an order on arrival, at the prices that it really gets. */
  #executed(terms: NativeLimitTerms | NativeMarketTerms, takes: readonly Take[]): readonly VenueFill[] {
    const slipped = this.#parts.terms.slipped(takerOf(terms), takes);
    return this.#parts.fillsOf({ symbol: terms.symbol, liquidity: "taker" }, slipped);
  }

  #entryOf(placement: NativePlacement, { fills, expired }: Match): EntryOf<"placed"> {
    const { accountId, requestKey, ...terms } = placement;
    const commissionRate = terms.type === "LIMIT" ? this.#parts.terms.highestRate(terms.symbol) : undefined;
    return {
      kind: "placed",
      orderId: this.#parts.record.orders.nextId,
      accountId,
      requestKey,
      terms,
      fills,
      ...(expired !== undefined && { expired }),
      ...(commissionRate !== undefined && { commissionRate }),
      timeMs: this.#parts.clock.nowMs(),
    };
  }

  #cancelOf({ orderId }: StoredOrder, reason: BookReason): EntryOf<"canceled"> {
    return { kind: "canceled", orderId, reason, timeMs: this.#parts.clock.nowMs() };
  }

  /** Resolves when the entry is on disk and its fills are reported as prints. */
  #commit(entry: EntryOf<"placed" | "filled" | "canceled">): Promise<void> {
    const { durable, work, prints, record } = this.#parts;
    const fills = entry.kind === "canceled" ? [] : entry.fills;
    const symbol =
      entry.kind === "placed" ? entry.terms.symbol : (record.orders.byId(entry.orderId)?.terms.symbol ?? "");
    return work(durable.commit(entry, () => prints.publish(symbol, fills)));
  }

  /**
   * Returns undefined if the record can be written. Otherwise the promise rejects while it cannot: new orders are then
   * refused.
   */
  #blocked(): Promise<void> | undefined {
    return this.#parts.durable.writable()?.catch((cause: unknown) => {
      throw new OrderError("DISCONNECTED", {}, { cause });
    });
  }

  #accountSide({
    accountId,
    side,
    symbol,
  }: Pick<NativePlacement, "accountId" | "side" | "symbol">): AccountSide {
    const instrument = this.#parts.instruments.find(symbol);
    if (instrument === undefined) throw new OrderError("BAD_SYMBOL", { field: "symbol" });
    return { accountId, side, baseAsset: instrument.baseAsset };
  }
}

const placedOf = (order: StoredOrder, created: boolean): NativePlaced => ({
  order: orderOf(order),
  fills: order.fills.map((fill) => ({ ...NO_COMMISSION, ...fill })),
  created,
});

function takerOf(terms: NativeLimitTerms | NativeMarketTerms): Taker {
  const { symbol, side } = terms;
  const quantity: Quantity = "quantity" in terms ? terms.quantity : QUANTITY_LIMIT;
  return { symbol, side, quantity, ...(terms.type === "LIMIT" && { limitPrice: terms.price }) };
}
