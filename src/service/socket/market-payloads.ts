import { formatPrice, formatQuantity } from "../../decimal/index.ts";
import type { PrintUpdate } from "../../engine/index.ts";
import type { Level, Quote } from "../../model/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { visibleLevels } from "../rest/market-handlers.ts";

/** Levels of a depth20 stream. */
const PARTIAL_LEVELS = 20;

/** The size by which a diff takes a level out of a book. */
const GONE = "0";

/** Best prices and sizes; an empty side shows what it quotes with size 0. Source: convention 4.12. */
export function bookTicker(quote: Quote, nowMs: number): JsonInput {
  const [, bidSize] = visibleLevels(quote.bids, 1)[0] ?? [];
  const [, askSize] = visibleLevels(quote.asks, 1)[0] ?? [];
  return {
    e: "bookTicker",
    E: nowMs,
    u: quote.sequence,
    s: quote.symbol,
    b: formatPrice(quote.bid),
    B: bidSize ?? GONE,
    a: formatPrice(quote.ask),
    A: askSize ?? GONE,
  };
}

/**
 * What a counted quote changed in the book before it. `U` and `u` are its number, which is the lastUpdateId of
 * GET /api/depth and rises by one with each counted quote: a book at lastUpdateId L goes on with the diff whose U is
 * L + 1. Source: convention 4.12.
 */
export function depthUpdate(
  change: Readonly<{ before: Quote | undefined; quote: Quote }>,
  nowMs: number,
): JsonInput {
  const { before, quote } = change;
  return {
    e: "depthUpdate",
    E: nowMs,
    s: quote.symbol,
    U: quote.sequence,
    u: quote.sequence,
    b: changedLevels(before?.bids, quote.bids),
    a: changedLevels(before?.asks, quote.asks),
  };
}

function changedLevels(before: readonly Level[] | undefined, now: readonly Level[]): readonly JsonInput[] {
  const old = new Map(visibleLevels(before));
  const levels = visibleLevels(now);
  const changed = levels.filter(([price, size]) => old.get(price) !== size);
  for (const [price] of levels) old.delete(price);
  return [...changed, ...[...old.keys()].map((price) => [price, GONE])];
}

/** The best twenty levels of each side. Source: convention 4.12. */
export function partialDepth(quote: Quote, nowMs: number): JsonInput {
  return {
    e: "depth20",
    E: nowMs,
    s: quote.symbol,
    lastUpdateId: String(quote.sequence),
    bids: visibleLevels(quote.bids, PARTIAL_LEVELS),
    asks: visibleLevels(quote.asks, PARTIAL_LEVELS),
  };
}

/** An execution of the service; its id is text, and who made the market is not told. Source: convention 4.12. */
export function trade({ symbol, id, price, quantity, timeMs }: PrintUpdate, nowMs: number): JsonInput {
  return {
    e: "trade",
    E: nowMs,
    s: symbol,
    t: id,
    p: formatPrice(price),
    q: formatQuantity(quantity),
    T: timeMs,
    m: false,
    M: true,
  };
}
