import { recognisedAs } from "../common/index.ts";
import { averagePriceText, formatPrice, formatQuantity, type Quantity } from "../decimal/index.ts";
import { ERRORS } from "../errors/index.ts";
import type {
  ChildRequest,
  ChildTimeInForce,
  Fill,
  NativeTerms,
  RejectReason,
  Side,
} from "../model/index.ts";
import type { ChildReport, Instruments } from "../ports/index.ts";
import type { Entry, EntryOf } from "./entry.ts";
import { charged, type VenueFill } from "./execution-terms.ts";
import { debitOf, Ledger, Positions, type Trade } from "./ledger.ts";
import { total } from "./order-book.ts";
import {
  amountOf,
  isOpen,
  type OrderEnd,
  type OrderTerms,
  PaperAccountOrders,
  RestingOrders,
  restOf,
  type StoredOrder,
} from "./orders.ts";
import { PrunedChildren } from "./pruned-children.ts";

/**
 * The venue's record contradicts itself or cannot be read. The venue does not start with it.
 *
 * @example
 * ```ts
 * import { openPaperVenue, type PaperVenueOptions, VenueRecordError } from "managed-orders/simulator";
 * export const isReadable = (options: PaperVenueOptions): Promise<boolean> =>
 *   openPaperVenue(options).then(
 *     (venue) => venue.close().then(() => true),
 *     (error: unknown) => (error instanceof VenueRecordError ? false : Promise.reject(error)),
 *   );
 * ```
 */
export class VenueRecordError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("VenueRecordError");
  override readonly name = "VenueRecordError";
}

/** A child in the venue's own record, as `GET /control/children` shows it. `price` is null for a market order. */
export interface ChildRow {
  readonly clientOrderId: string;
  readonly parentOrderId: number;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: string;
  readonly price: string | null;
  readonly timeInForce: ChildTimeInForce;
  readonly executedQty: string;
  readonly averagePrice: string;
  readonly submissions: number;
  readonly time: number;
}

/** Refusal of a child whose instrument is not listed. */
export const UNKNOWN_INSTRUMENT = "Unknown instrument.";

/** Reason for closing a child that a crash left undecided. */
export const VENUE_RESTARTED = "The venue restarted.";

type ChildEntry = {
  readonly request: ChildRequest;
  readonly order: StoredOrder;
  readonly arrivedAtMs: number;
  readonly deadlineMs: number;
  /** Time from which its outcome is available to look-ups. */
  publishedAtMs?: number;
  /** Whether it is about to be forgotten. */
  isLeaving?: boolean;
  submissions: number;
  outcome?: EntryOf<"resolved">;
};

type TradeOf<F> = Omit<Trade, "fills"> & Readonly<{ fills: readonly F[] }>;

/** Account, side and symbol of a trade. */
type TradeKey = Readonly<{ accountId: number; side: Side; symbol: string }>;

/**
 * The venue's state: children, native orders and balances. It is built from entries alone, both live and after a
 * restart.
 */
export class VenueRecord {
  readonly ledger: Ledger = new Ledger();
  readonly positions: Positions = new Positions();
  /** Children and native orders, as native orders of their accounts. */
  readonly orders: PaperAccountOrders = new PaperAccountOrders();
  /** Native orders that wait for quotes. */
  readonly resting: RestingOrders = new RestingOrders();
  readonly forgotten: PrunedChildren = new PrunedChildren();
  readonly #requests: Map<string, StoredOrder> = new Map();
  readonly #instruments: Instruments;
  readonly #children: Map<string, ChildEntry> = new Map();
  #executions = 0;
  #lines = 0;
  #stale = 0;

  constructor(instruments: Instruments) {
    this.#instruments = instruments;
  }

  /** Applies one entry. */
  apply(entry: Entry): void {
    this.#lines += 1;
    switch (entry.kind) {
      case "balances":
        return this.ledger.set(entry.accountId, entry.balances);
      case "positions":
        return this.positions.set(entry.accountId, entry.positions);
      case "arrived":
        return this.#arrived(entry);
      case "resolved":
        return this.#resolved(entry);
      case "released":
        return this.#released(entry);
      case "placed":
        return this.#placed(entry);
      case "filled":
        return this.#filled(entry);
      case "canceled":
        return this.#canceled(entry);
      case "forgotten":
        return this.#forgotten(entry);
      case "passed":
        return this.#passed(entry);
      case "marks":
        return this.forgotten.restore(entry);
    }
  }

  /** Returns the native order that answered a signed request; undefined if there is none. */
  orderOfRequest(accountId: number, requestKey: string): StoredOrder | undefined {
    return this.#requests.get(`${accountId} ${requestKey}`);
  }

  /** Number of entries in the record. */
  get lines(): number {
    return this.#lines;
  }

  /** Number of obsolete entries, which are about forgotten children. */
  get stale(): number {
    return this.#stale;
  }

  /**
   * Updates the counts after the record was rewritten with `dropped` fewer entries, and without `stale` obsolete ones.
   */
  compacted({ dropped, stale }: Readonly<{ dropped: number; stale: number }>): void {
    this.#lines -= dropped;
    this.#stale -= stale;
  }

  /**
   * Returns the time at which a child was settled: its outcome is available and its deadline has passed. Returns
   * undefined before.
   */
  settledAtMs(childId: string): number | undefined {
    const child = this.#children.get(childId);
    if (child?.publishedAtMs === undefined || child.isLeaving === true) return undefined;
    return Math.max(child.publishedAtMs, child.deadlineMs);
  }

  /** Returns the ids of settled children, earliest settled first. */
  settled(): readonly string[] {
    const settled = [...this.#children.keys()].flatMap((id) => {
      const atMs = this.settledAtMs(id);
      return atMs === undefined ? [] : [{ id, atMs }];
    });
    return settled.sort((a, b) => a.atMs - b.atMs).map(({ id }) => id);
  }

  /** Marks children that are about to be forgotten. From now on the record does not report them. */
  leave(children: readonly string[]): void {
    for (const childId of children) this.#child(childId).isLeaving = true;
  }

  /**
   * Returns whether a child may have been forgotten, or is about to be; its outcome is then unknown. The deadline of a
   * submit decides if the parent's mark was dropped too.
   */
  mayBePruned(childId: string, deadlineMs?: number): boolean {
    const child = this.#children.get(childId);
    if (child !== undefined) return child.isLeaving === true;
    return this.forgotten.mayBe(childId, deadlineMs);
  }

  /** Returns whether a child with that id arrived and is not forgotten. */
  has(childId: string): boolean {
    return this.#children.has(childId);
  }

  /** Number of executions so far; the number of the next one. */
  get executions(): number {
    return this.#executions;
  }

  /** Returns the venue's report of a child; `undefined` if it never arrived. */
  report(childId: string): ChildReport | undefined {
    const outcome = this.#children.get(childId)?.outcome;
    if (outcome === undefined || outcome.held) {
      return this.has(childId) ? { childId, state: "open", fills: [] } : undefined;
    }
    const { state, fills, final, detail } = outcome;
    return {
      childId,
      state,
      fills: fills.map(executionOf),
      ...(final ? { final } : {}),
      ...(detail === ERRORS.INSUFFICIENT_BALANCE.text ? { mark: "INSUFFICIENT_FUNDS" } : {}),
      ...(detail === "" ? {} : { detail }),
    };
  }

  /** Returns the executions of a child whose outcome is available. */
  fillsOfChild(childId: string): readonly VenueFill[] {
    const outcome = this.#children.get(childId)?.outcome;
    return outcome === undefined || outcome.held ? [] : outcome.fills;
  }

  /** Returns the request with which a child arrived. */
  request(childId: string): ChildRequest | undefined {
    return this.#children.get(childId)?.request;
  }

  /** Returns the ids of children that arrived and have no outcome. */
  unresolved(): readonly string[] {
    return [...this.#children].filter(([, child]) => child.outcome === undefined).map(([id]) => id);
  }

  /** Returns the ids of held children, oldest first. */
  held(): readonly string[] {
    return [...this.#children].filter(([, child]) => child.outcome?.held === true).map(([id]) => id);
  }

  /** Returns all children, or those of one parent, in the order of arrival. */
  rows(parentOrderId?: number): readonly ChildRow[] {
    const children = [...this.#children.values()];
    return children
      .filter(({ request }) => parentOrderId === undefined || request.parentOrderId === parentOrderId)
      .map((child) => rowOf(child, this.report(child.request.childId)));
  }

  #arrived(entry: EntryOf<"arrived">): void {
    const { orderId, child, timeMs, deadlineMs } = entry;
    const known = this.#children.get(child.childId);
    if (known !== undefined) {
      known.submissions += 1;
      return;
    }
    // One that was forgotten while it arrived again has no id.
    const order = this.orders.add(childTermsOf(child), { orderId: orderId ?? this.orders.nextId, timeMs });
    const arrived = { request: child, order, arrivedAtMs: timeMs, deadlineMs, submissions: 1 };
    this.#children.set(child.childId, arrived);
  }

  #resolved(entry: EntryOf<"resolved">): void {
    const child = this.#child(entry.childId);
    child.outcome = entry;
    this.#executions += entry.fills.length;
    if (!entry.held) this.#publish(child, entry, entry.timeMs);
    if (entry.fills.length === 0) return;
    if (entry.held)
      this.ledger.reserveHeld(entry.childId, debitOf(this.#tradeOf(child.request, entry.fills)));
    else this.#move(child.request, entry.fills);
  }

  /** Publishes the outcome of a child. */
  #publish(child: ChildEntry, outcome: EntryOf<"resolved">, timeMs: number): void {
    const { order } = child;
    child.publishedAtMs = timeMs;
    this.orders.fill(order, outcome.fills, timeMs);
    if (restOf(order) > 0) this.orders.end(order, childEndOf(order.terms, outcome), timeMs);
  }

  #released({ childId, timeMs }: EntryOf<"released">): void {
    const child = this.#child(childId);
    const { outcome } = child;
    if (outcome === undefined || !outcome.held) return;
    child.outcome = { ...outcome, held: false };
    this.ledger.prune(childId);
    this.#publish(child, outcome, timeMs);
    this.#move(child.request, outcome.fills);
  }

  #forgotten({ children }: EntryOf<"forgotten">): void {
    this.#stale += 1;
    for (const childId of children) this.#prune(childId);
  }

  #prune(childId: string): void {
    const child = this.#child(childId);
    this.#children.delete(childId);
    this.orders.prune(child.order);
    for (const { executionId } of child.outcome?.fills ?? []) {
      this.ledger.pruneAfter(executionId);
      this.positions.pruneAfter(executionId);
    }
    this.forgotten.add(childId, child.deadlineMs);
    // Each arrival has a line, and so has the outcome.
    this.#stale += child.submissions + 1;
  }

  /** Applies the counts and sums of children whose details are forgotten. */
  #passed({ orders, executions, trades }: EntryOf<"passed">): void {
    this.orders.pass(orders);
    this.#executions += executions;
    for (const { accountId, symbol, base, quote } of trades) {
      this.ledger.shift({ accountId, baseAsset: this.#baseAssetOf(symbol), base, quote });
      this.positions.shift({ accountId, symbol, base: base as Quantity });
    }
  }

  #placed(entry: EntryOf<"placed">): void {
    const { accountId, requestKey, terms, fills, expired, timeMs } = entry;
    const order = this.orders.add(nativeTermsOf(accountId, terms), entry);
    this.#requests.set(`${accountId} ${requestKey}`, order);
    this.#trade(order, fills, timeMs);
    if (expired !== undefined) this.orders.end(order, { status: "EXPIRED", reason: expired }, timeMs);
    if (isOpen(order)) this.resting.add(order);
    this.#setAside(order);
  }

  #filled({ orderId, fills, timeMs }: EntryOf<"filled">): void {
    const order = this.#restingOrder(orderId);
    this.#trade(order, fills, timeMs);
    if (!isOpen(order)) this.resting.remove(order);
    this.#setAside(order);
  }

  #canceled({ orderId, reason, timeMs }: EntryOf<"canceled">): void {
    const order = this.#restingOrder(orderId);
    this.orders.end(order, { status: "CANCELED", reason }, timeMs);
    this.resting.remove(order);
    this.#setAside(order);
  }

  #trade(order: StoredOrder, fills: readonly VenueFill[], timeMs: number): void {
    this.#executions += fills.length;
    this.orders.fill(order, fills, timeMs);
    this.#move(order.terms, fills);
  }

  /** Moves balances by a trade, and the position if one was set. */
  #move(key: TradeKey, fills: readonly VenueFill[]): void {
    if (fills.length === 0) return;
    this.ledger.move(this.#tradeOf(key, fills));
    const { accountId, symbol, side } = key;
    this.positions.move({ accountId, symbol, side, fills });
  }

  /** Reserves the cost of an open order's remaining quantity at its limit, so that nothing else spends it. */
  #setAside(order: StoredOrder): void {
    const id = String(order.orderId);
    if (!isOpen(order)) return this.ledger.prune(id);
    const { price } = order.terms;
    const fills =
      price === undefined ? [] : [charged({ price, quantity: restOf(order) }, order.commissionRate)];
    this.ledger.reserve(id, debitOf(this.#tradeOf(order.terms, fills)));
  }

  #restingOrder(orderId: bigint): StoredOrder {
    const order = this.orders.byId(orderId);
    if (order === undefined || !isOpen(order)) throw new VenueRecordError(`order ${orderId} is not open`);
    return order;
  }

  #child(childId: string): ChildEntry {
    const child = this.#children.get(childId);
    if (child === undefined) throw new VenueRecordError(`child ${childId} did not arrive`);
    return child;
  }

  #tradeOf<F>({ accountId, side, symbol }: TradeKey, fills: readonly F[]): TradeOf<F> {
    return { accountId, side, baseAsset: this.#baseAssetOf(symbol), fills };
  }

  #baseAssetOf(symbol: string): string {
    const instrument = this.#instruments.find(symbol);
    if (instrument === undefined) throw new VenueRecordError(`${symbol} is not listed`);
    return instrument.baseAsset;
  }
}

const REJECT_REASONS: ReadonlyMap<string, RejectReason> = new Map([
  [ERRORS.INSUFFICIENT_BALANCE.text, "INSUFFICIENT_BALANCES"],
  [UNKNOWN_INSTRUMENT, "UNKNOWN_INSTRUMENT"],
]);

/** Returns a child as an order of its account: a LIMIT if it has a limit price, else a MARKET. */
function childTermsOf(child: ChildRequest): OrderTerms {
  const { accountId, symbol, side, timeInForce, quantity, limitPrice, childId } = child;
  const common = { accountId, symbol, side, timeInForce, quantity, clientOrderId: childId, isChild: true };
  return limitPrice === undefined
    ? { ...common, type: "MARKET" }
    : { ...common, type: "LIMIT", price: limitPrice };
}

/** Returns a native order as requested. A market order has GTC, as in the convention. */
function nativeTermsOf(accountId: number, terms: NativeTerms): OrderTerms {
  return { timeInForce: "GTC", ...terms, accountId, isChild: false };
}

/** Returns the end of a child that was not filled. */
function childEndOf({ type, timeInForce }: OrderTerms, outcome: EntryOf<"resolved">): OrderEnd {
  const { state, detail } = outcome;
  if (state === "rejected") {
    return { status: "REJECTED", rejectReason: REJECT_REASONS.get(detail) ?? "OTHER", errorMessage: detail };
  }
  if (detail === VENUE_RESTARTED) return { status: "EXPIRED", reason: "SYSTEM_FAILURE" };
  if (timeInForce === "FOK") return { status: "EXPIRED", reason: "UNFILLED_FOK_ORDER_EXPIRED" };
  const reason = type === "MARKET" ? "INSUFFICIENT_LIQUIDITY" : "UNFILLED_IOC_QUANTITY_EXPIRED";
  return { status: "EXPIRED", reason };
}

/** Returns an execution as engines receive it, without its commission. */
const executionOf = ({ executionId, quantity, price, timeMs }: VenueFill): Fill => ({
  executionId,
  quantity,
  price,
  timeMs,
});

function rowOf({ request, submissions, arrivedAtMs }: ChildEntry, report: ChildReport | undefined): ChildRow {
  const fills = report?.fills ?? [];
  const executed = total(fills);
  return {
    clientOrderId: request.childId,
    parentOrderId: request.parentOrderId,
    symbol: request.symbol,
    side: request.side,
    quantity: formatQuantity(request.quantity),
    price: request.limitPrice === undefined ? null : formatPrice(request.limitPrice),
    timeInForce: request.timeInForce,
    executedQty: formatQuantity(executed),
    averagePrice: averagePriceText(amountOf(fills), executed),
    submissions,
    time: arrivedAtMs,
  };
}
