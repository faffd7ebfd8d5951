import { describe, expect, it } from "vitest";
import {
  claimsOf,
  givesOf,
  movesOf,
  type ShareReading,
  ShareWatch,
  type ShareWatchParts,
  withdrawalsOf,
} from "../../src/cluster/share-plan.ts";
import type { ClusterView, NodeRow, NodeState } from "../../src/ports/index.ts";
import { ALL, type RowPart, rowOf, shardsOf, TTL_MS } from "../support/shared-views.ts";

/** The watch of a node, and what it decides from at a time. */
const watchOf = (own: number, parts: Partial<ShareWatchParts> = {}) => {
  const watch = new ShareWatch({ ttlMs: TTL_MS, canRead: () => true, ...parts });
  const at = (nowMs: number, view: ClusterView): ShareReading =>
    watch.observe(view, own, { requestedMs: nowMs, answeredMs: nowMs });
  const claims = (nowMs: number, view: ClusterView): readonly number[] => claimsOf(at(nowMs, view)).flat();
  const moved = (nowMs: number, view: ClusterView): number =>
    movesOf(at(nowMs, view)).flatMap(({ shards }) => shards).length;
  return { watch, at, claims, moved };
};

/** Nodes 1 and 2 own half of the shards each; this one is free, and dealt to node 2 unless it is assigned to node 1. */
const freeShard = (shard: number, next?: number): ClusterView => ({
  nodes: [rowOf(1), rowOf(2)],
  shards: shardsOf(
    (each) => (each === shard ? undefined : each < 129 ? 1 : 2),
    (each) => (each === shard ? next : undefined),
  ),
});

/** Two nodes, the first with so many shards more that they are to be made even. */
const uneven: ClusterView = {
  nodes: [rowOf(1), rowOf(2)],
  shards: shardsOf((shard) => (shard < 200 ? 1 : 2)),
};

describe("a free shard that its node leaves is dealt to another after a ttl", () => {
  it("to node 1 if node 2 leaves it, from the answer of the first read to the question of a later one", () => {
    const { watch, claims } = watchOf(1);
    const view = freeShard(200);
    const observe = (requestedMs: number, answeredMs: number): readonly number[] =>
      claimsOf(watch.observe(view, 1, { requestedMs, answeredMs })).flat();
    expect(observe(0, 500)).toEqual([]);
    expect(observe(1_499, 2_900)).toEqual([]);
    expect(observe(1_500, 3_000)).toEqual([200]);
    expect(claims(1_600, view)).toEqual([200]);
  });

  it("one that is assigned as well: node 2 has it for a ttl, and then node 1", () => {
    const { claims } = watchOf(1);
    expect(watchOf(1).claims(0, freeShard(7, 1))).toEqual([7]);
    expect([0, 999, 1_000].map((nowMs) => claims(nowMs, freeShard(7, 2)))).toEqual([[], [], [7]]);
  });

  it("of three nodes, each has it for a ttl", () => {
    const view = { ...freeShard(256), nodes: [rowOf(1), rowOf(2), rowOf(3)] };
    const nodes = [1, 2, 3].map((own) => watchOf(own));
    const claimants = (nowMs: number): readonly number[] =>
      nodes.flatMap(({ claims }, index) => (claims(nowMs, view).length > 0 ? [index + 1] : []));
    expect([0, 999].map(claimants)).toEqual([[3], [3]]);
    // Node 3 claims it in vain, and the others do not know that.
    expect([1_000, 1_999, 2_000].map(claimants)).toEqual([
      [2, 3],
      [2, 3],
      [1, 2, 3],
    ]);
  });

  it("an owner in between, also one that nobody saw, starts the ttl anew", () => {
    const { claims } = watchOf(1);
    const view = freeShard(200);
    const owned = {
      ...view,
      shards: view.shards.map((row) => (row.shard === 200 ? { ...row, epoch: 2 } : row)),
    };
    expect([claims(0, view), claims(1_000, owned), claims(1_999, owned), claims(2_000, owned)]).toEqual([
      [],
      [],
      [],
      [200],
    ]);
    const later = watchOf(1);
    const dead = {
      nodes: [...view.nodes, rowOf(9, { dead: true })],
      shards: view.shards.map((row) => (row.shard === 200 ? { ...row, incarnation: 9 } : row)),
    };
    expect([later.claims(0, view), later.claims(999, dead), later.claims(1_000, dead)]).toEqual([[], [], []]);
  });

  it("a failed read starts the ttl anew: nobody may have been able to claim", () => {
    const { watch, claims } = watchOf(1);
    const view = freeShard(200);
    claims(0, view);
    watch.reset();
    expect([claims(1_000, view), claims(1_999, view), claims(2_000, view)]).toEqual([[], [], [200]]);
  });

  it("another node to which it is dealt has a ttl of its own", () => {
    const { claims } = watchOf(1);
    const view = freeShard(200);
    const joined = { ...view, nodes: [...view.nodes, rowOf(3, { state: "ready" })] };
    claims(0, view);
    expect([claims(900, joined), claims(1_000, joined), claims(1_899, joined)]).toEqual([[], [], []]);
    claims(1_900, joined);
    expect(claims(2_900, joined)).toEqual([200]);
  });
});

describe("a node that has left a shard counts as full", () => {
  /** The watch of node 1 after node 2 has left shard 200, and the view in which node 1 has it. */
  const afterLeft = () => {
    const watched = watchOf(1);
    watched.claims(0, freeShard(200));
    watched.claims(1_000, freeShard(200));
    return watched;
  };
  const assigned = (extra: readonly NodeRow[] = []): ClusterView => ({
    nodes: [rowOf(1), rowOf(2), ...extra],
    shards: shardsOf(
      (shard) => (shard < 129 || shard === 200 ? 1 : 2),
      (shard) => (shard === 7 ? 2 : undefined),
    ),
  });

  it("what is assigned to it and not given yet is withdrawn", () => {
    const reading = afterLeft().at(1_250, assigned());
    expect([withdrawalsOf(reading), givesOf(reading), reading.takers]).toEqual([[7], [], [1]]);
    const fresh = watchOf(1).at(1_250, assigned());
    expect([withdrawalsOf(fresh), givesOf(fresh), fresh.takers]).toEqual([[], [7], [1, 2]]);
  });

  it("until it owns another number of shards", () => {
    const { at } = afterLeft();
    const view = assigned();
    const fewer = {
      ...view,
      shards: view.shards.map((row) => (row.shard === 201 ? { ...row, incarnation: 1 } : row)),
    };
    expect(at(1_250, fewer).takers).toEqual([1, 2]);
    expect(at(1_500, view).takers).toEqual([1, 2]);
  });

  it("until it could take none meanwhile, as after a start", () => {
    const { at } = afterLeft();
    const view = assigned();
    at(1_250, { ...view, nodes: [rowOf(1), rowOf(2, { state: "following" })] });
    expect(at(1_500, view).takers).toEqual([1, 2]);
  });

  it("no shard is moved to it, also if it is the smallest", () => {
    /** 150 shards, 46 and 60; one is free, and dealt to node 2, until node 3 takes it. */
    const seen = (taker?: number): ClusterView => ({
      nodes: [rowOf(1), rowOf(2), rowOf(3)],
      shards: shardsOf((shard) => (shard < 150 ? 1 : shard < 210 ? 3 : shard === 210 ? taker : 2)),
    });
    const { at } = watchOf(1);
    at(0, seen());
    at(1_000, seen());
    const targets = (reading: ShareReading): readonly number[] => movesOf(reading).map(({ to }) => to);
    expect(targets(at(2_000, seen(3)))).toEqual([3]);
    const fresh = watchOf(1);
    fresh.at(0, seen(3));
    expect(targets(fresh.at(2_000, seen(3)))).toEqual([2]);
  });

  it("a node knows its own bound and nothing else: it is full with that many shards, not because it left one", () => {
    const view = freeShard(200);
    const { at } = watchOf(2);
    expect([0, 1_000, 2_000].map((nowMs) => at(nowMs, view).takers)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(watchOf(2, { mostShards: 127 }).at(0, view).takers).toEqual([1]);
    expect(watchOf(2, { mostShards: 128 }).at(0, view).takers).toEqual([1, 2]);
  });
});

describe("what nobody takes is reported", () => {
  it("once it was free for two ttl, until it has an owner", () => {
    const { watch, at } = watchOf(1, { mostShards: 100 });
    const view = freeShard(200);
    const unclaimed = (nowMs: number, seen: ClusterView): readonly number[] => {
      at(nowMs, seen);
      return watch.unclaimed;
    };
    expect([0, 1_000, 1_999, 2_000].map((nowMs) => unclaimed(nowMs, view))).toEqual([[], [], [], [200]]);
    expect(unclaimed(2_250, uneven)).toEqual([]);
    expect(unclaimed(2_500, view)).toEqual([]);
  });

  it("from the answer of the first read to the question of a later one", () => {
    const { watch } = watchOf(1, { mostShards: 100 });
    watch.observe(freeShard(200), 1, { requestedMs: 0, answeredMs: 500 });
    watch.observe(freeShard(200), 1, { requestedMs: 2_499, answeredMs: 2_600 });
    expect(watch.unclaimed).toEqual([]);
    watch.observe(freeShard(200), 1, { requestedMs: 2_500, answeredMs: 2_600 });
    expect(watch.unclaimed).toEqual([200]);
  });

  it("also when no node could take it", () => {
    const { watch, at } = watchOf(1);
    const view = { nodes: [rowOf(1, { state: "following" })], shards: shardsOf(() => undefined) };
    at(0, view);
    at(2_000, view);
    expect(watch.unclaimed).toHaveLength(ALL);
  });
});

describe("shards move for evenness only when it is worth it", () => {
  /** How many shards node 1 assigns when it has read the same for two ttl. */
  const settled = (view: ClusterView): number => {
    const { at, moved } = watchOf(1);
    at(0, view);
    return moved(2_000, view);
  };
  /** Node 1 owns so many shards more than each of the others. */
  const ahead = (nodes: number, by: number): ClusterView => {
    const each = Math.floor((ALL - by) / nodes);
    const rows = Array.from({ length: nodes }, (_, index) => rowOf(index + 1));
    const rest = nodes * each + by;
    return {
      // What does not divide belongs to a node that neither gives nor takes.
      nodes: [...rows, rowOf(99, { state: "following" })],
      shards: shardsOf((shard) => (shard < by ? 1 : shard < rest ? ((shard - by) % nodes) + 1 : 99)),
    };
  };

  it("not while the difference is at most 10 % of an even share, or 2", () => {
    expect([settled(ahead(2, 12)), settled(ahead(2, 13))]).toEqual([0, 6]);
    expect([settled(ahead(5, 5)), settled(ahead(5, 6))]).toEqual([0, 4]);
    expect([settled(ahead(60, 2)), settled(ahead(60, 3))]).toEqual([0, 2]);
  });

  it("once begun, until it is at most 1; then the same difference as before begins nothing", () => {
    const { at, moved } = watchOf(1);
    at(0, ahead(2, 13));
    expect(moved(2_000, ahead(2, 13))).toBe(6);
    expect([moved(2_250, ahead(2, 4)), moved(2_500, ahead(2, 1)), moved(2_750, ahead(2, 4))]).toEqual([
      2, 0, 0,
    ]);
  });

  it("an owner that did not see the beginning goes on with those that did; what an operator moves begins nothing", () => {
    /** 83 shards each, 8 more divided among nodes 1 and 2; some of a node are on their way to another. */
    const going = (count: number, from: number, to: number, more = 4, state?: NodeState): ClusterView => {
      const rows = shardsOf((shard) => (shard < more ? 1 : shard < 8 ? 2 : ((shard - 8) % 3) + 1));
      const moving = rows.filter(({ incarnation }) => incarnation === from).slice(0, count);
      const shards = rows.map((row) => (moving.includes(row) ? { ...row, next: to } : row));
      return { nodes: [rowOf(1), rowOf(2, { state: state ?? "active" }), rowOf(3)], shards };
    };
    expect(settled(going(0, 2, 3))).toBe(0);
    expect([settled(going(1, 2, 3)), settled(going(2, 2, 3)), settled(going(3, 2, 3))]).toEqual([1, 1, 0]);
    expect([settled(going(1, 2, 3, 5)), settled(going(2, 2, 3, 5))]).toEqual([2, 0]);
    expect(settled(going(1, 2, 3, 4, "following"))).toBe(0);
    expect(settled(going(1, 3, 2))).toBe(0);
  });

  it("not within two ttl after the set of able nodes has changed", () => {
    const { at, moved } = watchOf(1);
    expect([0, 1_999].map((nowMs) => moved(nowMs, uneven))).toEqual([0, 0]);
    expect(moved(2_000, uneven)).toBe(16);
    const joined = { ...uneven, nodes: [...uneven.nodes, rowOf(3, { state: "ready" })] };
    expect([2_250, 4_249].map((nowMs) => moved(nowMs, joined))).toEqual([0, 0]);
    expect(moved(4_250, joined)).toBe(16);
    at(4_500, uneven);
    expect([moved(6_499, uneven), moved(6_500, uneven)]).toEqual([0, 16]);
  });

  it("the two ttl begin anew after a failed read; beats and states of the same nodes do not begin them", () => {
    const { watch, moved } = watchOf(1);
    moved(0, uneven);
    watch.reset();
    expect([moved(2_000, uneven), moved(3_999, uneven), moved(4_000, uneven)]).toEqual([0, 0, 16]);
    const beating = { ...uneven, nodes: [{ ...rowOf(1), beat: 9 }, rowOf(2, { state: "ready" })] };
    expect(moved(4_250, beating)).toBe(16);
  });

  it("the two ttl are from the answer of the first read to the question of a later one", () => {
    const { watch } = watchOf(1);
    const moves = (requestedMs: number, answeredMs: number): number =>
      movesOf(watch.observe(uneven, 1, { requestedMs, answeredMs })).length;
    expect([moves(0, 500), moves(2_499, 2_600), moves(2_500, 2_600)]).toEqual([0, 0, 1]);
  });

  it("not while a node hands over, as long as it owns a shard", () => {
    /** Node 3 owns the last shard, or nothing. */
    const beside = (part: RowPart, last = 3): ClusterView => ({
      nodes: [...uneven.nodes, rowOf(3, { state: "handing-over", ...part })],
      shards: shardsOf((shard) => (shard === 256 ? last : shard < 200 ? 1 : 2)),
    });
    expect([settled(beside({})), settled(beside({}, 2))]).toEqual([0, 16]);
    const { at, moved } = watchOf(1);
    at(0, beside({ dead: true }, 2));
    expect([moved(2_000, beside({ dead: true })), settled(beside({ shares: false }))]).toEqual([16, 0]);
  });
});

describe("a node that cannot read what others write takes nothing", () => {
  it("as the caller judges by the view", () => {
    const canRead = (row: NodeRow, { nodes }: ClusterView): boolean =>
      nodes.every(({ format }) => format <= row.format);
    const free = { nodes: [{ ...rowOf(1), format: 2 }, rowOf(2)], shards: shardsOf(() => undefined) };
    expect(watchOf(1, { canRead }).claims(0, free)).toHaveLength(ALL);
    expect(watchOf(2, { canRead }).claims(0, free)).toEqual([]);
  });
});
