import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { FollowedJournal } from "../../src/cluster/followed.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { JournalRecord } from "../../src/model/index.ts";
import type { AppendBatch, OrderStore } from "../../src/ports/index.ts";
import { turns } from "../support/faulty-world.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { ACCOUNT, createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

const HOUR_MS = 3_600_000;

/** How the appends of a store end: at once, or when the test says so. */
type Held = { isHeld: boolean; end: (error?: Error) => void; readonly batches: AppendBatch[] };

/** A world whose appends can be held before or after they reach the store. */
async function holding(
  where: "before" | "after",
  more: Partial<OrderStore> = {},
): Promise<Readonly<{ world: World; held: Held; market: MarketHub }>> {
  const held: Held = { isHeld: false, end: () => undefined, batches: [] };
  const world = await createWorld({
    store: (disk) => {
      const store = createMemoryStore({ disk });
      const ends = (): Promise<void> =>
        new Promise((resolve, reject) => {
          held.end = (error) => (error === undefined ? resolve() : reject(error));
        });
      return {
        ...store,
        ...more,
        async append(batch) {
          held.batches.push(batch);
          if (held.isHeld && where === "before") await ends();
          const outcomes = await store.append(batch);
          if (held.isHeld && where === "after") await ends();
          return outcomes;
        },
      };
    },
    settings: { maxPendingPrints: 3 },
  });
  return { world, held, market: world.engine.market as MarketHub };
}

const print = ({ engine, clock }: World, id: string): void =>
  engine.market.print({ symbol: SYMBOL, price: "100", quantity: "1", id, timeMs: clock.nowMs() });

const appended = ({ batches }: Held): readonly (readonly string[])[] =>
  batches.map(({ prints = [] }) => prints.map(({ id }) => id)).filter((ids) => ids.length > 0);

const pendingOf = (market: MarketHub): readonly string[] => market.tape.pendingOf(SYMBOL).map(({ id }) => id);

describe("an engine that stops writing the market journal while an append is under way", () => {
  it.each([
    ["is kept", "after", undefined],
    ["fails, and was not kept", "before", new Error("the store is away")],
    ["fails, and was kept", "after", new Error("the store is away")],
  ] as const)("appends nothing of it again if that append %s", async (_what, where, error) => {
    const { world, held, market } = await holding(where);
    held.isHeld = true;
    print(world, "1");
    await turns();
    print(world, "2");
    market.stopWriting();
    held.isHeld = false;
    held.end(error);
    await turns();
    await world.pass(10_000);
    expect([appended(held), pendingOf(market)]).toEqual([[["1"]], ["1", "2"]]);
    await world.place({ price: "90" });
    expect(held.batches.at(-1)).not.toHaveProperty("prints");
    expect(appended(held)).toEqual([["1"]]);
  });

  it("appends all of it, oldest first, once it writes again", async () => {
    const { world, held, market } = await holding("before");
    held.isHeld = true;
    print(world, "1");
    await turns();
    print(world, "2");
    market.stopWriting();
    print(world, "3");
    market.startWriting();
    held.isHeld = false;
    held.end(new Error("the store is away"));
    await world.pass(10_000);
    expect([appended(held), pendingOf(market)]).toEqual([[["1"], ["1", "2", "3"]], []]);
    await world.crash();
    expect(market.tape.total(SYMBOL)).toEqual((world.engine.market as MarketHub).tape.total(SYMBOL));
  });

  it("I60: an engine whose market journal another one has claimed stops by itself", async () => {
    const { world, held, market } = await holding("after");
    await createMemoryStore({ disk: world.disk }).acquire();
    print(world, "1");
    await world.pass(10_000);
    expect([appended(held), market.writes, pendingOf(market)]).toEqual([[["1"]], false, ["1"]]);
    expect(world.statuses.map(({ change }) => change)).toEqual([]);
  });
});

describe("I64: prints that wait for another node", () => {
  it("are limited; the status says that the oldest are not kept for the store, until the writer has caught up", async () => {
    const { world, market } = await holding("after");
    market.stopWriting();
    for (const id of ["1", "2", "3", "4", "5"]) print(world, id);
    const detailOf = (): string | undefined => world.engine.status().reasons.at(-1)?.detail;
    expect(world.engine.metrics()).toMatchObject({ printsCounted: 5, printsDropped: 0 });
    expect(world.statuses.map(({ change, detail }) => [change, detail])).toEqual([
      [
        "VOLUME_NOT_COUNTED",
        "the maximum number of executed trades waits for the node that stores them; this node would not store older ones",
      ],
    ]);
    expect(detailOf()).toBe("2 executed trades are counted and not kept for the store");
    await world.place({ price: "90" });
    expect(world.statuses).toHaveLength(1);
    for (const one of market.tape.pendingOf(SYMBOL)) market.printStored(one);
    await world.place({ price: "90" });
    expect(world.statuses.at(-1)).toMatchObject({
      change: "VOLUME_COUNTED",
      detail: "2 executed trades were counted and not kept for the store",
    });
    expect(detailOf()).toBeUndefined();
  });
});

describe("an engine whose store nobody opens again", () => {
  it("counts trades that no order follows at rest: none is stored, and none waits for it", async () => {
    const { world, held, market } = await holding("after");
    market.tape.forgoStore();
    await world.engine.idle();
    for (const id of ["1", "2", "3", "4", "5"]) print(world, id);
    expect([world.engine.isIdle, pendingOf(market), world.statuses]).toEqual([true, [], []]);
    await world.pass(10_000);
    expect([market.tape.total(SYMBOL), world.engine.metrics().printsCounted]).toEqual([5_000_000, 5]);
    expect(market.tape.minutes({ symbol: SYMBOL, fromMs: 0, toMs: START_MS + HOUR_MS })).toMatchObject([
      { quantity: 5_000_000 },
    ]);
    expect(appended(held)).toEqual([]);
  });
});

describe("deletion of old volume", () => {
  it.each([true, false])(
    "only the writer deletes it in the store; every node forgets it (writes: %s)",
    async (writes) => {
      const cutoffs: number[] = [];
      const { world, market } = await holding("after", {
        deleteVolume: async ({ beforeMs }) => void cutoffs.push(beforeMs),
      });
      print(world, "1");
      await world.engine.idle();
      if (!writes) market.stopWriting();
      await world.clock.advanceBy(25 * HOUR_MS, () => world.engine.idle());
      expect(cutoffs.length > 0).toBe(writes);
      world.engine.market.print({ symbol: SYMBOL, price: "100", quantity: "1", id: "1", timeMs: START_MS });
      expect(market.printsCounted).toBe(2);
    },
  );
});

it("a standby that opens reads only shards with records, and the tail has what is appended meanwhile", async () => {
  const world = await createWorld();
  await world.place({ price: "90", newClientOrderId: "a" });
  const store = createMemoryStore({ disk: world.disk, clock: world.clock });
  const { leases } = store;
  if (leases === undefined) throw new Error("the store has no leases");
  const read: number[] = [];
  const core = coreOf({
    clock: world.clock,
    store: {
      ...store,
      readSnapshot: (shard: number) => {
        read.push(shard);
        return store.readSnapshot(shard);
      },
    },
  } as never);
  const journal = new FollowedJournal(
    core,
    {
      ...leases,
      heads: async () => {
        const heads = await leases.heads();
        await world.place({ price: "90", newClientOrderId: "b" }, 2);
        return heads;
      },
    },
    { observe: () => undefined },
  );
  await journal.load();
  expect(read).toEqual([shardOf(ACCOUNT)]);
  await journal.follow();
  const heads = await leases.heads();
  expect(journal.shards.map(({ durableSequence }) => durableSequence)).toEqual(
    heads.map(({ sequence }) => sequence),
  );
});

it("a standby whose read found nothing leaves out the next one, and no other", async () => {
  const world = await createWorld();
  const store = createMemoryStore({ disk: world.disk, clock: world.clock });
  const { leases } = store;
  if (leases === undefined) throw new Error("the store has no leases");
  const core = coreOf({ clock: world.clock, store } as never);
  let reads = 0;
  const counted = {
    ...leases,
    tail: (range: Parameters<typeof leases.tail>[0]) => {
      reads++;
      return leases.tail(range);
    },
  };
  const journal = new FollowedJournal(core, counted, { observe: () => undefined });
  await journal.load();
  const readsOf = async (): Promise<number> => {
    const before = reads;
    await journal.followAtLeisure();
    return reads - before;
  };
  expect([await readsOf(), await readsOf(), await readsOf(), await readsOf()]).toEqual([1, 0, 1, 0]);
  await world.place({ price: "90", newClientOrderId: "a" });
  expect([await readsOf(), await readsOf(), await readsOf()]).toEqual([1, 1, 0]);
  await journal.follow();
  expect(journal.followed).toBe(1);
});

it("a standby notes every record that it reads, also those after a gap for which a shard is loaded again", async () => {
  const world = await createWorld();
  const store = createMemoryStore({ disk: world.disk, clock: world.clock });
  const { leases } = store;
  if (leases === undefined) throw new Error("the store has no leases");
  const core = coreOf({ clock: world.clock, store } as never);
  const seen: JournalRecord[] = [];
  const journal = new FollowedJournal(
    core,
    // The first record is gone, as after retention.
    { ...leases, tail: async (range) => (await leases.tail(range)).filter(({ sequence }) => sequence > 1) },
    { observe: (record) => void seen.push(record) },
  );
  await journal.load();
  for (const newClientOrderId of ["a", "b", "c"]) await world.place({ price: "90", newClientOrderId });
  await journal.follow();
  expect(seen.map(({ sequence }) => sequence)).toEqual([2, 3]);
  expect(Math.max(...journal.shards.map(({ durableSequence }) => durableSequence))).toBe(3);
});

describe("what a market says is read by its value", () => {
  it("a POV follows prints with eight written decimals, and finer ones are rounded down and counted", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.place({ type: "POV", quantity: "10", participationBips: 1_000 });
    await world.print("2.00000000", { price: "100.0000000000" });
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
    await world.print("2.00000999");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2", "BUY 0.2"]);
    await world.print("0.00000099");
    expect(world.engine.metrics()).toMatchObject({ printsCounted: 2, printsRounded: 1, printsDropped: 1 });
  });

  it("a quote with more written decimals than a price has counts, and one with a finer value does not", async () => {
    const world = await createWorld();
    expect(await world.quote("99.000000000000", "100.0000000000")).toBe("counted");
    expect(await world.quote("99.000000001", "100")).toBe("malformed");
    expect(await world.quote("0.000000000000", "100")).toBe("zero");
  });

  it("a VWAP takes its weights from prints with eight written decimals", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    for (let minute = 0; minute < 3; minute++)
      await world.print("2.00000000", { timeMs: START_MS - (4 - minute) * 60_000 });
    const order = await world.place({ type: "VWAP", quantity: "3", intervalCount: 2 });
    expect(order.plan?.count).toBe(2);
  });
});
