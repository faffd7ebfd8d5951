import { OrderError } from "../errors/index.ts";
import type { Parameters } from "../wire/index.ts";
import { textRule, timeRule } from "./field-rules.ts";
import { type FieldSet, fieldSet, type RequestShape } from "./field-set.ts";
import { KLINE_INTERVALS, type KlineInterval } from "./kline-intervals.ts";
import { pickFields } from "./plain-fields.ts";
import { conflict, type NameOf } from "./refusals.ts";
import { capped, int64, oneOf, optionalField, preset, text } from "./rule.ts";

/** A period of time in epoch milliseconds, both ends included. */
export type TimeRange = Readonly<{ startTimeMs?: number; endTimeMs?: number }>;

/** The klines of one market that begin in a period: the oldest if it has a start, else the newest. */
export type KlinesQuery = TimeRange & Readonly<{ symbol: string; interval: KlineInterval; limit: number }>;

/** Trades of one market: the newest, or those from the trade `fromId` on. */
export type TradesQuery = Readonly<{ symbol: string; limit: number; fromId?: bigint }>;

/** Trades of one market: the newest, those of a period, or those from the trade `fromId` on. */
export type AggTradesQuery = TradesQuery & TimeRange;

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
const picked = (set: FieldSet<unknown>): RequestShape => ({
  names: { read: new Set(Object.keys(set.rules)), ignored: new Set() },
  set,
});

/** The parameters of the routes of past prices and trades, by route. `interval` of klines is `klineInterval` here. */
export const MARKET_HISTORY: Readonly<
  Record<"klines" | "trades" | "trades.historical" | "aggTrades", RequestShape>
> = {
  klines: picked(KLINES_SET),
  trades: picked(TRADES_SET),
  "trades.historical": picked(OLD_TRADES_SET),
  aggTrades: picked(AGG_TRADES_SET),
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
