import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import { alertsOf, legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL } from "../support/world.ts";

const GTD = (ms: number): number => START_MS + ms;
const FILLED = "FILLED, CHILD_CLOSED, ENDED FILLED FILLED";
const END = "ENDED CANCELED WORKING_LEG_ENDED";

describe("contract, Linked order list reply: a placed list", () => {
  it("decision 6: is one record; ids fall in the order list, working leg, protective leg, other leg", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", { ...OTOCO, listClientOrderId: "trade-1" });
    const ids = [list.listId, ...list.legs.map(({ orderId }) => orderId)];
    expect(ids).toEqual([1, 2, 3, 4].map((count) => -(256 * count) - shardOf(1)));
    expect(list).toMatchObject({ listClientOrderId: "trade-1", contingency: "OTOCO", symbol: SYMBOL });
    expect(list.legs.map((leg) => leg.list?.role)).toEqual(["working", "protective", "profit"]);
    expect(await storyOf(world, list)).toEqual(["working: ACCEPTED; protective: ACCEPTED; profit: ACCEPTED"]);
    expect(await world.legs(list)).toEqual(["NEW WAITING", "PENDING_NEW WAITING", "PENDING_NEW WAITING"]);
  });

  it("I51: a held leg neither watches quotes nor is sent", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", { ...OTOCO, workingPrice: "50" });
    for (const bid of ["80", "120", "70"]) await world.quote(bid, "121");
    expect([sentTo(world.venue), await world.legs(list)]).toEqual([
      [],
      ["NEW WAITING", "PENDING_NEW WAITING", "PENDING_NEW WAITING"],
    ]);
    const story = await world.engine.story(legOf(list, "profit").orderId);
    expect(story?.waitingFor).toMatch(/working order/);
  });
});

describe("decision 34, I40: the winner of an OCO", () => {
  it("I40: the loser's end is durable before the venue sees the child", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", OCO);
    const seen: (string | undefined)[] = [];
    world.venue.onSubmit = async (child) => {
      seen.push((await world.order(legOf(list, "protective"))).ended?.reason);
      return filled(child);
    };
    await world.quote("110", "111");
    expect(seen).toEqual(["OCO_TRIGGER"]);
  });

  it.each([
    ["protective", "110"],
    ["profit", "100"],
  ])(
    "decision 20: if both would win on one quote, the protective leg wins (the %s one is crossed more)",
    async (_leg, abovePrice) => {
      const world = await createWorld();
      const { belowStopPrice: _stop, ...fields } = OCO;
      const trail = { belowType: "TRAILING_STOP_MARKET", belowTrailingAmount: "5" } as const;
      await world.quote("90", "91");
      const list = await world.placeList("oco", { ...fields, ...trail, abovePrice });
      // Inside the limit, but with too little size: the reference rises to 120, and neither leg has won.
      await world.quote("120", "121", { bid: "0.1" });
      expect(await world.legs(list)).toEqual(["NEW WAITING", "NEW WAITING"]);
      await world.quote("112", "113");
      expect(sentTo(world.venue)).toEqual(["SELL 1"]);
      expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
    },
  );
});

describe("decision 35, I41: release", () => {
  it("on the full fill of the working leg, in its record, once", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
    expect((await storyOf(world, list)).at(-1)).toBe(
      `working: ${FILLED}; protective: RELEASED; profit: RELEASED`,
    );
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed"));
    await world.engine.idle();
    expect((await storyOf(world, list)).join().match(/RELEASED/g)).toHaveLength(2);
  });

  it("decision 16: a leg that is released when the market has passed its stop acts on the quote that stands", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", { ...OTO, pendingStopPrice: "99" });
    await world.quote("99", "100");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED"]);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "SELL 1"]);
  });

  it("I31: a trail begins with the quote that stands at its release, whatever came before", async () => {
    const world = await createWorld();
    await world.quote("200", "201");
    const { pendingStopPrice: _stop, ...fields } = OTO;
    const trail = { pendingType: "TRAILING_STOP_MARKET", pendingTrailingAmount: "5" } as const;
    const list = await world.placeList("oto", { ...fields, ...trail });
    await world.quote("99", "100");
    await world.quote("98", "101");
    await world.quote("94.01", "101");
    expect((await world.legs(list))[1]).toBe("NEW WAITING");
    await world.quote("94", "101");
    expect((await world.legs(list))[1]).toBe("FILLED FILLED");
  });

  it("complaint 2: two fills in one batch release once, with the whole pending quantity", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", { ...OTO, workingQuantity: "0.3", pendingQuantity: "0.3" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    const { childId = "" } = world.venue.submitted[0] ?? {};
    const fills = [fillOf({ quantity: "0.1" }), fillOf({ quantity: "0.2" })];
    world.venue.say(reported(childId, "open", fills.slice(0, 1)));
    world.venue.say(reported(childId, "open", fills));
    await world.engine.idle();
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING"]);
    expect((await storyOf(world, list)).join().match(/RELEASED/g)).toHaveLength(1);
    world.venue.onSubmit = (child) => filled(child);
    await world.quote("90", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.3 @ 100", "SELL 0.3"]);
  });

  it("decision 24: the exposure of a held reduce-only leg is measured when it sends", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", { ...OTO, pendingReduceOnly: true });
    await world.quote("99", "100");
    await world.quote("90", "91");
    expect((await world.engine.story(legOf(list, "pending").orderId))?.waitingFor).toMatch(/exposure/);
    world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: fillOf({ quantity: "0.4" }).quantity });
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "SELL 0.4"]);
  });
});

describe("I42: a working leg that ends otherwise", () => {
  it.each([
    ["without a fill", undefined, []],
    ["with a part filled: a position is left unprotected", "0.4", ["POSITION_UNPROTECTED"]],
  ])("expired %s", async (_what, part, alerts) => {
    const world = await createWorld();
    const list = await world.placeList("otoco", {
      ...OTOCO,
      workingTimeInForce: "GTD",
      expireTime: GTD(60_000),
    });
    const fills = part === undefined ? [] : [fillOf({ quantity: part })];
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", fills);
    await world.quote("99", "100");
    await world.pass(60_000);
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "CANCELED CANCELED", "CANCELED CANCELED"]);
    expect(alertsOf(world)).toEqual(alerts);
    const alert = alerts.map((one) => `, ALERT ${one}`).join("");
    expect((await storyOf(world, list)).at(-1)).toBe(
      `working: ENDED EXPIRED EXPIRED_GTD${alert}; protective: ${END}; profit: ${END}`,
    );
  });
});

describe("decision 12: a list with an unknown child", () => {
  it("hands nothing over, including a child that was decided earlier and waits for the venue's rate", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    const list = await world.placeList("oto", OTO);
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.6" })]);
    await world.quote("99", "100");
    const [first] = world.venue.submitted;
    world.venue.onSubmit = () =>
      new Promise((_resolve, reject) =>
        world.clock.schedule(world.clock.nowMs() + 500, () => reject(new Error("connection reset"))),
      );
    world.venue.onLookup = () => new Error("no connection");
    await world.pass(1_000);
    await world.quote("99", "100");
    world.venue.say(reported(first?.childId ?? "", "closed", [fillOf({ quantity: "0.4" })]));
    await world.engine.idle();
    expect(await world.legs(list)).toEqual(["PARTIALLY_FILLED WORKING cancelPending", "NEW WAITING"]);
    await world.quote("90", "91");
    expect((await world.legs(list))[1]).toBe("NEW WORKING");
    await world.pass(1_100);
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 0.4 @ 100"]);
    expect(await world.legs(list)).toEqual(["PARTIALLY_FILLED UNKNOWN cancelPending", "NEW WAITING"]);
    const story = await world.engine.story(legOf(list, "pending").orderId);
    expect(story?.waitingFor).toMatch(/child of its list/);
    world.venue.onSubmit = (child) => filled(child);
    world.venue.onLookup = ({ childId }) => reported(childId, "closed");
    await world.pass(10_000);
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED"]);
  });
});

describe("decisions 10, 35: expiry of legs", () => {
  it("the unprefixed expiry applies to every GTD leg: all end, in their order", async () => {
    const world = await createWorld();
    const every = { workingTimeInForce: "GTD", pendingTimeInForce: "GTD", expireTime: GTD(60_000) } as const;
    const list = await world.placeList("oto", { ...OTO, ...every });
    await world.pass(60_000);
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "CANCELED CANCELED"]);
    expect((await world.order(legOf(list, "pending"))).ended?.reason).toBe("WORKING_LEG_ENDED");
  });
});
