import { createHash, type Hash } from "node:crypto";
import {
  add,
  formatNotional,
  formatPrice,
  formatQuantity,
  NOTIONAL_SCALE,
  type Notional,
  notional,
  notionalOf,
  parseScaled,
  portion,
  ZERO_NOTIONAL,
} from "../decimal/index.ts";
import type { Engine, FillUpdate, OrderUpdate } from "../engine/index.ts";
import { CHILD_PREFIX } from "../lifecycle/index.ts";
import type {
  CountedPrint,
  JournalRecord,
  NativeExecution,
  NativeOrder,
  OrderList,
  ParentOrder,
  Quote,
  Side,
} from "../model/index.ts";
import type { Liquidity, PaperVenue, VenueFill } from "../paper-exchange/index.ts";
import { type Clock, encodeRecord } from "../ports/index.ts";
import { ChartRecorder, type SimulationChart } from "./chart.ts";
import { closedTrades, type Statistics, statisticsOf } from "./statistics.ts";
import { ACCOUNT_ID } from "./strategy/trader.ts";

/** One execution of the account. Amounts are decimal strings, in USD unless they are quantities. */
export interface SimulatedFill {
  readonly timeMs: number;
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly commission: string;
  readonly liquidity: Liquidity;
  readonly executionId: string;
  /** Id of the managed order; absent for an order that was placed with `placeNative`. */
  readonly orderId?: number;
  /** Client id of the managed order or of the native order. */
  readonly clientOrderId: string;
}

/**
 * Value of the account at a time: its USD and, at the middle of bid and ask, what it holds of the symbols of the market.
 * What several symbols trade, such as BTC of BTC/USD and BTC/USDT, has the value that it has in the first of them.
 */
export interface EquityPoint {
  readonly timeMs: number;
  readonly equity: string;
}

/** Outcome of a simulation. */
export interface SimulationResult {
  /** All managed orders in the order of their placement, with their final state. */
  readonly orders: readonly ParentOrder[];
  readonly lists: readonly OrderList[];
  /** Orders that were placed with `placeNative`, in the order of their placement. */
  readonly nativeOrders: readonly NativeOrder[];
  /** All executions in the order of time. */
  readonly fills: readonly SimulatedFill[];
  readonly journal: readonly JournalRecord[];
  /** SHA-256 of journal and fills in hexadecimal. Two runs with the same result have the same hash. */
  readonly hash: string;
  /** Final quantities by symbol, without those that are zero. */
  readonly positions: Readonly<Record<string, string>>;
  /** Final balances by asset. */
  readonly balances: Readonly<Record<string, string>>;
  /** Begins when each symbol that the account holds has a quote. */
  readonly equity: readonly EquityPoint[];
  readonly statistics: Statistics;
  /** What the market and the engine did, to check that the data was understood. */
  readonly counts: SimulationCounts;
  /** The course of the market; with the option `chart` only. */
  readonly chart?: SimulationChart;
}

/** Counts of a simulation. */
export interface SimulationCounts {
  readonly quotes: number;
  readonly trades: number;
  /** Quotes that the engine did not count, by reason. Reasons that did not occur are left out. */
  readonly droppedQuotes: Readonly<Record<string, number>>;
  readonly children: number;
  readonly alerts: number;
}

/**
 * The value of an account over time, one point for each period that has passed. It begins when each symbol that the
 * account holds has a quote.
 */
class EquityCurve {
  readonly points: EquityPoint[] = [];
  readonly #venue: PaperVenue;
  /** Those in whose quotes holdings have their value. */
  readonly #symbols: readonly string[];
  readonly #quotes: Map<string, Quote> = new Map();

  constructor(venue: PaperVenue, symbols: readonly string[]) {
    this.#venue = venue;
    this.#symbols = symbols;
  }

  /** Takes note of the newest quote of a symbol. */
  quoted(quote: Quote): void {
    this.#quotes.set(quote.symbol, quote);
  }

  /** Returns the symbols that the account holds without a quote that the engine counted. They have no value yet. */
  get unquoted(): readonly string[] {
    return this.#symbols.filter(
      (symbol) => !this.#quotes.has(symbol) && this.#venue.position(ACCOUNT_ID, symbol) !== 0,
    );
  }

  /**
   * Adds a point, or replaces the last one if it is of the same time. Returns false and adds none while a holding has no
   * quote, because the first quote of the holding would look like a profit.
   */
  draw(timeMs: number): boolean {
    if (this.unquoted.length > 0) return false;
    if (this.points.at(-1)?.timeMs === timeMs) this.points.pop();
    this.points.push({ timeMs, equity: formatNotional(this.#equity()) });
    return true;
  }

  #equity(): Notional {
    const text = this.#venue.balances(ACCOUNT_ID)["USD"] ?? "0";
    const usd = parseScaled(text, NOTIONAL_SCALE) as Notional | undefined;
    return this.#symbols.reduce((sum, symbol) => add(sum, this.#valueOf(symbol)), usd ?? ZERO_NOTIONAL);
  }

  /** Returns the value at the middle of bid and ask. A symbol without a quote is not held. */
  #valueOf(symbol: string): Notional {
    const quote = this.#quotes.get(symbol);
    if (quote === undefined) return ZERO_NOTIONAL;
    const twice = notionalOf(add(quote.bid, quote.ask), this.#venue.position(ACCOUNT_ID, symbol));
    return portion(twice, { numerator: 1, denominator: 2, rounding: "down" });
  }
}

/** What a recorder observes. */
type Observed = Readonly<{
  engine: Engine;
  venue: PaperVenue;
  clock: Clock;
  symbols: readonly string[];
  /** Those in whose quotes holdings have their value. */
  valued: readonly string[];
  sampleMs: number;
  /** Whether the result has the course of the market. */
  hasChart: boolean;
}>;

/** Observes a simulation and makes its result. */
export class Recorder {
  readonly curve: EquityCurve;
  readonly #parts: Observed;
  /** The quantities at the start by symbol. */
  readonly #held: Readonly<Record<string, string>>;
  readonly #chart: ChartRecorder | undefined;
  readonly #orders: Map<number, ParentOrder> = new Map();
  readonly #lists: Map<number, OrderList> = new Map();
  readonly #native: Map<bigint, NativeOrder> = new Map();
  readonly #fills: SimulatedFill[] = [];
  readonly #journal: JournalRecord[] = [];
  readonly #hash: Hash = createHash("sha256");
  readonly #seen: Map<number, number> = new Map();
  #turnover: Notional = ZERO_NOTIONAL;
  #commissions: Notional = ZERO_NOTIONAL;

  constructor(parts: Observed) {
    this.#parts = parts;
    this.#held = this.#positions();
    this.curve = new EquityCurve(parts.venue, parts.valued);
    this.#chart = parts.hasChart ? new ChartRecorder(parts.engine) : undefined;
    const { events } = parts.engine;
    events.on("order", (update) => this.#recorded(update));
    events.on("list", ({ list }) => void this.#lists.set(list.listId, list));
    events.on("fill", (update) => this.#filled(update));
    parts.venue.native.subscribe((execution) => this.#executed(execution));
  }

  /** Takes note of a counted quote. */
  quoted(quote: Quote): void {
    this.curve.quoted(quote);
    this.#chart?.quoted(quote);
  }

  /** Takes note of a counted trade. */
  printed(print: CountedPrint): void {
    this.#chart?.printed(print);
  }

  /** Returns the result at the end of time. Call it once, after everything has come to rest. */
  result(endMs: number): SimulationResult {
    // The answer of a child may come after a later execution of another order.
    const fills = this.#fills.toSorted((a, b) => a.timeMs - b.timeMs);
    for (const fill of fills) this.#hash.update(JSON.stringify(fill));
    const positions = Object.entries(this.#positions());
    return {
      orders: [...this.#orders.values()],
      lists: [...this.#lists.values()],
      nativeOrders: [...this.#native.values()],
      fills,
      journal: this.#journal,
      hash: this.#hash.digest("hex"),
      positions: Object.fromEntries(positions.filter(([, quantity]) => quantity !== "0")),
      balances: this.#parts.venue.balances(ACCOUNT_ID),
      equity: this.curve.points,
      statistics: this.#statistics(fills),
      counts: this.#counts(),
      ...(this.#chart !== undefined && { chart: this.#chart.chart(endMs) }),
    };
  }

  #positions(): Readonly<Record<string, string>> {
    const { symbols, venue } = this.#parts;
    const quantityOf = (symbol: string): string => formatQuantity(venue.position(ACCOUNT_ID, symbol));
    return Object.fromEntries(symbols.map((symbol) => [symbol, quantityOf(symbol)]));
  }

  #statistics(fills: readonly SimulatedFill[]): SimulationResult["statistics"] {
    return statisticsOf({
      equity: this.curve.points,
      sampleMs: this.#parts.sampleMs,
      commissions: formatNotional(this.#commissions),
      turnover: formatNotional(this.#turnover),
      closed: closedTrades(fills, this.#held),
    });
  }

  #counts(): SimulationCounts {
    const { quotesCounted, quotesDropped, printsCounted, children, alerts } = this.#parts.engine.metrics();
    const dropped = Object.entries(quotesDropped).filter(([, count]) => count > 0);
    const droppedQuotes = Object.fromEntries(dropped);
    return { quotes: quotesCounted, trades: printsCounted, droppedQuotes, children, alerts };
  }

  /** A record that touched several orders comes once for each. */
  #recorded({ shard, sequence, record, order }: OrderUpdate): void {
    this.#orders.set(order.orderId, order);
    if (this.#seen.get(shard) === sequence) return;
    this.#seen.set(shard, sequence);
    this.#journal.push(record);
    this.#hash.update(encodeRecord(record));
  }

  #filled({ orderId, clientOrderId, order, childId, fill }: FillUpdate): void {
    const { symbol, side } = order.intent;
    const charged = this.#parts.venue
      .fills({ childId })
      .find(({ executionId }) => executionId === fill.executionId);
    this.#add({ symbol, side, orderId, clientOrderId }, charged ?? fill);
  }

  #executed({ order, execType, executionId }: NativeExecution): void {
    const { symbol, side, clientOrderId, orderId } = order;
    if (clientOrderId.startsWith(CHILD_PREFIX)) return;
    this.#native.set(orderId, order);
    const fills = this.#parts.venue.fills({ orderId });
    const fill = fills.find((each) => each.executionId === executionId);
    if (execType === "TRADE" && fill !== undefined) this.#add({ symbol, side, clientOrderId }, fill);
  }

  #add(of: Pick<SimulatedFill, "symbol" | "side" | "orderId" | "clientOrderId">, fill: VenueFill): void {
    const { executionId, price, quantity, timeMs, commission = "0", liquidity = "taker" } = fill;
    this.#turnover = add(this.#turnover, notionalOf(price, quantity));
    this.#commissions = add(this.#commissions, notional(commission));
    const amounts = { price: formatPrice(price), quantity: formatQuantity(quantity), commission };
    this.#fills.push({ timeMs, ...of, ...amounts, liquidity, executionId });
    // The equity is that of now: the answer with the fill may have been on its way for a while.
    this.curve.draw(this.#parts.clock.nowMs());
  }
}
