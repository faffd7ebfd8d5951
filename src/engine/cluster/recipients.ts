import type { ClusterView } from "../../ports/index.ts";

/** Renewals after which a node has certainly read what was written before the first of them. */
const BEATS = 2;

/**
 * Knows which nodes have read that a shard is on its way to them. A node reads the nodes between two renewals, and one that
 * expects a shard reads and renews often, so that a beat that has risen twice soon says so.
 */
export class Recipients {
  /** By node: its beat when a shard was first seen on its way to it. */
  readonly #first: Map<number, number> = new Map();

  /** Returns those of the shards whose next node waits for them. */
  ready({ nodes, shards }: ClusterView, given: ReadonlySet<number>): readonly number[] {
    const beats = new Map(nodes.map(({ incarnation, beat }) => [incarnation, beat]));
    const rows = shards.filter(({ shard }) => given.has(shard));
    const awaited = new Set(rows.map(({ next }) => next ?? 0));
    for (const node of this.#first.keys()) if (!awaited.has(node)) this.#first.delete(node);
    for (const node of awaited) if (!this.#first.has(node)) this.#first.set(node, beats.get(node) ?? 0);
    const hasRead = (node: number): boolean =>
      (beats.get(node) ?? 0) >= (this.#first.get(node) ?? Number.POSITIVE_INFINITY) + BEATS;
    return rows.filter(({ next }) => hasRead(next ?? 0)).map(({ shard }) => shard);
  }
}
