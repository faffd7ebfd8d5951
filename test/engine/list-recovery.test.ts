import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { OrderList, ParentOrder } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { encodeParent } from "../../src/wire/index.ts";
import { createFaultyStore } from "../support/faulty-store.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { BUY_OCO, legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, lineOf, START_MS, SYMBOL, type World } from "../support/world.ts";

const CROSSING = { symbol: SYMBOL, bid: "99", ask: "100" };

/** Every list of account 1 with its legs, as text. */
async function projection(world: World): Promise<readonly string[]> {
  const lists = await world.engine.allLists({ accountId: 1, limit: 1_000 });
  return lists.flatMap(({ listId, legs }) => [String(listId), ...legs.map(encodeParent)]);
}

async function verified(world: World): Promise<void> {
  expect((await world.engine.verify()).equal, "I53").toBe(true);
}

describe("I53: lists after a restart", () => {
  it("complaint 16: 300 lists in every state are byte for byte the same", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 37 } });
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [
        fillOf({ quantity: world.venue.submitted.length % 3 === 0 ? "1" : "0.4" }),
      ]);
    const forms = [
      () => world.placeList("oco", OCO),
      () => world.placeList("oco", { ...BUY_OCO, belowType: "LIMIT_MAKER" }),
      () => world.placeList("oto", { ...OTO, workingTimeInForce: "GTD", expireTime: START_MS + 5_000 }),
      () => world.placeList("otoco", OTOCO),
      () => world.placeList("oto", { ...OTO, workingIcebergQty: "0.4" }),
    ];
    for (let n = 0; n < 300; n++) await forms[n % forms.length]?.();
    for (const [bid, ask] of [
      ["100", "101"],
      ["99", "100"],
      ["109", "110"],
    ] as const)
      await world.quote(bid, ask);
    const lists = await world.engine.openLists({ accountId: 1, limit: 1_000 });
    for (const list of lists.slice(0, 20)) await world.cancelList(list);
    await world.pass(6_000);
    const before = await projection(world);
    expect(new Set(before.map((text) => /"status":"([A-Z]+)"/.exec(text)?.[1])).size).toBeGreaterThan(3);
    await world.crash();
    expect(await projection(world)).toEqual(before);
    await verified(world);
  });

  it("complaint 15: exits that wait after the entry filled exist with the same ids, and one of them wins", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    const before = await world.list(list);
    await world.crash();
    expect(await world.list(list)).toEqual(before);
    await world.quote("110", "111");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED", "FILLED FILLED"]);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "SELL 1 @ 110"]);
    await verified(world);
  });

  it("I41: held legs stay held, released ones are not released again", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 2 } });
    const list = await world.placeList("otoco", OTOCO);
    await world.crash();
    await world.quote("89", "121");
    expect(await world.legs(list)).toEqual(["NEW WAITING", "PENDING_NEW WAITING", "PENDING_NEW WAITING"]);
    await world.quote("99", "100");
    await world.crash();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
    expect((await storyOf(world, list)).join().match(/RELEASED/g)).toHaveLength(2);
    await verified(world);
  });

  it("a winning stop-limit still waits inside its cap, and its sibling stays canceled", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", { ...OCO, belowType: "STOP_LOSS_LIMIT", belowPrice: "89" });
    await world.quote("85", "86");
    await world.crash();
    expect(await world.legs(list)).toEqual(["NEW WAITING", "CANCELED CANCELED"]);
    await world.quote("112", "113");
    expect(sentTo(world.venue)).toEqual(["SELL 1 @ 89"]);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
  });

  it("a leg that expires while no engine runs ends when one opens", async () => {
    const world = await createWorld();
    const expiry = { pendingBelowTimeInForce: "GTD", pendingBelowExpireTime: START_MS + 1_000 } as const;
    const list = await world.placeList("otoco", { ...OTOCO, ...expiry });
    await world.engine.close();
    await world.clock.advanceBy(60_000);
    await world.crash();
    await world.pass(10_000);
    expect(await world.legs(list)).toEqual(["NEW WAITING", "EXPIRED EXPIRED", "PENDING_NEW WAITING"]);
  });
});

describe("complaint 13: a crash around the record of the fill that releases", () => {
  /** An entry that fills, and the durable part of that when the engine died. */
  async function died(fault: "fail" | "none"): Promise<Readonly<{ world: World; list: OrderList }>> {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = (child) => {
      if (fault === "fail") store().inject("slow");
      return filled(child);
    };
    world.venue.onLookup = (child) => filled(child);
    world.engine.market.quote(CROSSING);
    await turns();
    world.venue.onSubmit = (child) => filled(child);
    await world.crash();
    return { world, list };
  }

  it.each([
    ["before it: the child is looked up, and the fill releases", "fail"],
    ["after it: the legs are released", "none"],
  ] as const)("%s", async (_what, fault) => {
    const { world, list } = await died(fault);
    await world.pass(5_000);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
    expect((await storyOf(world, list)).join().match(/RELEASED/g)).toHaveLength(2);
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED", "CANCELED CANCELED"]);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "SELL 1"]);
    await verified(world);
  });
});

describe("I40: a crash around the record of the winner", () => {
  it.each([
    ["lost: there is no winner, and both legs wait", "fail", ["NEW WAITING", "NEW WAITING"]],
    ["written, but not acted on: the child is never sent again", "unknown", undefined],
  ] as const)("%s", async (_what, fault, after) => {
    const { world, store } = await createFaultyWorld();
    await world.quote("101", "102");
    const list = await world.placeList("oco", OCO);
    world.venue.onLookup = () => "not-found";
    store().inject(fault, 1);
    world.engine.market.quote({ symbol: SYMBOL, bid: "110", ask: "111" });
    await turns(3);
    await world.crash();
    await world.engine.idle();
    if (after !== undefined) expect(await world.legs(list)).toEqual(after);
    else expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "NEW UNKNOWN"]);
    const sent = world.venue.submitted.length;
    await world.pass(60_000);
    await world.quote("110", "111");
    expect((await world.legs(list))[1]).toBe("FILLED FILLED");
    expect(new Set(world.venue.submitted.map(({ childId }) => childId)).size).toBe(sent + 1);
    await verified(world);
  });
});

describe("snapshots", () => {
  it("I53: contain the ended legs of open lists", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 3 } });
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    for (let n = 0; n < 9; n++) await world.place({ price: "10", quantity: "2" });
    await world.crash();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
    await world.quote("110", "111");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED", "FILLED FILLED"]);
    for (let n = 0; n < 9; n++) await world.place({ price: "10", quantity: "2" });
    await world.crash();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED", "FILLED FILLED"]);
    await verified(world);
  });

  it("I53: contain a leg that has ended although a late fill of it is in flight", async () => {
    const snapshots = { write: true };
    const stores: ReturnType<typeof createFaultyStore>[] = [];
    const keeping = (store: OrderStore): OrderStore => ({
      ...store,
      writeSnapshot: async (snapshot) => (snapshots.write ? store.writeSnapshot(snapshot) : undefined),
    });
    const world = await createWorld({
      settings: { snapshotEvery: 1 },
      store: (disk) => {
        stores.push(createFaultyStore(keeping(createMemoryStore({ disk }))));
        return stores.at(-1) as OrderStore;
      },
    });
    const list = await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = (child) => {
      stores.at(-1)?.inject("slow");
      return filled(child);
    };
    world.engine.market.quote(CROSSING);
    await turns();
    const { childId = "" } = world.venue.submitted[0] ?? {};
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.25" })]));
    await turns();
    // The record of the end becomes durable, that of the late fill waits; only the content of the snapshot is read.
    stores.at(-1)?.release();
    await turns();
    snapshots.write = false;
    stores.at(-1)?.inject("none");
    stores.at(-1)?.release();
    await world.engine.idle();
    world.venue.onSubmit = (child) => filled(child);
    await world.crash();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
    expect(await world.executed(legOf(list, "working"))).toBe("1.25");
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED", "CANCELED CANCELED"]);
    await verified(world);
  });
});

const open = (world: World, more: object = {}): Promise<readonly OrderList[]> =>
  world.engine.openLists({ accountId: 1, limit: 500, ...more });
const all = (world: World, more: object = {}): Promise<readonly OrderList[]> =>
  world.engine.allLists({ accountId: 1, limit: 500, ...more });
const idsOf = (lists: readonly OrderList[]): readonly number[] => lists.map(({ listId }) => listId);

const page = async (world: World, includeHistory: boolean, limit = 100): Promise<readonly ParentOrder[]> => {
  const request = { accountId: 1, includeHistory, newestFirst: false, limit, afterOrderId: 0 };
  const { total, orders, nextOrderId } = await world.engine.page(request);
  if (nextOrderId === 0) expect(total, "I70").toBe(orders.length);
  return orders;
};

describe("contract, List queries: one list", () => {
  it("is found by its id and by its client id, open and done, in the same form", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    const { listId, listClientOrderId } = list;
    const find = (key: { listId: number } | { listClientOrderId: string }): Promise<OrderList | undefined> =>
      world.engine.findList({ accountId: 1, ...key });
    expect(await find({ listId })).toEqual(list);
    expect(await find({ listClientOrderId })).toEqual(list);
    await world.cancelList(list);
    const done = await find({ listId });
    expect(done?.legs.map(lineOf)).toEqual(Array(3).fill("CANCELED CANCELED"));
    expect(await find({ listClientOrderId })).toEqual(done);
  });

  it("I07: is not found for another account, by the id of a leg, or by an unknown id", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", OCO);
    for (const done of [false, true]) {
      if (done) await world.cancelList(list);
      for (const key of [
        { accountId: 2, listId: list.listId },
        { accountId: 2, listClientOrderId: list.listClientOrderId },
        { accountId: 1, listId: legOf(list, "profit").orderId },
        { accountId: 1, listId: 0 },
        { accountId: 1, listClientOrderId: legOf(list, "profit").intent.clientOrderId },
      ])
        expect(await world.engine.findList(key)).toBeUndefined();
    }
  });

  it("I20: is not visible before its acceptance is durable", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow", 1);
    const placing = world.placeList("oco", { ...OCO, listClientOrderId: "new" });
    await turns();
    const requested = world.engine.findList({ accountId: 1, listClientOrderId: "new" });
    await expect(requested).rejects.toMatchObject({ code: -1001 });
    expect([await open(world), await all(world), await page(world, true)]).toEqual([[], [], []]);
    store().release();
    const list = await placing;
    expect(await world.engine.findList({ accountId: 1, listClientOrderId: "new" })).toEqual(list);
  });

  it("I20: shows each leg only as far as it is durable", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = (child) => {
      store().inject("slow", 1);
      return filled(child);
    };
    world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    await turns();
    expect(await world.legs(list)).toEqual(["NEW WORKING", "PENDING_NEW WAITING", "PENDING_NEW WAITING"]);
    store().release();
    await world.engine.idle();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
  });

  it("I71: one that cannot be read is an error, never a missing list", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("oco", OCO);
    await world.cancelList(list);
    store().inject("fail-reads");
    for (const requested of [world.list(list), all(world), world.engine.listStory(list.listId)])
      await expect(requested).rejects.toMatchObject({ code: -1001 });
  });
});

describe("pages of lists", () => {
  /** Five lists, a second apart; the even ones are done. */
  async function five(): Promise<Readonly<{ world: World; ids: readonly number[] }>> {
    const world = await createWorld();
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) {
      const list = await world.placeList("oco", OCO);
      ids.push(list.listId);
      if (n % 2 === 0) await world.cancelList(list);
      await world.pass(1_000);
    }
    return { world, ids };
  }

  it("contain the open lists or all, oldest first; after a restart too", async () => {
    const { world, ids } = await five();
    for (const restart of [false, true]) {
      if (restart) await world.crash();
      expect(idsOf(await open(world))).toEqual([ids[1], ids[3]]);
      expect(idsOf(await all(world))).toEqual(ids);
    }
  });

  it("the newest ones, if there are more than fit", async () => {
    const { world, ids } = await five();
    expect(idsOf(await open(world, { limit: 1 }))).toEqual([ids[3]]);
    expect(idsOf(await all(world, { limit: 2 }))).toEqual([ids[3], ids[4]]);
    expect(idsOf(await all(world, { limit: 1 }))).toEqual([ids[4]]);
  });

  it.each([
    [1_000, 3_000, [1, 2, 3]],
    [1_001, 2_999, [2]],
    [undefined, 1_000, [0, 1]],
    [3_001, undefined, [4]],
    [4_001, undefined, []],
    [undefined, -1, []],
    [2_000, 2_000, [2]],
  ])("filter by time of acceptance, both ends included: from %s to %s", async (from, to, expected) => {
    const { world, ids } = await five();
    const range = {
      ...(from !== undefined && { startTimeMs: START_MS + from }),
      ...(to !== undefined && { endTimeMs: START_MS + to }),
    };
    expect(idsOf(await all(world, range))).toEqual(expected.map((index) => ids[index]));
    const alive = expected.filter((index) => index % 2 === 1);
    expect(idsOf(await open(world, range))).toEqual(alive.map((index) => ids[index]));
  });

  it("of another account: none", async () => {
    const { world } = await five();
    for (const read of [open, all]) expect(await read(world, { accountId: 2 })).toEqual([]);
  });

  it("a list that ends while the page is read occurs in it once", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", OCO);
    const [lists] = await Promise.all([all(world), world.cancelList(list)]);
    expect(idsOf(lists)).toEqual([list.listId]);
  });
});

describe("legs among the parents of an account", () => {
  it("contract, openOrders: held and ended legs are in the page with history only", async () => {
    const world = await createWorld();
    await world.quote("101", "102");
    const list = await world.placeList("otoco", OTOCO);
    const [working, protective, profit] = list.legs.map(({ orderId }) => orderId);
    const ids = async (includeHistory: boolean): Promise<readonly number[]> =>
      (await page(world, includeHistory)).map(({ orderId }) => orderId);
    expect(await ids(false)).toEqual([working]);
    expect(await ids(true)).toEqual([working, protective, profit]);
    await world.crash();
    expect(await ids(false)).toEqual([working]);
    await world.quote("99", "100");
    expect(await ids(false)).toEqual([protective, profit]);
    expect(await ids(true)).toEqual([working, protective, profit]);
    await world.quote("110", "111");
    expect([await ids(false), await ids(true)]).toEqual([[], [working, protective, profit]]);
  });

  it("I70: a page that leaves out held legs continues to the end", async () => {
    const world = await createWorld();
    for (let n = 0; n < 3; n++) await world.placeList("otoco", OTOCO);
    const request = { accountId: 1, includeHistory: false, newestFirst: false, limit: 2, afterOrderId: 0 };
    const first = await world.engine.page(request);
    expect([first.total, first.orders.length]).toEqual([3, 2]);
    const second = await world.engine.page({ ...request, afterOrderId: first.nextOrderId });
    expect([second.total, second.orders.length, second.nextOrderId]).toEqual([3, 1, 0]);
  });

  it("an ended leg is found while its list is open, and later; by its id and by its client id", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", { ...OTOCO, workingClientOrderId: "entry-1" });
    await world.quote("99", "100");
    const { orderId } = legOf(list, "working");
    const keys = [
      { accountId: 1, orderId },
      { accountId: 1, clientOrderId: "entry-1" },
    ];
    const found = async (): Promise<readonly (string | undefined)[]> =>
      Promise.all(keys.map(async (key) => (await world.engine.find(key))?.ended?.status));
    expect(await found()).toEqual(["FILLED", "FILLED"]);
    await world.crash();
    expect(await found()).toEqual(["FILLED", "FILLED"]);
    await world.cancelList(list);
    expect(await found()).toEqual(["FILLED", "FILLED"]);
    expect((await world.engine.find({ accountId: 2, orderId }))?.orderId).toBeUndefined();
  });

  it("I64: openParents counts legs that have not ended, including held ones", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    const count = (): number => world.engine.metrics().openParents;
    expect(count()).toBe(3);
    await world.quote("99", "100");
    expect(count()).toBe(2);
    await world.crash();
    expect(count()).toBe(2);
    await world.quote("90", "91");
    expect([count(), await world.legs(list)]).toEqual([
      0,
      ["FILLED FILLED", "FILLED FILLED", "CANCELED CANCELED"],
    ]);
  });
});

describe("the story of a list", () => {
  it("contains all its records, once each, oldest first; open and done, after a restart too", async () => {
    const world = await createWorld();
    await world.place({ price: "50" });
    const list = await world.placeList("otoco", OTOCO);
    await world.place({ price: "50" });
    await world.quote("99", "100");
    await world.quote("110", "111");
    for (const restart of [false, true]) {
      if (restart) await world.crash();
      const records = (await world.engine.listStory(list.listId)) ?? [];
      expect(records.map(({ cause }) => cause.kind)).toEqual(["PLACE", "QUOTE", "VENUE", "QUOTE", "VENUE"]);
      const sequences = records.map(({ sequence }) => sequence);
      expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
      const ids = new Set(list.legs.map(({ orderId }) => orderId));
      expect(records.every(({ changes }) => changes.every(({ orderId }) => ids.has(orderId)))).toBe(true);
    }
  });

  it("does not exist for an order, a leg, or an unknown id", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "50" });
    const list = await world.placeList("oto", OTO);
    for (const id of [order.orderId, legOf(list, "working").orderId, -999_936, 0, 1, 0.5, Number.NaN])
      expect(await world.engine.listStory(id)).toBeUndefined();
  });
});

describe("retention", () => {
  it("keeps the ended legs of an open list, however long ago they ended", async () => {
    const world = await createWorld({ settings: { retentionDays: 1 } });
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    const order = await world.place({ price: "50" });
    await world.cancel(order);
    await world.pass(3 * 24 * 3_600_000);
    expect(await world.engine.find({ accountId: 1, orderId: order.orderId })).toBeUndefined();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
    await world.crash();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("deletes a done list with all its legs, with or without a late fill", async () => {
    const world = await createWorld({ settings: { retentionDays: 1 } });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    await world.cancelList(list);
    await world.pass(23 * 3_600_000);
    expect(await all(world)).toHaveLength(1);
    await world.pass(2 * 3_600_000);
    expect([await all(world), await page(world, true)]).toEqual([[], []]);
    expect(await world.engine.findList({ accountId: 1, listId: list.listId })).toBeUndefined();
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
