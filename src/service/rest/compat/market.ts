import {
  formatNotional,
  formatPrice,
  formatQuantity,
  notionalOf,
  type Price,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../../decimal/index.ts";
import type { Engine, PrintUpdate } from "../../../engine/index.ts";
import { OrderError } from "../../../errors/index.ts";
import { BARS_RETAINED, type BarFigures, figuresOfBars, type PriceBar } from "../../../model/index.ts";
import {
  barsOfInterval,
  type KlineInterval,
  klineEndMs,
  klineStartMs,
  readAggTradesQuery,
  readKlinesQuery,
  readOldTradesQuery,
  readTickerQuery,
  readTradesQuery,
  type TradesQuery,
} from "../../../requests/index.ts";
import type { JsonInput, Parameters } from "../../../wire/index.ts";
import { ofMarkets, symbolOf, tickerOf } from "../market-handlers.ts";
import type { ServiceParts } from "../parts.ts";
import type { Members } from "./forms.ts";

/** A kline from `startMs` until before `endMs`. One without prints has the last price before it, and zeros. */
export type Kline = Readonly<{ startMs: number; endMs: number }> &
  Omit<BarFigures, "openedAtMs" | "closedAtMs">;

/** The klines of a market that begin at or after `fromMs` and until `toMs`, in epoch milliseconds. */
type KlineRange = Readonly<{ symbol: string; interval: KlineInterval }> &
  Readonly<Record<"fromMs" | "toMs" | "nowMs", number>>;

/**
 * Returns klines, oldest first, the running one included. They are made of the stored bars, and a kline is left out unless
 * all of its bars are still kept, and if no price comes before it. Returns undefined if the store keeps no bars.
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

/** Figures of a kline that the service does not know: volume of takers that bought, and the unused last one. */
const UNKNOWN = "0";

/**
 * GET /compat/api/v3/klines and uiKlines: bars of the prints of a market, oldest first. Throws an OrderError -1020 if the
 * store keeps no bars.
 */
export function klines(parts: ServiceParts, parameters: Parameters): JsonInput {
  const { interval, limit, startTimeMs, endTimeMs, ...query } = readKlinesQuery(parameters);
  const symbol = symbolOf(parts, query.symbol);
  const found = klinesOf(parts.engine, {
    ...{ symbol, interval, nowMs: parts.clock.nowMs() },
    fromMs: startTimeMs ?? 0,
    toMs: endTimeMs ?? Number.MAX_SAFE_INTEGER,
  });
  if (found === undefined) throw new OrderError("UNSUPPORTED_OPERATION");
  return pageOf(found, { limit, isForward: startTimeMs !== undefined }).map(klineRow);
}

function klineRow(kline: Kline): JsonInput {
  const { startMs, endMs, open, high, low, close, quantity, quoteQuantity, prints } = kline;
  const prices = [open, high, low, close].map(formatPrice);
  const sums = [formatNotional(quoteQuantity), prints] as const;
  return [startMs, ...prices, formatQuantity(quantity), endMs - 1, ...sums, UNKNOWN, UNKNOWN, UNKNOWN];
}

/** GET /compat/api/v3/trades: the newest trades of a market, in the order in which they were counted. */
export function trades(parts: ServiceParts, parameters: Parameters): JsonInput {
  return printsFrom(parts, readTradesQuery(parameters)).map(tradeMembers);
}

/** GET /compat/api/v3/historicalTrades: the same trades, from an id on. */
export function historicalTrades(parts: ServiceParts, parameters: Parameters): JsonInput {
  return printsFrom(parts, readOldTradesQuery(parameters)).map(tradeMembers);
}

function tradeMembers({ number, price, quantity, timeMs }: PrintUpdate): Members {
  return {
    id: number,
    price: formatPrice(price),
    qty: formatQuantity(quantity),
    quoteQty: formatNotional(notionalOf(price, quantity)),
    time: timeMs,
    isBuyerMaker: false,
    isBestMatch: true,
  };
}

/**
 * GET /compat/api/v3/aggTrades: the newest trades of a market, those of a period, or those from an id on. Each trade is an
 * aggregate of its own.
 */
export function aggTrades(parts: ServiceParts, parameters: Parameters): JsonInput {
  const { startTimeMs, endTimeMs, ...query } = readAggTradesQuery(parameters);
  if (startTimeMs === undefined && endTimeMs === undefined)
    return printsFrom(parts, query).map(aggTradeMembers);
  const [from, to] = [startTimeMs ?? 0, endTimeMs ?? Number.MAX_SAFE_INTEGER];
  const all = parts.engine.recentPrints(symbolOf(parts, query.symbol));
  const within = all.filter(({ timeMs }) => timeMs >= from && timeMs <= to);
  return pageOf(within, { limit: query.limit, isForward: startTimeMs !== undefined }).map(aggTradeMembers);
}

/** Returns a trade as an aggregate of its own, as aggTrades and the stream `aggTrade` have it. */
export function aggTradeMembers({ number, price, quantity, timeMs }: PrintUpdate): Members {
  return {
    a: number,
    p: formatPrice(price),
    q: formatQuantity(quantity),
    f: number,
    l: number,
    T: timeMs,
    m: false,
    M: true,
  };
}

/** Returns the newest prints, or those from a number on. */
function printsFrom(parts: ServiceParts, { symbol, limit, fromId }: TradesQuery): readonly PrintUpdate[] {
  const all = parts.engine.recentPrints(symbolOf(parts, symbol));
  if (fromId === undefined) return pageOf(all, { limit, isForward: false });
  const first = all.findIndex(({ number }) => BigInt(number) >= fromId);
  return first < 0 ? [] : all.slice(first, first + limit);
}

/** Returns the first or the last entries. */
function pageOf<T>(
  all: readonly T[],
  { limit, isForward }: Readonly<{ limit: number; isForward: boolean }>,
): readonly T[] {
  return isForward ? all.slice(0, limit) : all.slice(-limit);
}

/** GET /compat/api/v3/ticker/price: the price of GET /api/ticker. */
export function priceTicker(parts: ServiceParts, parameters: Parameters): Promise<JsonInput> {
  return ofMarkets(parts, parameters, (name) => {
    const { symbol, price } = tickerOf(parts, name) ?? {};
    return symbol === undefined ? undefined : { symbol, price };
  });
}

/** GET /compat/api/v3/ticker/bookTicker: the best prices and sizes of the last counted quote. */
export function bookTicker(parts: ServiceParts, parameters: Parameters): Promise<JsonInput> {
  return ofMarkets(parts, parameters, (name) => {
    const { symbol, bidPrice, bidQty, askPrice, askQty } = tickerOf(parts, name) ?? {};
    return bidPrice === undefined ? undefined : { symbol, bidPrice, bidQty, askPrice, askQty };
  });
}

/**
 * GET /compat/api/v3/avgPrice: the price by which the opening minimum of a market order is checked. It is the last price
 * and no average, which `mins` 0 says, as `avgPriceMins` of the filter does.
 */
export function averagePrice(parts: ServiceParts, parameters: Parameters): JsonInput {
  const known = tickerOf(parts, symbolOf(parts, readTickerQuery(parameters).symbol));
  if (known === undefined) throw new OrderError("NO_DEPTH");
  return { mins: 0, price: known.price, closeTime: parts.clock.nowMs() };
}
