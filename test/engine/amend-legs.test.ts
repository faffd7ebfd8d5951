import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import type { AmendName } from "../../src/engine/core/calls.ts";
import type { LegRole, OrderList } from "../../src/model/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { BUY_OCO, legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, listOf, type World, type WorldOptions } from "../support/world.ts";

type Changes = AmendName["changes"];
type Form = "oco" | "oto" | "otoco";

const FORMS = { oco: OCO, oto: OTO, otoco: OTOCO } as const;

const amend = (world: World, list: OrderList, role: LegRole, changes: Changes, amendId?: string) =>
  world.engine.amend({ accountId: 1, orderId: legOf(list, role).orderId, changes, amendId });

async function placed(form: Form, more: object = {}, options: WorldOptions = {}) {
  const world = await createWorld(options);
  await world.quote("100", "105");
  const list = await world.placeList(form, { ...FORMS[form], ...more } as never);
  await world.engine.idle();
  return { world, list };
}

/** Quantity and level of each leg, in display order. */
const termsOf = async (world: World, list: OrderList): Promise<readonly string[]> =>
  (await world.list(list)).legs.map(({ intent: { quantity: size, stopPrice, price } }) => {
    const level = Number(stopPrice ?? price) / 1e8;
    return `${Number(size) / 1e6} @ ${level}`;
  });

const refusal = async (world: World, list: OrderList, role: LegRole, changes: Changes) => {
  const before = await world.list(list);
  const error: unknown = await amend(world, list, role, changes).catch((thrown: unknown) => thrown);
  await world.engine.idle();
  expect((await world.list(list)).legs).toEqual(before.legs);
  return (error as { reason?: string }).reason;
};

describe("an amend of a leg", () => {
  it.each<[Form, LegRole, Changes, readonly string[]]>([
    ["oco", "protective", { stopPrice: "95" }, ["1 @ 95", "1 @ 110"]],
    ["oco", "profit", { price: "120" }, ["1 @ 90", "1 @ 120"]],
    ["oco", "profit", { quantity: "2" }, ["2 @ 90", "2 @ 110"]],
    ["oco", "protective", { quantity: "0.5", stopPrice: "91" }, ["0.5 @ 91", "0.5 @ 110"]],
    ["oto", "working", { price: "99" }, ["1 @ 99", "1 @ 90"]],
    ["oto", "pending", { quantity: "0.5", stopPrice: "80" }, ["1 @ 100", "0.5 @ 80"]],
    ["oto", "working", { quantity: "2" }, ["2 @ 100", "2 @ 90"]],
    ["otoco", "profit", { quantity: "0.5" }, ["1 @ 100", "0.5 @ 90", "0.5 @ 110"]],
    ["otoco", "protective", { stopPrice: "109" }, ["1 @ 100", "1 @ 109", "1 @ 110"]],
    ["otoco", "working", { quantity: "3", price: "98" }, ["3 @ 98", "3 @ 90", "3 @ 110"]],
  ])(
    "%s %s %o: one record, the same before and after a restart, and held legs stay held",
    async (form, role, changes, terms) => {
      const { world, list } = await placed(form);
      const held = (await world.list(list)).legs.map((leg) => leg.held);
      const { records } = world.engine.metrics();
      const amended = await amend(world, list, role, changes, "a-1");
      expect(world.engine.metrics().records).toBe(records + 1);
      expect(amended.orderId).toBe(legOf(list, role).orderId);
      expect(await amend(world, list, role, changes, "a-1")).toEqual(amended);
      expect(await termsOf(world, list)).toEqual(terms);
      await world.crash();
      expect(await termsOf(world, list)).toEqual(terms);
      expect((await world.list(list)).legs.map((leg) => leg.held)).toEqual(held);
      expect(await amend(world, list, role, changes, "a-1")).toEqual(amended);
      expect((await world.engine.verify()).equal).toBe(true);
      expect(sentTo(world.venue)).toEqual([]);
    },
  );

  it("58: the list placed again is compared with what was placed first", async () => {
    const { world, list } = await placed("oco", { listClientOrderId: "l-1" });
    await amend(world, list, "profit", { quantity: "2", price: "120" });
    for (const again of ["now", "after a restart"]) {
      const same = await world.placeList("oco", { ...OCO, listClientOrderId: "l-1" } as never);
      expect(same.listId, again).toBe(list.listId);
      expect(await termsOf(world, same)).toEqual(["2 @ 90", "2 @ 120"]);
      await world.crash();
    }
  });

  it("that the market has passed acts at once, and ends the other", async () => {
    for (const [role, changes] of [
      ["protective", { stopPrice: "100.5" }],
      ["profit", { price: "99" }],
    ] as const) {
      const { world, list } = await placed("oco");
      await amend(world, list, role, changes);
      await world.engine.idle();
      expect(sentTo(world.venue)).toHaveLength(1);
      expect(await world.status(legOf(list, role))).toBe("FILLED FILLED");
      const other = legOf(list, role === "profit" ? "protective" : "profit");
      expect(await world.status(other)).toBe("CANCELED CANCELED");
    }
  });

  it("I41: exits are released with their new quantity and levels when the entry has executed its new one", async () => {
    const { world, list } = await placed("otoco");
    await amend(world, list, "working", { quantity: "2" });
    await amend(world, list, "protective", { stopPrice: "95" });
    await world.crash();
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 2 @ 100"]);
    await world.quote("95", "96");
    expect(sentTo(world.venue)).toEqual(["BUY 2 @ 100", "SELL 2"]);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED", "CANCELED CANCELED"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("of an entry that has executed a part takes its exits along: they are released for all of it, and no more", async () => {
    const { world, list } = await placed("otoco", { workingQuantity: "2", pendingQuantity: "2" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "1" })]);
    await world.quote("99", "100");
    await world.quote("101", "102");
    await world.pass(60_000);
    expect(await refusal(world, list, "working", { quantity: "1" })).toBe("AMEND_REJECTED");
    await amend(world, list, "working", { quantity: "1.5" });
    world.venue.onSubmit = ({ childId, quantity: size }) =>
      reported(childId, "closed", [fillOf({ quantity: size as never, id: "second" } as never)]);
    await world.quote("99", "100");
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["BUY 2 @ 100", "BUY 0.5 @ 100", "SELL 1.5"]);
  });
});

describe("an amend of a leg is refused, and changes nothing,", () => {
  it.each<[string, Form, object, LegRole, Changes, string]>([
    ["levels that cross", "oco", {}, "protective", { stopPrice: "110" }, "BAD_PRICE_RELATION"],
    ["levels of held legs that cross", "otoco", {}, "profit", { price: "90" }, "BAD_PRICE_RELATION"],
    ["the minimum", "oco", {}, "profit", { quantity: "0.1" }, "FILTER_NOTIONAL"],
    [
      "the minimum of the other leg",
      "oco",
      { belowStopPrice: "20" },
      "profit",
      { quantity: "0.5" },
      "FILTER_NOTIONAL",
    ],
    [
      "the display of the other leg",
      "oco",
      { aboveIcebergQty: "0.9" },
      "protective",
      { quantity: "0.5" },
      "ICEBERG_EXCEEDS_QUANTITY",
    ],
    [
      "a quantity other than its exits have",
      "oto",
      { pendingQuantity: "2" },
      "working",
      { quantity: "3" },
      "AMEND_REJECTED",
    ],
    ["a field that the leg does not have", "otoco", {}, "protective", { price: "80" }, "AMEND_REJECTED"],
  ])("for %s", async (_what, form, more, role, changes, reason) => {
    const { world, list } = await placed(form, more);
    expect(await refusal(world, list, role, changes)).toBe(reason);
  });

  it("BUY: the stop is the upper leg", async () => {
    const world = await createWorld();
    await world.quote("100", "105");
    const list = await world.placeList("oco", BUY_OCO);
    expect(await refusal(world, list, "protective", { stopPrice: "90" })).toBe("BAD_PRICE_RELATION");
    await amend(world, list, "profit", { price: "95" });
  });

  it("under ocoMustStraddle, for a level that the market has passed; the quantity can still change", async () => {
    const { world, list } = await placed("oco", {}, { settings: { ocoMustStraddle: true } });
    expect(await refusal(world, list, "protective", { stopPrice: "101" })).toBe("BAD_PRICE_RELATION");
    await amend(world, list, "protective", { quantity: "2" });
    await amend(world, list, "protective", { stopPrice: "99" });
    await world.pass(60_000, { heartbeat: false });
    expect(await refusal(world, list, "protective", { stopPrice: "98" })).toBe("NO_DEPTH");
    await amend(world, list, "protective", { quantity: "3" });
  });

  it("for a reduce-only exit without a position, once it is released", async () => {
    const { world, list } = await placed("oto", { pendingReduceOnly: true });
    await amend(world, list, "pending", { stopPrice: "91" });
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("1") });
    await world.quote("99", "100");
    await amend(world, list, "pending", { stopPrice: "92" });
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: 0 as never });
    expect(await refusal(world, list, "pending", { stopPrice: "93" })).toBe("REDUCE_ONLY_REJECTED");
  });

  it("not for the position of a leg whose amend needs none: that of the other leg is asked for, too", async () => {
    const world = await createWorld();
    await world.quote("100", "105");
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("5") });
    const { legs, ...list } = listOf("oco", OCO);
    const [stop, limit] = legs;
    if (stop === undefined || limit === undefined) throw new Error("no pair");
    const mixed = { ...list, legs: [{ ...stop, intent: { ...stop.intent, reduceOnly: true } }, limit] };
    const placement = await world.engine.placeList({ accountId: 1, list: mixed });
    await amend(world, placement.list, "profit", { quantity: "2" });
    expect(await termsOf(world, placement.list)).toEqual(["2 @ 90", "2 @ 110"]);
  });

  it("for the loser of a pair; the winner can still be amended, alone", async () => {
    const { world, list } = await placed("oco", {
      belowType: "STOP_LOSS_LIMIT",
      belowPrice: "89",
      belowTimeInForce: "GTC",
    });
    await world.quote("80", "105");
    expect(await world.legs(list)).toEqual(["NEW WAITING", "CANCELED CANCELED"]);
    expect(await refusal(world, list, "profit", { price: "120" })).toBe("AMEND_REJECTED");
    await amend(world, list, "protective", { quantity: "2", price: "85" });
    expect((await storyOf(world, list)).at(-1)).toBe("protective: AMENDED");
    await world.quote("85", "105");
    expect(sentTo(world.venue)).toEqual(["SELL 2 @ 85"]);
  });

  it("while a child of any leg is not settled", async () => {
    const { world, list } = await placed("otoco");
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    for (const role of ["working", "protective", "profit"] as const)
      expect(await refusal(world, list, role, { quantity: "2" })).toBe("AMEND_NOT_NOW");
  });
});

describe("at one instant with an amend of a leg", () => {
  it("another of the other leg is refused for now", async () => {
    const { world, list } = await placed("oco");
    const both = await Promise.allSettled([
      amend(world, list, "profit", { price: "120" }),
      amend(world, list, "protective", { stopPrice: "95" }),
    ]);
    expect(both).toMatchObject([{ status: "fulfilled" }, { reason: { reason: "AMEND_NOT_NOW" } }]);
    expect(await termsOf(world, list)).toEqual(["1 @ 90", "1 @ 120"]);
  });

  it.each(["kept", "lost", "unknown"] as const)(
    "the other leg fires: one wins, with the quantity that the store keeps (%s)",
    async (end) => {
      const { world, store } = await createFaultyWorld();
      await world.quote("100", "105");
      const list = await world.placeList("oco", OCO);
      await world.engine.idle();
      store().inject("slow", 1);
      const amending = amend(world, list, "protective", { quantity: "2", stopPrice: "95" }).catch(
        () => undefined,
      );
      await turns(20);
      world.engine.market.quote({ symbol: "BTC/USD", bid: "111", ask: "112" });
      await turns(20);
      expect(sentTo(world.venue)).toEqual([]);
      store().inject(end === "kept" ? "none" : end === "lost" ? "fail" : "unknown", 1);
      store().release();
      await amending;
      await world.engine.idle();
      store().inject("none");
      await world.pass(1_100);
      await world.engine.idle();
      const isKept = (await world.facts(legOf(list, "protective"))).includes("AMENDED");
      expect(sentTo(world.venue)).toEqual([`SELL ${isKept ? 2 : 1} @ 110`]);
      expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "FILLED FILLED"]);
      await world.crash();
      expect((await world.engine.verify()).equal).toBe(true);
    },
  );

  it("a fire of the other leg that waits for its turn wins: the amend is refused", async () => {
    const world = await createWorld();
    await world.quote("110", "200");
    const list = await world.placeList("oco", { ...OCO, abovePrice: "150" });
    const others = { side: "SELL", type: "STOP_MARKET", quantity: "1", stopPrice: "106" } as const;
    for (let other = 0; other < 200; other++) await world.place(others, 2);
    await world.quote("110", "200");
    const see = (bid: string) => world.engine.market.quote({ symbol: "BTC/USD", bid, ask: "200" });
    see("89");
    const refused = amend(world, list, "profit", { price: "140" }).catch((error: unknown) => error);
    see("109");
    const remedy = "Something else of the order is being stored. Send the amend again.";
    expect(await refused).toMatchObject({ reason: "AMEND_NOT_NOW", remedy });
    await world.engine.idle();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
  });

  it("the list is canceled: it ends, and nothing is sent", async () => {
    for (const first of ["amend", "cancel"]) {
      const { world, list } = await placed("otoco");
      const amends = () => amend(world, list, "working", { quantity: "2" });
      const cancels = () => world.cancelList(list);
      await Promise.allSettled(first === "amend" ? [amends(), cancels()] : [cancels(), amends()]);
      await world.quote("80", "81");
      expect(await world.legs(list)).toEqual(Array(3).fill("CANCELED CANCELED"));
      expect(sentTo(world.venue)).toEqual([]);
      await world.crash();
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });
});
