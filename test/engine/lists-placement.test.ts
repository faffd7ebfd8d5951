import { describe, expect, it } from "vitest";
import type { ListIntent, OrderList } from "../../src/model/index.ts";
import { listIntent } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, lineOf, listOf, SYMBOL, type World } from "../support/world.ts";

const NAMED = {
  ...OCO,
  listClientOrderId: "exit-1",
  aboveClientOrderId: "exit-1-high",
  belowClientOrderId: "exit-1-low",
} as const;
const DUPLICATE = { code: -2010, msg: "Duplicate order sent." };

const place = async (
  world: World,
  list: ListIntent,
  accountId = 1,
): Promise<readonly [OrderList, boolean]> => {
  const answer = await world.engine.placeList({ accountId, list });
  return [answer.list, answer.created];
};

const totalOf = async (world: World): Promise<number> =>
  (
    await world.engine.page({
      accountId: 1,
      includeHistory: true,
      newestFirst: false,
      limit: 1_000,
      afterOrderId: 0,
    })
  ).total;

describe("I03: the same list again", () => {
  it("is the same list, in any spelling and order of fields", async () => {
    const world = await createWorld();
    const [first] = await place(world, listOf("oco", NAMED));
    const swapped = {
      belowStopPrice: "90.00",
      belowType: "STOP_LOSS",
      belowClientOrderId: "exit-1-low",
      belowTimeInForce: "GTC",
      aboveClientOrderId: "exit-1-high",
      abovePrice: "110.0",
      aboveType: "SYNTHETIC_LIMIT",
      listClientOrderId: "exit-1",
      quantity: "1.000",
      side: "SELL",
    } as const;
    expect(await place(world, listOf("oco", swapped))).toEqual([first, false]);
    const legacy = {
      side: "SELL",
      quantity: "1",
      price: "110",
      stopPrice: "90",
      limitClientOrderId: "exit-1-high",
      stopClientOrderId: "exit-1-low",
      listClientOrderId: "exit-1",
    } as const;
    expect(await place(world, listOf("legacyOco", legacy))).toEqual([first, false]);
    expect(await totalOf(world)).toBe(2);
  });

  it("generated ids of legs are not compared, given ones are", async () => {
    const world = await createWorld();
    const fields = { ...OCO, listClientOrderId: "exit-1" };
    const [first] = await place(world, listOf("oco", fields));
    expect(first.legs.every((leg) => leg.list?.generatedClientId === true)).toBe(true);
    expect(await place(world, listOf("oco", fields))).toEqual([first, false]);
    for (const other of [NAMED, { ...fields, aboveClientOrderId: "mine" }])
      await expect(place(world, listOf("oco", other))).rejects.toMatchObject(DUPLICATE);
    expect(await totalOf(world)).toBe(2);
  });

  it("while the first append is in flight, and when it fails", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow", 1);
    const first = place(world, listOf("oco", NAMED));
    await turns();
    const second = place(world, listOf("oco", NAMED));
    await turns();
    store().release();
    const [list] = await first;
    expect(await second).toEqual([list, false]);
    store().inject("fail", 1);
    const fields = { ...OTO, listClientOrderId: "other" };
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => place(world, listOf("oto", fields))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill("fulfilled"), "rejected"]);
    expect(await totalOf(world)).toBe(4);
  });

  it("complaint 30: after a crash in between, open, done, and done before a crash", async () => {
    const world = await createWorld();
    await world.quote("101", "102");
    const [first] = await place(world, listOf("oco", NAMED));
    await world.crash();
    expect(await place(world, listOf("oco", NAMED))).toEqual([first, false]);
    await world.quote("110", "111");
    const [done, created] = await place(world, listOf("oco", NAMED));
    expect([done.listId, created, done.legs.map((leg) => leg.ended?.status)]).toEqual([
      first.listId,
      false,
      ["CANCELED", "FILLED"],
    ]);
    await world.crash();
    expect(await place(world, listOf("oco", NAMED))).toEqual([done, false]);
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it("I04: another intent under its id is refused and changes nothing", async () => {
    const world = await createWorld();
    const [first] = await place(world, listOf("oco", NAMED));
    for (const other of [
      listOf("oco", { ...NAMED, quantity: "2" }),
      listOf("oco", { ...NAMED, abovePrice: "110.00000001" }),
      listOf("oco", { ...NAMED, belowReduceOnly: true, aboveReduceOnly: true }),
      listOf("oco", { ...NAMED, aboveClientOrderId: "exit-1-low2" }),
      listOf("oco", { ...NAMED, aboveClientOrderId: "exit-1-low", belowClientOrderId: "exit-1-high" }),
      listOf("oto", { ...OTO, listClientOrderId: "exit-1" }),
    ])
      await expect(place(world, other)).rejects.toMatchObject(DUPLICATE);
    expect(await world.list(first)).toEqual(first);
    expect(await totalOf(world)).toBe(2);
  });
});

describe("orders and legs share one id space; lists have a separate one", () => {
  it("a leg cannot take the id of an order, open or ended, nor of a leg", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "50", newClientOrderId: "exit-1-low" });
    await expect(place(world, listOf("oco", NAMED))).rejects.toMatchObject(DUPLICATE);
    await world.cancel(order);
    await expect(place(world, listOf("oco", NAMED))).rejects.toMatchObject(DUPLICATE);
    await place(world, listOf("oco", { ...NAMED, belowClientOrderId: "low" }));
    const again = { ...NAMED, listClientOrderId: "exit-2", belowClientOrderId: "low-2" };
    await expect(place(world, listOf("oco", again))).rejects.toMatchObject(DUPLICATE);
    expect(await totalOf(world)).toBe(3);
  });

  it("an order cannot take the id of a leg, whatever its fields, while the leg is open or ended", async () => {
    const world = await createWorld();
    const [list] = await place(world, listOf("oco", NAMED));
    const same = {
      side: "SELL",
      type: "STOP_MARKET",
      stopPrice: "90",
      newClientOrderId: "exit-1-low",
    } as const;
    await expect(world.place(same)).rejects.toMatchObject(DUPLICATE);
    await world.cancelList(list);
    await expect(world.place(same)).rejects.toMatchObject(DUPLICATE);
  });

  it("a list may have the id of an order, and its leg that of the list", async () => {
    const world = await createWorld();
    await world.place({ price: "50", newClientOrderId: "exit-1" });
    await expect(place(world, listOf("oco", NAMED))).resolves.toMatchObject([{}, true]);
    const twin = { ...OCO, listClientOrderId: "twin", aboveClientOrderId: "twin" };
    const [list] = await place(world, listOf("oco", twin));
    expect((await world.engine.find({ accountId: 1, clientOrderId: "twin" }))?.orderId).toBe(
      legOf(list, "profit").orderId,
    );
  });

  it("two legs with one id are refused, also in a list built by hand", async () => {
    const world = await createWorld();
    const list = listOf("oco", NAMED);
    const [protective, profit] = list.legs;
    if (protective === undefined || profit === undefined) throw new Error("no pair");
    const { clientOrderId } = protective.intent;
    const twins = [protective, { ...profit, intent: { ...profit.intent, clientOrderId } }];
    await expect(place(world, { ...list, legs: twins })).rejects.toMatchObject(DUPLICATE);
    expect(await totalOf(world)).toBe(0);
  });
});

describe("I02: a refused list leaves no trace", () => {
  it.each([
    ["a leg below the minimum", () => listOf("oto", { ...OTO, pendingQuantity: "0.1" }), -1013],
    ["an unknown market", () => listOf("oco", { ...OCO, symbol: "XRP/USD" }), -1121],
    ["an instrument outside liquidity mode", () => listOf("oco", { ...OCO, symbol: "STETH/USD" }), -1121],
    ["no exposure", () => listOf("oco", { ...OCO, aboveReduceOnly: true }), -2022],
  ] as const)("%s: %s", async (_what, list, code) => {
    const world = await createWorld();
    await expect(place(world, list())).rejects.toMatchObject({ code });
    expect([await totalOf(world), world.engine.metrics().journalSequence]).toEqual([0, 0]);
  });

  it("the store writes the whole list or no part of it", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("fail", 1);
    await expect(place(world, listOf("otoco", { ...OTOCO, listClientOrderId: "t" }))).rejects.toMatchObject({
      code: -1001,
    });
    await world.crash();
    expect(await totalOf(world)).toBe(0);
    store().inject("unknown", 1);
    const [list, created] = await place(world, listOf("otoco", { ...OTOCO, listClientOrderId: "t" }));
    expect([created, list.legs.length, await totalOf(world)]).toEqual([true, 3, 3]);
  });

  it("I64: room for parents is counted by legs", async () => {
    const world = await createWorld({ settings: { maxOpenParentsPerAccount: 4 } });
    await world.placeList("otoco", OTOCO);
    await expect(world.placeList("oco", OCO)).rejects.toMatchObject({ code: -1008 });
    await world.place({ price: "50" });
    await expect(world.place({ price: "50" })).rejects.toMatchObject({ code: -1008 });
    const all = await createWorld({ settings: { maxOpenParents: 3 } });
    await all.placeList("oco", OCO);
    await expect(all.placeList("oco", OCO, 2)).rejects.toMatchObject({ code: -1008 });
  });

  it("a malformed list that was built by hand is refused by name", async () => {
    const world = await createWorld();
    const fields = { symbol: SYMBOL, listClientOrderId: "by-hand", ...OTO };
    const list = listIntent("oto", fields, { clientId: (field) => field });
    await expect(place(world, { ...list, legs: list.legs.slice(0, 1) })).rejects.toMatchObject({
      code: -1128,
    });
    await expect(place(world, { ...list, legs: [] })).rejects.toMatchObject({ code: -1121 });
  });
});

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

  it("is accepted while draining", async () => {
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

describe("cancel-all over lists", () => {
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
