import { formatNotional, formatPrice, formatQuantity, notionalOf } from "../../../decimal/index.ts";
import type { PrintUpdate } from "../../../engine/index.ts";
import { OrderError } from "../../../errors/index.ts";
import {
  readAggTradesQuery,
  readKlinesQuery,
  readOldTradesQuery,
  readTradesQuery,
  type TradesQuery,
} from "../../../requests/index.ts";
import type { JsonInput, Parameters } from "../../../wire/index.ts";
import { symbolOf } from "../market-handlers.ts";
import type { ServiceParts } from "../parts.ts";
import { type Kline, klinesOf } from "./klines.ts";
import type { Members } from "./views.ts";

/** Figures of a kline that the service does not know: volume of takers that bought, and the unused last one. */
const UNKNOWN = "0";

/**
 * GET /compat/api/v3/klines and uiKlines: bars of the prints of a market, oldest first. Throws an OrderError -1020 if the
 * store keeps no bars. Source: decision NH.
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

/** GET /compat/api/v3/historicalTrades: the same trades, from an id on. Source: decision NG. */
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
 * GET /compat/api/v3/aggTrades: the newest trades of a market, those of a period, or those from an id on. Each trade is
 * an aggregate of its own. Source: decision NG.
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
