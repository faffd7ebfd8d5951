import { createHash, type Hash } from "node:crypto";
import {
  add,
  formatNotional,
  formatPrice,
  formatQuantity,
  type Notional,
  notional,
  notionalOf,
  ZERO_NOTIONAL,
} from "../../decimal/index.ts";
import type { Engine, FillUpdate, OrderUpdate } from "../../engine/index.ts";
import { CHILD_PREFIX } from "../../lifecycle/index.ts";
import type {
  JournalRecord,
  NativeExecution,
  NativeOrder,
  OrderList,
  ParentOrder,
  Quote,
} from "../../model/index.ts";
import type { PaperVenue, VenueFill } from "../../paper-exchange/index.ts";
import { encodeRecord } from "../../ports/index.ts";
import { ChartRecorder } from "../chart/index.ts";
import { closedTrades, statisticsOf } from "../statistics/index.ts";
import { EquityCurve } from "./equity-curve.ts";
import type { SimulatedFill, SimulationCounts, SimulationResult } from "./result.ts";

/** What a recorder observes. `held` has the quantities at the start by symbol. */
export type RecorderParts = Readonly<{
  engine: Engine;
  venue: PaperVenue;
  accountId: number;
  symbols: readonly string[];
  /** Those in whose quotes holdings have their value. */
  valued: readonly string[];
  held: Readonly<Record<string, string>>;
  sampleMs: number;
  nowMs: () => number;
  /** Whether the result has the course of the market. */
  hasChart: boolean;
}>;

/** Observes a simulation and makes its result. */
export class Recorder {
  readonly curve: EquityCurve;
  readonly #parts: RecorderParts;
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

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.curve = new EquityCurve({ ...parts, symbols: parts.valued });
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

  /** Returns the result at the end of time. Call it once, after everything has come to rest. */
  result(endMs: number): SimulationResult {
    const { venue, accountId, symbols } = this.#parts;
    const fills = this.#fillsInOrder();
    for (const fill of fills) this.#hash.update(JSON.stringify(fill));
    const positions = symbols.map((symbol) => [symbol, formatQuantity(venue.position(accountId, symbol))]);
    return {
      orders: [...this.#orders.values()],
      lists: [...this.#lists.values()],
      nativeOrders: [...this.#native.values()],
      fills,
      journal: this.#journal,
      hash: this.#hash.digest("hex"),
      positions: Object.fromEntries(positions.filter(([, quantity]) => quantity !== "0")),
      balances: venue.balances(accountId),
      equity: this.curve.points,
      statistics: this.#statistics(fills),
      counts: this.#counts(),
      ...(this.#chart !== undefined && { chart: this.#chart.chart(endMs) }),
    };
  }

  /** The answer of a child may come after a later execution of another order. */
  #fillsInOrder(): readonly SimulatedFill[] {
    return this.#fills.toSorted((a, b) => a.timeMs - b.timeMs);
  }

  #statistics(fills: readonly SimulatedFill[]): SimulationResult["statistics"] {
    const { sampleMs, held } = this.#parts;
    return statisticsOf({
      equity: this.curve.points,
      sampleMs,
      commissions: formatNotional(this.#commissions),
      turnover: formatNotional(this.#turnover),
      closed: closedTrades(fills, held),
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
    this.curve.draw(this.#parts.nowMs());
  }
}
