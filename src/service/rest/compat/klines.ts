import { type Price, ZERO_NOTIONAL, ZERO_QUANTITY } from "../../../decimal/index.ts";
import type { Engine } from "../../../engine/index.ts";
import { BARS_RETAINED, type BarFigures, figuresOfBars, type PriceBar } from "../../../model/index.ts";
import { barsOfInterval, type KlineInterval, klineEndMs, klineStartMs } from "../../../requests/index.ts";

/** A kline from `startMs` until before `endMs`. One without prints has the last price before it, and zeros. */
export type Kline = Readonly<{ startMs: number; endMs: number }> &
  Omit<BarFigures, "openedAtMs" | "closedAtMs">;

/** The klines of a market that begin at or after `fromMs` and until `toMs`, in epoch milliseconds. */
export type KlineRange = Readonly<{
  symbol: string;
  interval: KlineInterval;
  fromMs: number;
  toMs: number;
  nowMs: number;
}>;

/**
 * Returns klines, oldest first, the running one included. They are made of the stored bars, and a kline is left out
 * unless all of its bars are still kept, and if no price comes before it. Returns undefined if the store keeps no bars. Source:
 * decision NH.
 */
export function klinesOf(engine: Pick<Engine, "priceBars">, range: KlineRange): readonly Kline[] | undefined {
  const { symbol, interval, fromMs, nowMs } = range;
  const lengthMs = barsOfInterval(interval);
  const retainedMs = nowMs - (nowMs % lengthMs) - (BARS_RETAINED - 1) * lengthMs;
  const firstMs = startAtOrAfter(interval, Math.max(retainedMs, fromMs));
  const bars = engine.priceBars({ symbol, lengthMs, fromMs: firstMs, toMs: nowMs + 1 });
  if (bars === undefined) return undefined;
  const isOpened = (bars[0]?.startMs ?? Number.MAX_SAFE_INTEGER) < klineEndMs(interval, firstMs);
  const before = isOpened
    ? []
    : engine.priceBars({ symbol, lengthMs, fromMs: retainedMs, toMs: firstMs, limit: 1 });
  const price = before?.at(-1)?.figures.close;
  return joined(interval, bars, { firstMs, toMs: Math.min(range.toMs, nowMs), price });
}

function startAtOrAfter(interval: KlineInterval, timeMs: number): number {
  const startMs = klineStartMs(interval, timeMs);
  return startMs === timeMs ? startMs : klineEndMs(interval, startMs);
}

type Span = Readonly<{ firstMs: number; toMs: number; price: Price | undefined }>;

/** Joins bars, oldest first, to klines. Fills the periods without prints; `price` is the last one before all bars. */
function joined(interval: KlineInterval, bars: readonly PriceBar[], span: Span): readonly Kline[] {
  const klines: Kline[] = [];
  let { firstMs: startMs, price } = span;
  let next = 0;
  while (startMs <= span.toMs) {
    const endMs = klineEndMs(interval, startMs);
    const own: PriceBar[] = [];
    for (let bar = bars[next]; bar !== undefined && bar.startMs < endMs; bar = bars[++next]) own.push(bar);
    const figures = own.length === 0 ? restingAt(price) : sumOf(own);
    if (figures !== undefined) klines.push({ startMs, endMs, ...figures });
    price = figures?.close;
    startMs = endMs;
  }
  return klines;
}

type Figures = Omit<Kline, "startMs" | "endMs">;

/** Returns the figures of a period without prints; undefined if there is no price before it. */
function restingAt(price: Price | undefined): Figures | undefined {
  if (price === undefined) return undefined;
  const sums = { quantity: ZERO_QUANTITY, quoteQuantity: ZERO_NOTIONAL, prints: 0 };
  return { open: price, high: price, low: price, close: price, ...sums };
}

/** Returns the figures of some bars; undefined without bars. */
function sumOf(bars: readonly PriceBar[]): Figures | undefined {
  const sum = figuresOfBars(bars);
  if (sum === undefined) return undefined;
  const { openedAtMs: _opened, closedAtMs: _closed, ...figures } = sum;
  return figures;
}
