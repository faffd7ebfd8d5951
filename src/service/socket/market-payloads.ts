import { formatPrice, formatQuantity } from "../../decimal/index.ts";
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
import type { StreamName } from "../../requests/index.ts";
import { sizeOf, visibleLevels } from "../rest/market-handlers.ts";
import { tradeIdOf } from "../views/trade-id.ts";
import type { BookChange, MarketStream, QuoteChange, StreamPayload } from "./market-stream.ts";

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

/** Builds the event of own clients: with the series of its numbers, in which alone they are comparable. Source: decision NR. */
function depthUpdateInSeries(change: QuoteChange, nowMs: number): CompleteOf<typeof DEPTH_UPDATE> {
  return { ...depthUpdate(change, nowMs), seriesId: change.seriesId };
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
 * Builds a trade event for an execution of the service. `executionId` is its id, a text, and `t` its number, which is
 * that of the fill in private events. The maker side is not disclosed. Source: convention 4.12; decision MB.
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
  depth: { on: "quote", event: depthUpdateInSeries },
  depth20: { on: "quote", event: ({ quote }, nowMs) => partialDepth(quote, nowMs) },
  trade: { on: "print", event: trade },
};

/** Returns a stream of `/ws/liquidity`. */
export function liquidityStream({ name, symbol, kind }: StreamName): MarketStream {
  return { name, symbol, kind, payload: PAYLOADS[kind] };
}
