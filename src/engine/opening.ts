import { invariant } from "../errors/index.ts";
import { SHARD_COUNT } from "../model/index.ts";
import type { ShardHead } from "../ports/index.ts";
import type { WholeReads } from "./core/stored.ts";
import type { StoredMarket } from "./market/market-hub.ts";

/** Throws unless the heads, sorted by number, are those of every shard exactly once. */
export function requireEveryShard(heads: readonly ShardHead[]): void {
  invariant(
    heads.length === SHARD_COUNT,
    "I60",
    `the store lists ${heads.length} shards instead of ${SHARD_COUNT}`,
  );
  const wrong = heads.find(({ shard }, index) => shard !== index);
  invariant(
    wrong === undefined,
    "I60",
    `the store must list the shards 0 to ${SHARD_COUNT - 1} once each; shard ${wrong?.shard} is out of place`,
  );
}

/** Reads the market data of a store: marks, executed volume and last quotes. */
export async function marketIn(store: WholeReads): Promise<StoredMarket> {
  return {
    marks: await store.readMarks(),
    volume: await store.readVolume(),
    quotes: await store.readQuotes(),
  };
}
