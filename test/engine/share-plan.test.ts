import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../support/property-sizes.ts";
import {
  arrivalsOf,
  claimsOf,
  givesOf,
  handOverOf,
  movesOf,
  type ShareReading,
  withdrawalsOf,
} from "../../src/engine/cluster/share-plan.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import type { ClusterView, ShardOwner } from "../../src/ports/index.ts";
import { createRandom } from "../../src/simulator/random/index.ts";
import {
  firstReading,
  onWayIn,
  type RowPart,
  rowOf,
  SharedRows,
  SharingCluster,
  SharingNode,
  shardsOf,
} from "../support/shared-shards.ts";

const ALL = MARKET_SHARD + 1;
const BATCH = 16;
const MOST_IN_SET = 32;
const GONE = 99;

/** Rounds until anything must have ended: two ttl without a move, and then a batch of 16 every three rounds. */
const ENOUGH_ROUNDS = 80;

/** Rows of nodes: several able ones, and up to one of each other kind. */
const someNodes = fc
  .record({
    able: fc.integer({ min: 1, max: 6 }),
    others: fc.uniqueArray(
      fc.constantFrom<RowPart>(
        { dead: true },
        { shares: false, state: "ready" },
        { state: "following" },
        { state: "handing-over" },
      ),
      { maxLength: 4 },
    ),
  })
  .map(({ able, others }) => [
    ...Array.from({ length: able }, (_, index) =>
      rowOf(index + 1, { state: index === 0 ? "ready" : "active" }),
    ),
    ...others.map((part, index) => rowOf(index + 11, part)),
  ]);

const ableIn = ({ nodes }: ClusterView): readonly number[] =>
  nodes
    .filter(
      ({ dead, shares, state }) => !dead && shares === true && (state === "ready" || state === "active"),
    )
    .map(({ incarnation }) => incarnation);

const isFreeIn =
  ({ nodes }: ClusterView) =>
  ({ incarnation }: ShardOwner): boolean =>
    nodes.every((row) => row.incarnation !== incarnation || row.dead);

/** Any owners and assignments of all shards, many of them free. */
const someView: fc.Arbitrary<ClusterView> = someNodes.chain((nodes) => {
  const anyone = fc.constantFrom(...nodes.map(({ incarnation }) => incarnation), GONE);
  const list = (value: fc.Arbitrary<number | undefined>): fc.Arbitrary<readonly (number | undefined)[]> =>
    fc.array(value, { minLength: ALL, maxLength: ALL });
  const owners = list(
    fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: anyone }),
  );
  const nexts = list(
    fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyone }),
  );
  return fc.tuple(owners, nexts).map(([owner, next]) => ({
    nodes,
    shards: shardsOf(
      (shard) => owner[shard],
      (shard) => next[shard],
    ),
  }));
});

/** Able nodes only, that own all shards, unevenly. */
const unevenView: fc.Arbitrary<ClusterView> = fc
  .array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 8 })
  .chain((weights) => {
    const owner = fc.oneof(
      ...weights.map((weight, index) => ({ weight: weight + 1, arbitrary: fc.constant(index + 1) })),
    );
    return fc.array(owner, { minLength: ALL, maxLength: ALL }).map((owners) => ({
      nodes: weights.map((_, index) => rowOf(index + 1)),
      shards: shardsOf((shard) => owners[shard]),
    }));
  });

const evenOwner =
  (nodes: number) =>
  (shard: number): number =>
    (shard % nodes) + 1;

describe("decision KX: free shards are dealt out", () => {
  it("every free shard is claimed by exactly one able node, and nothing else by any; an assigned one by its next owner", () => {
    fc.assert(
      fc.property(someView, (view) => {
        const able = ableIn(view);
        const claimants = (shard: number): readonly number[] =>
          claims.filter(({ sets }) => sets.flat().includes(shard)).map(({ node }) => node);
        const claims = view.nodes.map(({ incarnation: node }) => ({
          node,
          sets: claimsOf(firstReading(view, node)),
        }));
        const isFree = isFreeIn(view);
        for (const row of view.shards) {
          const [claimant, ...more] = claimants(row.shard);
          expect(more).toEqual([]);
          if (!isFree(row)) expect(claimant).toBeUndefined();
          else if (able.includes(row.next ?? GONE)) expect(claimant).toBe(row.next);
          else expect(able).toContain(claimant);
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
          const kept = view.shards.filter(
            (row) => !isFree(row) && (isAssigned(row) ? row.next : row.incarnation) === node,
          );
          return {
            share: kept.length + claimed.length,
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

describe("decision KX: shares become even", () => {
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
    expect(moved({ ...view, shards: shardsOf(evenOwner(3)) })).toEqual([]);
  });

  it("with all nodes at the same reading or at older ones: even at the end, after no more moves than the surplus, with at most 16 on their way", () => {
    fc.assert(
      fc.property(unevenView, fc.option(fc.nat(), { nil: undefined }), (view, seed) => {
        const cluster = new SharingCluster(view);
        const market = view.shards[MARKET_SHARD]?.incarnation;
        const before = cluster.shares();
        const random = seed === undefined ? undefined : createRandom(seed);
        cluster.onStep = () => expect(onWayIn(cluster.rows.view)).toBeLessThanOrEqual(BATCH);
        for (let round = 0; round < ENOUGH_ROUNDS; round++)
          random === undefined ? cluster.round() : cluster.mixedRound(random);
        const after = cluster.shares();
        const even = Math.floor(ALL / view.nodes.length);
        const surplus = before.reduce((sum, share) => sum + Math.max(0, share - even), 0);
        const spread = Math.max(...before) - Math.min(...before);
        const isTolerated = spread <= Math.max(2, (0.1 * ALL) / view.nodes.length);
        if (isTolerated) expect(after).toEqual(before);
        else expect(Math.max(...after) - Math.min(...after)).toBeLessThanOrEqual(1);
        expect(cluster.moved).toBeLessThanOrEqual(isTolerated ? 0 : surplus);
        expect(cluster.rows.view.shards[MARKET_SHARD]?.incarnation).toBe(market);
        expect(onWayIn(cluster.rows.view)).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});

describe("decision KX: every view comes to rest", () => {
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

  it("with readings that are older than what others did, every shard has one owner in the end", () => {
    fc.assert(
      fc.property(someView, fc.nat(), (view, seed) => {
        const [cluster, random] = [new SharingCluster(view), createRandom(seed)];
        for (let round = 0; round < 8; round++) cluster.mixedRound(random);
        const joined = new SharingCluster({
          ...cluster.rows.view,
          nodes: [...cluster.rows.view.nodes, rowOf(50)],
        });
        const victim = random.pick(ableIn(view));
        joined.rows.put(victim, { dead: true });
        for (let round = 0; round < ENOUGH_ROUNDS; round++) joined.mixedRound(random);
        const able = ableIn(joined.rows.view);
        const shares = able.map((node) => joined.rows.owned(node).length);
        expect(joined.rows.view.shards.filter(isFreeIn(joined.rows.view))).toEqual([]);
        expect(joined.rows.owned(victim)).toEqual([]);
        const tolerated = Math.max(2, (0.1 * ALL) / able.length);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(tolerated);
        expect(joined.nodes.flatMap(({ watch }) => watch.unclaimed)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it("a bound is never exceeded, what others have room for is theirs, and only what nobody takes stays free and is reported", () => {
    const bounds = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(bounds, fc.nat(), (most, seed) => {
        const nodes = most.map((_, index) => rowOf(index + 1, { state: "ready" }));
        const view = { nodes, shards: shardsOf(() => undefined) };
        const cluster = new SharingCluster(view, new Map(most.map((bound, index) => [index + 1, bound])));
        cluster.onStep = () => {
          for (const [index, share] of cluster.shares().entries())
            expect(share).toBeLessThanOrEqual(most[index] ?? 0);
        };
        const random = createRandom(seed);
        for (let round = 0; round < ENOUGH_ROUNDS; round++) cluster.mixedRound(random);
        const room = most.reduce((sum, bound) => sum + bound, 0);
        const free = cluster.rows.view.shards.filter(({ incarnation }) => incarnation === undefined);
        expect(free.length).toBe(Math.max(0, ALL - room));
        for (const { watch } of cluster.nodes)
          expect(watch.unclaimed).toEqual(free.map(({ shard }) => shard));
      }),
      { numRuns: 30 },
    );
  });

  it("a node that reaches its bound is given nothing again: at most one batch of shards lies because of it", () => {
    const view = {
      nodes: [rowOf(1), rowOf(2), rowOf(3, { state: "ready" })],
      shards: shardsOf(evenOwner(2)),
    };
    const cluster = new SharingCluster(view, new Map([[3, 20]]));
    const left = new Set<number>();
    cluster.onStep = () => {
      for (const { shard, incarnation, next } of cluster.rows.view.shards)
        if (incarnation === undefined && next === 3 && !cluster.nodes[2]?.hasRoom) left.add(shard);
    };
    for (let round = 0; round < ENOUGH_ROUNDS; round++) cluster.round();
    expect(cluster.shares().map((share) => share > 100)).toEqual([true, true, false]);
    expect(cluster.shares()[2]).toBe(20);
    expect(left.size).toBeLessThanOrEqual(BATCH);
    const { moved } = cluster;
    for (let round = 0; round < ENOUGH_ROUNDS; round++) cluster.round();
    expect([cluster.moved, onWayIn(cluster.rows.view)]).toEqual([moved, 0]);
  });
});

describe("decision KX: a shard goes to the node to which it is assigned", () => {
  it("each assignment of an owner is either given now or withdrawn; given only to another node that takes shards", () => {
    fc.assert(
      fc.property(someView, (view) => {
        const able = ableIn(view);
        for (const { incarnation } of view.nodes) {
          const reading = firstReading(view, incarnation);
          const own = view.shards.filter((row) => row.incarnation === incarnation && row.next !== undefined);
          const isGiven = ({ next }: ShardOwner): boolean => next !== incarnation && able.includes(next ?? 0);
          expect(givesOf(reading)).toEqual(own.filter(isGiven).map(({ shard }) => shard));
          expect(withdrawalsOf(reading)).toEqual(
            own.filter((row) => !isGiven(row)).map(({ shard }) => shard),
          );
        }
      }),
    );
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

describe("decision KX: a node that hands over gives everything away", () => {
  const handingOver: RowPart = { state: "handing-over" };

  it("to the able others, 16 on their way, the market journal last, and even at the end", () => {
    fc.assert(
      fc.property(unevenView, fc.nat(), (view, seed) => {
        fc.pre(view.nodes.length > 1);
        const [cluster, random] = [new SharingCluster(view), createRandom(seed)];
        cluster.rows.put(1, handingOver);
        cluster.onStep = () => {
          expect(onWayIn(cluster.rows.view)).toBeLessThanOrEqual(BATCH);
          const left = cluster.rows.owned(1);
          if (left.length > 0 && view.shards[MARKET_SHARD]?.incarnation === 1)
            expect(left).toContain(MARKET_SHARD);
        };
        const others = cluster.shares().slice(1);
        const most = Math.max(...others);
        for (let round = 0; round < ENOUGH_ROUNDS; round++) cluster.mixedRound(random);
        const [left, ...after] = cluster.shares();
        expect(left).toBe(0);
        const spread = Math.max(...after) - Math.min(...after);
        const isFilled = Math.max(...after) > most;
        expect(spread).toBeLessThanOrEqual(isFilled ? 1 : Math.max(2, (0.1 * ALL) / others.length));
      }),
      { numRuns: 30 },
    );
  });

  it("also before its row says so, and without a number of shards for itself", () => {
    const view = {
      nodes: [rowOf(1), rowOf(2), rowOf(3)],
      shards: shardsOf((shard) => (shard < 250 ? 2 : 1)),
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

  it("to nobody if no other node takes shards, and its caller knows; to nobody for now while 16 are on their way", () => {
    const alone = {
      nodes: [rowOf(1, handingOver), rowOf(2, { state: "following" })],
      shards: shardsOf(() => 1),
    };
    expect(handOverOf(firstReading(alone, 1))).toBeUndefined();
    const waiting = {
      nodes: [rowOf(1, handingOver), rowOf(2)],
      shards: shardsOf(
        () => 1,
        (shard) => (shard < 16 ? 2 : undefined),
      ),
    };
    expect(handOverOf(firstReading(waiting, 1))).toEqual([]);
  });
});
