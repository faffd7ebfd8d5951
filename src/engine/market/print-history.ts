import {
  BAR_LENGTHS_MS,
  BARS_KEPT,
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

/** Prints kept of each market. */
const PRINTS_KEPT = 1_000;

type MarketPrints = Readonly<{ recent: RecentPrints; bars: ReadonlyMap<BarLengthMs, BarRow> }>;

/**
 * The prices of counted prints: bars of four lengths, of which the store keeps the same, and the newest prints of each
 * market, which are in memory only. Source: decisions NF and NG.
 */
export class PrintHistory {
  readonly #markets: ReadonlyMap<string, MarketPrints>;
  readonly #hasBars: boolean;

  /** `stored` are the bars in the store; undefined if it keeps none. */
  constructor(symbols: readonly string[], stored: readonly PriceBar[] | undefined) {
    this.#hasBars = stored !== undefined;
    this.#markets = new Map(symbols.map((symbol) => [symbol, emptyMarket()]));
    for (const { symbol, lengthMs, startMs, figures } of stored ?? []) {
      this.#markets.get(symbol)?.bars.get(lengthMs)?.put(startMs, figures);
    }
  }

  /** Adds a print that was counted. */
  add(print: PricedPrint): void {
    const market = this.#markets.get(print.symbol);
    if (market === undefined) return;
    market.recent.add(print);
    if (!this.#hasBars || !countsForBars(print)) return;
    const figures = figuresOf(print);
    for (const [lengthMs, row] of market.bars) row.add(barStartMs(print.timeMs, lengthMs), figures);
  }

  /** Returns the bars of a range, oldest first; undefined if the store keeps none. */
  bars({ symbol, lengthMs, fromMs, toMs }: PriceBarRange): readonly PriceBar[] | undefined {
    if (!this.#hasBars) return undefined;
    const row = this.#markets.get(symbol)?.bars.get(lengthMs);
    const bars = row?.within(fromMs, toMs) ?? [];
    return bars.map(([startMs, figures]) => ({ symbol, lengthMs, startMs, ...(figures && { figures }) }));
  }

  /** Returns the newest prints of a symbol in the order in which they were counted. */
  recent(symbol: string): readonly PricedPrint[] {
    return this.#markets.get(symbol)?.recent.all() ?? [];
  }

  /** Drops the bars of each length that began before its time. */
  forget(cutoffs: NonNullable<VolumeCutoff["priceBars"]>): void {
    for (const { bars } of this.#markets.values()) {
      for (const { lengthMs, beforeMs } of cutoffs) bars.get(lengthMs)?.forget(beforeMs);
    }
  }
}

function emptyMarket(): MarketPrints {
  return {
    recent: new RecentPrints(),
    bars: new Map(BAR_LENGTHS_MS.map((lengthMs) => [lengthMs, new BarRow(lengthMs)])),
  };
}

/** The bars of one market and length, by start. A bar of unknown prices is undefined. */
class BarRow {
  readonly #lengthMs: BarLengthMs;
  readonly #bars: Map<number, BarFigures | undefined> = new Map();
  #newestMs = 0;

  constructor(lengthMs: BarLengthMs) {
    this.#lengthMs = lengthMs;
  }

  put(startMs: number, figures: BarFigures | undefined): void {
    this.#bars.set(startMs, figures);
    if (startMs <= this.#newestMs) return;
    this.#newestMs = startMs;
    if (this.#bars.size > BARS_KEPT) this.forget(this.#oldestMs);
  }

  add(startMs: number, figures: BarFigures): void {
    if (startMs < this.#oldestMs) return;
    const before = this.#bars.get(startMs);
    if (before !== undefined) this.#bars.set(startMs, joinFigures(before, figures));
    else if (!this.#bars.has(startMs)) this.put(startMs, figures);
  }

  /** Returns the kept bars of a range, oldest first. */
  within(fromMs: number, toMs: number): readonly (readonly [number, BarFigures | undefined])[] {
    const lengthMs = this.#lengthMs;
    const found: [number, BarFigures | undefined][] = [];
    const endMs = Math.min(toMs, this.#newestMs + 1);
    const firstMs = Math.ceil(Math.max(fromMs, this.#oldestMs) / lengthMs) * lengthMs;
    for (let startMs = firstMs; startMs < endMs; startMs += lengthMs) {
      if (this.#bars.has(startMs)) found.push([startMs, this.#bars.get(startMs)]);
    }
    return found;
  }

  forget(beforeMs: number): void {
    for (const startMs of this.#bars.keys()) if (startMs < beforeMs) this.#bars.delete(startMs);
  }

  /** Start of the oldest bar that is kept: one more than the rest, because the newest may be ahead of the clock. */
  get #oldestMs(): number {
    return this.#newestMs - BARS_KEPT * this.#lengthMs;
  }
}

/** The newest prints of one market. */
class RecentPrints {
  readonly #prints: PricedPrint[] = [];
  /** Number of prints that were added. Print n is at index n modulo the size. */
  #added = 0;

  add(print: PricedPrint): void {
    this.#prints[this.#added % PRINTS_KEPT] = print;
    this.#added++;
  }

  all(): readonly PricedPrint[] {
    const first = this.#added > PRINTS_KEPT ? this.#added % PRINTS_KEPT : 0;
    return [...this.#prints.slice(first), ...this.#prints.slice(0, first)];
  }
}
