import { MARKET_SHARD } from "../../model/index.ts";
import type { ShardRelease, ShardSet } from "../../ports/index.ts";

/**
 * Returns the shards of a set by rising number. Throws a RangeError for a set without shards, with one twice, or with a
 * number that is neither that of a shard nor `MARKET_SHARD`.
 */
export function sortedShards({ shards }: Pick<ShardSet, "shards">): readonly number[] {
  const sorted = [...shards].sort((a, b) => a - b);
  if (sorted.length === 0) throw new RangeError("a set of shards has at least one");
  for (const [place, shard] of sorted.entries()) {
    if (!Number.isInteger(shard) || shard < 0 || shard > MARKET_SHARD)
      throw new RangeError(`the store has no shard ${shard}`);
    if (shard === sorted[place - 1]) throw new RangeError(`a set of shards has shard ${shard} twice`);
  }
  return sorted;
}

/**
 * Returns the shards of a release by rising number, each with the epoch in which it is released; undefined for any. Throws a
 * RangeError as {@link sortedShards} does, and if there is not one epoch for each shard.
 */
export function sortedReleases({
  shards,
  epochs,
}: ShardRelease): readonly Readonly<{ shard: number; epoch: number | undefined }>[] {
  if (epochs !== undefined && epochs.length !== shards.length)
    throw new RangeError("a release has one epoch for each shard, or none");
  const epochOf = new Map(shards.map((shard, place) => [shard, epochs?.[place]]));
  return sortedShards({ shards }).map((shard) => ({ shard, epoch: epochOf.get(shard) }));
}
