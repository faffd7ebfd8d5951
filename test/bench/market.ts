import { formatPrice, type Price } from "../../src/decimal/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import type { ParentIntent } from "../../src/model/index.ts";
import type { QuoteInput } from "../../src/ports/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { SYMBOL } from "../support/world.ts";

const text = (scaled: number): string => formatPrice(scaled as unknown as Price);

/** Returns quotes around 7,000 USD; each rising one sets a new high. */
export function quotesOf(count: number, rising: boolean, from = 700_000_000_000): readonly QuoteInput[] {
  return Array.from({ length: count }, (_, n) => {
    const bid = from + (rising ? n * 1_000 : (n % 100) * 1_000_000);
    return {
      symbol: SYMBOL,
      ...{ bid: text(bid), bidQuantity: "1.884838", ask: text(bid + 1_000_000), askQuantity: "33.353996" },
    };
  });
}

const SELL = {
  symbol: SYMBOL,
  side: "SELL",
  quantity: "0.125",
  newClientOrderId: "named-by-the-store",
} as const;

/** Returns stops below the market, each at its own level. */
export const stopBelow: (n: number) => ParentIntent = (n) =>
  orderIntent({ ...SELL, type: "STOP_MARKET", stopPrice: text(600_000_000_000 - n * 100_000) });

/** Returns stops that trail the market by 10 to 99 percent. */
export const trailing: (n: number) => ParentIntent = (n) =>
  orderIntent({ ...SELL, type: "TRAILING_STOP_MARKET", trailingDelta: 1_000 + (n % 9_000) });

/** Sends the first quotes after an opening, of which the second confirms the first. */
export function beginQuotes(engine: Engine): void {
  const [quote] = quotesOf(1, false);
  if (quote === undefined) return;
  engine.market.quote(quote);
  engine.market.quote(quote);
}

/** Sends quotes to the engine; none may be dropped. */
export function feed(engine: Engine, quotes: readonly QuoteInput[]): void {
  for (const quote of quotes) {
    if (engine.market.quote(quote) !== "counted") throw new Error("a quote was dropped");
  }
}
