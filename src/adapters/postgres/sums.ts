import { add, type Quantity } from "../../decimal/index.ts";
import { barsOf, joinFigures, type PriceBar, type PricedPrint, type VolumeBar } from "../../model/index.ts";

const MINUTE_MS = 60_000;

/** Sums of executed volume: totals of fresh prints by symbol, bars of volume, and bars of prices. */
export class Sums {
  readonly totals: Map<string, Quantity> = new Map();
  readonly bars: Map<string, VolumeBar> = new Map();
  readonly priceBars: Map<string, PriceBar> = new Map();

  /** Adds prints that were counted after those before. */
  count(prints: readonly PricedPrint[]): void {
    for (const { symbol, quantity, timeMs, fresh } of prints) {
      if (fresh) this.addTotal(symbol, quantity);
      this.addBar({ symbol, minuteMs: Math.floor(timeMs / MINUTE_MS) * MINUTE_MS, quantity });
    }
    for (const bar of barsOf(prints)) this.addPriceBar(bar);
  }

  /** Adds to the total of a symbol. */
  addTotal(symbol: string, quantity: Quantity): void {
    const before = this.totals.get(symbol);
    this.totals.set(symbol, before === undefined ? quantity : add(before, quantity));
  }

  /** Adds to a bar of volume. */
  addBar({ symbol, minuteMs, quantity }: VolumeBar): void {
    const key = `${minuteMs} ${symbol}`;
    const before = this.bars.get(key);
    const sum = before === undefined ? quantity : add(before.quantity, quantity);
    this.bars.set(key, { symbol, minuteMs, quantity: sum });
  }

  /** Joins a bar of prices with the one of earlier prints. */
  addPriceBar(bar: PriceBar): void {
    const key = `${bar.lengthMs} ${bar.startMs} ${bar.symbol}`;
    const before = this.priceBars.get(key);
    if (before === undefined) this.priceBars.set(key, bar);
    else this.priceBars.set(key, { ...bar, figures: joinFigures(before.figures, bar.figures) });
  }
}
