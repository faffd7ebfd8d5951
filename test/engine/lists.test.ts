import { describe, expect, it } from "vitest";
import type { ListUpdate } from "../../src/engine/index.ts";
import { listStatusOf, shardOf } from "../../src/lifecycle/index.ts";
import type { OrderList } from "../../src/model/index.ts";
import { breakingIntent } from "../support/breaking-intent.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { alertsOf, legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, lineOf, listOf, START_MS, SYMBOL, type World } from "../support/world.ts";

const GTD = (ms: number): number => START_MS + ms;
const FILLED = "FILLED, CHILD_CLOSED, ENDED FILLED FILLED";
const END = "ENDED CANCELED WORKING_LEG_ENDED";

describe("contract, Linked order list reply: a placed list", () => {
  it("is one record; ids fall in the order list, working leg, protective leg, other leg", async () => {
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

describe("the winner of an OCO", () => {
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
    "if both would win on one quote, the protective leg wins (the %s one is crossed more)",
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

describe("release", () => {
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

  it("a leg that is released when the market has passed its stop acts on the quote that stands", async () => {
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

  it("the exposure of a held reduce-only leg is measured when it sends", async () => {
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

describe("a list with an unknown child", () => {
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

describe("expiry of legs", () => {
  it("the unprefixed expiry applies to every GTD leg: all end, in their order", async () => {
    const world = await createWorld();
    const every = { workingTimeInForce: "GTD", pendingTimeInForce: "GTD", expireTime: GTD(60_000) } as const;
    const list = await world.placeList("oto", { ...OTO, ...every });
    await world.pass(60_000);
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "CANCELED CANCELED"]);
    expect((await world.order(legOf(list, "pending"))).ended?.reason).toBe("WORKING_LEG_ENDED");
  });
});

it("complaint 20: an OCO that many quotes in one second trigger sends one child", async () => {
  const { world, store } = await createFaultyWorld();
  const list = await world.placeList("oco", OCO);
  store().inject("slow", 1);
  for (let n = 0; n < 20; n++) {
    world.engine.market.quote({ symbol: SYMBOL, bid: "90", ask: "91" });
    world.engine.market.quote({ symbol: SYMBOL, bid: "110", ask: "111" });
  }
  await turns();
  store().release();
  await world.engine.idle();
  expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
});

const lineOfUpdate = ({ list, record }: ListUpdate): string =>
  `${record.cause.kind} ${listStatusOf(list).listOrderStatus}: ${list.legs.map(lineOf).join(", ")}`;
const received = (world: World): readonly string[] => world.lists.map(lineOfUpdate);

describe("contract, Events: list events", () => {
  it("its creation, the release, the winner, the end of the last leg; each as of its record", async () => {
    const world = await createWorld();
    await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    await world.quote("110", "111");
    expect(received(world)).toEqual([
      "PLACE EXECUTING: NEW WAITING, PENDING_NEW WAITING, PENDING_NEW WAITING",
      "VENUE EXECUTING: FILLED FILLED, NEW WAITING, NEW WAITING",
      "QUOTE EXECUTING: FILLED FILLED, CANCELED CANCELED, NEW WORKING",
      "VENUE ALL_DONE: FILLED FILLED, CANCELED CANCELED, FILLED FILLED",
    ]);
  });

  it("not for records that change no leg: a child, a partial fill, a trigger outside a pair", async () => {
    const world = await createWorld();
    await world.placeList("oto", { ...OTO, workingType: "STOP_LOSS_LIMIT", workingStopPrice: "95" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.4" })]);
    await world.quote("99", "100");
    expect(received(world)).toHaveLength(1);
  });

  it("a cancel, and the end that it waits for", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", OTO);
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await world.cancelList(list);
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed"));
    await world.engine.idle();
    expect(received(world).slice(1)).toEqual([
      "CANCEL EXECUTING: NEW WORKING cancelPending, CANCELED CANCELED",
      "VENUE ALL_DONE: CANCELED CANCELED, CANCELED CANCELED",
    ]);
  });

  it("an expiry of one leg alone", async () => {
    const world = await createWorld();
    const expireTime = world.clock.nowMs() + 1_000;
    await world.placeList("oco", { ...OCO, aboveTimeInForce: "GTD", expireTime });
    await world.pass(1_000);
    expect(received(world).slice(1)).toEqual(["TIMER EXECUTING: NEW WAITING, EXPIRED EXPIRED"]);
  });

  it("I54: after the orders of the same record, with its number, and durable", async () => {
    const world = await createWorld();
    const order: string[] = [];
    world.engine.events.on("order", ({ sequence }) => order.push(`order ${sequence}`));
    world.engine.events.on("list", ({ sequence }) => order.push(`list ${sequence}`));
    await world.placeList("oco", OCO);
    await world.quote("110", "111");
    expect(order).toEqual([
      ...["order 1", "order 1", "list 1"],
      ...["order 2", "order 2", "list 2"],
      ...["order 3", "list 3"],
    ]);
  });

  it("an order outside lists is reported as an order only", async () => {
    const world = await createWorld();
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect([world.lists, world.updates.length > 0]).toEqual([[], true]);
  });
});

describe("late executions of legs", () => {
  /** A list whose working leg was canceled after its child filled nothing. */
  async function lost(world: World): Promise<OrderList> {
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    await world.cancelList(list);
    return list;
  }

  it("I50: of a list that is done: the fill is added, the states stay, the list is not reported again", async () => {
    const world = await createWorld();
    const list = await lost(world);
    const count = world.lists.length;
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed", [fillOf({ quantity: "1" })]));
    await world.engine.idle();
    await world.engine.idle();
    expect(await world.executed(legOf(list, "working"))).toBe("1");
    expect(await world.legs(list)).toEqual(Array(3).fill("CANCELED CANCELED"));
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["LATE_FILL"]);
    expect(world.lists).toHaveLength(count);
    expect((await world.engine.verify()).equal).toBe(true);
    await world.crash();
    expect(await world.executed(legOf(await world.list(list), "working"))).toBe("1");
  });

  it("of an ended leg while its list is open: the list shows it, and can be read after a crash", async () => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    await world.quote("99", "100");
    const { childId = "" } = world.venue.submitted[0] ?? {};
    for (const size of ["0.25", "0.5"])
      world.venue.say(reported(childId, "closed", [fillOf({ quantity: size })]));
    await world.engine.idle();
    await world.engine.idle();
    const working = legOf(await world.list(list), "working");
    expect([await world.executed(working), lineOf(working)]).toEqual(["1.75", "FILLED FILLED"]);
    await world.crash();
    expect(await world.executed(legOf(await world.list(list), "working"))).toBe("1.75");
    expect((await world.engine.verify()).equal).toBe(true);
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED", "CANCELED CANCELED"]);
  });

  it("late executions of two legs of a list that is done, at once", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", OTO);
    await world.quote("99", "100");
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED"]);
    for (const { childId } of world.venue.submitted)
      world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.5" })]));
    for (let n = 0; n < 3; n++) await world.engine.idle();
    expect(await Promise.all(list.legs.map(({ orderId }) => world.executed(orderId)))).toEqual([
      "1.5",
      "1.5",
    ]);
    expect(world.engine.metrics().openParents).toBe(0);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});

describe("a frozen leg", () => {
  /** A pair whose protective leg breaks an invariant on the quote that triggers it. */
  async function broken(world: World): Promise<OrderList> {
    await world.quote("100", "100");
    const { belowStopPrice: _stop, ...fields } = OCO;
    const trail = {
      belowType: "TRAILING_STOP_LIMIT",
      belowTrailingAmount: "1",
      belowLimitOffset: "1",
    } as const;
    const list = listOf("oco", { ...fields, ...trail });
    const [protective, ...others] = list.legs;
    if (protective === undefined) throw new Error("no leg");
    const { intent, state } = breakingIntent(protective.intent);
    const legs = [{ ...protective, intent }, ...others];
    const placed = (await world.engine.placeList({ accountId: 1, list: { ...list, legs } })).list;
    state.isBroken = true;
    await world.quote("100", "100");
    await world.quote("99", "100");
    state.isBroken = false;
    return placed;
  }

  it("keeps its list and its account from sending, and can be canceled with its list", async () => {
    const world = await createWorld();
    const list = await broken(world);
    expect(world.alerts.map(({ alert, orderId }) => [alert, orderId])).toEqual([
      ["INVARIANT_BROKEN", legOf(list, "protective").orderId],
    ]);
    await world.quote("110", "111");
    expect([sentTo(world.venue), await world.legs(list)]).toEqual([[], ["NEW WAITING", "NEW WAITING"]]);
    const other = await world.placeList("oco", OCO, 2);
    await world.quote("110", "111");
    expect(await world.legs(other)).toEqual(["CANCELED CANCELED", "FILLED FILLED"]);
    expect((await world.cancelList(list)).legs.map(lineOf)).toEqual(Array(2).fill("CANCELED CANCELED"));
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("accepts reports of the venue, and the other legs get their events", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    const entry = await world.placeList("oto", OTO);
    await world.quote("99", "100");
    await broken(world);
    const [child] = world.venue.submitted;
    if (child === undefined) throw new Error("nothing was sent");
    world.venue.say(filled(child));
    await world.engine.idle();
    expect(await world.legs(entry)).toEqual(["FILLED FILLED", "NEW WAITING"]);
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    const story = await world.engine.story(legOf(entry, "pending").orderId);
    expect(story?.waitingFor).toMatch(/^the account is stopped/);
  });
});
