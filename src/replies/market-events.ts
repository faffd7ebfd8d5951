import type { ReadOf } from "./table.ts";

/** The best prices of a market after a quote. Source: convention 4.12. */
export const BOOK_TICKER = {
  e: "=bookTicker",
  /** Time at which it was sent, in epoch milliseconds. */
  E: "time",
  /** Number of the quote. */
  u: "id",
  s: "text",
  /** Best bid and its quantity. */
  b: "price",
  B: "quantity",
  /** Best ask and its quantity. */
  a: "price",
  A: "quantity",
} as const;

/** The best twenty levels of each side after a quote, best first. Source: convention 4.12. */
export const PARTIAL_DEPTH = {
  e: "=depth20",
  E: "time",
  s: "text",
  lastUpdateId: "idText",
  bids: "level[]",
  asks: "level[]",
} as const;

/** The changes that one quote made to a book. Source: convention 4.12. */
export const DEPTH_UPDATE = {
  e: "=depthUpdate",
  E: "time",
  s: "text",
  /** First and last number of the quotes. */
  U: "id",
  u: "id",
  /** Series of these numbers. */
  seriesId: "text?",
  /** Changed levels; quantity `"0"` removes one. */
  b: "level[]",
  a: "level[]",
} as const;

/** An execution on the service. Source: convention 4.12. */
export const PUBLIC_TRADE = {
  e: "=trade",
  E: "time",
  s: "text",
  /** Number of the execution. */
  t: "whole",
  executionId: "text",
  p: "price",
  q: "quantity",
  /** Time of the execution, in epoch milliseconds. */
  T: "time",
} as const;

/** The best prices of a market after a quote. */
export interface BookTickerEvent extends ReadOf<typeof BOOK_TICKER> {}

/** The best twenty levels of each side after a quote, best first. */
export interface PartialDepthEvent extends ReadOf<typeof PARTIAL_DEPTH> {}

/** The changes that one quote made to a book. */
export interface DepthEvent extends ReadOf<typeof DEPTH_UPDATE> {}

/** An execution on the service. */
export interface PublicTradeEvent extends ReadOf<typeof PUBLIC_TRADE> {}
