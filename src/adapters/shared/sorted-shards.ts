import { MARKET_SHARD } from "../../model/index.ts";
import type { ShardSet } from "../../ports/index.ts";

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
