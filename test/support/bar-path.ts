import { add, formatPrice, price, subtract } from "../../src/decimal/index.ts";
import type { Side } from "../../src/model/index.ts";
import type { MarketSink } from "../../src/ports/index.ts";

/** What is known of a span of time: four prices in decimal text. */
export type Bar = Readonly<{ open: string; high: string; low: string; close: string }>;

/** How bars become quotes. */
export type BarWalk = Readonly<{
  symbol: string;
  /** Side of the orders that are tried: the path is the one that is worse for them. */
  side: Side;
  /** What the ask stands above the bid, in decimal text. */
  spread: string;
  sink: Pick<MarketSink, "quote">;
  /** Awaited after every quote, before the next one. */
  settle: () => Promise<unknown>;
}>;

/**
 * The prices of a bar in the order in which they are walked: from the open to the extreme that is adverse to orders of
 * that side, to the other one, to the close. Which came first a bar does not say; a trail that follows the good extreme
 * before the bad one is tried makes results that nobody could have had.
 */
export const barPath = ({ open, high, low, close }: Bar, side: Side): readonly string[] =>
  side === "SELL" ? [open, low, high, close] : [open, high, low, close];

/** Feeds bars as quotes without sizes; the price of the bar is the one that orders of the side execute at. */
export async function walkBars(bars: readonly Bar[], walk: BarWalk): Promise<void> {
  for (const bar of bars) {
    for (const at of barPath(bar, walk.side)) {
      walk.sink.quote({ symbol: walk.symbol, ...sidesAt(at, walk) });
      await walk.settle();
    }
  }
}

function sidesAt(at: string, { side, spread }: BarWalk): Readonly<{ bid: string; ask: string }> {
  if (side === "SELL") return { bid: at, ask: formatPrice(add(price(at), price(spread))) };
  return { bid: formatPrice(subtract(price(at), price(spread))), ask: at };
}
