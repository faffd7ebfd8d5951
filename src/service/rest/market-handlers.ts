import {
  add,
  compare,
  formatPrice,
  formatQuantity,
  type Price,
  portion,
  type Quantity,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Level, Quote } from "../../model/index.ts";
import { instrumentOf, readDayTickerQuery, readDepthQuery, readTickerQuery } from "../../requests/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import { dayFigures, lastDay } from "./day-figures.ts";
import type { ServiceParts } from "./parts.ts";

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
