import { max, min, type Price } from "../decimal/index.ts";
import type { MarketSide } from "../model/index.ts";

/** Returns the one of two prices that a trailing reference keeps: the lower on the ask, the higher on the bid. */
export function extreme(side: MarketSide, prices: readonly [Price, Price]): Price {
  return side === "ask" ? min(prices[0], prices[1]) : max(prices[0], prices[1]);
}

/** Returns the one of two optional prices that a trailing reference keeps. */
export function knownExtreme(
  side: MarketSide,
  [a, b]: readonly [Price | undefined, Price | undefined],
): Price | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return extreme(side, [a, b]);
}
