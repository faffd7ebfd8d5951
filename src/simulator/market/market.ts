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

/**
 * Key of a method that returns the rows of a market in batches. The markets of this package have it: to wait for each row
 * takes as long as a simulation takes for the row.
 */
const BATCHES: unique symbol = Symbol("batches of rows");

/** Rows of a market in the order of time. */
export type Batch = readonly MarketRow[];

type Batched = Readonly<{ [BATCHES]: () => AsyncGenerator<Batch> }>;

/** Returns a market from its batches. It can be read row by row too. */
export function marketOfBatches(batches: () => AsyncGenerator<Batch>): AsyncIterable<MarketRow> {
  async function* rows(): AsyncGenerator<MarketRow> {
    for await (const batch of batches()) yield* batch;
  }
  const market: AsyncIterable<MarketRow> & Batched = { [BATCHES]: batches, [Symbol.asyncIterator]: rows };
  return market;
}

/** Returns the rows of any market in batches. An array is one batch; other sources are read row by row. */
export function batchesOf(market: MarketSource): AsyncGenerator<Batch> {
  return isBatched(market) ? market[BATCHES]() : batched(market);
}

const isBatched = (market: MarketSource): market is MarketSource & Batched => BATCHES in market;

async function* batched(market: MarketSource): AsyncGenerator<Batch> {
  if (Array.isArray(market)) return void (yield market);
  for await (const row of market) yield [row];
}

/** Most rows of a merged batch. */
const MOST_ROWS = 1_024;

/**
 * Merges markets into one, in the order of times. Rows of the same time keep the order of the arguments. Each market is
 * read ahead by a row, an array or a part of a file.
 *
 * @example
 * ```ts
 * import { type MarketRow, mergeMarkets } from "managed-orders/simulator";
 * const bitcoin: MarketRow[] = [{ kind: "quote", timeMs: 2, symbol: "BTC/USD", bid: "60000", ask: "60001" }];
 * const ether: MarketRow[] = [{ kind: "quote", timeMs: 1, symbol: "ETH/USD", bid: "3000", ask: "3001" }];
 * const symbols: string[] = [];
 * for await (const { symbol } of mergeMarkets(bitcoin, ether)) symbols.push(symbol);
 * console.log(symbols.join()); // ETH/USD,BTC/USD
 * ```
 */
export function mergeMarkets(...markets: readonly MarketSource[]): AsyncIterable<MarketRow> {
  return marketOfBatches(() => merged(markets));
}

async function* merged(markets: readonly MarketSource[]): AsyncGenerator<Batch> {
  const cursors = markets.map((market) => new Cursor(batchesOf(market)));
  try {
    for (const cursor of cursors) await cursor.fill();
    for (let next = earliest(cursors); next !== undefined; next = earliest(cursors)) {
      const rows: MarketRow[] = [];
      while (next?.row !== undefined && rows.length < MOST_ROWS) {
        rows.push(next.row);
        next.pass();
        // What comes next is unknown until more of this market is read.
        if (next.row === undefined) break;
        next = earliest(cursors);
      }
      yield rows;
      if (next?.row === undefined) await next?.fill();
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

/** A place in a market. */
class Cursor {
  /** The row at the place; undefined at the end of what was read. */
  row: MarketRow | undefined;
  readonly #batches: AsyncGenerator<Batch>;
  #batch: Batch = [];
  #at = 0;

  constructor(batches: AsyncGenerator<Batch>) {
    this.#batches = batches;
  }

  /** Goes to the next row. */
  pass(): void {
    this.#at += 1;
    this.row = this.#batch[this.#at];
  }

  /** Reads on at the end of what was read. There is no row afterwards if the market has ended. */
  async fill(): Promise<void> {
    while (this.row === undefined) {
      const { done, value } = await this.#batches.next();
      if (done === true) return;
      [this.#batch, this.#at, this.row] = [value, 0, value[0]];
    }
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}

function earliest(cursors: readonly Cursor[]): Cursor | undefined {
  let first: Cursor | undefined;
  for (const cursor of cursors) {
    if (cursor.row === undefined) continue;
    if (first?.row === undefined || cursor.row.timeMs < first.row.timeMs) first = cursor;
  }
  return first;
}
