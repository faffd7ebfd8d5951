import {
  add,
  averagePriceText,
  compare,
  formatNotional,
  formatPrice,
  formatQuantity,
  formatScaled,
  notional,
  type Price,
  portion,
  type Quantity,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { Engine, EngineSettings } from "../../engine/index.ts";
import { OrderError } from "../../errors/index.ts";
import { figuresOfBars, type Level, type PriceBar } from "../../model/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { CompleteOf, DAY_TICKER, LevelReply, TICKER, WrittenOf } from "../../replies/index.ts";
import {
  CANONICAL_TYPES,
  instrumentOf,
  type MarketName,
  readDayTickerQuery,
  readDepthQuery,
  readPairsQuery,
  readTickerQuery,
} from "../../requests/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import { rateLimitItems } from "../access/rate-limits.ts";
import type { ServiceParts } from "./parts.ts";
import type { HostFeatures } from "./routing.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Decimals of a change in percent. */
const PERCENT_SCALE = 3;

/** A period of whole minutes in epoch milliseconds. `toMs` is not part of it. */
type DayRange = Readonly<{ fromMs: number; toMs: number }>;

/** Returns the last 1,440 minutes, the running one included. */
export function lastDay(nowMs: number): DayRange {
  const toMs = nowMs - (nowMs % MINUTE_MS) + MINUTE_MS;
  return { fromMs: toMs - DAY_MS, toMs };
}

/** What the prints of the last day prove about its prices, as members of the convention. */
type DayFigures = Pick<
  CompleteOf<typeof DAY_TICKER>,
  | ("openPrice" | "highPrice" | "lowPrice" | "priceChange" | "priceChangePercent" | "weightedAvgPrice")
  | ("volume" | "quoteVolume" | "count")
>;

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
    openPrice: formatPrice(open),
    highPrice: formatPrice(high),
    lowPrice: formatPrice(low),
    priceChange: formatPrice(change),
    priceChangePercent: formatScaled(percent, PERCENT_SCALE),
    weightedAvgPrice: averagePriceText(quoteQuantity, quantity),
    volume: formatQuantity(quantity),
    quoteVolume: formatNotional(quoteQuantity),
    count: prints,
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

/** Markets whose day one turn of the event loop computes, each of up to 1,440 bars. It takes some milliseconds. */
const DAYS_PER_TURN = 16;

/** The largest quantity that an order can have. It stands for a level without a size. */
const UNLIMITED = "999999999999.999999";

/**
 * GET /api/ticker. `price` is the price of the last print; before the first print it is the middle of bid and ask. A symbol
 * that was neither quoted nor traded yet is -1112. A symbol alias resolves, and the answer has the canonical symbol.
 * Source: contract, Ticker.
 */
function ticker(parts: ServiceParts, parameters: Parameters): JsonInput {
  const known = tickerOf(parts, symbolOf(parts, readTickerQuery(parameters).symbol));
  if (known === undefined) throw new OrderError("NO_DEPTH");
  return known;
}

/**
 * GET /api/ticker/24hr: the ticker with the executed volume of the last day. Without a symbol, the answer is an array of
 * all markets that were quoted or traded. The volume is the one that the service itself has counted, by whole minutes. It
 * covers 1,440 minutes, the running one included, from `openTime` until now, which is `closeTime`. Other daily figures
 * (open, high, low, change, average, quote volume, count) are those of the same trades; they are left out if their prices
 * are not known.
 */
function dayTicker(parts: ServiceParts, parameters: Parameters): Promise<JsonInput> {
  return ofMarkets(parts, parameters, (symbol) => dayOf(parts, symbol), DAYS_PER_TURN);
}

/**
 * Answers with what `show` finds of one market, or of all markets of which it finds anything. Throws NO_DEPTH (-1112) if
 * it finds nothing of the one.
 */
export async function ofMarkets<T extends JsonInput>(
  parts: ServiceParts,
  parameters: Parameters,
  show: (symbol: string) => Awaitable<T | undefined>,
  rowsPerTurn?: number,
): Promise<T | readonly T[]> {
  const { symbol } = readDayTickerQuery(parameters);
  if (symbol === undefined) {
    const all = await parts.longAnswers.map(parts.instruments.all(), (one) => show(one.symbol), rowsPerTurn);
    return all.filter((one) => one !== undefined);
  }
  const one = await show(symbolOf(parts, symbol));
  if (one === undefined) throw new OrderError("NO_DEPTH");
  return one;
}

async function dayOf(parts: ServiceParts, symbol: string): Promise<WrittenOf<typeof DAY_TICKER> | undefined> {
  const known = tickerOf(parts, symbol);
  if (known === undefined) return undefined;
  const nowMs = parts.clock.nowMs();
  const range = { symbol, ...lastDay(nowMs) };
  const bars = await parts.engine.volumes.minutes(range);
  const volume = formatQuantity(bars.reduce((sum, { quantity }) => add(sum, quantity), ZERO_QUANTITY));
  const last = priceOf(parts, symbol);
  const figures = last && dayFigures(parts.engine, { ...range, last });
  return {
    ...known,
    // A history of the host may contain other trades than the service has counted.
    ...(figures?.volume === volume && figures),
    ...{ volume, openTime: range.fromMs, closeTime: nowMs },
  };
}

/** Returns the known prices of a market, or undefined if it was neither quoted nor traded yet. */
export function tickerOf(
  parts: Pick<ServiceParts, "engine">,
  symbol: string,
): WrittenOf<typeof TICKER> | undefined {
  const quote = parts.engine.quote(symbol)?.quote;
  const last = priceOf(parts, symbol);
  if (last === undefined) return undefined;
  const price = formatPrice(last);
  const bid = quote && formatPrice(quote.bid);
  const ask = quote && formatPrice(quote.ask);
  return {
    ...{ symbol, price, lastPrice: price, bid, ask },
    bidPrice: bid,
    bidQty: quote && sizeOf(quote.bids[0]?.size),
    askPrice: ask,
    askQty: quote && sizeOf(quote.asks[0]?.size),
    lastUpdateId: quote && String(quote.sequence),
    // Without a quote, another time may take its place, further down.
    ...(quote && { closeTime: quote.timeMs }),
  };
}

/**
 * Returns the price of the last print of a market; before the first one, the middle of bid and ask of the last quote, where
 * half a price step is rounded down.
 */
export function priceOf({ engine }: Pick<ServiceParts, "engine">, symbol: string): Price | undefined {
  const quote = engine.quote(symbol)?.quote;
  const last = engine.lastPrice(symbol);
  if (last !== undefined || quote === undefined) return last;
  return portion(add(quote.bid, quote.ask), { numerator: 1, denominator: 2, rounding: "down" });
}

/**
 * GET /api/depth: the visible levels of the last counted quote, best first, each [price, quantity]. A level without a size
 * gets the largest quantity that an order can have. An empty level is left out. Without a quote both sides are empty and
 * lastUpdateId is "0". `seriesId` is an addition to the contract, as in depthUpdate. Source: contract, Order book;
 * convention 1, gaps 4 and 8.
 */
function depth(parts: ServiceParts, parameters: Parameters): JsonInput {
  const query = readDepthQuery(parameters);
  const symbol = symbolOf(parts, query.symbol);
  const quote = parts.engine.quote(symbol)?.quote;
  return {
    symbol,
    lastUpdateId: String(quote?.sequence ?? 0),
    seriesId: parts.quoteSeries.id,
    bids: visibleLevels(quote?.bids, query.limit),
    asks: visibleLevels(quote?.asks, query.limit),
  };
}

/** Returns the canonical symbol of a name that a client sent. Throws BAD_SYMBOL (-1121) for an unknown one. */
export function symbolOf({ instruments }: ServiceParts, symbol: string): string {
  return instrumentOf(symbol, { resolve: (name) => instruments.resolve(name), exactSymbol: false }).symbol;
}

/**
 * Returns the levels of a side as clients see them, best first: all levels that are not empty, or the first `limit` of
 * them.
 */
export function visibleLevels(levels: readonly Level[] = [], limit?: number): readonly LevelReply[] {
  const visible = levels.filter(({ size }) => size === undefined || size > ZERO_QUANTITY);
  return visible.slice(0, limit).map(({ price, size }) => [formatPrice(price), sizeOf(size)]);
}

/** Returns the size of a level as clients see it: the largest quantity of an order if the source gives none. */
export function sizeOf(size: Quantity | undefined): string {
  return size === undefined ? UNLIMITED : formatQuantity(size);
}

/** GET /api/ping. */
function ping(): JsonInput {
  return {};
}

/** GET /api/time: returns the time of the engine's clock in epoch milliseconds. */
function time(parts: ServiceParts): JsonInput {
  return { serverTime: parts.clock.nowMs() };
}

/**
 * GET /api/status. `draining`: no new orders are taken. `degraded`: quotes stopped, the outcome of a child is unknown, the
 * store fails, or another engine owns a shard. Otherwise `normal`. `reasons` has the kinds alone: their details are for an
 * operator. Source: contract, Status.
 */
function status(parts: ServiceParts): JsonInput {
  const { system, reasons } = parts.engine.status();
  return {
    system,
    reasons: reasons.map(({ kind }) => kind),
    serverTime: parts.clock.nowMs(),
    features: { ...NO_FEATURES, ...parts.settings.features, advanced_orders: takesAdvanced(parts) },
  };
}

/** Whether advanced orders are taken: otherwise they are refused with 404 -1020. */
function takesAdvanced({ engine }: Pick<ServiceParts, "engine">): boolean {
  const { advancedOrders, liquidityMode } = engine.settings;
  return advancedOrders && liquidityMode;
}

const NO_FEATURES: Required<HostFeatures> = {
  leveraged_trading: false,
  dark_pool_mode: false,
  bridge_required: false,
};

/** GET /api/exchangeInfo. Source: contract, Exchange info; convention 5.1 and 5.2. */
function exchangeInfo(parts: ServiceParts): JsonInput {
  const { limits } = parts.rateLimiter;
  return {
    timezone: "UTC",
    serverTime: parts.clock.nowMs(),
    rateLimits: limits === undefined ? [] : Object.values(rateLimitItems(limits)),
    exchangeFilters: [],
    symbols: symbolsOf(parts),
  };
}

/** GET /api/getInstrumentPairs: returns the first `limit` instruments. Source: contract, Public market data. */
function instrumentPairs(parts: ServiceParts, parameters: Parameters): JsonInput {
  const { limit } = readPairsQuery(parameters);
  return { instrumentPairs: symbolsOf(parts).slice(0, limit) };
}

/**
 * Returns the descriptions of all instruments. Filters state what placement enforces. An instrument that takes no orders
 * has neither types nor filters and is never shown as TRADING. Orders that a client still holds on it can be read and
 * canceled. Every name of a type that is accepted is listed: LIMIT even without native orders, because apiManaged=true
 * makes it managed; MARKET is native only. Where advanced orders are refused, only native ones are listed.
 */
function symbolsOf(parts: ServiceParts): readonly JsonInput[] {
  const isAdvanced = takesAdvanced(parts);
  const isNative = parts.native !== undefined;
  const filters = filtersOf(parts.engine.settings);
  const orderTypes = [
    ...(isAdvanced || isNative ? ["LIMIT"] : []),
    ...(isNative ? ["MARKET"] : []),
    ...(isAdvanced ? CANONICAL_TYPES.keys() : []),
  ];
  return parts.instruments.all().map((instrument) => {
    const { id, symbol, status, baseAsset, quoteAsset, name, kind, address, url } = instrument;
    const tradable = kind === "liquidity";
    return {
      ...{ id, symbol, status: tradable || status !== "TRADING" ? status : "CANCEL_ONLY" },
      ...{ baseAsset, quoteAsset, name, kind },
      isSpotTradingAllowed: tradable,
      quantityScale: 6,
      ...{ address, url },
      baseAssetPrecision: 6,
      quoteAssetPrecision: 8,
      orderTypes: tradable ? orderTypes : [],
      icebergAllowed: tradable && isAdvanced,
      ocoAllowed: tradable && isAdvanced,
      otoAllowed: tradable && isAdvanced,
      filters: tradable ? filters : [],
    };
  });
}

/** The smallest price, and the step of prices. */
const PRICE_STEP = "0.00000001";

/**
 * Returns the filters: the bounds and steps of decimals, the opening minimum, and the limit of iceberg parts if there
 * is one.
 */
function filtersOf({ minimumNotional, maxIcebergParts }: EngineSettings): readonly JsonInput[] {
  const minimum = formatNotional(notional(minimumNotional));
  return [
    {
      filterType: "PRICE_FILTER",
      minPrice: PRICE_STEP,
      maxPrice: "9999999999.99999999",
      tickSize: PRICE_STEP,
    },
    { filterType: "LOT_SIZE", minQty: "0.000001", maxQty: "999999999999.999999", stepSize: "0.000001" },
    { filterType: "NOTIONAL", minNotional: minimum, applyMinToMarket: true, avgPriceMins: 0 },
    ...(maxIcebergParts > 0 ? [{ filterType: "ICEBERG_PARTS", limit: maxIcebergParts }] : []),
  ];
}

/** Answers a request of a public route. */
export type PublicHandler = (parts: ServiceParts, parameters: Parameters) => Awaitable<JsonInput>;

/** The handler of each public route of the service. */
export const MARKET_HANDLERS: Readonly<Record<MarketName, PublicHandler>> = {
  ...{ status, exchangeInfo, instrumentPairs, ticker, ticker24hr: dayTicker, depth, ping, time },
};
