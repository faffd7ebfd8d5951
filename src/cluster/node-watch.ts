import type { Core } from "../engine/internal.ts";
import type { ClusterView, NodeRow, ShardLeases, WatchedBeat } from "../ports/index.ts";

/** When a read was asked for and answered, by the monotonic clock. */
export type ReadTimes = Readonly<{ requestedMs: number; answeredMs: number }>;

type Observed = { beat: number; sinceMs: number; stillMs: number; ttlMs: number };

/**
 * Watches the beats of nodes. A node has failed if the same beat was read for a whole ttl: from the answer of the first
 * read to the question of the last. The ttl is the longer one of its own and that of this node, because a node relies on
 * its lease by its own.
 */
export class BeatWatch {
  readonly #ttlMs: number;
  readonly #observed: Map<number, Observed> = new Map();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** Starts anew, because a read failed: nobody may have been able to renew. */
  reset(): void {
    this.#observed.clear();
  }

  /**
   * Takes the rows of a read. A beat is known to have been the same only between the answer of the first read and the
   * question of this one, so that an answer that took long shortens what is known.
   */
  observe(rows: readonly NodeRow[], { requestedMs, answeredMs }: ReadTimes): void {
    const gone = new Set(this.#observed.keys());
    for (const { incarnation, beat, ...row } of rows) {
      const ttlMs = Math.max(this.#ttlMs, row.ttlMs);
      gone.delete(incarnation);
      const last = this.#observed.get(incarnation);
      if (last?.beat === beat) last.stillMs = requestedMs - last.sinceMs;
      else this.#observed.set(incarnation, { beat, sinceMs: answeredMs, stillMs: 0, ttlMs });
    }
    for (const incarnation of gone) this.#observed.delete(incarnation);
  }

  /** Returns the beat of a node that has not changed for a whole ttl; undefined for any other node. */
  failed(incarnation: number): WatchedBeat | undefined {
    const last = this.#observed.get(incarnation);
    return last !== undefined && last.stillMs >= last.ttlMs ? { incarnation, beat: last.beat } : undefined;
  }

  /** Monotonic time from which a read can show that a node has failed; undefined if one has. */
  dueMs(incarnation: number): number | undefined {
    const last = this.#observed.get(incarnation);
    if (last === undefined || last.stillMs >= last.ttlMs) return undefined;
    return last.sinceMs + last.ttlMs;
  }
}

/** Dependencies of {@link NodeWatch}. `incarnation` returns that of this node. */
type NodeWatchParts = Readonly<{
  leases: ShardLeases;
  ttlMs: number;
  incarnation: () => number;
}>;

/** Reads the nodes of the store, notes which of them have failed, and declares those dead. */
export class NodeWatch {
  readonly #core: Core;
  readonly #parts: NodeWatchParts;
  readonly #beats: BeatWatch;

  constructor(core: Core, parts: NodeWatchParts) {
    this.#core = core;
    this.#parts = parts;
    this.#beats = new BeatWatch(parts.ttlMs);
  }

  /** Starts the watch of all beats anew, because the store failed. */
  reset(): void {
    this.#beats.reset();
  }

  /** Reads all nodes. Rejects when the store fails. */
  async read(): Promise<ClusterView> {
    const requestedMs = this.#core.monotonicMs();
    const view = await this.#parts.leases.nodes();
    this.#beats.observe(view.nodes, {
      requestedMs,
      answeredMs: this.#core.monotonicMs(),
    });
    return view;
  }

  /** Returns the nodes that are not dead, without this one. */
  others({ nodes }: ClusterView): readonly NodeRow[] {
    const own = this.#parts.incarnation();
    return nodes.filter(({ dead, incarnation }) => !dead && incarnation !== own);
  }

  /** Returns those of the others that own a shard. */
  owners(view: ClusterView): readonly NodeRow[] {
    const owners = ownersIn(view);
    return this.others(view).filter(({ incarnation }) => owners.has(incarnation));
  }

  /** Returns whether the beat of a node has stayed the same for a whole ttl. */
  hasFailed({ incarnation }: NodeRow): boolean {
    return this.#beats.failed(incarnation) !== undefined;
  }

  /** Declares all nodes dead that failed. Resolves to whether there were any. */
  async declareFailedDead(view: ClusterView): Promise<boolean> {
    let any = false;
    for (const { incarnation } of this.others(view)) {
      const failed = this.#beats.failed(incarnation);
      if (failed !== undefined && (await this.#parts.leases.retire(failed))) any = true;
    }
    return any;
  }

  /**
   * Returns how long it takes until a read can show that an owner has failed, at most `mostMs`; 0 if that time came during
   * the last read.
   */
  untilDueMs(view: ClusterView, mostMs: number): number {
    const nowMs = this.#core.monotonicMs();
    let pauseMs = mostMs;
    for (const { incarnation } of this.owners(view)) {
      const dueMs = this.#beats.dueMs(incarnation);
      if (dueMs !== undefined) pauseMs = Math.min(pauseMs, Math.max(dueMs - nowMs, 0));
    }
    return pauseMs;
  }
}

/** Returns the incarnations of all owners. Most shards have the owner of the one before. */
function ownersIn({ shards }: ClusterView): ReadonlySet<number> {
  const owners = new Set<number>();
  let before: number | undefined;
  for (const { incarnation } of shards) {
    if (incarnation !== undefined && incarnation !== before) owners.add(incarnation);
    before = incarnation;
  }
  return owners;
}
