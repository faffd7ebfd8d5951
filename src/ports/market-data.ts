/** One level as a source sends it: price text and, where the source has it, quantity text. */
export type LevelInput = readonly [price: string, quantity?: string];

/**
 * A quote as a source sends it, in decimal strings. `bids`/`asks` (best first) win over the single sizes; a missing
 * size counts as unlimited. `timeMs` is the source's epoch time; without it the quote is of now.
 */
export type QuoteInput = Readonly<{
  symbol: string;
  bid: string;
  ask: string;
  bidQuantity?: string | undefined;
  askQuantity?: string | undefined;
  bids?: readonly LevelInput[] | undefined;
  asks?: readonly LevelInput[] | undefined;
  timeMs?: number | undefined;
}>;

/** Executed volume as a source sends it; `id` is unique per instrument, an own fill's print bears its execution id. */
export type PrintInput = Readonly<{
  symbol: string;
  price: string;
  quantity: string;
  id: string;
  timeMs: number;
}>;

/**
 * Why a quote did not count (decision 16). `jump`: too far from the last one; `unconfirmed`: the first after an opening
 * with open parents, and nothing is known to judge it by (decision BR). Both count when the next quote is near them.
 */
export type QuoteDrop =
  | "unknown-symbol"
  | "malformed"
  | "zero"
  | "crossed"
  | "out-of-order"
  | "future"
  | "stale"
  | "jump"
  | "unconfirmed";

/** What became of a quote. */
export type QuoteVerdict = "counted" | QuoteDrop;

/** Where a source delivers to; calls are taken in order and do not wait. */
export type MarketSink = {
  quote(quote: QuoteInput): QuoteVerdict;
  /** The source is alive and the last quote still holds; triggers nothing. */
  heartbeat(symbol: string): void;
  print(print: PrintInput): void;
};

/** A source of quotes and prints. */
export type MarketData = {
  /** Delivers to the sink until the returned function is called. */
  subscribe(sink: MarketSink): () => void;
};
