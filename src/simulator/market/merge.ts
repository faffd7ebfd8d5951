import { type Batch, batchesOf, marketOfBatches } from "./batches.ts";
import type { MarketRow, MarketSource } from "./market-row.ts";

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
