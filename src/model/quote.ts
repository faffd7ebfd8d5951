import type { Price, Quantity } from "../decimal/index.ts";

/** The side of the market that an order executes against: the ask for BUY, the bid for SELL. */
export type MarketSide = "ask" | "bid";

/** One visible level. Without `size` the source gives none, and the level counts as unlimited (decision 22). */
export type Level = Readonly<{ price: Price; size?: Quantity }>;

/**
 * A counted quote, which passed the quote gate. Levels are best first. `sequence` counts per instrument and process.
 */
export type Quote = Readonly<{
  symbol: string;
  bid: Price;
  ask: Price;
  bids: readonly Level[];
  asks: readonly Level[];
  timeMs: number;
  sequence: number;
}>;

/** The part of a quote that a journal record keeps as its cause. */
export type QuoteStamp = Readonly<{
  symbol: string;
  bid: Price;
  ask: Price;
  timeMs: number;
  sequence: number;
}>;

/** The part of the last counted quote of a market that a store keeps. */
export type KeptQuote = Omit<QuoteStamp, "sequence">;

/** Returns the stamp of a quote. */
export function stampOf(quote: Quote): QuoteStamp {
  return {
    symbol: quote.symbol,
    bid: quote.bid,
    ask: quote.ask,
    timeMs: quote.timeMs,
    sequence: quote.sequence,
  };
}

/**
 * One record of the market journal: an extreme that a trailing order rests on. On the ask it is a low, on the bid a
 * high. Positions rise by one per instrument and side.
 */
export type MarketMark = Readonly<{
  symbol: string;
  side: MarketSide;
  position: number;
  price: Price;
  timeMs: number;
}>;
