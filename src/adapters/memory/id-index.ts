import { partitionPoint } from "../../common/index.ts";
/** Managed ids by account, shard or list, each from the oldest (highest) id to the newest. */
export type IdIndex = Map<number, number[]>;

/** A range of ids of one account or shard: falling from `afterOrderId`, or rising; 0 starts. */
export type IdRange = Readonly<{ afterOrderId: number; rising: boolean; limit: number }>;

/** Adds an id that the index does not contain yet. */
export function insertId(index: IdIndex, key: number, id: number): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, [id]);
  else ids.splice(rankOf(ids, id), 0, id);
}

/** Removes an id. Does nothing if the index does not contain it. */
export function removeId(index: IdIndex, key: number, id: number): void {
  const ids = index.get(key);
  if (ids === undefined) return;
  const rank = rankOf(ids, id);
  if (ids[rank] === id) ids.splice(rank, 1);
  if (ids.length === 0) index.delete(key);
}

/** Returns the ids of a page. */
export function pickIds(ids: readonly number[], { afterOrderId, rising, limit }: IdRange): readonly number[] {
  if (!rising) {
    const from = rankOf(ids, afterOrderId - 1);
    return ids.slice(from, from + limit);
  }
  const end = afterOrderId === 0 ? ids.length : rankOf(ids, afterOrderId);
  return ids.slice(Math.max(0, end - limit), end).reverse();
}

/**
 * Returns the position of `id` among the falling ids, or the position where it would be inserted. Newer ids are at the
 * end.
 */
function rankOf(ids: readonly number[], id: number): number {
  return partitionPoint(ids, (other) => other > id);
}
