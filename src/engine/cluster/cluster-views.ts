import type { ClusterView, NodeRow, ShardOwner } from "../../ports/index.ts";

/** Returns the row of a node, dead or not. */
export const rowIn = ({ nodes }: ClusterView, wanted: number | undefined): NodeRow | undefined =>
  nodes.find(({ incarnation }) => incarnation === wanted);

/** Returns the rows of the shards that a node owns, the market journal included. */
export const ownedBy = ({ shards }: ClusterView, owner: number): readonly ShardOwner[] =>
  shards.filter(({ incarnation }) => incarnation === owner);

/** Returns the nodes that nobody has declared dead. */
export const livingIn = ({ nodes }: ClusterView): ReadonlySet<number> =>
  new Set(nodes.filter(({ dead }) => !dead).map(({ incarnation }) => incarnation));

/** Returns the live nodes to which owners shall give shards, by shard. Other assignments say nothing (decision KV). */
export function assignmentsIn(view: ClusterView): ReadonlyMap<number, number> {
  const living = livingIn(view);
  const found = new Map<number, number>();
  for (const { shard, incarnation, next } of view.shards)
    if (next !== undefined && next !== incarnation && living.has(next)) found.set(shard, next);
  return found;
}
