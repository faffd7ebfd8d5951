import type { MarketRow, MarketSource } from "./market-row.ts";

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
