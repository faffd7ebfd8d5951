import { barsOf, joinFigures, type PriceBar, type PricedPrint } from "../../model/index.ts";
import type { VolumeCutoff } from "../../ports/index.ts";

/** Number of bars that one step scans, which takes about a millisecond. */
const BARS_PER_STEP = 8_192;

/** Stored price bars of all markets. */
export type KeptPriceBars = Readonly<{
  /** Adds prints that were not counted before. */
  put(prints: readonly PricedPrint[]): void;
  /** Returns the bars by symbol, length and start. */
  read(): readonly PriceBar[];
  /** Drops, in short steps, the bars of each length that began before its time. */
  deleteBefore(cutoffs: VolumeCutoff["priceBars"]): Generator<void, void>;
}>;

/** Creates an empty store of price bars. */
export function createKeptPriceBars(): KeptPriceBars {
  const bars = new Map<string, PriceBar>();
  return {
    put(prints) {
      for (const bar of barsOf(prints)) {
        const key = `${bar.symbol} ${bar.lengthMs} ${bar.startMs}`;
        const kept = bars.get(key)?.figures;
        bars.set(key, kept === undefined ? bar : { ...bar, figures: joinFigures(kept, bar.figures) });
      }
    },
    read: () => [...bars.values()].sort(compareBars),
    *deleteBefore(cutoffs = []) {
      const before = new Map(cutoffs.map(({ lengthMs, beforeMs }) => [lengthMs, beforeMs]));
      let looked = 0;
      for (const [key, { lengthMs, startMs }] of bars) {
        if (startMs < (before.get(lengthMs) ?? 0)) bars.delete(key);
        if (++looked % BARS_PER_STEP === 0) yield;
      }
    },
  };
}

function compareBars(a: PriceBar, b: PriceBar): number {
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  return a.lengthMs - b.lengthMs || a.startMs - b.startMs;
}
