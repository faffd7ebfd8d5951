import type { ClusterView, NodeRow, ShardOwner } from "../../ports/index.ts";
import type { ReadTimes } from "./beat-watch.ts";
import { ownedBy } from "./cluster-views.ts";
import {
  type CanRead,
  dealOf,
  fitIn,
  isEven,
  isFree,
  isHandOverUnderWay,
  isUneven,
  rolesIn,
  type ShareReading,
} from "./share-plan.ts";

/** How many ttl the nodes must be the same before shards move for evenness: a restart shall not move shards twice. */
const SETTLED_TTLS = 2;

/** How many ttl a shard is free until this is reported. After one it was dealt to another node. */
const UNCLAIMED_TTLS = 2;

/** Settings of a {@link ShareWatch}. */
export type ShareWatchParts = Readonly<{
  ttlMs: number;
  /** Most shards that this node takes, with the market journal as one of them. Default all. */
  mostShards?: number;
  canRead: CanRead;
}>;

/** A free shard, to whom it is dealt, and since when both are known. */
type Lying = Readonly<{ row: ShardOwner; sinceMs: number; to: number | undefined; dealtMs: number }>;

/**
 * Remembers over the readings of a node what one view does not show: how long shards are free, which nodes leave those that
 * were dealt to them, and how long the nodes are the same (decision KX).
 */
export class ShareWatch {
  readonly #parts: ShareWatchParts;
  #lying: ReadonlyMap<number, Lying> = new Map();
  /**
   * How many shards a node owned when it left one that was dealt to it for a whole ttl. It counts as full while it owns as many.
   */
  #full: ReadonlyMap<number, number> = new Map();
  #able: Readonly<{ nodes: string; sinceMs: number }> | undefined;
  #isEvening = false;
  #unclaimed: readonly number[] = [];

  constructor(parts: ShareWatchParts) {
    this.#parts = parts;
  }

  /** The shards that have been free for two ttl, as read last: nobody takes them. */
  get unclaimed(): readonly number[] {
    return this.#unclaimed;
  }

  /** Starts all times anew, because a read failed: nobody may have been able to claim. */
  reset(): void {
    this.#lying = new Map();
    this.#able = undefined;
  }

  /**
   * Takes what the node `own` has read, and returns what its decisions are made from. As with beats, something is known to
   * have been the same from the answer of the first read to the question of this one.
   */
  observe(view: ClusterView, own: number, times: ReadTimes): ShareReading {
    const { mostShards = Number.POSITIVE_INFINITY, canRead } = this.#parts;
    const live = new Set(view.nodes.filter(({ dead }) => !dead).map(({ incarnation }) => incarnation));
    const fit = fitIn(view, canRead);
    this.#noteFull(view, fit, times);
    const hasRoom = (node: number): boolean => {
      const owned = ownedBy(view, node).length;
      return node === own ? owned < mostShards : owned !== this.#full.get(node);
    };
    const dealable = { view, live, ...rolesIn(view, fit, hasRoom) };
    const deal = dealOf(dealable);
    const reading: ShareReading = { ...dealable, own, mostShards, deal, isEvening: false };
    this.#noteLying(reading, times);
    this.#noteEvening(reading, times);
    return { ...reading, isEvening: this.#isEvening };
  }

  /**
   * Notes the nodes that have left a shard that was dealt to them, and forgets those that own another number since, or that
   * could take none meanwhile.
   */
  #noteFull(view: ClusterView, fit: readonly NodeRow[], { requestedMs }: ReadTimes): void {
    const full = new Map<number, number>();
    for (const [node, count] of this.#full)
      if (fit.some(({ incarnation }) => incarnation === node) && ownedBy(view, node).length === count)
        full.set(node, count);
    for (const row of view.shards) {
      const lying = this.#lying.get(row.shard);
      if (lying?.to === undefined || !isSame(lying.row, row)) continue;
      if (requestedMs - lying.dealtMs >= this.#parts.ttlMs)
        full.set(lying.to, ownedBy(view, lying.to).length);
    }
    this.#full = full;
  }

  /** Notes the free shards, and to whom they are dealt now. */
  #noteLying(reading: ShareReading, { requestedMs, answeredMs }: ReadTimes): void {
    const { dealt } = reading.deal;
    const lying = new Map<number, Lying>();
    const unclaimed: number[] = [];
    for (const row of reading.view.shards) {
      if (!isFree(reading, row)) continue;
      const to = dealt.get(row.shard);
      const before = this.#lying.get(row.shard);
      const known = before !== undefined && isSame(before.row, row) ? before : undefined;
      const sinceMs = known?.sinceMs ?? answeredMs;
      const dealtMs = known !== undefined && known.to === to ? known.dealtMs : answeredMs;
      lying.set(row.shard, { row, sinceMs, to, dealtMs });
      if (requestedMs - sinceMs >= UNCLAIMED_TTLS * this.#parts.ttlMs) unclaimed.push(row.shard);
    }
    this.#lying = lying;
    this.#unclaimed = unclaimed;
  }

  /**
   * Notes whether shards are to move: from a large difference on until there is none, once the nodes have stayed the same, and
   * while nobody hands over.
   */
  #noteEvening(reading: ShareReading, { requestedMs, answeredMs }: ReadTimes): void {
    const nodes = reading.able.join();
    if (this.#able?.nodes !== nodes) this.#able = { nodes, sinceMs: answeredMs };
    const isSettled =
      requestedMs - this.#able.sinceMs >= SETTLED_TTLS * this.#parts.ttlMs && !isHandOverUnderWay(reading);
    this.#isEvening = isSettled && !isEven(reading) && (this.#isEvening || isUneven(reading));
  }
}

/** Returns whether a shard that was free is still so, and nobody has owned it meanwhile: who is dead stays dead. */
const isSame = (before: ShardOwner, row: ShardOwner): boolean =>
  before.epoch === row.epoch && before.incarnation === row.incarnation;
