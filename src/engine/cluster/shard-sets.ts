import { MARKET_SHARD } from "../../model/index.ts";

/** The shards of a cluster with one active node: all of them, and the market journal. */
export const EVERY_SHARD: readonly number[] = Array.from({ length: MARKET_SHARD + 1 }, (_, shard) => shard);

/** Returns the shards of accounts among those of a lease, in the same order: all but the market journal. */
export function shardsIn<T extends Readonly<{ shard: number }>>(all: readonly T[]): readonly T[] {
  return all.filter(({ shard }) => shard !== MARKET_SHARD);
}
