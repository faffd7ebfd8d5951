import {
  add,
  formatPrice,
  formatQuantity,
  type Price,
  portion,
  type Quantity,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Level, Quote } from "../model/index.ts";
import { instrumentOf, readDepthQuery, readTickerQuery } from "../requests/index.ts";
import type { JsonInput, Parameters } from "../wire/index.ts";
import type { ServiceParts } from "./parts.ts";

/** The largest quantity an order can have: what a level without a size stands for (decision 22). */
const UNLIMITED = "999999999999.999999";

/**
 * GET /api/ticker: `price` is the last print's, before the first print the middle of bid and ask. A symbol that was
 * neither quoted nor traded yet is -1112. A symbol alias resolves; the answer has the canonical symbol.
 * Source: contract, Ticker; decision 43.
 */
export function ticker(parts: ServiceParts, parameters: Parameters): JsonInput {
  const symbol = symbolOf(parts, readTickerQuery(parameters).symbol);
  const quote = parts.engine.quote(symbol)?.quote;
  const last = parts.engine.lastPrice(symbol);
  const price = last ?? (quote && middleOf(quote));
  if (price === undefined) throw new OrderError("NO_DEPTH");
  return { symbol, price: formatPrice(price), lastPrice: formatPrice(price), ...(quote && quoteOf(quote)) };
}

/**
 * GET /api/depth: visible levels of the last counted quote, best first, each [price, quantity]. A level whose source
 * shows no size has the largest quantity that an order can have; an empty level is left out. Without a quote both
 * sides are empty and lastUpdateId is "0". Source: contract, Order book; convention 1, gaps 4 and 8.
 */
export function depth(parts: ServiceParts, parameters: Parameters): JsonInput {
  const query = readDepthQuery(parameters);
  const symbol = symbolOf(parts, query.symbol);
  const quote = parts.engine.quote(symbol)?.quote;
  return {
    symbol,
    lastUpdateId: String(quote?.sequence ?? 0),
    bids: levelsOf(quote?.bids, query.limit),
    asks: levelsOf(quote?.asks, query.limit),
  };
}

function symbolOf({ instruments }: ServiceParts, symbol: string): string {
  return instrumentOf(symbol, { resolve: (name) => instruments.resolve(name), exactSymbol: false }).symbol;
}

/** Half a step of price is cut off. */
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

function levelsOf(levels: readonly Level[] = [], limit: number): readonly JsonInput[] {
  const visible = levels.filter(({ size }) => size === undefined || size > ZERO_QUANTITY);
  return visible.slice(0, limit).map(({ price, size }) => [formatPrice(price), sizeOf(size)]);
}

function sizeOf(size: Quantity | undefined): string {
  return size === undefined ? UNLIMITED : formatQuantity(size);
}
