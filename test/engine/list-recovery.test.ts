import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { OrderList } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { encodeParent } from "../../src/wire/index.ts";
import { createFaultyStore } from "../support/faulty-store.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { BUY_OCO, legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

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

  it("decision 34: a winning stop-limit still waits inside its cap, and its sibling stays canceled", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", { ...OCO, belowType: "STOP_LOSS_LIMIT", belowPrice: "89" });
    await world.quote("85", "86");
    await world.crash();
    expect(await world.legs(list)).toEqual(["NEW WAITING", "CANCELED CANCELED"]);
    await world.quote("112", "113");
    expect(sentTo(world.venue)).toEqual(["SELL 1 @ 89"]);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
  });

  it("decision 35: a leg that expires while no engine runs ends when one opens", async () => {
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
