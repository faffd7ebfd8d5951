import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  arrivalsOf,
  claimsOf,
  givesOf,
  handOverOf,
  movesOf,
  type ShareReading,
  withdrawalsOf,
} from "../../src/cluster/share-plan.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import type { ClusterView, ShardOwner } from "../../src/ports/index.ts";
import { SharedRows, SharingCluster, SharingNode } from "../support/shared-shards.ts";
import {
  ALL,
  ableIn,
  firstReading,
  GONE,
  isFreeIn,
  onWayIn,
  type RowPart,
  rowOf,
  shardsOf,
  someView,
  unevenView,
} from "../support/shared-views.ts";

const BATCH = 16;
/** A failure is not made smaller, because each run takes long; its seed repeats it. */
const RUNS = { numRuns: 30, endOnFailure: true };

const spreadOf = (shares: readonly number[]): number => Math.max(...shares) - Math.min(...shares);

const toleratedFor = (nodes: number): number => Math.max(2, (0.1 * ALL) / nodes);

/** All nodes at the same reading, or at readings in any order. */
const anyOrder = fc.option(fc.nat(), { nil: undefined });
const orderOf = (seed: number | undefined): Random | undefined =>
  seed === undefined ? undefined : createRandom(seed);

describe("free shards find an owner", () => {
  it("a claim from a reading before another node joined is refused as a whole, and the next reading has no conflict", () => {
    const rows = new SharedRows({
      nodes: [rowOf(1), rowOf(3, { state: "following" })],
      shards: shardsOf((shard) => (shard < 3 ? 1 : shard < 240 ? 3 : undefined)),
    });
    const [first, second] = [new SharingNode(rows, 1), new SharingNode(rows, 2)];
    first.read(0);
    rows.put(2, { state: "ready" });
    second.read(0);
    second.act();
    expect(rows.owned(2)).toEqual([240, 241, 242, 244, 246, 248, 250, 252, 254, 256]);
    first.act();
    expect([first.refused, rows.owned(1)]).toEqual([2, [0, 1, 2]]);
    first.read(1);
    first.act();
    expect([first.refused, rows.owned(1)]).toEqual([2, [0, 1, 2, 243, 245, 247, 249, 251, 253, 255]]);
  });

  it("while nodes die, pause and hand over between readings of any age, and all have a live owner in the end", () => {
    const states = ["ready", "active", "following", "handing-over"] as const;
    fc.assert(
      fc.property(someView, fc.nat(), (view, seed) => {
        const [cluster, random] = [new SharingCluster(view), createRandom(seed)];
        const { rows } = cluster;
        cluster.onStep = () => {
          const { incarnation } = random.pick(rows.view.nodes);
          if (incarnation !== 1 && random.chance(0.1))
            rows.put(incarnation, random.chance(0.2) ? { dead: true } : { state: random.pick(states) });
        };
        for (let round = 0; round < 12; round++) cluster.mixedRound(random);
        cluster.onStep = () => undefined;
        cluster.rest(random);
        expect(rows.view.shards.filter(isFreeIn(rows.view))).toEqual([]);
        const able = ableIn(rows.view);
        const shares = able.map((node) => rows.owned(node).length);
        expect(spreadOf(shares)).toBeLessThanOrEqual(toleratedFor(able.length));
        for (const { watch } of cluster.nodes) expect(watch.unclaimed).toEqual([]);
      }),
      RUNS,
    );
  });

  it("a bound is never exceeded, what others have room for is theirs, and only what nobody takes stays free and is reported", () => {
    const bounds = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(bounds, anyOrder, (most, seed) => {
        const nodes = most.map((_, index) => rowOf(index + 1, { state: "ready" }));
        const view = { nodes, shards: shardsOf(() => undefined) };
        const cluster = new SharingCluster(view, new Map(most.map((bound, index) => [index + 1, bound])));
        cluster.onStep = () => {
          for (const [index, share] of cluster.shares().entries())
            expect(share).toBeLessThanOrEqual(most[index] ?? 0);
        };
        cluster.rest(orderOf(seed));
        const room = most.reduce((sum, bound) => sum + bound, 0);
        const free = cluster.rows.view.shards.filter(({ incarnation }) => incarnation === undefined);
        expect(free.length).toBe(Math.max(0, ALL - room));
        for (const { watch } of cluster.nodes)
          expect(watch.unclaimed).toEqual(free.map(({ shard }) => shard));
      }),
      RUNS,
    );
  });
});

describe("shares come to rest", () => {
  it("even, after no more moves than the surplus, with at most 16 on their way and the market journal where it was", () => {
    fc.assert(
      fc.property(unevenView, anyOrder, (view, seed) => {
        const cluster = new SharingCluster(view);
        const before = cluster.shares();
        cluster.onStep = () => expect(onWayIn(cluster.rows.view)).toBeLessThanOrEqual(BATCH);
        cluster.rest(orderOf(seed));
        const even = Math.floor(ALL / before.length);
        const surplus = before.reduce((sum, share) => sum + Math.max(0, share - even), 0);
        const isTolerated = spreadOf(before) <= toleratedFor(before.length);
        if (isTolerated) expect(cluster.shares()).toEqual(before);
        else expect(spreadOf(cluster.shares())).toBeLessThanOrEqual(1);
        // Owners at different readings may give to the same node, which then gives one on.
        const misled = seed === undefined ? 0 : before.length;
        expect(cluster.moved).toBeLessThanOrEqual(isTolerated ? 0 : surplus + misled);
        expect(cluster.rows.view.shards[MARKET_SHARD]).toEqual(view.shards[MARKET_SHARD]);
        expect(onWayIn(cluster.rows.view)).toBe(0);
      }),
      RUNS,
    );
  });

  it("with a node that reaches its bound: at most one batch lies because of it, and it is given nothing again", () => {
    const view = {
      nodes: [rowOf(1), rowOf(2), rowOf(3, { state: "ready" })],
      shards: shardsOf((shard) => (shard % 2) + 1),
    };
    const cluster = new SharingCluster(view, new Map([[3, 20]]));
    const left = new Set<number>();
    cluster.onStep = () => {
      for (const { shard, incarnation, next } of cluster.rows.view.shards)
        if (incarnation === undefined && next === 3 && cluster.shares()[2] === 20) left.add(shard);
    };
    cluster.rest();
    expect([...cluster.shares()].sort()).toEqual([118, 119, 20]);
    expect([left.size > 0, left.size <= BATCH]).toEqual([true, true]);
    const { moved } = cluster;
    cluster.rest();
    expect([cluster.moved, onWayIn(cluster.rows.view)]).toEqual([moved, 0]);
  });

  it("without a node that hands over: even, with at most 16 on their way and the market journal last", () => {
    fc.assert(
      fc.property(unevenView, anyOrder, (view, seed) => {
        fc.pre(view.nodes.length > 1);
        const cluster = new SharingCluster(view);
        cluster.rows.put(1, { state: "handing-over" });
        const hasMarket = cluster.rows.owned(1).includes(MARKET_SHARD);
        cluster.onStep = () => {
          expect(onWayIn(cluster.rows.view)).toBeLessThanOrEqual(BATCH);
          const left = cluster.rows.owned(1);
          if (hasMarket && left.length > 0) expect(left).toContain(MARKET_SHARD);
        };
        const [, ...before] = cluster.shares();
        cluster.rest(orderOf(seed));
        const [own, ...after] = cluster.shares();
        expect(own).toBe(0);
        const isFilled = Math.max(...after) > Math.max(...before);
        expect(spreadOf(after)).toBeLessThanOrEqual(isFilled ? 1 : toleratedFor(after.length));
      }),
      RUNS,
    );
  });
});

const MOST_IN_SET = 32;

describe("free shards are dealt out", () => {
  it("every free shard is claimed by exactly one able node, and nothing else by any; an assigned one by its next owner", () => {
    fc.assert(
      fc.property(someView, (view) => {
        const claims = view.nodes.flatMap(({ incarnation: node }) =>
          claimsOf(firstReading(view, node)).flatMap((set) => set.map((shard) => ({ shard, node }))),
        );
        const claimed = claims.map(({ shard }) => shard).sort((a, b) => a - b);
        expect(claimed).toEqual(view.shards.filter(isFreeIn(view)).map(({ shard }) => shard));
        const able = ableIn(view);
        for (const { shard, node } of claims) {
          const next = view.shards[shard]?.next ?? GONE;
          expect(able.includes(next) ? [next] : able).toContain(node);
        }
      }),
    );
  });

  it("the smallest nodes get them: no node that gets one ends with more than one shard above any other", () => {
    fc.assert(
      fc.property(someView, (view) => {
        const [able, isFree] = [ableIn(view), isFreeIn(view)];
        const isAssigned = ({ incarnation, next }: ShardOwner): boolean =>
          next !== undefined && next !== incarnation && able.includes(next);
        const parts = able.map((node) => {
          const claimed = claimsOf(firstReading(view, node)).flat();
          const rows = claimed.map((shard) => view.shards[shard] as ShardOwner);
          const stored = view.shards.filter(
            (row) => !isFree(row) && (isAssigned(row) ? row.next : row.incarnation) === node,
          );
          return {
            share: stored.length + claimed.length,
            dealt: rows.filter((row) => !isAssigned(row)).length,
          };
        });
        const least = Math.min(...parts.map(({ share }) => share));
        for (const { share, dealt } of parts) if (dealt > 0) expect(share).toBeLessThanOrEqual(least + 1);
      }),
    );
  });

  it("by rising number, of equal nodes to the one with the lowest incarnation, whatever the order of the rows", () => {
    const view = {
      nodes: [rowOf(7, { state: "ready" }), rowOf(3, { state: "ready" }), rowOf(5, { state: "ready" })],
      shards: shardsOf(() => undefined),
    };
    const first = (node: number): readonly number[] => claimsOf(firstReading(view, node)).flat().slice(0, 3);
    expect([first(3), first(5), first(7)]).toEqual([
      [0, 3, 6],
      [1, 4, 7],
      [2, 5, 8],
    ]);
  });

  it("in sorted sets of at most 32 account shards, and the market journal by itself", () => {
    const sets = claimsOf(firstReading({ nodes: [rowOf(1)], shards: shardsOf(() => undefined) }, 1));
    expect(sets.map(({ length }) => length)).toEqual([32, 32, 32, 32, 32, 32, 32, 32, 1]);
    expect(sets.flat()).toEqual(Array.from({ length: ALL }, (_, shard) => shard));
    fc.assert(
      fc.property(someView, (view) => {
        for (const set of claimsOf(firstReading(view, 1))) {
          expect(set.length).toBeGreaterThan(0);
          expect(set.length).toBeLessThanOrEqual(MOST_IN_SET);
          expect([...set].sort((a, b) => a - b)).toEqual(set);
          if (set.includes(MARKET_SHARD)) expect(set).toEqual([MARKET_SHARD]);
        }
      }),
    );
  });

  it("what a node claims first changes nothing for the others, so that a later reading does not meet an earlier one", () => {
    fc.assert(
      fc.property(someView, fc.nat({ max: 9 }), (view, claimed) => {
        const [node, ...others] = ableIn(view);
        const rows = new SharedRows(view);
        for (const set of claimsOf(firstReading(view, node ?? 0)).slice(0, claimed))
          rows.claim(node ?? 0, set);
        for (const other of others)
          expect(claimsOf(firstReading(rows.view, other))).toEqual(claimsOf(firstReading(view, other)));
      }),
    );
  });

  it.each<[string, RowPart]>([
    ["dead", { dead: true }],
    ["of a version or setting that does not share", { shares: false }],
    ["following", { state: "following" }],
    ["handing over", { state: "handing-over" }],
  ])("a node that is %s gets none", (_, part) => {
    const view = {
      nodes: [rowOf(1), rowOf(2, part)],
      shards: shardsOf(
        () => undefined,
        (shard) => (shard < 9 ? 2 : undefined),
      ),
    };
    expect(claimsOf(firstReading(view, 2))).toEqual([]);
    expect(claimsOf(firstReading(view, 1)).flat()).toHaveLength(ALL);
  });

  it("a node claims no more than its bound, the first ones; with as many as that or more, none", () => {
    const view = { nodes: [rowOf(1), rowOf(2)], shards: shardsOf((shard) => (shard < 40 ? 1 : undefined)) };
    const sets = (bound: number): readonly (readonly number[])[] => claimsOf(firstReading(view, 1, bound));
    expect(sets(50).flat()).toEqual(sets(1_000).flat().slice(0, 10));
    expect([sets(40), sets(39)]).toEqual([[], []]);
  });
});

describe("shares become even", () => {
  const evening = (view: ClusterView, own: number): ShareReading => ({
    ...firstReading(view, own),
    isEvening: true,
  });
  const moved = (view: ClusterView): readonly number[] =>
    view.nodes.flatMap(({ incarnation }) =>
      movesOf(evening(view, incarnation)).flatMap(({ shards }) => shards),
    );

  it("one that is not to make shares even moves nothing", () => {
    const view = { nodes: [rowOf(1), rowOf(2)], shards: shardsOf(() => 1) };
    expect(movesOf(firstReading(view, 1))).toEqual([]);
    expect(movesOf(evening(view, 1))).toHaveLength(1);
  });

  it("an owner assigns its own account shards without an assignment to able others, all owners at most 16 together", () => {
    fc.assert(
      fc.property(someView, (view) => {
        const able = ableIn(view);
        const isAssigned = ({ incarnation, next }: ShardOwner): boolean =>
          next !== undefined && next !== incarnation && able.includes(next);
        const before = view.shards.filter(isAssigned).length;
        let assigned = 0;
        for (const { incarnation } of view.nodes)
          for (const { to, shards } of movesOf(evening(view, incarnation))) {
            expect(able).toContain(to);
            expect(to).not.toBe(incarnation);
            for (const shard of shards) {
              expect(view.shards[shard]).toMatchObject({ incarnation });
              expect(view.shards[shard]?.next).toBeUndefined();
              expect(shard).not.toBe(MARKET_SHARD);
            }
            assigned += shards.length;
          }
        expect(assigned).toBeLessThanOrEqual(Math.max(0, BATCH - before));
      }),
    );
  });

  it("the largest nodes give to the smallest, until they differ by one", () => {
    const owners = (shard: number): number => (shard < 90 ? 1 : shard < 176 ? 2 : 3);
    const view = { nodes: [rowOf(1), rowOf(2), rowOf(3)], shards: shardsOf(owners) };
    expect(movesOf(evening(view, 1))).toEqual([{ to: 3, shards: [0, 1, 2, 3] }]);
    expect(movesOf(evening(view, 2))).toEqual([]);
    expect(moved({ ...view, shards: shardsOf((shard) => (shard % 3) + 1) })).toEqual([]);
  });
});

describe("a shard goes to the node to which it is assigned", () => {
  it("each assignment of an owner is given, as long as few are free, or withdrawn; given only to another node that takes shards", () => {
    fc.assert(
      fc.property(someView, (view) => {
        const [able, isFree] = [ableIn(view), isFreeIn(view)];
        const isGiven = ({ incarnation, next }: ShardOwner): boolean =>
          next !== undefined && next !== incarnation && able.includes(next);
        const free = view.shards.filter((row) => isFree(row) && isGiven(row)).length;
        const numbers = (rows: readonly ShardOwner[]): readonly number[] => rows.map(({ shard }) => shard);
        for (const { incarnation } of view.nodes) {
          const reading = firstReading(view, incarnation);
          const own = view.shards.filter((row) => row.incarnation === incarnation && row.next !== undefined);
          const given = own.filter(isGiven).slice(0, Math.max(0, BATCH - free));
          expect(givesOf(reading)).toEqual(numbers(given));
          expect(withdrawalsOf(reading)).toEqual(numbers(own.filter((row) => !isGiven(row))));
        }
      }),
    );
  });

  it("not more than 16 are free at once, also if an operator has assigned all", () => {
    const nodes = [rowOf(1), rowOf(2)];
    const assigned = (free: number): ClusterView => ({
      nodes,
      shards: shardsOf(
        (shard) => (shard < free ? undefined : 1),
        () => 2,
      ),
    });
    const given = (free: number): readonly number[] => givesOf(firstReading(assigned(free), 1));
    expect([given(0).length, given(10), given(16), given(20)]).toEqual([
      16,
      [10, 11, 12, 13, 14, 15],
      [],
      [],
    ]);
  });

  it.each<[string, RowPart | undefined]>([
    ["dead", { dead: true }],
    ["gone", undefined],
    ["following", { state: "following" }],
    ["handing over", { state: "handing-over" }],
  ])("an assignment to a node that is %s is withdrawn", (_, part) => {
    const nodes = [rowOf(1), ...(part === undefined ? [] : [rowOf(2, part)])];
    const reading = firstReading(
      {
        nodes,
        shards: shardsOf(
          () => 1,
          (shard) => (shard === 7 ? 2 : undefined),
        ),
      },
      1,
    );
    expect([withdrawalsOf(reading), givesOf(reading)]).toEqual([[7], []]);
  });

  it("the next owner knows what arrives, until the shard is free", () => {
    const owners = [1, 2, undefined, 3, GONE];
    const view = {
      nodes: [rowOf(1), rowOf(2), rowOf(3, { dead: true })],
      shards: shardsOf(
        (shard) => owners[shard] ?? 1,
        (shard) => (shard < 5 ? 2 : undefined),
      ),
    };
    expect(
      arrivalsOf(
        firstReading(
          {
            ...view,
            shards: shardsOf(
              (shard) => (shard < 5 ? owners[shard] : 1),
              (shard) => (shard < 5 ? 2 : undefined),
            ),
          },
          2,
        ),
      ),
    ).toEqual([0]);
    expect(arrivalsOf(firstReading(view, 1))).toEqual([]);
  });
});

describe("a node that hands over gives everything away", () => {
  const handingOver: RowPart = { state: "handing-over" };

  it("also before its row says so, and without a number of shards for itself", () => {
    const view = {
      nodes: [rowOf(1), rowOf(2), rowOf(3)],
      shards: shardsOf((shard) => (shard < 150 ? 2 : shard < 250 ? 3 : 1)),
    };
    expect(handOverOf(firstReading(view, 1))).toEqual([
      { to: 3, shards: [250, 251, 252, 253, 254, 255, 256] },
    ]);
  });

  it("two nodes that hand over at once deal their shards out together", () => {
    const nodes = [rowOf(1, handingOver), rowOf(2, handingOver), rowOf(3), rowOf(4)];
    const view = { nodes, shards: shardsOf((shard) => (shard < 9 ? 1 : shard < 18 ? 2 : (shard % 2) + 3)) };
    const given = [1, 2].flatMap((node) => handOverOf(firstReading(view, node)) ?? []);
    const total = (to: number): number =>
      given.filter((move) => move.to === to).reduce((sum, { shards }) => sum + shards.length, 0);
    expect([total(3) + total(4), Math.abs(total(3) - total(4)) <= 1]).toEqual([18, true]);
  });

  it("to nobody if no other node takes shards, and its caller knows; to nobody for now while 16 of its own are on their way", () => {
    const alone = {
      nodes: [rowOf(1, handingOver), rowOf(2, { state: "following" })],
      shards: shardsOf(() => 1),
    };
    expect(handOverOf(firstReading(alone, 1))).toBeUndefined();
    const waiting = (owner: number, count: number): ClusterView => ({
      nodes: [rowOf(1, handingOver), rowOf(2), rowOf(3)],
      shards: shardsOf(
        (shard) => (shard < count ? owner : 1),
        (shard) => (shard < count ? 2 : undefined),
      ),
    });
    const given = (view: ClusterView): number | undefined =>
      handOverOf(firstReading(view, 1))?.flatMap(({ shards }) => shards).length;
    expect([given(waiting(1, 15)), given(waiting(1, 16)), given(waiting(1, 20))]).toEqual([1, 0, 0]);
    expect([given(waiting(GONE, 15)), given(waiting(GONE, 16))]).toEqual([1, 0]);
    expect(given(waiting(3, 16))).toBe(16);
  });
});
