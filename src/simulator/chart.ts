import {
  add,
  formatPrice,
  formatQuantity,
  max,
  min,
  type Price,
  type Quantity,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type { Engine, OrderUpdate } from "../engine/index.ts";
import type { CountedPrint, Fact, MarketSide, ParentOrder, Quote, TrailingDistance } from "../model/index.ts";
import { displayedLevel, executableSide } from "../triggers/index.ts";

/**
 * The course of the market in a simulation, in a bounded number of columns, and what the market did to each order.
 * Prices and quantities are decimal strings.
 */
export interface SimulationChart {
  /** Time of the first counted quote. */
  readonly startMs: number;
  /** Time of the simulation at its end. */
  readonly endMs: number;
  /** One for each symbol that had a counted quote. */
  readonly markets: readonly MarketChart[];
  /** One for each managed order with a price at its arrival or a trailing level, in the order of acceptance. */
  readonly orders: readonly OrderChart[];
  /** Number of trailing orders whose level was not followed because 500 orders were followed already. */
  readonly trailsLeftOut: number;
}

/** Prices and executed volume of one symbol. A column without a quote is left out. */
export interface MarketChart {
  readonly symbol: string;
  /** Length of a column of `prices`. */
  readonly columnMs: number;
  /** At most 2,048. */
  readonly prices: readonly PriceColumn[];
  /** At most 2,048. */
  readonly volumes: readonly VolumePoint[];
}

/** The counted quotes in one column of time. */
export interface PriceColumn {
  /** Time of the first quote of the column. */
  readonly timeMs: number;
  /** The last quote of the column. */
  readonly bid: string;
  readonly ask: string;
  readonly lowestBid: string;
  readonly highestBid: string;
  readonly lowestAsk: string;
  readonly highestAsk: string;
}

/** Executed volume of the market since the start, as POV orders count it. */
export interface VolumePoint {
  readonly timeMs: number;
  readonly total: string;
}

/** What the market did to one managed order. */
export interface OrderChart {
  readonly orderId: number;
  readonly arrival?: Arrival;
  /** Empty for an order that does not trail or did not become active. At most 512. */
  readonly trail: readonly TrailPoint[];
}

/** The last counted quote when an order was accepted; for a leg of a list that was held, when it was released. */
export interface Arrival {
  readonly timeMs: number;
  readonly bid: string;
  readonly ask: string;
}

/**
 * A trailing level from a time on. `reference` is the best price since the activation. If a column has several changes,
 * the point is the last of them.
 */
export interface TrailPoint {
  readonly timeMs: number;
  readonly reference: string;
  /** Absent while no price can meet it. */
  readonly level?: string;
}

/**
 * A series of values over time in a bounded number of columns of equal length. A column is a millisecond long at first.
 * When there would be too many columns, each two neighbours become one, so memory does not grow with the market.
 */
export class Columns<T> {
  readonly #startMs: number;
  readonly #most: number;
  readonly #join: (earlier: T, later: T) => T;
  #columns: { index: number; value: T }[] = [];
  #lengthMs = 1;

  /** `most` is the greatest number of columns. `join` makes one value of two: the later one by default. */
  constructor(startMs: number, most: number, join: (earlier: T, later: T) => T = (_, later) => later) {
    this.#startMs = startMs;
    this.#most = most;
    this.#join = join;
  }

  /** Length of a column in milliseconds. */
  get lengthMs(): number {
    return this.#lengthMs;
  }

  /** Adds a value. A time before the last one counts as the last one. */
  add(timeMs: number, value: T): void {
    const last = this.#columns.at(-1);
    const index = Math.floor((timeMs - this.#startMs) / this.#lengthMs);
    if (last !== undefined && index <= last.index) {
      last.value = this.#join(last.value, value);
      return;
    }
    this.#columns.push({ index: Math.max(index, 0), value });
    while (this.#columns.length > this.#most) this.#halve();
  }

  /** Returns the values of the columns that have one, oldest first. */
  all(): readonly T[] {
    return this.#columns.map(({ value }) => value);
  }

  #halve(): void {
    const columns = this.#columns;
    this.#lengthMs *= 2;
    this.#columns = [];
    for (const { index, value } of columns) {
      const half = Math.floor(index / 2);
      const last = this.#columns.at(-1);
      if (last?.index === half) last.value = this.#join(last.value, value);
      else this.#columns.push({ index: half, value });
    }
  }
}

const MOST_COLUMNS = 2_048;

type Prices = Readonly<{ timeMs: number } & Record<Exclude<keyof PriceColumn, "timeMs">, Price>>;
type Volume = Readonly<{ timeMs: number; total: Quantity }>;

/** Prices and executed volume of one symbol, in bounded memory. */
class MarketPath {
  readonly #prices: Columns<Prices>;
  readonly #volumes: Columns<Volume>;

  constructor(startMs: number) {
    this.#prices = new Columns<Prices>(startMs, MOST_COLUMNS, joinPrices);
    this.#volumes = new Columns<Volume>(startMs, MOST_COLUMNS);
  }

  /** Takes note of a counted quote. */
  quoted(quote: Quote): void {
    const { bid, ask, timeMs } = quote;
    const range = { lowestBid: bid, highestBid: bid, lowestAsk: ask, highestAsk: ask };
    this.#prices.add(timeMs, { timeMs, bid, ask, ...range });
  }

  /** Takes note of the executed volume since the start. */
  traded(timeMs: number, total: Quantity): void {
    this.#volumes.add(timeMs, { timeMs, total });
  }

  /** Returns the course so far. */
  chart(symbol: string): MarketChart {
    return {
      symbol,
      columnMs: this.#prices.lengthMs,
      prices: this.#prices.all().map(({ timeMs, ...prices }) => ({
        timeMs,
        bid: formatPrice(prices.bid),
        ask: formatPrice(prices.ask),
        lowestBid: formatPrice(prices.lowestBid),
        highestBid: formatPrice(prices.highestBid),
        lowestAsk: formatPrice(prices.lowestAsk),
        highestAsk: formatPrice(prices.highestAsk),
      })),
      volumes: this.#volumes.all().map(({ timeMs, total }) => ({ timeMs, total: formatQuantity(total) })),
    };
  }
}

function joinPrices(earlier: Prices, later: Prices): Prices {
  return {
    ...{ timeMs: earlier.timeMs, bid: later.bid, ask: later.ask },
    lowestBid: min(earlier.lowestBid, later.lowestBid),
    highestBid: max(earlier.highestBid, later.highestBid),
    lowestAsk: min(earlier.lowestAsk, later.lowestAsk),
    highestAsk: max(earlier.highestAsk, later.highestAsk),
  };
}

const MOST_POINTS = 512;
const MOST_TRAILS = 500;

type Reference = Readonly<{ timeMs: number; reference: Price }>;
type Trail = Readonly<{ side: MarketSide; distance: TrailingDistance; points: Columns<Reference> }> & {
  reference: Price;
};

/** The levels of trailing orders: the best price since the activation, and the distance from it. */
class Trails {
  readonly #all: Map<number, Trail> = new Map();
  /** Those that follow the quotes of a symbol. */
  readonly #active: Map<string, Map<number, Trail>> = new Map();
  /** Number of orders that were not followed, because too many were. */
  leftOut = 0;

  /** Follows an order that became active. */
  activated({ orderId, intent }: ParentOrder, { timeMs, reference }: Reference): void {
    const { symbol, trailing: distance } = intent;
    if (distance === undefined || this.#all.has(orderId)) return;
    if (this.#all.size >= MOST_TRAILS) {
      this.leftOut += 1;
      return;
    }
    const points = new Columns<Reference>(timeMs, MOST_POINTS);
    points.add(timeMs, { timeMs, reference });
    const trail = { side: executableSide(intent.side), distance, points, reference };
    this.#all.set(orderId, trail);
    const active = this.#active.get(symbol) ?? new Map<number, Trail>();
    this.#active.set(symbol, active.set(orderId, trail));
  }

  /** Moves the references of the orders of a symbol. */
  quoted({ symbol, bid, ask, timeMs }: Quote): void {
    for (const trail of this.#active.get(symbol)?.values() ?? []) {
      const best = trail.side === "ask" ? min(trail.reference, ask) : max(trail.reference, bid);
      if (best === trail.reference) continue;
      trail.reference = best;
      trail.points.add(timeMs, { timeMs, reference: best });
    }
  }

  /** Stops following an order: it triggered or ended. */
  ended({ orderId, intent }: ParentOrder): void {
    this.#active.get(intent.symbol)?.delete(orderId);
  }

  /** Returns the course of the level of an order so far. */
  trailOf(orderId: number): readonly TrailPoint[] {
    const trail = this.#all.get(orderId);
    if (trail === undefined) return [];
    const { side, distance } = trail;
    return trail.points.all().map(({ timeMs, reference }) => {
      const level = displayedLevel({ side, distance, reference });
      return {
        timeMs,
        reference: formatPrice(reference),
        ...(level !== undefined && { level: formatPrice(level) }),
      };
    });
  }
}

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
    engine.events.on("order", (update) => this.#recorded(update));
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

  /** Takes note of a counted print. An old one counts for bars, not for POV. */
  printed({ symbol, quantity, seenAtMs, fresh }: CountedPrint): void {
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
