import type { VolumeBar } from "../model/index.ts";
import type { Awaitable } from "./host.ts";

/**
 * Executed base-asset volume of the service by minute, for VWAP profiles. Without one the engine uses the bars that it
 * makes of the prints it receives (contract, POST /api/order rule 4).
 */
export interface VolumeHistory {
  /**
   * Returns the bars of the minutes that begin at or after `fromMs` and before `toMs`, oldest first. Minutes without
   * volume are left out.
   */
  minutes(range: Readonly<{ symbol: string; fromMs: number; toMs: number }>): Awaitable<readonly VolumeBar[]>;
}

/** One level as a source sends it: price text and, if the source has it, quantity text. */
export type LevelInput = readonly [price: string, quantity?: string];

/**
 * A quote as a source sends it, in decimal strings. `bids`/`asks` (best first) take precedence over the single sizes.
 * A missing size counts as unlimited. `timeMs` is the source's epoch time; without it the quote is of the current
 * time.
 */
export interface QuoteInput {
  readonly symbol: string;
  readonly bid: string;
  readonly ask: string;
  readonly bidQuantity?: string | undefined;
  readonly askQuantity?: string | undefined;
  readonly bids?: readonly LevelInput[] | undefined;
  readonly asks?: readonly LevelInput[] | undefined;
  readonly timeMs?: number | undefined;
}

/**
 * Executed volume as a source sends it. `id` is unique per instrument; {@link MarketData.ownFillsInPrints} says what it is
 * for an own fill. A market with a log of its trades also has `sequence` and `total`, both or neither: POV orders then
 * follow the log, whatever prints are missing or come twice.
 */
export interface PrintInput {
  readonly symbol: string;
  readonly price: string;
  readonly quantity: string;
  readonly id: string;
  readonly timeMs: number;
  /**
   * The place of the trade in the log of its market: a whole number from 1 on, which rises with every trade and never starts
   * anew. A print whose sequence is not above the last one is a duplicate.
   */
  readonly sequence?: number | undefined;
  /** Decimal text: the quantity of all trades of the log up to this one, itself included. The log may begin anywhere. */
  readonly total?: string | undefined;
}

/**
 * Why a quote did not count. `jump`: too far from the last quote. `unconfirmed`: the first quote after an opening with open
 * parents, without a price to compare it with. Both count when the next quote is near them.
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

/** Outcome of a quote. */
export type QuoteVerdict = "counted" | QuoteDrop;

/** Receiver of a source's data. Calls are processed in order and do not wait. */
export interface MarketSink {
  /** Takes a quote and returns whether it counted, or why not. Never throws. */
  quote(quote: QuoteInput): QuoteVerdict;
  /**
   * Confirms that the source is alive and the last quote that it sent holds now: orders that wait inside are offered it again. A
   * quote that was dropped for its time counts then. Has no effect if the quote could not be read, or was held back as a jump.
   */
  heartbeat(symbol: string): void;
  /** Takes a trade. One whose id was counted before, or that cannot be read, adds no volume. Never throws. */
  print(print: PrintInput): void;
}

/**
 * What the trades of a source tell of the fills of the engine's own children. `by-execution-id`: each is a print whose id is
 * the fill's execution id. `other-id`: they are among the prints under ids of the source's own. `none`: they are left out.
 */
export type OwnFillsInPrints = "by-execution-id" | "other-id" | "none";

/** A source of quotes and prints. */
export interface MarketData {
  /**
   * How own fills appear among the prints. A POV order counts them as volume and does not follow them, so a wrong word
   * makes it follow itself. `by-execution-id` if left out.
   */
  readonly ownFillsInPrints?: OwnFillsInPrints;
  /** Delivers to the sink until the returned function is called. */
  subscribe(sink: MarketSink): () => void;
}
