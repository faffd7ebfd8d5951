import { add, formatPrice, price, subtract } from "../../src/decimal/index.ts";
import type { Side } from "../../src/model/index.ts";
import type { MarketSink } from "../../src/ports/index.ts";

/** The known prices of a period: four decimal texts. */
export type Bar = Readonly<{ open: string; high: string; low: string; close: string }>;

/** How bars become quotes. */
export type BarWalk = Readonly<{
  symbol: string;
  /** Side of the orders under test: the path is the one that is worse for them. */
  side: Side;
  /** The distance from the bid to the ask, in decimal text. */
  spread: string;
  sink: Pick<MarketSink, "quote">;
  /** Awaited after every quote, before the next one. */
  settle: () => Promise<unknown>;
}>;

/**
 * The prices of a bar in the order in which they are played: from the open to the extreme that is adverse to orders of
 * that side, to the other extreme, to the close. A bar does not show which extreme came first; a trail that follows the
 * favorable extreme first would produce impossible results.
 */
export const barPath = ({ open, high, low, close }: Bar, side: Side): readonly string[] =>
  side === "SELL" ? [open, low, high, close] : [open, high, low, close];

/** Feeds bars as quotes without sizes; orders of the side execute at the price of the bar. */
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
