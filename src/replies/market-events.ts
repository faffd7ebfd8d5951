import {
  type Count,
  decimal,
  exactLevels,
  type Id,
  type Levels,
  type MaybeText,
  maybeText,
  number,
  type ReadOf,
  type Text,
  text,
  whole,
} from "./table.ts";

/** The best prices of a market after a quote. Source: convention 4.12. */
export const BOOK_TICKER = {
  e: text as Text<"bookTicker">,
  /** Time at which it was sent, in epoch milliseconds. */
  E: number as Count,
  /** Number of the quote. */
  u: whole as Id,
  s: text as Text,
  /** Best bid and its quantity. */
  b: decimal as Text,
  B: decimal as Text,
  /** Best ask and its quantity. */
  a: decimal as Text,
  A: decimal as Text,
} as const;

/** The best twenty levels of each side after a quote, best first. Source: convention 4.12. */
export const PARTIAL_DEPTH = {
  e: text as Text<"depth20">,
  E: number as Count,
  s: text as Text,
  lastUpdateId: whole as Id<string>,
  bids: exactLevels as Levels,
  asks: exactLevels as Levels,
} as const;

/** The changes that one quote made to a book. Source: convention 4.12. */
export const DEPTH_UPDATE = {
  e: text as Text<"depthUpdate">,
  E: number as Count,
  s: text as Text,
  /** First and last number of the quotes. */
  U: whole as Id,
  u: whole as Id,
  /** Series of these numbers. */
  seriesId: maybeText as MaybeText,
  /** Changed levels; quantity `"0"` removes one. */
  b: exactLevels as Levels,
  a: exactLevels as Levels,
} as const;

/** An execution on the service. Source: convention 4.12. */
export const PUBLIC_TRADE = {
  e: text as Text<"trade">,
  E: number as Count,
  s: text as Text,
  /** Number of the execution. */
  t: whole as Id<number | bigint>,
  executionId: text as Text,
  p: decimal as Text,
  q: decimal as Text,
  /** Time of the execution, in epoch milliseconds. */
  T: number as Count,
} as const;

/** The best prices of a market after a quote. */
export interface BookTickerEvent extends ReadOf<typeof BOOK_TICKER> {}

/** The best twenty levels of each side after a quote, best first. */
export interface PartialDepthEvent extends ReadOf<typeof PARTIAL_DEPTH> {}

/** The changes that one quote made to a book. */
export interface DepthEvent extends ReadOf<typeof DEPTH_UPDATE> {}

/** An execution on the service. */
export interface PublicTradeEvent extends ReadOf<typeof PUBLIC_TRADE> {}
