import {
  averagePriceText,
  compare,
  formatNotional,
  formatPrice,
  formatQuantity,
  formatScaled,
  type Price,
  portion,
  type Quantity,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { Engine } from "../../engine/index.ts";
import { figuresOfBars, type PriceBar } from "../../model/index.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Decimals of a change in percent. */
const PERCENT_SCALE = 3;

/** A period of whole minutes in epoch milliseconds. `toMs` is not part of it. */
export type DayRange = Readonly<{ fromMs: number; toMs: number }>;

/** Returns the last 1,440 minutes, the running one included. */
export function lastDay(nowMs: number): DayRange {
  const toMs = nowMs - (nowMs % MINUTE_MS) + MINUTE_MS;
  return { fromMs: toMs - DAY_MS, toMs };
}

/**
 * What the prints of the last day prove about its prices, as members of the convention. `quantity` is the sum of the
 * prints.
 */
export type DayFigures = Readonly<{
  quantity: Quantity;
  members: Readonly<
    Record<"openPrice" | "highPrice" | "lowPrice" | "priceChange" | "priceChangePercent", string>
  > &
    Readonly<{ weightedAvgPrice: string; volume: string; quoteVolume: string; count: number }>;
}>;

/**
 * Returns the figures of a market over a day. A day without prints has `last` as its prices. Returns undefined if the
 * store keeps no bars.
 */
export function dayFigures(
  engine: Pick<Engine, "priceBars">,
  { symbol, last, fromMs, toMs }: DayRange & Readonly<{ symbol: string; last: Price }>,
): DayFigures | undefined {
  const bars = barsOfDay(engine, symbol, { fromMs, toMs });
  if (bars === undefined) return undefined;
  const sum = figuresOfBars(bars);
  const { open = last, high = last, low = last, close = last } = sum ?? {};
  const { quantity = ZERO_QUANTITY, quoteQuantity = ZERO_NOTIONAL, prints = 0 } = sum ?? {};
  const change = subtract(close, open);
  const percent = portion(change, {
    numerator: 10 ** (PERCENT_SCALE + 2),
    denominator: open,
    // A fall is rounded towards zero, as a rise is.
    rounding: compare(close, open) < 0 ? "up" : "down",
  });
  return {
    quantity,
    members: {
      openPrice: formatPrice(open),
      highPrice: formatPrice(high),
      lowPrice: formatPrice(low),
      priceChange: formatPrice(change),
      priceChangePercent: formatScaled(percent, PERCENT_SCALE),
      weightedAvgPrice: averagePriceText(quoteQuantity, quantity),
      volume: formatQuantity(quantity),
      quoteVolume: formatNotional(quoteQuantity),
      count: prints,
    },
  };
}

/** Returns bars that cover a day: whole hours, and minutes before and after them. */
function barsOfDay(
  engine: Pick<Engine, "priceBars">,
  symbol: string,
  { fromMs, toMs }: DayRange,
): readonly PriceBar[] | undefined {
  const hoursFromMs = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
  const hoursToMs = Math.floor(toMs / HOUR_MS) * HOUR_MS;
  const before = engine.priceBars({ symbol, lengthMs: MINUTE_MS, fromMs, toMs: hoursFromMs });
  const hours = engine.priceBars({ symbol, lengthMs: HOUR_MS, fromMs: hoursFromMs, toMs: hoursToMs });
  const after = engine.priceBars({ symbol, lengthMs: MINUTE_MS, fromMs: hoursToMs, toMs });
  return before && hours && after && [...before, ...hours, ...after];
}
