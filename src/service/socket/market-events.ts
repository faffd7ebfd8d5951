import { formatNotional, formatPrice, formatQuantity } from "../../decimal/index.ts";
import type { PrintUpdate } from "../../engine/index.ts";
import type { Level, Quote } from "../../model/index.ts";
import type {
  BOOK_TICKER,
  CompleteOf,
  DEPTH_UPDATE,
  LevelReply,
  PARTIAL_DEPTH,
  PUBLIC_TRADE,
} from "../../replies/index.ts";
import {
  type ClientStreamName,
  type KlineInterval,
  klineStartMs,
  type PeriodMs,
  readClientStreamName,
  readStreamName,
  type StreamName,
} from "../../requests/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { aggTradeMembers, type Kline, klinesOf } from "../rest/compat/market.ts";
import { symbolForClient } from "../rest/compat/names.ts";
import { dayFigures, lastDay, priceOf, sizeOf, visibleLevels } from "../rest/market-handlers.ts";
import type { ServiceParts } from "../rest/parts.ts";
import { tradeIdOf } from "../views/native-order.ts";
import type { BookChange, MarketPeriod, MarketStream, StreamPayload } from "./market-streams.ts";

/** Number of levels in a depth20 stream. */
const PARTIAL_LEVELS = 20;

/** The size with which a diff removes a level from a book. */
const GONE = "0";

/**
 * Builds a bookTicker event: best prices and the sizes at them, as GET /api/ticker has them. A price at which nothing is
 * visible has size 0. Source: convention 4.12.
 */
export function bookTicker(quote: Quote, nowMs: number): CompleteOf<typeof BOOK_TICKER> {
  return {
    e: "bookTicker",
    E: nowMs,
    u: quote.sequence,
    s: quote.symbol,
    b: formatPrice(quote.bid),
    B: sizeOf(quote.bids[0]?.size),
    a: formatPrice(quote.ask),
    A: sizeOf(quote.asks[0]?.size),
  };
}

/**
 * Builds a depthUpdate event: the changes that counted quotes made to the previous book. `U` and `u` are the numbers of
 * the first and the last of them. A number is the lastUpdateId of GET /api/depth and rises by one with each counted quote.
 * A book at lastUpdateId L continues with the diff whose U is L + 1. Source: convention 4.12.
 */
export function depthUpdate(
  { before, quote, first }: BookChange,
  nowMs: number,
): Omit<CompleteOf<typeof DEPTH_UPDATE>, "seriesId"> {
  return {
    e: "depthUpdate",
    E: nowMs,
    s: quote.symbol,
    U: first,
    u: quote.sequence,
    b: changedLevels(before?.bids, quote.bids),
    a: changedLevels(before?.asks, quote.asks),
  };
}

function changedLevels(before: readonly Level[] | undefined, now: readonly Level[]): readonly LevelReply[] {
  const old = new Map(visibleLevels(before));
  const levels = visibleLevels(now);
  const changed = levels.filter(([price, size]) => old.get(price) !== size);
  for (const [price] of levels) old.delete(price);
  return [...changed, ...[...old.keys()].map((price) => [price, GONE] as const)];
}

/** Builds a depth20 event: the best twenty levels of each side. Source: convention 4.12. */
export function partialDepth(quote: Quote, nowMs: number): CompleteOf<typeof PARTIAL_DEPTH> {
  return {
    e: "depth20",
    E: nowMs,
    s: quote.symbol,
    lastUpdateId: String(quote.sequence),
    bids: visibleLevels(quote.bids, PARTIAL_LEVELS),
    asks: visibleLevels(quote.asks, PARTIAL_LEVELS),
  };
}

/**
 * Builds a trade event for an execution of the service. `executionId` is its id, a text, and `t` its number, which is that
 * of the fill in private events. The maker side is not disclosed. Source: convention 4.12.
 */
export function trade(
  { symbol, id, price, quantity, timeMs }: Omit<PrintUpdate, "number">,
  nowMs: number,
): CompleteOf<typeof PUBLIC_TRADE> & Readonly<{ m: false; M: true }> {
  return {
    e: "trade",
    E: nowMs,
    s: symbol,
    t: tradeIdOf(id),
    executionId: id,
    p: formatPrice(price),
    q: formatQuantity(quantity),
    T: timeMs,
    m: false,
    M: true,
  };
}

const PAYLOADS: Readonly<Record<StreamName["kind"], StreamPayload>> = {
  bookTicker: { on: "quote", event: ({ quote }, nowMs) => bookTicker(quote, nowMs) },
  depth: {
    on: "quote",
    // Of own clients: with the series of its numbers, in which alone they are comparable.
    event: (change, nowMs): CompleteOf<typeof DEPTH_UPDATE> => {
      return { ...depthUpdate(change, nowMs), seriesId: change.seriesId };
    },
  },
  depth20: { on: "quote", event: ({ quote }, nowMs) => partialDepth(quote, nowMs) },
  trade: { on: "print", event: trade },
};

/** Returns the reader of the names of streams of `/ws/liquidity`. */
export function liquidityStreams({ instruments }: StreamParts): (name: string) => MarketStream | undefined {
  return (text) => {
    const found = readStreamName(text, (symbol) => instruments.resolve(symbol));
    return found && { ...found, payload: PAYLOADS[found.kind] };
  };
}

type StreamParts = Pick<ServiceParts, "engine" | "instruments" | "clientSymbols">;

/** A market under its own name and under that of the client. */
type Named = Readonly<{ symbol: string; s: string }>;

/** Ids of the first and last trade of a kline, which are not kept. */
const UNKNOWN_ID = -1;

/** Klines that ended in the same second and are sent. A wall clock may jump ahead by any time. */
const MOST_ENDED = 60;

/** How often klines and tickers are sent. */
const EVERY_SECOND = { on: "period", everyMs: 1_000 } as const;

/** Returns the reader of the names of streams of the public convention. Source: convention 4.12. */
export function clientStreams(parts: StreamParts): (name: string) => MarketStream | undefined {
  const { instruments, clientSymbols } = parts;
  return (requested) => {
    const found = readClientStreamName(requested, (sent) => instruments.find(clientSymbols.canonical(sent)));
    if (found === undefined) return undefined;
    const { symbol, suffix, terms } = found;
    const s = symbolForClient(parts, symbol);
    const name = `${s.toLowerCase()}@${suffix}`;
    return { name, symbol, kind: `client ${name}`, payload: payloadOf(parts, terms, { symbol, s }) };
  };
}

function payloadOf(parts: StreamParts, terms: ClientStreamName["terms"], market: Named): StreamPayload {
  const { s } = market;
  switch (terms.kind) {
    case "trade":
      return { on: "print", event: (print, nowMs) => ({ ...trade(print, nowMs), s, t: print.number }) };
    case "aggTrade":
      return {
        on: "print",
        event: (print, nowMs) => ({ e: "aggTrade", E: nowMs, s, ...aggTradeMembers(print) }),
      };
    case "bookTicker":
      return {
        on: "quote",
        event: ({ quote }, nowMs) => {
          const { e: _event, E: _time, ...ticker } = bookTicker(quote, nowMs);
          return { ...ticker, s };
        },
      };
    case "depth":
      return atChange(terms.everyMs, (change, nowMs) => ({ ...depthUpdate(change, nowMs), s }));
    case "partialDepth":
      return atChange(terms.everyMs, ({ quote }) => partialBook(quote, terms.levels));
    case "kline":
      return { ...EVERY_SECOND, events: (second) => klineEvents(parts, { ...market, ...terms }, second) };
    case "ticker":
      return {
        ...EVERY_SECOND,
        events: ({ nowMs, change, isPrinted }) =>
          change !== undefined || isPrinted ? tickerEvents(parts, market, nowMs) : [],
      };
    case "miniTicker":
      return {
        ...EVERY_SECOND,
        events: ({ nowMs, isPrinted }) => (isPrinted ? miniTickerEvents(parts, market, nowMs) : []),
      };
  }
}

/** Returns what sends an event for each period in which the book has changed. */
const atChange = (
  everyMs: PeriodMs,
  event: (change: BookChange, nowMs: number) => JsonInput,
): StreamPayload => ({
  ...{ on: "period", everyMs },
  events: ({ change, nowMs }) => (change === undefined ? [] : [event(change, nowMs)]),
});

/** Builds an event of a partial book: the best levels of each side. */
const partialBook = (quote: Quote, levels: number): JsonInput => ({
  lastUpdateId: quote.sequence,
  bids: visibleLevels(quote.bids, levels),
  asks: visibleLevels(quote.asks, levels),
});

/**
 * Returns the klines that ended in a second, and the running one after prints. Several end in one second if the wall
 * clock jumps ahead or the process was asleep. A wall clock that was set back ends no kline.
 */
function klineEvents(
  { engine }: StreamParts,
  { symbol, s, interval }: Named & Readonly<{ interval: KlineInterval }>,
  { fromMs, nowMs, isPrinted }: MarketPeriod,
): readonly JsonInput[] {
  const now = klineStartMs(interval, nowMs);
  const before = Math.min(now, klineStartMs(interval, fromMs));
  if (before === now && !isPrinted) return [];
  const klines = klinesOf(engine, { symbol, interval, fromMs: before, toMs: now, nowMs }) ?? [];
  const ended = klines.filter(({ startMs }) => startMs < now);
  const running = klines.filter(({ startMs }) => isPrinted && startMs === now);
  return [...withoutMiddle(ended), ...running].map((kline) => klineEvent(kline, { s, interval, nowMs }));
}

/** Returns the first of some ended klines, which clients know as the running one, and as many of the last as are sent. */
function withoutMiddle(ended: readonly Kline[]): readonly Kline[] {
  return ended.length <= MOST_ENDED ? ended : [...ended.slice(0, 1), ...ended.slice(1 - MOST_ENDED)];
}

function klineEvent(
  kline: Kline,
  { s, interval, nowMs }: Readonly<{ s: string; interval: KlineInterval; nowMs: number }>,
): JsonInput {
  const { startMs, endMs, open, high, low, close, quantity, quoteQuantity, prints } = kline;
  return {
    e: "kline",
    E: nowMs,
    s,
    k: {
      ...{ t: startMs, T: endMs - 1, s, i: interval, f: UNKNOWN_ID, L: UNKNOWN_ID },
      ...{ o: formatPrice(open), c: formatPrice(close), h: formatPrice(high), l: formatPrice(low) },
      ...{ v: formatQuantity(quantity), n: prints, x: endMs <= nowMs, q: formatNotional(quoteQuantity) },
      ...{ V: "0", Q: "0", B: "0" },
    },
  };
}

/** Returns the last price of a market and the figures of its last day; undefined while it has no price. */
function dayOf(parts: StreamParts, symbol: string, nowMs: number) {
  const last = priceOf(parts, symbol);
  if (last === undefined) return undefined;
  const range = lastDay(nowMs);
  return { last, range, day: dayFigures(parts.engine, { symbol, ...range, last }) };
}

function tickerEvents(parts: StreamParts, { symbol, s }: Named, nowMs: number): readonly JsonInput[] {
  const { engine } = parts;
  const found = dayOf(parts, symbol, nowMs);
  if (found === undefined) return [];
  const { last, range, day } = found;
  const quote = engine.quote(symbol)?.quote;
  const { b, B, a, A } = quote === undefined ? {} : bookTicker(quote, nowMs);
  const lastPrint = engine.recentPrints(symbol).at(-1);
  return [
    {
      ...{ e: "24hrTicker", E: nowMs, s, c: formatPrice(last) },
      ...(lastPrint && { Q: formatQuantity(lastPrint.quantity) }),
      ...{ b, B, a, A },
      ...(day && { p: day.priceChange, P: day.priceChangePercent, w: day.weightedAvgPrice }),
      ...(day && { o: day.openPrice, h: day.highPrice, l: day.lowPrice }),
      ...(day && { v: day.volume, q: day.quoteVolume, n: day.count }),
      ...{ O: range.fromMs, C: nowMs },
    },
  ];
}

function miniTickerEvents(parts: StreamParts, { symbol, s }: Named, nowMs: number): readonly JsonInput[] {
  const found = dayOf(parts, symbol, nowMs);
  if (found === undefined) return [];
  const { last, day } = found;
  return [
    {
      ...{ e: "24hrMiniTicker", E: nowMs, s, c: formatPrice(last) },
      ...(day && { o: day.openPrice, h: day.highPrice, l: day.lowPrice, v: day.volume, q: day.quoteVolume }),
    },
  ];
}
