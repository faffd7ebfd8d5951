import type { ClusterView, NodeRow } from "../../ports/index.ts";

/** Returns the row of a node, dead or not. */
export const rowIn = ({ nodes }: ClusterView, wanted: number | undefined): NodeRow | undefined =>
  nodes.find(({ incarnation }) => incarnation === wanted);

/** Returns the shards of a node by number, the market journal included. */
export const ownedBy = ({ shards }: ClusterView, owner: number): readonly number[] =>
  shards.filter(({ incarnation }) => incarnation === owner).map(({ shard }) => shard);

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
