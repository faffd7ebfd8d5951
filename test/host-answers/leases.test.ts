import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { PRICE_LIMIT, QUANTITY_LIMIT } from "../../src/decimal/index.ts";
import { checkedLeases, Questions } from "../../src/host-answers/index.ts";
import type { ShardLeases } from "../../src/ports/index.ts";
import { samplePrint } from "../store/rules/samples.ts";

const TIMEOUT_MS = 5_000;

const leasesOf = (own: Partial<Record<keyof ShardLeases, () => unknown>>) => {
  const clock = createManualClock({ startMs: 0 });
  const honest = createMemoryStore({ clock }).leases as ShardLeases;
  const questions = new Questions({
    clock,
    telemetry: { event: () => undefined },
    timeoutMs: TIMEOUT_MS,
  });
  return {
    clock,
    leases: checkedLeases({ ...honest, ...own } as ShardLeases, questions),
  };
};

const NODE = {
  ...{
    incarnation: 1,
    name: "a",
    address: "",
    version: "",
    format: 1,
    kinds: ["ENDED"],
  },
  ...{ state: "ready", beat: 0, dead: false, ttlMs: 10_000 },
};
const EVERY_SHARD = Array.from({ length: 257 }, (_, shard) => shard);
const SHARDS = EVERY_SHARD.map((shard) => ({
  shard,
  epoch: 1,
  incarnation: 1,
}));
const HEADS = SHARDS.map(({ shard }) => ({ shard, epoch: 1, sequence: 0 }));
const AFTER = Array.from({ length: 256 }, () => 5);
const record = (shard: number, sequence: number) => ({
  shard,
  sequence,
  timeMs: 0,
  changes: [],
});
const node = (more: object) => ({
  nodes: [{ ...NODE, ...more }],
  shards: SHARDS,
});
const owner = (more: object) => ({
  nodes: [NODE],
  shards: [{ ...SHARDS[0], ...more }, ...SHARDS.slice(1)],
});
const head = (more: object) => [{ ...HEADS[0], ...more }, ...HEADS.slice(1)];

const placed = (owner: unknown, position: unknown, print: object = {}) => ({
  place: { owner, position },
  print: { ...samplePrint(), ...print },
});

const CALLS: Readonly<Record<string, (leases: ShardLeases) => Promise<unknown>>> = {
  join: (leases) => leases.join({ ...NODE, kinds: [] }),
  renew: (leases) => leases.renew({ incarnation: 1, state: "ready" }),
  nodes: (leases) => leases.nodes(),
  want: (leases) => leases.want({ incarnation: 1 }),
  retire: (leases) => leases.retire({ incarnation: 1, beat: 0 }),
  claim: (leases) => leases.claim({ incarnation: 1, shards: EVERY_SHARD }),
  release: (leases) => leases.release({ incarnation: 1, shards: EVERY_SHARD }),
  assign: (leases) => leases.assign({ shards: [5, 4], to: 1 }),
  leave: (leases) => leases.leave(1),
  heads: (leases) => leases.heads(),
  tail: (leases) => leases.tail({ after: AFTER, limit: 3 }),
  prints: (leases) => leases.prints({ after: { owner: 2, position: 5 }, limit: 3 }),
};
const WRONG: readonly (readonly [call: string, what: string, answer: unknown])[] = [
  ["join", "nothing", undefined],
  ["join", "an incarnation of 0", { incarnation: 0, clockMs: 0 }],
  ["join", "an incarnation that a double does not hold", { incarnation: 2 ** 53, clockMs: 0 }],
  ["join", "an incarnation as text", { incarnation: "1", clockMs: 0 }],
  ["join", "a clock that is no number", { incarnation: 1, clockMs: Number.NaN }],
  ["renew", "nothing", null],
  ["renew", "alive as a number", { alive: 1, clockMs: 0 }],
  ["renew", "no clock", { alive: true }],
  ["renew", "an infinite clock", { alive: true, clockMs: Number.POSITIVE_INFINITY }],
  ["renew", "a clock beyond all dates", { alive: true, clockMs: 8.64e15 + 1 }],
  ["renew", "a clock below 0", { alive: true, clockMs: -1 }],
  ["renew", "a wish that does not exist", { alive: true, clockMs: 0, wanted: "sleep" }],
  ["want", "nothing", undefined],
  ["want", "yes as text", "yes"],
  ["nodes", "a wish that is no text", node({ wanted: 1 })],
  ["nodes", "a negative number of records read", node({ followed: -1 })],
  ["nodes", "a list", [NODE]],
  ["nodes", "no nodes", { shards: SHARDS }],
  ["nodes", "more rows than there can be", { nodes: { length: 1e9 }, shards: SHARDS }],
  ["nodes", "a node twice", { nodes: [NODE, NODE], shards: SHARDS }],
  ["nodes", "a beat below 0", node({ beat: -1 })],
  ["nodes", "a beat with a fraction", node({ beat: 0.5 })],
  ["nodes", "a beat that a double does not hold", node({ beat: 2 ** 60 })],
  ["nodes", "a state that does not exist", node({ state: "asleep" })],
  ["nodes", "dead as text", node({ dead: "f" })],
  ["nodes", "a name without characters", node({ name: "" })],
  ["nodes", "a name of 201 characters", node({ name: "a".repeat(201) })],
  ["nodes", "kinds as text", node({ kinds: "ENDED" })],
  ["nodes", "a kind that is no text", node({ kinds: [1] })],
  ["nodes", "a ttl of 0", node({ ttlMs: 0 })],
  ["nodes", "a shard too few", { nodes: [NODE], shards: SHARDS.slice(1) }],
  ["nodes", "a shard too many", { nodes: [NODE], shards: [...SHARDS, { shard: 257, epoch: 1 }] }],
  ["nodes", "a shard twice", owner({ shard: 1 })],
  ["nodes", "a shard that does not exist", owner({ shard: 257 })],
  ["nodes", "no owner of the market journal", { nodes: [NODE], shards: SHARDS.slice(0, 256) }],
  ["nodes", "an epoch that a double does not hold", owner({ epoch: 2 ** 53 })],
  ["nodes", "an owner as text", owner({ incarnation: "1" })],
  ["nodes", "shares as text", node({ shares: "yes" })],
  ["nodes", "a next owner as text", owner({ next: "2" })],
  ["nodes", "a next owner of 0", owner({ next: 0 })],
  ["assign", "nothing", undefined],
  ["assign", "a list", [5, 4]],
  ["assign", "more shards than were asked for", 3],
  ["assign", "less than no shard", -1],
  ["assign", "a half of a shard", 0.5],
  ["retire", "nothing", undefined],
  ["retire", "a number", 1],
  ["claim", "true", true],
  ["claim", "no heads", []],
  ["claim", "the heads of some shards", HEADS.slice(1)],
  ["claim", "a shard that was not asked for", head({ shard: 257 })],
  ["claim", "a head twice", head({ shard: 255 })],
  ["claim", "a head without an epoch", head({ epoch: undefined })],
  ["claim", "a sequence as a bigint", head({ sequence: 1n })],
  ["claim", "a sequence below 0", head({ sequence: -1 })],
  ["claim", "forgotten as text", head({ forgotten: "1" })],
  ["heads", "nothing", undefined],
  ["heads", "no heads", []],
  ["heads", "the heads of some shards", HEADS.slice(1)],
  ["heads", "a head twice", head({ shard: 255 })],
  ["heads", "the market journal", [...HEADS.slice(1), { shard: 256, epoch: 1, sequence: 0 }]],
  ["heads", "a head without a sequence", head({ sequence: undefined })],
  ["tail", "nothing", undefined],
  ["tail", "more records than asked for", [6, 7, 8, 9].map((sequence) => record(0, sequence))],
  ["tail", "a record that is known", [record(0, 5)]],
  ["tail", "a record twice", [record(0, 6), record(0, 6)]],
  ["tail", "records that go back", [record(0, 7), record(1, 6), record(0, 6)]],
  ["tail", "a shard that does not exist", [record(256, 6)]],
  ["tail", "a sequence as text", [{ ...record(0, 6), sequence: "6" }]],
  ["tail", "a record without changes", [{ ...record(0, 6), changes: undefined }]],
  ["prints", "nothing", undefined],
  ["prints", "more prints than asked for", [6, 7, 8, 9].map((position) => placed(2, position))],
  ["prints", "the print that is known", [placed(2, 5)]],
  ["prints", "a print of an earlier owner", [placed(1, 6)]],
  ["prints", "a print twice", [placed(2, 6), placed(2, 6)]],
  ["prints", "prints that go back", [placed(3, 1), placed(2, 6)]],
  ["prints", "no place", [{ print: samplePrint() }]],
  ["prints", "an owner below 0", [placed(-1, 6)]],
  ["prints", "a position as text", [placed(2, "6")]],
  ["prints", "a position that a double does not hold", [placed(2, 2 ** 53)]],
  ["prints", "a place without a print", [{ place: { owner: 2, position: 6 } }]],
  ["prints", "a print without an id", [placed(2, 6, { id: "" })]],
  ["prints", "a symbol as a number", [placed(2, 6, { symbol: 1 })]],
  ["prints", "a price of 0", [placed(2, 6, { price: 0 })]],
  ["prints", "a price out of range", [placed(2, 6, { price: PRICE_LIMIT })]],
  ["prints", "a price as text", [placed(2, 6, { price: "100" })]],
  ["prints", "a negative quantity", [placed(2, 6, { quantity: -1 })]],
  ["prints", "a quantity out of range", [placed(2, 6, { quantity: QUANTITY_LIMIT })]],
  ["prints", "a time with a fraction", [placed(2, 6, { timeMs: 0.5 })]],
  ["prints", "a time beyond all dates", [placed(2, 6, { seenAtMs: 8.64e15 + 1 })]],
  ["prints", "fresh as text", [placed(2, 6, { fresh: "t" })]],
];

describe("answers of a store's leases are read", () => {
  it.each(WRONG)("%s: %s", async (call, _what, answer) => {
    const { leases } = leasesOf({ [call]: () => Promise.resolve(answer) });
    await expect(CALLS[call]?.(leases)).rejects.toMatchObject({
      name: "UnreadableAnswer",
    });
  });

  it.each([
    [
      "nodes",
      {
        nodes: [NODE, { ...NODE, incarnation: 2, shares: true }],
        shards: SHARDS.map((shard) => ({ ...shard, next: 2 })),
      },
    ],
    ["assign", 0],
    ["assign", 2],
    ["nodes", { nodes: [], shards: SHARDS.map(({ shard }) => ({ shard, epoch: 0 })) }],
    ["claim", undefined],
    ["claim", HEADS.map((one) => ({ ...one, forgotten: 0 }))],
    ["tail", [record(0, 6), record(1, 9), record(0, 8)]],
    ["prints", [placed(2, 6), placed(2, 9), placed(3, 1, { quantity: 10n ** 18n - 1n })]],
  ])("%s: an answer as described is passed on", async (call, answer) => {
    const { leases } = leasesOf({ [call]: () => Promise.resolve(answer) });
    expect(await CALLS[call]?.(leases)).toEqual(answer);
  });

  it.each(Object.keys(CALLS))(
    "%s: an answer that never comes is waited for at most the time of a host",
    async (call) => {
      const { clock, leases } = leasesOf({
        [call]: () => new Promise(() => undefined),
      });
      const answer = CALLS[call]?.(leases);
      answer?.catch(() => undefined);
      await clock.advanceBy(TIMEOUT_MS);
      await expect(answer).rejects.toMatchObject({ name: "SilentHost" });
    },
  );

  it("I60: heads of other shards than those of the set are no claim", async () => {
    const heads = HEADS.slice(4, 6);
    const { leases } = leasesOf({ claim: () => Promise.resolve(heads) });
    expect(await leases.claim({ incarnation: 1, shards: [5, 4] })).toEqual(heads);
    for (const shards of [[4], [4, 6], [4, 5, 6]])
      await expect(leases.claim({ incarnation: 1, shards })).rejects.toMatchObject({
        name: "UnreadableAnswer",
      });
  });

  it("shards come by rising number, in whatever order the store has them", async () => {
    const { leases } = leasesOf({
      nodes: () => Promise.resolve({ nodes: [NODE], shards: SHARDS.toReversed() }),
      heads: () => Promise.resolve(HEADS.slice(0, 256).toReversed()),
      claim: () => Promise.resolve([HEADS[256], HEADS[2], HEADS[1]]),
    });
    expect((await leases.nodes()).shards).toEqual(SHARDS);
    expect(await leases.heads()).toEqual(HEADS.slice(0, 256));
    const claimed = await leases.claim({ shards: [1, 2, 256], incarnation: 1 });
    expect(claimed?.map(({ shard }) => shard)).toEqual([1, 2, 256]);
  });

  it("errors of the store pass through", async () => {
    const { leases } = leasesOf({
      retire: () => Promise.reject(new TypeError("no")),
    });
    await expect(CALLS.retire?.(leases)).rejects.toThrow(TypeError);
  });
});
