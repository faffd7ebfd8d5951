import { describe, expect, it } from "vitest";
import type { OrderList } from "../../src/model/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, lineOf, SYMBOL, type World } from "../support/world.ts";

const CANCELED = "ENDED CANCELED USER_CANCELED";
const REJECTED = { code: -2011 };

const linesOf = ({ legs }: OrderList): readonly string[] => legs.map(lineOf);

/** A world whose venue accepts children and reports nothing more about them. */
async function quietWorld(): Promise<World> {
  const world = await createWorld();
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  return world;
}

const childOf = (world: World): string => world.venue.submitted[0]?.childId ?? "";

describe("I43: cancel of a list", () => {
  it.each([
    ["oco", OCO, 2],
    ["oto", OTO, 2],
    ["otoco", OTOCO, 3],
  ] as const)(
    "%s: by its id, by its client id and by any leg: ends all legs, in one record",
    async (form, fields, count) => {
      const world = await createWorld();
      const ways: readonly ((list: OrderList) => Promise<unknown>)[] = [
        (list) => world.cancelList(list),
        ({ listClientOrderId }) => world.engine.cancelList({ accountId: 1, listClientOrderId }),
        ...Array.from({ length: count }, (_, index) => ({ legs }: OrderList) => {
          const leg = legs[index];
          return leg === undefined ? Promise.reject(new Error("no leg")) : world.cancel(leg);
        }),
      ];
      for (const cancel of ways) {
        const list = await world.placeList(form, fields);
        await cancel(list);
        expect(await world.legs(list)).toEqual(Array(count).fill("CANCELED CANCELED"));
        expect((await storyOf(world, list)).slice(1)).toEqual([
          list.legs.map((leg) => `${leg.list?.role}: ${CANCELED}`).join("; "),
        ]);
        await expect(world.cancelList(list)).rejects.toMatchObject(REJECTED);
        for (const leg of list.legs) await expect(world.cancel(leg)).rejects.toMatchObject(REJECTED);
      }
      await world.quote("89", "90");
      expect(sentTo(world.venue)).toEqual([]);
    },
  );

  it("twice at once, of a working leg that ends already: neither is answered before the cancel is durable", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("oto", OTO);
    // The fill lies beyond the limit, so that the working leg is stopped while its child is open.
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "open", [fillOf({ quantity: "0.25", price: "101" })]);
    await world.quote("99", "100");
    expect(legOf(await world.list(list), "working").pendingEnd?.reason).toBe("BEYOND_LIMIT");
    store().inject("slow", 1);
    const answers: OrderList[] = [];
    const cancels = [list, list].map((one) => world.engine.cancelList({ accountId: 1, listId: one.listId }));
    for (const cancel of cancels) void cancel.then((after) => answers.push(after));
    await turns();
    expect(answers).toEqual([]);
    store().release();
    await Promise.all(cancels);
    expect(answers.map((after) => lineOf(legOf(after, "pending")))).toEqual(
      Array(2).fill("CANCELED CANCELED"),
    );
  });

  it("of another account, or of an unknown list: -2011, and nothing changes", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", OCO);
    for (const key of [
      { accountId: 2, listId: list.listId },
      { accountId: 2, listClientOrderId: list.listClientOrderId },
      { accountId: 1, listId: list.listId - 256 },
      { accountId: 1, listId: legOf(list, "profit").orderId },
      { accountId: 1, listClientOrderId: "gone" },
    ])
      await expect(world.engine.cancelList(key)).rejects.toMatchObject(REJECTED);
    await expect(world.engine.cancel({ accountId: 1, orderId: list.listId })).rejects.toMatchObject(REJECTED);
    expect(await world.legs(list)).toEqual(["NEW WAITING", "NEW WAITING"]);
  });

  it("decision 13: is accepted while draining", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", OCO);
    world.engine.drain();
    await expect(world.placeList("oco", OCO)).rejects.toMatchObject({ code: -1016 });
    expect(linesOf(await world.cancelList(list))).toEqual(["CANCELED CANCELED", "CANCELED CANCELED"]);
  });
});

describe("a cancel that meets a record in flight", () => {
  it("I43: of a list whose entry has just filled: the exits are canceled, and the answer shows it", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = (child) => {
      store().inject("slow", 1);
      return filled(child);
    };
    world.engine.market.quote({ symbol: SYMBOL, bid: "99", ask: "100" });
    await turns();
    expect(store().waiting).toBe(1);
    const canceling = world.cancelList(list);
    await turns();
    store().release();
    expect(linesOf(await canceling)).toEqual(["FILLED FILLED", "CANCELED CANCELED", "CANCELED CANCELED"]);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED", "CANCELED CANCELED"]);
  });

  it("I52: of an entry that has just filled: it is refused, and the exits stay", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = (child) => {
      store().inject("slow", 1);
      return filled(child);
    };
    world.engine.market.quote({ symbol: SYMBOL, bid: "99", ask: "100" });
    await turns();
    const canceling = world.cancel(legOf(list, "working")).catch((error) => error);
    await turns();
    store().release();
    expect(await canceling).toMatchObject(REJECTED);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
  });

  it("I52: of the loser of an OCO whose end is not durable yet: it is refused, and the winner continues", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("oco", OCO);
    store().inject("slow", 1);
    world.engine.market.quote({ symbol: SYMBOL, bid: "110", ask: "111" });
    await turns();
    const canceling = world.cancel(legOf(list, "protective")).catch((error) => error);
    await turns();
    store().release();
    expect(await canceling).toMatchObject(REJECTED);
    await world.engine.idle();
    expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "FILLED FILLED"]);
  });

  it("I43: of a list whose winner is decided: the child is not handed over", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("oco", OCO);
    store().inject("slow", 1);
    world.engine.market.quote({ symbol: SYMBOL, bid: "110", ask: "111" });
    await turns();
    const canceling = world.cancelList(list);
    await turns();
    store().release();
    expect(linesOf(await canceling)[0]).toBe("CANCELED CANCELED");
    await world.engine.idle();
    expect([sentTo(world.venue), await world.legs(list)]).toEqual([
      [],
      ["CANCELED CANCELED", "CANCELED CANCELED"],
    ]);
  });

  it("two at once are one cancel, and both callers are told", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    const answers = await Promise.all([world.cancelList(list), world.cancelList(list)]);
    const legs = await Promise.all(list.legs.map(({ orderId }) => world.order(orderId)));
    expect(answers.map(linesOf)).toEqual([legs.map(lineOf), legs.map(lineOf)]);
    expect(await storyOf(world, list)).toHaveLength(2);
  });

  it("I43: the second of two waits for the first also if that is the first decision of the engine", async () => {
    const { world, store } = await createFaultyWorld();
    const list = await world.placeList("oto", OTO);
    await world.quote("99", "100");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING"]);
    await world.crash();
    store().inject("fail", 1);
    const exit = legOf(list, "pending");
    const outcomes = await Promise.allSettled([world.cancel(exit), world.cancel(exit)]);
    await world.engine.idle();
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING"]);
  });
});

describe("decision 36: cancel-all over lists", () => {
  it("counts every leg that has not ended, including held ones", async () => {
    const world = await quietWorld();
    await world.placeList("otoco", OTOCO);
    await world.placeList("oco", OCO);
    await world.place({ price: "50" });
    await world.placeList("oco", OCO, 2);
    await world.quote("99", "100");
    expect(await world.engine.cancelAll(1)).toEqual({
      matchedCount: 6,
      canceledCount: 5,
      cancelPendingCount: 1,
    });
    expect(await world.engine.cancelAll(1)).toEqual({
      matchedCount: 1,
      canceledCount: 0,
      cancelPendingCount: 1,
    });
    world.venue.say(reported(childOf(world), "closed"));
    await world.engine.idle();
    expect(await world.engine.cancelAll(1)).toEqual({
      matchedCount: 0,
      canceledCount: 0,
      cancelPendingCount: 0,
    });
    expect(await world.engine.openLists({ accountId: 2, limit: 10 })).toHaveLength(1);
  });

  it("an entry that has just filled does not match; its exits do, and are canceled", async () => {
    const { world, store } = await createFaultyWorld();
    await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = (child) => {
      store().inject("slow", 1);
      return filled(child);
    };
    world.engine.market.quote({ symbol: SYMBOL, bid: "99", ask: "100" });
    await turns();
    const canceling = world.engine.cancelAll(1);
    await turns();
    store().release();
    expect(await canceling).toEqual({ matchedCount: 2, canceledCount: 2, cancelPendingCount: 0 });
  });
});
