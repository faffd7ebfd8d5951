import { add, formatPrice, type Quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { Engine, OrderUpdate } from "../../engine/index.ts";
import type { Fact, ParentOrder, PricedPrint, Quote } from "../../model/index.ts";
import type { Arrival, OrderChart, SimulationChart } from "./chart.ts";
import { MarketPath } from "./market-path.ts";
import { Trails } from "./trails.ts";

/** Records the course of the market of a simulation, and what the market did to each order. */
export class ChartRecorder {
  readonly #markets: Map<string, MarketPath> = new Map();
  readonly #totals: Map<string, Quantity> = new Map();
  readonly #arrivals: Map<number, Arrival | undefined> = new Map();
  readonly #trails: Trails = new Trails();
  readonly #engine: Engine;
  #startMs: number | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    const { events } = engine;
    events.on("print", (print) => this.#printed(print));
    events.on("order", (update) => this.#recorded(update));
  }

  /** Returns the course so far. */
  chart(endMs: number): SimulationChart {
    return {
      startMs: this.#startMs ?? endMs,
      endMs,
      markets: [...this.#markets].map(([symbol, path]) => path.chart(symbol)),
      orders: [...this.#arrivals].flatMap(([orderId, arrival]) => this.#order(orderId, arrival)),
      trailsLeftOut: this.#trails.leftOut,
    };
  }

  #order(orderId: number, arrival: Arrival | undefined): readonly OrderChart[] {
    const trail = this.#trails.trailOf(orderId);
    if (arrival === undefined && trail.length === 0) return [];
    return [{ orderId, ...(arrival !== undefined && { arrival }), trail }];
  }

  /** Takes note of a counted quote. */
  quoted(quote: Quote): void {
    const { symbol, timeMs } = quote;
    this.#startMs ??= timeMs;
    let path = this.#markets.get(symbol);
    if (path === undefined) {
      path = new MarketPath(this.#startMs);
      this.#markets.set(symbol, path);
    }
    path.quoted(quote);
    this.#trails.quoted(quote);
  }

  /** An old print counts for bars, not for POV. */
  #printed({ symbol, quantity, seenAtMs, fresh }: PricedPrint): void {
    if (!fresh) return;
    const total = add(this.#totals.get(symbol) ?? ZERO_QUANTITY, quantity);
    this.#totals.set(symbol, total);
    this.#markets.get(symbol)?.traded(seenAtMs, total);
  }

  /** A record that touched several orders comes once for each. */
  #recorded({ record: { changes, timeMs }, order }: OrderUpdate): void {
    for (const { orderId, facts } of changes) {
      if (orderId !== order.orderId) continue;
      for (const fact of facts) this.#apply(fact, order, timeMs);
    }
  }

  #apply(fact: Fact, order: ParentOrder, timeMs: number): void {
    switch (fact.kind) {
      case "ACCEPTED":
      case "RELEASED":
        this.#arrivals.set(order.orderId, order.held ? undefined : this.#arrival(order, timeMs));
        break;
      case "ACTIVATED":
        this.#trails.activated(order, { timeMs, reference: fact.activation.seed });
        break;
      case "TRIGGERED":
      case "ENDED":
        this.#trails.ended(order);
        break;
      default:
    }
  }

  #arrival({ intent }: ParentOrder, timeMs: number): Arrival | undefined {
    const { quote } = this.#engine.quote(intent.symbol) ?? {};
    return quote && { timeMs, bid: formatPrice(quote.bid), ask: formatPrice(quote.ask) };
  }
}
