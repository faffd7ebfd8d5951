import { errorMessage } from "../../common/index.ts";
import type { ClusterView, NodeRow, ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { ShardHolder } from "./node-api.ts";
import { shardsIn } from "./shard-sets.ts";

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
