import { errorMessage } from "../common/index.ts";
import type { Core } from "../engine/internal.ts";
import { MARKET_SHARD } from "../model/index.ts";
import type { ClusterView, NodeEntry, NodeRow, ShardLeases, ShardOwner } from "../ports/index.ts";
import type { ShardHolder } from "./node-api.ts";

/** Returns the row of a node, dead or not. */
export const rowIn = ({ nodes }: ClusterView, wanted: number | undefined): NodeRow | undefined =>
  nodes.find(({ incarnation }) => incarnation === wanted);

/** Returns the rows of the shards that a node owns, the market journal included. */
export const ownedBy = ({ shards }: ClusterView, owner: number): readonly ShardOwner[] =>
  shards.filter(({ incarnation }) => incarnation === owner);

/** Returns the nodes that nobody has declared dead. */
export const livingIn = ({ nodes }: ClusterView): ReadonlySet<number> =>
  new Set(nodes.filter(({ dead }) => !dead).map(({ incarnation }) => incarnation));

/** Returns the live nodes to which owners shall give shards, by shard. Other assignments say nothing. */
export function assignmentsIn(view: ClusterView): ReadonlyMap<number, number> {
  const living = livingIn(view);
  const found = new Map<number, number>();
  for (const { shard, incarnation, next } of view.shards)
    if (next !== undefined && next !== incarnation && living.has(next)) found.set(shard, next);
  return found;
}

/** The shards of a cluster with one active node: all of them, and the market journal. */
export const EVERY_SHARD: readonly number[] = Array.from({ length: MARKET_SHARD + 1 }, (_, shard) => shard);

/** Returns the shards of accounts among those of a lease, in the same order: all but the market journal. */
export function shardsIn<T extends Readonly<{ shard: number }>>(all: readonly T[]): readonly T[] {
  return all.filter(({ shard }) => shard !== MARKET_SHARD);
}

/** What a version can read of a journal, and so what it may write. */
type Readable = Pick<NodeEntry, "format" | "kinds">;

/** Returns what a reader cannot read of what a writer may write, in words for an operator; empty if it can read all. */
function unreadable(reader: Readable, writer: Readable): readonly string[] {
  const known = new Set(reader.kinds);
  const kinds = writer.kinds.filter((kind) => !known.has(kind));
  return [
    ...(writer.format > reader.format ? [`format ${writer.format} of the journal`] : []),
    ...(kinds.length > 0 ? [`facts of kind ${kinds.slice(0, 3).join(", ")}`] : []),
  ];
}

const nameOf = ({ name, version }: NodeRow): string => `"${name}"${version === "" ? "" : ` (${version})`}`;

/** Returns why a node should not take shards over from a live owner of some; empty if it may. */
export function objectionsTo(owner: NodeRow, own: NodeEntry): readonly string[] {
  const objections = unreadable(own, owner).map(
    (what) =>
      `node ${nameOf(owner)}, which owns the shards, may write ${what}, which this version cannot read: run that version here`,
  );
  if (owner.ttlMs !== own.ttlMs)
    objections.push(
      `cluster.ttlMs is ${own.ttlMs} here and ${owner.ttlMs} at node ${nameOf(owner)}, which owns the shards: give all nodes the same value`,
    );
  return objections;
}

/**
 * Returns a function that tells whether a node can read what every live node of the view may write. All nodes that read the
 * same get the same answers.
 */
export function readersIn({ nodes }: ClusterView): (row: NodeRow) => boolean {
  const writers = nodes.filter(({ dead }) => !dead);
  return (row) => writers.every((writer) => unreadable(row, writer).length === 0);
}

/** Returns why some nodes cannot follow an engine that writes what this version writes; undefined if all can. */
export function outdatedIn(rows: readonly NodeRow[], own: NodeEntry): string | undefined {
  const problems = rows.map((row) => outdated(row, own)).filter((problem) => problem !== undefined);
  return problems.length === 0 ? undefined : problems.slice(0, 3).join("; ");
}

/** Returns why a node cannot follow an engine that writes what this version writes; undefined if it can. */
function outdated(row: NodeRow, own: NodeEntry): string | undefined {
  const [what] = unreadable(row, own);
  if (what === undefined) return undefined;
  return `node ${nameOf(row)} cannot read ${what}, which this engine may write: run the version of this node there`;
}

/** Shortest time between two reads that were asked for. Requests that fail ask for one, and there may be many. */
const SHORTEST_PAUSE_MS = 100;

/** The same while a shard is on its way: its next owner serves it in some tens of milliseconds. */
const SHORTEST_MOVING_MS = 20;

/** The owners of all shards, as a node has read them last. */
export class ShardHolders {
  readonly #core: Core;
  readonly #leases: ShardLeases;
  #holders: readonly (ShardHolder | undefined)[] = [];
  /** The owner of all shards, if one node owns them. */
  #sole: ShardHolder | undefined;
  #reading: Promise<void> | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Whether a shard was assigned to another node than its owner. */
  #isMoving = false;

  constructor(core: Core, leases: ShardLeases) {
    this.#core = core;
    this.#leases = leases;
  }

  /** Takes the owners from a reading of all nodes; `own` is the incarnation of this node. */
  observe({ nodes, shards }: ClusterView, own: number): void {
    const live = new Map(
      nodes.filter(({ dead }) => !dead).map((row) => [row.incarnation, holderOf(row, own)]),
    );
    const holders: (ShardHolder | undefined)[] = [];
    const owned = shardsIn(shards);
    for (const { shard, incarnation } of owned) {
      if (incarnation !== undefined) holders[shard] = live.get(incarnation);
    }
    this.#holders = holders;
    this.#isMoving = shards.some((row) => row.next !== undefined && row.next !== row.incarnation);
    const [first] = holders;
    this.#sole = owned.every(({ shard }) => holders[shard] === first) ? first : undefined;
  }

  /** Returns the owner of a shard, or of all shards; undefined if no live node is it. */
  at(shard: number | undefined): ShardHolder | undefined {
    return shard === undefined ? this.#sole : this.#holders[shard];
  }

  /** Reads the owners again, unless that was done a moment ago. Callers at the same time share one read. */
  async read(own: () => number): Promise<void> {
    const { monotonicMs } = this.#core;
    const pauseMs = this.#isMoving ? SHORTEST_MOVING_MS : SHORTEST_PAUSE_MS;
    if (this.#reading === undefined && monotonicMs() - this.#readAtMs < pauseMs) return;
    this.#reading ??= this.#readNow(own).finally(() => {
      this.#reading = undefined;
      this.#readAtMs = monotonicMs();
    });
    await this.#reading;
  }

  async #readNow(own: () => number): Promise<void> {
    try {
      const view = await this.#leases.nodes();
      this.observe(view, own());
    } catch (error) {
      this.#core.telemetry.event("warn", "lease.unread", { message: errorMessage(error) });
    }
  }
}

const holderOf = ({ incarnation, address }: NodeRow, own: number): ShardHolder => ({
  incarnation,
  address,
  isSelf: incarnation === own,
});
