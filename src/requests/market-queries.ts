import { OrderError } from "../errors/index.ts";
import type { BarLengthMs } from "../model/index.ts";
import type { Parameters } from "../wire/index.ts";
import { type FieldSet, fieldSet, type RequestShape } from "./field-set.ts";
import { conflict, type NameOf, pickFields } from "./parameters.ts";
import { capped, int64, oneOf, optionalField, preset, text, textRule, timeRule, whole } from "./rule.ts";

/**
 * The kline intervals, shortest first, as the convention names them. Seconds are not among them: no bar is shorter than a
 * minute.
 */
export const KLINE_INTERVALS = [
  "1m",
  "3m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "6h",
  "8h",
  "12h",
  "1d",
  "3d",
  "1w",
  "1M",
] as const;

/** Name of a kline interval. */
export type KlineInterval = (typeof KLINE_INTERVALS)[number];

/** `barMs` is the length of the stored bars that a kline is made of. A kline of a month has no fixed length. */
type IntervalTerms = Readonly<{ barMs: BarLengthMs; lengthMs: number | "month" }>;

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** 1970-01-05, a Monday. Weeks begin on Mondays, at midnight UTC. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

const TERMS: Readonly<Record<KlineInterval, IntervalTerms>> = {
  "1m": { barMs: MINUTE_MS, lengthMs: MINUTE_MS },
  "3m": { barMs: MINUTE_MS, lengthMs: 3 * MINUTE_MS },
  "5m": { barMs: FIVE_MINUTES_MS, lengthMs: FIVE_MINUTES_MS },
  "15m": { barMs: FIVE_MINUTES_MS, lengthMs: 15 * MINUTE_MS },
  "30m": { barMs: FIVE_MINUTES_MS, lengthMs: 30 * MINUTE_MS },
  "1h": { barMs: HOUR_MS, lengthMs: HOUR_MS },
  "2h": { barMs: HOUR_MS, lengthMs: 2 * HOUR_MS },
  "4h": { barMs: HOUR_MS, lengthMs: 4 * HOUR_MS },
  "6h": { barMs: HOUR_MS, lengthMs: 6 * HOUR_MS },
  "8h": { barMs: HOUR_MS, lengthMs: 8 * HOUR_MS },
  "12h": { barMs: HOUR_MS, lengthMs: 12 * HOUR_MS },
  "1d": { barMs: DAY_MS, lengthMs: DAY_MS },
  "3d": { barMs: DAY_MS, lengthMs: 3 * DAY_MS },
  "1w": { barMs: DAY_MS, lengthMs: WEEK_MS },
  "1M": { barMs: DAY_MS, lengthMs: "month" },
};

/** Returns the length in milliseconds of the stored bars that klines of an interval are made of. */
export function barsOfInterval(interval: KlineInterval): BarLengthMs {
  return TERMS[interval].barMs;
}

/** Returns the start of the kline in which a time is. Both are in epoch milliseconds, and klines begin by UTC. */
export function klineStartMs(interval: KlineInterval, timeMs: number): number {
  const { lengthMs } = TERMS[interval];
  if (lengthMs === "month") return monthMs(timeMs, 0);
  const firstMs = interval === "1w" ? FIRST_MONDAY_MS : 0;
  return firstMs + Math.floor((timeMs - firstMs) / lengthMs) * lengthMs;
}

/** Returns the end of a kline, which is the start of the next. Both are in epoch milliseconds. */
export function klineEndMs(interval: KlineInterval, startMs: number): number {
  const { lengthMs } = TERMS[interval];
  return lengthMs === "month" ? monthMs(startMs, 1) : startMs + lengthMs;
}

/** Returns the start of the month in which a time is, or of the month `after` months later. */
function monthMs(timeMs: number, after: number): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + after);
}

/** A period of time in epoch milliseconds, both ends included. */
type TimeRange = Readonly<{ startTimeMs?: number; endTimeMs?: number }>;

/** The klines of one market that begin in a period: the oldest if it has a start, else the newest. */
type KlinesQuery = TimeRange & Readonly<{ symbol: string; interval: KlineInterval; limit: number }>;

/** Trades of one market: the newest, or those from the trade `fromId` on. */
export type TradesQuery = Readonly<{ symbol: string; limit: number; fromId?: bigint }>;

/** Trades of one market: the newest, those of a period, or those from the trade `fromId` on. */
type AggTradesQuery = TradesQuery & TimeRange;

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1_000;

/** UTC, in the forms in which the convention has time zones. */
const UTC = /^[+-]?0{1,2}(?::00)?$/;

const limitRule = preset(capped({ from: 1, cap: MAX_LIMIT }), DEFAULT_LIMIT);
const KLINES_SET = fieldSet({
  symbol: textRule,
  klineInterval: oneOf(KLINE_INTERVALS),
  startTime: optionalField(timeRule),
  endTime: optionalField(timeRule),
  timeZone: optionalField(text({ pattern: UTC })),
  limit: limitRule,
});
const TRADES_SET = fieldSet({ symbol: textRule, limit: limitRule });
const OLD_TRADES_SET = fieldSet({ symbol: textRule, fromId: optionalField(int64), limit: limitRule });
const AGG_TRADES_SET = fieldSet({
  symbol: textRule,
  fromId: optionalField(int64),
  startTime: optionalField(timeRule),
  endTime: optionalField(timeRule),
  limit: limitRule,
});

/** Returns the shape of a public query. It ignores all other parameters (convention 1.2 t). */
const shapeOf = (set: FieldSet<unknown>): RequestShape => ({
  names: { read: new Set(Object.keys(set.rules)), ignored: new Set() },
  set,
});

/** The parameters of the routes of past prices and trades, by route. `interval` of klines is `klineInterval` here. */
export const MARKET_HISTORY: Readonly<
  Record<"klines" | "trades" | "trades.historical" | "aggTrades", RequestShape>
> = {
  klines: shapeOf(KLINES_SET),
  trades: shapeOf(TRADES_SET),
  "trades.historical": shapeOf(OLD_TRADES_SET),
  aggTrades: shapeOf(AGG_TRADES_SET),
};

const KLINE_NAMES: ReadonlySet<string> = new Set([...Object.keys(KLINES_SET.rules), "interval"]);
const fieldOfKline: NameOf = (name) => (name === "interval" ? "klineInterval" : name);
const nameOfKline: NameOf = (field) => (field === "klineInterval" ? "interval" : field);

/**
 * Reads the parameters of GET /compat/api/v3/klines and ignores all others. Throws an OrderError: -1102 without a symbol
 * or an interval, -1120 for an interval that no kline has, -1100 for a time zone other than UTC, -1023 for a start after
 * the end, -1130 for a limit below 1. A limit above 1000 counts as 1000.
 */
export function readKlinesQuery(parameters: Parameters): KlinesQuery {
  const { interval, klineInterval: _other, ...fields } = pickFields(parameters, KLINE_NAMES, fieldOfKline);
  const read = KLINES_SET.read({ ...fields, klineInterval: interval }, nameOfKline);
  const { symbol, limit, startTime, endTime } = read;
  return { symbol, limit, interval: read.klineInterval, ...rangeOf(startTime, endTime) };
}

/** Reads the parameters of GET /compat/api/v3/trades. Throws as {@link readKlinesQuery} does for symbol and limit. */
export function readTradesQuery(parameters: Parameters): TradesQuery {
  return TRADES_SET.read(pickFields(parameters, MARKET_HISTORY.trades.names.read));
}

/** Reads the parameters of GET /compat/api/v3/historicalTrades. Throws as {@link readTradesQuery} does. */
export function readOldTradesQuery(parameters: Parameters): TradesQuery {
  const read = OLD_TRADES_SET.read(pickFields(parameters, MARKET_HISTORY["trades.historical"].names.read));
  return pageOf(read);
}

/**
 * Reads the parameters of GET /compat/api/v3/aggTrades. Throws as {@link readTradesQuery} does, -1023 for a start after
 * the end, and -1128 for an id together with a time.
 */
export function readAggTradesQuery(parameters: Parameters): AggTradesQuery {
  const read = AGG_TRADES_SET.read(pickFields(parameters, MARKET_HISTORY.aggTrades.names.read));
  const { fromId, startTime, endTime } = read;
  if (fromId !== undefined && (startTime ?? endTime) !== undefined) {
    throw conflict(["fromId", "startTime", "endTime"], "Send fromId, or a period, not both.");
  }
  return { ...pageOf(read), ...rangeOf(startTime, endTime) };
}

function pageOf(read: Readonly<{ symbol: string; limit: number; fromId: bigint | undefined }>): TradesQuery {
  const { symbol, limit, fromId } = read;
  return { symbol, limit, ...(fromId !== undefined && { fromId }) };
}

function rangeOf(startTime: number | undefined, endTime: number | undefined): TimeRange {
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw new OrderError("TIMES_REVERSED", { field: "startTime" });
  }
  return {
    ...(startTime !== undefined && { startTimeMs: startTime }),
    ...(endTime !== undefined && { endTimeMs: endTime }),
  };
}

/** A request for the ticker of one symbol. */
type TickerQuery = Readonly<{ symbol: string }>;

/** A request for the last day of one symbol, or of all. */
type DayTickerQuery = Readonly<{ symbol?: string }>;

/** A request for the order book of one symbol, with `limit` levels per side. */
type DepthQuery = Readonly<{ symbol: string; limit: number }>;

/** A request for the first `limit` instrument pairs. */
type PairsQuery = Readonly<{ limit: number }>;

const DEFAULT_ROWS = 100;
const MAX_ROWS = 5_000;

const SYMBOL: ReadonlySet<string> = new Set(["symbol"]);
const LIMIT: ReadonlySet<string> = new Set(["limit"]);
const SYMBOL_AND_LIMIT: ReadonlySet<string> = new Set(["symbol", "limit"]);

const TICKER_SET = fieldSet({ symbol: textRule });

const DAY_TICKER_SET = fieldSet({ symbol: optionalField(textRule) });

const DEPTH_SET = fieldSet({
  symbol: textRule,
  limit: preset(capped({ from: 1, cap: MAX_ROWS }), DEFAULT_ROWS),
});

const PAIRS_SET = fieldSet({ limit: preset(whole({ from: 1, to: MAX_ROWS }), DEFAULT_ROWS) });

/** Returns the shape of a public query. It ignores all other parameters (convention 1.2 t). */
const picked = (read: ReadonlySet<string>, set: FieldSet<unknown>): RequestShape => ({
  names: { read, ignored: new Set() },
  set,
});

/** The parameters of the public queries, by route. */
export const PUBLIC_QUERIES: Readonly<
  Record<"ticker" | "ticker24hr" | "depth" | "instrumentPairs", RequestShape>
> = {
  ticker: picked(SYMBOL, TICKER_SET),
  ticker24hr: picked(SYMBOL, DAY_TICKER_SET),
  depth: picked(SYMBOL_AND_LIMIT, DEPTH_SET),
  instrumentPairs: picked(LIMIT, PAIRS_SET),
};

/**
 * Reads the parameters of GET /api/ticker and ignores all others. Throws an OrderError if symbol is missing (-1102) or
 * empty (-1105). The catalogue decides whether the symbol exists. Source: contract, Public market data.
 */
export function readTickerQuery(parameters: Parameters): TickerQuery {
  return TICKER_SET.read(pickFields(parameters, SYMBOL));
}

/** Reads the parameters of GET /api/ticker/24hr and ignores all others. Throws an OrderError -1105 for an empty symbol. */
export function readDayTickerQuery(parameters: Parameters): DayTickerQuery {
  const { symbol } = DAY_TICKER_SET.read(pickFields(parameters, SYMBOL));
  return symbol === undefined ? {} : { symbol };
}

/**
 * Reads the parameters of GET /api/depth. A limit above 5000 counts as 5000; below 1 it throws -1130.
 * Source: contract, Public market data; convention 1, gap 8.
 */
export function readDepthQuery(parameters: Parameters): DepthQuery {
  return DEPTH_SET.read(pickFields(parameters, SYMBOL_AND_LIMIT));
}

/**
 * Reads the parameters of GET /api/getInstrumentPairs: a limit of 1-5000. Above it throws -1102, below it -1130.
 * Source: contract, Public market data.
 */
export function readPairsQuery(parameters: Parameters): PairsQuery {
  return PAIRS_SET.read(pickFields(parameters, LIMIT));
}
