import type { Price, Quantity } from "../decimal/index.ts";

/** The side of the market that an order executes against: the ask for BUY, the bid for SELL. */
export type MarketSide = "ask" | "bid";

/** One visible level. Without `size` the source gives none, and the level counts as unlimited (decision 22). */
export interface Level {
  readonly price: Price;
  readonly size?: Quantity;
}

/**
 * A counted quote, which passed the quote gate. Levels are best first. `sequence` counts per instrument and process.
 */
export interface Quote {
  readonly symbol: string;
  readonly bid: Price;
  readonly ask: Price;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly timeMs: number;
  readonly sequence: number;
}

/** The part of a quote that a journal record keeps as its cause. */
export interface QuoteStamp {
  readonly symbol: string;
  readonly bid: Price;
  readonly ask: Price;
  readonly timeMs: number;
  readonly sequence: number;
}

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
 * An extreme on which trailing orders of a shard depend. On the ask it is a low, on the bid a high. Positions rise with
 * time per instrument and side; a shard has a mark only at some of them.
 */
export interface MarketMark {
  readonly shard: number;
  readonly symbol: string;
  readonly side: MarketSide;
  readonly position: number;
  readonly price: Price;
  readonly timeMs: number;
}
