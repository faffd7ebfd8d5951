import { recognisedAs } from "../../common/index.ts";
import type { PrintInput, QuoteInput } from "../../ports/index.ts";

/** A quote at a time, in epoch milliseconds. Prices and quantities are decimal strings. */
export interface QuoteRow extends QuoteInput {
  readonly kind: "quote";
  readonly timeMs: number;
}

/** A trade of the market at a time, in epoch milliseconds. Without an id it gets one from its place in the market. */
export interface TradeRow extends Omit<PrintInput, "id"> {
  readonly kind: "trade";
  readonly id?: string;
}

/** The source's word at a time, in epoch milliseconds, that its last quote holds. It brings no sizes back. */
export interface HeartbeatRow {
  readonly kind: "heartbeat";
  readonly timeMs: number;
  readonly symbol: string;
}

/** One event of a market. */
export type MarketRow = QuoteRow | TradeRow | HeartbeatRow;

/** Events of a market in the order of their times, such as an array or a reader of a file. */
export type MarketSource = Iterable<MarketRow> | AsyncIterable<MarketRow>;

/**
 * Market data cannot be used. The message names the file and the line, or the row, and the problem.
 *
 * @example
 * ```ts
 * import { csvMarket, MarketDataError, type MarketRow } from "managed-orders/simulator";
 * export async function rowsOf(path: string): Promise<readonly MarketRow[] | string> {
 *   const rows: MarketRow[] = [];
 *   try {
 *     for await (const row of csvMarket(path)) rows.push(row);
 *     return rows;
 *   } catch (error) {
 *     if (error instanceof MarketDataError) return error.message;
 *     throw error;
 *   }
 * }
 * ```
 */
export class MarketDataError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("MarketDataError");
  override readonly name = "MarketDataError";
}
