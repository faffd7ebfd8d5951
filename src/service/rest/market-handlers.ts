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
import { figuresOfBars, type Instrument, type Level, type PriceBar, type Quote } from "../../model/index.ts";
import {
  CANONICAL_TYPES,
  instrumentOf,
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

/** Markets whose day one turn of the event loop computes, each of up to 1,440 bars. It takes some milliseconds. */
const DAYS_PER_TURN = 16;

/** The largest quantity that an order can have. It stands for a level without a size (decision 22). */
const UNLIMITED = "999999999999.999999";

/**
 * GET /api/ticker. `price` is the price of the last print; before the first print it is the middle of bid and ask. A
 * symbol that was neither quoted nor traded yet is -1112. A symbol alias resolves, and the answer has the canonical
 * symbol. Source: contract, Ticker; decision 43.
 */
export function ticker(parts: ServiceParts, parameters: Parameters): JsonInput {
  const known = tickerOf(parts, symbolOf(parts, readTickerQuery(parameters).symbol));
  if (known === undefined) throw new OrderError("NO_DEPTH");
  return known;
}

/**
 * GET /api/ticker/24hr: the ticker with the executed volume of the last day. Without a symbol, the answer is an array
 * of all markets that were quoted or traded. The volume is the one that the service itself has counted, by whole
 * minutes. It covers 1,440 minutes, the running one included, from `openTime` until now, which is `closeTime`. Other
 * daily figures (open, high, low, change, average, quote volume, count) are those of the same trades; they are left out
 * if their prices are not known. Source: decisions AJ and NJ.
 */
export async function dayTicker(parts: ServiceParts, parameters: Parameters): Promise<JsonInput> {
  const { symbol } = readDayTickerQuery(parameters);
  if (symbol === undefined) {
    const all = parts.instruments.all();
    const days = await parts.longAnswers.map(all, (each) => dayOf(parts, each.symbol), DAYS_PER_TURN);
    return days.filter((day) => day !== undefined);
  }
  const day = await dayOf(parts, symbolOf(parts, symbol));
  if (day === undefined) throw new OrderError("NO_DEPTH");
  return day;
}

/** Prices of a market by name. */
export type Ticker = Readonly<Record<string, JsonInput | undefined>>;

async function dayOf(parts: ServiceParts, symbol: string): Promise<Ticker | undefined> {
  const known = tickerOf(parts, symbol);
  if (known === undefined) return undefined;
  const nowMs = parts.clock.nowMs();
  const range = { symbol, ...lastDay(nowMs) };
  const bars = await parts.engine.volumes.minutes(range);
  const volume = bars.reduce((sum, { quantity }) => add(sum, quantity), ZERO_QUANTITY);
  const last = priceOf(parts, symbol);
  const figures = last && dayFigures(parts.engine, { ...range, last });
  return {
    ...known,
    // A history of the host may contain other trades than the service has counted.
    ...(figures !== undefined && compare(figures.quantity, volume) === 0 && figures.members),
    volume: formatQuantity(volume),
    openTime: range.fromMs,
    closeTime: nowMs,
  };
}

/** Returns the known prices of a market, or undefined if it was neither quoted nor traded yet. */
export function tickerOf(parts: Pick<ServiceParts, "engine">, symbol: string): Ticker | undefined {
  const quote = parts.engine.quote(symbol)?.quote;
  const price = priceOf(parts, symbol);
  if (price === undefined) return undefined;
  return { symbol, price: formatPrice(price), lastPrice: formatPrice(price), ...(quote && quoteOf(quote)) };
}

/** Returns the price of the last print of a market; before the first one, the middle of the last quote. */
export function priceOf({ engine }: Pick<ServiceParts, "engine">, symbol: string): Price | undefined {
  const quote = engine.quote(symbol)?.quote;
  return engine.lastPrice(symbol) ?? (quote && middleOf(quote));
}

/**
 * GET /api/depth: the visible levels of the last counted quote, best first, each [price, quantity]. A level without a
 * size gets the largest quantity that an order can have. An empty level is left out. Without a quote both sides are
 * empty and lastUpdateId is "0". `seriesId` is an addition to the contract, as in depthUpdate. Source: contract, Order
 * book; convention 1, gaps 4 and 8; decision NR.
 */
export function depth(parts: ServiceParts, parameters: Parameters): JsonInput {
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

/** Returns the middle of bid and ask; half a price step is rounded down. */
function middleOf({ bid, ask }: Quote): Price {
  return portion(add(bid, ask), { numerator: 1, denominator: 2, rounding: "down" });
}

function quoteOf(quote: Quote): Readonly<Record<string, JsonInput>> {
  const bid = formatPrice(quote.bid);
  const ask = formatPrice(quote.ask);
  return {
    bid,
    ask,
    bidPrice: bid,
    bidQty: sizeOf(quote.bids[0]?.size),
    askPrice: ask,
    askQty: sizeOf(quote.asks[0]?.size),
    lastUpdateId: String(quote.sequence),
    closeTime: quote.timeMs,
  };
}

/**
 * Returns the levels of a side as clients see them, best first: all levels that are not empty, or the first `limit` of
 * them.
 */
export function visibleLevels(
  levels: readonly Level[] = [],
  limit?: number,
): readonly (readonly [price: string, quantity: string])[] {
  const visible = levels.filter(({ size }) => size === undefined || size > ZERO_QUANTITY);
  return visible.slice(0, limit).map(({ price, size }) => [formatPrice(price), sizeOf(size)]);
}

/** Returns the size of a level as clients see it: the largest quantity of an order if the source gives none. */
export function sizeOf(size: Quantity | undefined): string {
  return size === undefined ? UNLIMITED : formatQuantity(size);
}

/** GET /api/ping. Source: decision 43. */
export function ping(): JsonInput {
  return {};
}

/** GET /api/time: returns the time of the engine's clock in epoch milliseconds. Source: decision 43. */
export function time(parts: ServiceParts): JsonInput {
  return { serverTime: parts.clock.nowMs() };
}

/**
 * GET /api/status. `draining`: no new orders are taken. `degraded`: quotes stopped, the outcome of a child is unknown,
 * the store fails, or another engine owns a shard. Otherwise `normal`. `reasons` has the kinds alone: their details are
 * for an operator. Source: contract, Status; decisions 48 and EC.
 */
export function status(parts: ServiceParts): JsonInput {
  const { system, reasons } = parts.engine.status();
  return {
    system,
    reasons: reasons.map(({ kind }) => kind),
    serverTime: parts.clock.nowMs(),
    features: {
      ...NO_FEATURES,
      ...parts.settings.features,
      advanced_orders: takesAdvanced(parts),
    },
  };
}

/** Whether advanced orders are taken: otherwise they are refused with 404 -1020 (decision 14). */
function takesAdvanced({ engine }: Pick<ServiceParts, "engine">): boolean {
  const { advancedOrders, liquidityMode } = engine.settings;
  return advancedOrders && liquidityMode;
}

const NO_FEATURES: Required<HostFeatures> = {
  leveraged_trading: false,
  dark_pool_mode: false,
  bridge_required: false,
};

/** GET /api/exchangeInfo. Source: contract, Exchange info; decisions 42 and 43; convention 5.1 and 5.2. */
export function exchangeInfo(parts: ServiceParts): JsonInput {
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
export function instrumentPairs(parts: ServiceParts, parameters: Parameters): JsonInput {
  const { limit } = readPairsQuery(parameters);
  return { instrumentPairs: symbolsOf(parts).slice(0, limit) };
}

/**
 * Returns every name of a type that is accepted. LIMIT is one even without native orders, because apiManaged=true makes
 * it managed; MARKET is native only (decision 32). Where advanced orders are refused, only native ones are listed.
 */
const typesOf = (parts: Pick<ServiceParts, "native" | "engine">): readonly string[] => {
  const isAdvanced = takesAdvanced(parts);
  const isNative = parts.native !== undefined;
  return [
    ...(isAdvanced || isNative ? ["LIMIT"] : []),
    ...(isNative ? ["MARKET"] : []),
    ...(isAdvanced ? CANONICAL_TYPES.keys() : []),
  ];
};

/** Order types and filters of a liquidity market. */
type Tradable = Readonly<{
  orderTypes: readonly string[];
  isAdvanced: boolean;
  filters: readonly JsonInput[];
}>;

function symbolsOf(parts: ServiceParts): readonly JsonInput[] {
  const { engine, instruments } = parts;
  const isAdvanced = takesAdvanced(parts);
  const tradable = { orderTypes: typesOf(parts), isAdvanced, filters: filtersOf(engine.settings) };
  return instruments.all().map((instrument) => instrumentView(instrument, tradable));
}

/**
 * Returns the description of an instrument. Its filters state what placement enforces. An instrument that takes no
 * orders has neither types nor filters and is never shown as TRADING. Orders that a client still holds on it can be
 * read and canceled.
 */
function instrumentView(instrument: Instrument, { orderTypes, isAdvanced, filters }: Tradable): JsonInput {
  const { id, symbol, status, baseAsset, quoteAsset, name, kind, address, url } = instrument;
  const tradable = kind === "liquidity";
  return {
    id,
    symbol,
    status: tradable || status !== "TRADING" ? status : "CANCEL_ONLY",
    baseAsset,
    quoteAsset,
    name,
    kind,
    isSpotTradingAllowed: tradable,
    quantityScale: 6,
    ...(address !== undefined && { address }),
    ...(url !== undefined && { url }),
    baseAssetPrecision: 6,
    quoteAssetPrecision: 8,
    orderTypes: tradable ? orderTypes : [],
    icebergAllowed: tradable && isAdvanced,
    ocoAllowed: tradable && isAdvanced,
    otoAllowed: tradable && isAdvanced,
    filters: tradable ? filters : [],
  };
}

/**
 * Returns the filters: the bounds and steps of decision 7, the opening minimum, and the limit of iceberg parts if there
 * is one.
 */
function filtersOf({ minimumNotional, maxIcebergParts }: EngineSettings): readonly JsonInput[] {
  const minimum = formatNotional(notional(minimumNotional));
  return [
    {
      filterType: "PRICE_FILTER",
      minPrice: "0.00000001",
      maxPrice: "9999999999.99999999",
      tickSize: "0.00000001",
    },
    { filterType: "LOT_SIZE", minQty: "0.000001", maxQty: "999999999999.999999", stepSize: "0.000001" },
    { filterType: "NOTIONAL", minNotional: minimum, applyMinToMarket: true, avgPriceMins: 0 },
    ...(maxIcebergParts > 0 ? [{ filterType: "ICEBERG_PARTS", limit: maxIcebergParts }] : []),
  ];
}
