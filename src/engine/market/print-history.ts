import { partitionPoint } from "../../common/index.ts";
import type { Price } from "../../decimal/index.ts";
import {
  BAR_LENGTHS_MS,
  BARS_RETAINED,
  type BarFigures,
  type BarLengthMs,
  barStartMs,
  countsForBars,
  figuresOf,
  joinFigures,
  type PriceBar,
  type PricedPrint,
} from "../../model/index.ts";
import type { VolumeCutoff } from "../../ports/index.ts";
import type { PriceBarRange } from "../core/api.ts";
import type { PrintUpdate } from "../core/events.ts";

/** Prints kept of each market. */
const PRINTS_RETAINED = 1_000;

/** Numbers of prints begin at a time in these parts of a millisecond, so that those of an earlier engine do not return. */
const PRINTS_A_MS = 1_000;

type LastPrint = Readonly<{ price: Price; timeMs: number }>;
type MarketPrints = {
  readonly recent: RecentPrints;
  readonly bars: ReadonlyMap<BarLengthMs, BarRow>;
  /** The latest print that was counted here; undefined before the first. */
  last: LastPrint | undefined;
  /** Number of the latest print that was counted here. */
  lastNumber: number | undefined;
};

/** Returns the counted prints of a symbol that are not known to be stored. */
type PendingOf = (symbol: string) => readonly PricedPrint[];

/**
 * The prices of counted prints: bars of four lengths, of which the store keeps the same, and the newest prints of each
 * market, which are in memory only. Which of two prints of one time opens or closes a bar depends on the order in which
 * they are stored, so prints that wait for the store are added to the bars when these are read.
 */
export class PrintHistory {
  readonly #markets: Map<string, MarketPrints> = new Map();
  readonly #hasBars: boolean;
  readonly #pendingOf: PendingOf;

  /** `stored` are the bars in the store; undefined if it keeps none. */
  constructor(stored: readonly PriceBar[] | undefined, pendingOf: PendingOf = () => []) {
    this.#hasBars = stored !== undefined;
    this.#pendingOf = pendingOf;
    for (const { symbol, lengthMs, startMs, figures } of stored ?? []) {
      this.#of(symbol).bars.get(lengthMs)?.put(startMs, figures);
    }
  }

  #of(symbol: string): MarketPrints {
    const known = this.#markets.get(symbol);
    if (known !== undefined) return known;
    const market = emptyMarket();
    this.#markets.set(symbol, market);
    return market;
  }

  /** Adds a print that was counted to the newest prints, and returns it with its number. */
  counted(print: PricedPrint): PrintUpdate {
    const market = this.#of(print.symbol);
    market.lastNumber = (market.lastNumber ?? print.seenAtMs * PRINTS_A_MS) + 1;
    const numbered = { ...print, number: market.lastNumber };
    market.recent.add(numbered);
    const { price, timeMs } = print;
    if (timeMs >= (latestIn(market)?.timeMs ?? 0)) market.last = { price, timeMs };
    return numbered;
  }

  /** Adds a print that is stored to the bars. Prints come in the order in which they are stored. */
  settled(print: PricedPrint): void {
    if (!this.#hasBars || !countsForBars(print)) return;
    const figures = figuresOf(print);
    for (const [lengthMs, row] of this.#of(print.symbol).bars)
      row.add(barStartMs(print.timeMs, lengthMs), figures);
  }

  /** Returns the bars of a range, oldest first; undefined if the store keeps none. */
  bars({ symbol, lengthMs, ...range }: PriceBarRange): readonly PriceBar[] | undefined {
    if (!this.#hasBars) return undefined;
    const row = this.#markets.get(symbol)?.bars.get(lengthMs)?.with(this.#pendingOf(symbol));
    const bars = row?.within(range) ?? [];
    return bars.map(([startMs, figures]) => ({ symbol, lengthMs, startMs, figures }));
  }

  /**
   * Returns price and time of the latest print of a symbol; before the first that is counted here, of the latest in its
   * bars. Undefined if there is none.
   */
  latest(symbol: string): LastPrint | undefined {
    const market = this.#markets.get(symbol);
    return market && latestIn(market);
  }

  /** Returns the newest prints of a symbol in the order in which they were counted. */
  recent(symbol: string): readonly PrintUpdate[] {
    return this.#markets.get(symbol)?.recent.all() ?? [];
  }

  /** Drops the bars of each length that began before its time. */
  evict(cutoffs: NonNullable<VolumeCutoff["priceBars"]>): void {
    for (const { bars } of this.#markets.values()) {
      for (const { lengthMs, beforeMs } of cutoffs) bars.get(lengthMs)?.evict(beforeMs);
    }
  }
}

function emptyMarket(): MarketPrints {
  return {
    recent: new RecentPrints(),
    bars: new Map(BAR_LENGTHS_MS.map((lengthMs) => [lengthMs, new BarRow(lengthMs)])),
    last: undefined,
    lastNumber: undefined,
  };
}

function latestIn({ last, bars }: MarketPrints): LastPrint | undefined {
  if (last !== undefined) return last;
  let latest: BarFigures | undefined;
  for (const { newest } of bars.values()) {
    if (newest !== undefined && newest.closedAtMs >= (latest?.closedAtMs ?? 0)) latest = newest;
  }
  return latest && { price: latest.close, timeMs: latest.closedAtMs };
}

/** The bars of one market and length, oldest first. */
class BarRow {
  readonly #lengthMs: BarLengthMs;
  /** Starts of the bars. The bar at an index of `#figures` begins at the start of the same index. */
  readonly #starts: number[];
  readonly #figures: BarFigures[];

  constructor(lengthMs: BarLengthMs, starts: readonly number[] = [], figures: readonly BarFigures[] = []) {
    this.#lengthMs = lengthMs;
    this.#starts = [...starts];
    this.#figures = [...figures];
  }

  /** Returns the row with further prints. */
  with(prints: readonly PricedPrint[]): BarRow {
    if (prints.length === 0) return this;
    const row = new BarRow(this.#lengthMs, this.#starts, this.#figures);
    for (const print of prints)
      if (countsForBars(print)) row.add(barStartMs(print.timeMs, this.#lengthMs), figuresOf(print));
    return row;
  }

  put(startMs: number, figures: BarFigures): void {
    const index = this.#indexOf(startMs);
    const replaced = this.#starts[index] === startMs ? 1 : 0;
    this.#starts.splice(index, replaced, startMs);
    this.#figures.splice(index, replaced, figures);
    if (this.#starts.length > BARS_RETAINED) this.evict(this.#oldestMs);
  }

  add(startMs: number, figures: BarFigures): void {
    if (startMs < this.#oldestMs) return;
    const index = this.#indexOf(startMs);
    const before = this.#starts[index] === startMs ? this.#figures[index] : undefined;
    if (before === undefined) this.put(startMs, figures);
    else this.#figures[index] = joinFigures(before, figures);
  }

  /** Returns the kept bars of a range, oldest first; with a limit, the newest of them. */
  within({
    fromMs,
    toMs,
    limit = BARS_RETAINED + 1,
  }: Omit<PriceBarRange, "symbol" | "lengthMs">): readonly (readonly [number, BarFigures])[] {
    const end = this.#indexOf(toMs);
    const first = Math.max(this.#indexOf(Math.max(fromMs, this.#oldestMs)), end - limit);
    const figures = this.#figures.slice(first, Math.max(first, end));
    return figures.map((each, index) => [this.#starts[first + index] ?? 0, each]);
  }

  /** The figures of the newest bar; undefined if there is none. */
  get newest(): BarFigures | undefined {
    return this.#figures.at(-1);
  }

  evict(beforeMs: number): void {
    const count = this.#indexOf(beforeMs);
    this.#starts.splice(0, count);
    this.#figures.splice(0, count);
  }

  /** Returns the index of the first bar that begins at or after a time. */
  #indexOf(timeMs: number): number {
    return partitionPoint(this.#starts, (startMs) => startMs < timeMs);
  }

  /** Start of the oldest bar that is kept: one more than the rest, because the newest may be ahead of the clock. */
  get #oldestMs(): number {
    return (this.#starts.at(-1) ?? 0) - BARS_RETAINED * this.#lengthMs;
  }
}

/** The newest prints of one market. */
class RecentPrints {
  readonly #prints: PrintUpdate[] = [];
  /** Number of prints that were added. Print n is at index n modulo the size. */
  #added = 0;

  add(print: PrintUpdate): void {
    this.#prints[this.#added % PRINTS_RETAINED] = print;
    this.#added++;
  }

  all(): readonly PrintUpdate[] {
    const first = this.#added > PRINTS_RETAINED ? this.#added % PRINTS_RETAINED : 0;
    return [...this.#prints.slice(first), ...this.#prints.slice(0, first)];
  }
}
