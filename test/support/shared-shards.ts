import {
  arrivalsOf,
  claimsOf,
  givesOf,
  handOverOf,
  movesOf,
  type ShareReading,
  ShareWatch,
  withdrawalsOf,
} from "../../src/cluster/share-plan.ts";
import type { Random } from "../../src/common/random.ts";
import type { ClusterView, NodeRow, ShardOwner } from "../../src/ports/index.ts";
import { type RowPart, rowOf, TTL_MS } from "./shared-views.ts";

const READS_PER_TTL = 4;

/** Far more than it takes to move every shard in batches. */
const MOST_ROUNDS = 300;

/** The rows of a store: they change as the calls of its leases change them. */
export class SharedRows {
  #nodes: readonly NodeRow[];
  #shards: readonly ShardOwner[];
  /** Calls that changed shards. */
  changes = 0;

  constructor(view: ClusterView) {
    this.#nodes = view.nodes;
    this.#shards = view.shards;
  }

  get view(): ClusterView {
    return { nodes: this.#nodes, shards: this.#shards };
  }

  owned(node: number): readonly number[] {
    return this.#shards.filter(({ incarnation }) => incarnation === node).map(({ shard }) => shard);
  }

  put(incarnation: number, part: RowPart = {}): void {
    const others = this.#nodes.filter((row) => row.incarnation !== incarnation);
    const before = this.#nodes.find((row) => row.incarnation === incarnation);
    this.#nodes = [...others, { ...(before ?? rowOf(incarnation)), ...part }];
  }

  /** Takes all of the set, or nothing if a part of it belongs to another live node. */
  claim(node: number, set: readonly number[]): boolean {
    const live = this.#nodes.filter(({ dead }) => !dead).map(({ incarnation }) => incarnation);
    if (!live.includes(node)) return false;
    const isTaken = (shard: number): boolean => {
      const owner = this.#shards[shard]?.incarnation;
      return owner !== undefined && owner !== node && live.includes(owner);
    };
    if (set.some(isTaken)) return false;
    this.#change(set, (row) =>
      row.incarnation === node ? row : { shard: row.shard, epoch: row.epoch + 1, incarnation: node },
    );
    return true;
  }

  /** The assignment of a released shard stays. */
  release(node: number, set: readonly number[]): void {
    this.#change(set, ({ incarnation, ...row }) =>
      incarnation === node ? row : { ...row, ...(incarnation !== undefined && { incarnation }) },
    );
  }

  /** Without `to`, withdraws the assignment. */
  assign(set: readonly number[], to?: number): void {
    if (to !== undefined && !this.#nodes.some(({ incarnation, dead }) => incarnation === to && !dead)) return;
    this.#change(set, ({ next: _, ...row }) => (to === undefined ? row : { ...row, next: to }));
  }

  #change(set: readonly number[], change: (row: ShardOwner) => ShardOwner): void {
    if (set.length > 0) this.changes++;
    const changed = [...this.#shards];
    for (const shard of set) changed[shard] = change(changed[shard] as ShardOwner);
    this.#shards = changed;
  }
}

/** A node that does what it decides. */
export class SharingNode {
  readonly own: number;
  readonly watch: ShareWatch;
  readonly #rows: SharedRows;
  readonly #mostShards: number;
  #reading: ShareReading | undefined;
  /** Shards that it has assigned to others for evenness, one number for each time. */
  moved = 0;
  refused = 0;

  constructor(rows: SharedRows, own: number, mostShards: number = Number.POSITIVE_INFINITY) {
    this.own = own;
    this.watch = new ShareWatch({ ttlMs: TTL_MS, mostShards, canRead: () => true });
    this.#rows = rows;
    this.#mostShards = mostShards;
  }

  get hasRoom(): boolean {
    return this.#rows.owned(this.own).length < this.#mostShards;
  }

  get arrivals(): readonly number[] {
    return this.#reading === undefined ? [] : arrivalsOf(this.#reading);
  }

  read(nowMs: number): void {
    this.#reading = this.watch.observe(this.#rows.view, this.own, { requestedMs: nowMs, answeredMs: nowMs });
  }

  /** Acts on what it has read last, which may be old. */
  act(): void {
    const [reading, rows, own] = [this.#reading, this.#rows, this.own];
    const row = rows.view.nodes.find(({ incarnation }) => incarnation === own);
    if (reading === undefined || row === undefined || row.dead) return;
    rows.assign(withdrawalsOf(reading));
    for (const { to, shards } of this.#moves(reading, row)) rows.assign(shards, to);
    rows.release(own, givesOf(reading));
    if (row.state === "ready" || row.state === "active")
      for (const set of claimsOf(reading)) if (!rows.claim(own, set)) this.refused++;
    if (row.state === "ready" || row.state === "active")
      rows.put(own, { state: rows.owned(own).length > 0 ? "active" : "ready" });
  }

  #moves(reading: ShareReading, { state }: NodeRow): ReturnType<typeof movesOf> {
    if (state === "handing-over") return handOverOf(reading) ?? [];
    const moves = movesOf(reading);
    for (const { shards } of moves) this.moved += shards.length;
    return moves;
  }
}

/** Several nodes over the same rows, four readings in each ttl. */
export class SharingCluster {
  readonly rows: SharedRows;
  readonly nodes: readonly SharingNode[];
  nowMs = 0;
  /** Called after each step of a node. */
  onStep: () => void = () => undefined;

  constructor(view: ClusterView, bounds: ReadonlyMap<number, number> = new Map()) {
    this.rows = new SharedRows(view);
    this.nodes = view.nodes
      .filter(({ dead }) => !dead)
      .map(({ incarnation }) => new SharingNode(this.rows, incarnation, bounds.get(incarnation)));
  }

  get moved(): number {
    return this.nodes.reduce((sum, { moved }) => sum + moved, 0);
  }

  shares(): readonly number[] {
    return this.nodes.map(({ own }) => this.rows.owned(own).length);
  }

  /** All nodes read the same, then all act. */
  round(): void {
    this.nowMs += TTL_MS / READS_PER_TTL;
    for (const node of this.nodes) node.read(this.nowMs);
    for (const node of this.nodes) this.#step(node);
  }

  /** Rounds until nothing has changed for more than four ttl: without a generator all nodes read the same. */
  rest(random?: Random): void {
    let quiet = 0;
    for (let left = MOST_ROUNDS; quiet <= 4 * READS_PER_TTL; left--) {
      if (left === 0) throw new Error(`not at rest after ${MOST_ROUNDS} rounds`);
      const { changes } = this.rows;
      if (random === undefined) this.round();
      else this.mixedRound(random);
      quiet = this.rows.changes === changes ? quiet + 1 : 0;
    }
  }

  /** Each node reads and then acts, with any steps of the others before, between and after. */
  mixedRound(random: Random): void {
    this.nowMs += TTL_MS / READS_PER_TTL;
    const steps = this.nodes.flatMap((node) => [node, node]);
    const hasRead = new Set<SharingNode>();
    while (steps.length > 0) {
      const [node] = steps.splice(random.below(steps.length), 1);
      if (node === undefined) continue;
      if (hasRead.has(node)) this.#step(node);
      else node.read(this.nowMs);
      hasRead.add(node);
    }
  }

  #step(node: SharingNode): void {
    node.act();
    this.onStep();
  }
}
