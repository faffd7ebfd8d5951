import type { ClusterView, NodeRow, ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { BeatWatch } from "./beat-watch.ts";

/** Dependencies of {@link NodeWatch}. `incarnation` returns that of this node. */
export type NodeWatchParts = Readonly<{
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
      if (failed !== undefined && (await this.#parts.leases.bury(failed))) any = true;
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
