import { describe, expect, it } from "vitest";
import { formatQuantity, quantity } from "../../src/decimal/index.ts";
import { type ListFields, listIntent } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { alertsOf, legOf, OCO, OTO, OTOCO, storyOf } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL } from "../support/world.ts";

const CHILDLESS = ["PARTIALLY_FILLED WAITING", "PENDING_NEW WAITING", "PENDING_NEW WAITING"];

it("complaint 1: an OTO of 10 whose working leg fills 5 keeps its pending leg held", async () => {
  const world = await createWorld();
  const list = await world.placeList("oto", { ...OTO, workingQuantity: "10", pendingQuantity: "10" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "5" })]);
  await world.quote("99", "100");
  expect(await world.legs(list)).toEqual(CHILDLESS.slice(0, 2));
  await world.quote("80", "101");
  expect(sentTo(world.venue)).toEqual(["BUY 10 @ 100"]);
});

it("complaint 2: fills of 0.1 and 0.2 in one batch activate the pending leg once, with its full quantity", async () => {
  const world = await createWorld();
  const list = await world.placeList("oto", { ...OTO, workingQuantity: "0.3", pendingQuantity: "0.3" });
  world.venue.onSubmit = ({ childId }) =>
    reported(childId, "open", [fillOf({ quantity: "0.1" }), fillOf({ quantity: "0.2" })]);
  await world.quote("99", "100");
  expect((await storyOf(world, list)).at(-1)).toBe(
    "working: FILLED, FILLED, CHILD_CLOSED, ENDED FILLED FILLED; pending: RELEASED",
  );
  world.venue.onSubmit = (child) => filled(child);
  await world.quote("90", "91");
  expect(sentTo(world.venue)).toEqual(["BUY 0.3 @ 100", "SELL 0.3"]);
});

it("complaint 3: an exit level that is crossed while the entry is half filled sends no child, and no size is ever zero", async () => {
  const world = await createWorld();
  const list = await world.placeList("otoco", OTOCO);
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.5" })]);
  await world.quote("99", "100");
  for (const bid of ["89", "80", "120"]) await world.quote(bid, "121");
  expect(await world.legs(list)).toEqual(CHILDLESS);
  world.venue.onSubmit = (child) => filled(child);
  await world.quote("99", "100");
  expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 0.5 @ 100"]);
  await world.quote("90", "91");
  expect(world.venue.submitted.map((child) => formatQuantity(child.quantity))).toEqual(["1", "0.5", "1"]);
});

it("complaint 9: of two reduce-only exits of one position the second is for the rest", async () => {
  const world = await createWorld();
  const hold = (size: string): void =>
    world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: quantity(size) });
  hold("0.134");
  const exits = { ...OCO, quantity: "0.134", aboveReduceOnly: true, belowReduceOnly: true } as const;
  await world.placeList("oco", exits);
  await world.placeList("oco", { ...exits, belowStopPrice: "80" });
  world.venue.onSubmit = (child) => {
    hold("0.067");
    return reported(child.childId, "closed", [fillOf({ quantity: "0.067" })]);
  };
  await world.quote("90", "91");
  world.venue.onSubmit = (child) => reported(child.childId, "open");
  await world.quote("80", "81");
  await world.quote("80", "81");
  const [first, ...others] = sentTo(world.venue);
  expect([first, others]).toEqual(["SELL 0.134", ["SELL 0.067"]]);
});

it("complaint 13: after a crash right after the record of the entry's fill, the exits are active, once", async () => {
  const world = await createWorld();
  const list = await world.placeList("otoco", OTOCO);
  await world.quote("99", "100");
  for (let n = 0; n < 3; n++) await world.crash();
  expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING", "NEW WAITING"]);
  expect((await storyOf(world, list)).join().match(/RELEASED/g)).toHaveLength(2);
  await world.quote("90", "91");
  expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "SELL 1"]);
});

it("complaint 15: stop and take-profit of a filled entry exist after a restart, with the same ids", async () => {
  const world = await createWorld();
  const list = await world.placeList("otoco", OTOCO);
  await world.quote("99", "100");
  const before = await world.list(list);
  await world.crash();
  expect(await world.list(list)).toEqual(before);
  expect(before.legs.map(({ orderId }) => orderId)).toEqual(list.legs.map(({ orderId }) => orderId));
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

describe("complaint 24: a list that is done", () => {
  it.each([
    ["traded", true],
    ["canceled", false],
  ])("because it was %s sends nothing, whatever happens", async (_how, trades) => {
    const world = await createWorld();
    const list = await world.placeList("otoco", OTOCO);
    if (trades) {
      await world.quote("99", "100");
      await world.quote("110", "111");
    } else await world.cancelList(list);
    const sent = world.venue.submitted.length;
    const before = await world.list(list);
    for (const bid of ["80", "100", "120", "90"]) {
      await world.quote(bid, "121");
      await world.quote(bid, bid);
      await world.pass(1_000);
    }
    for (const { childId } of [...world.venue.submitted]) world.venue.say(reported(childId, "open"));
    await world.crash();
    for (const bid of ["80", "99", "120"]) await world.quote(bid, "121");
    await expect(world.cancelList(list)).rejects.toMatchObject({ code: -2011 });
    expect([world.venue.submitted.length, await world.list(list)]).toEqual([sent, before]);
  });
});

it("complaint 25: while the store cannot write the sibling's cancel, no child goes out and the engine does not retry in a loop", async () => {
  const { world, store } = await createFaultyWorld();
  const list = await world.placeList("oco", OCO);
  store().inject("fail");
  for (let n = 0; n < 5; n++) {
    world.engine.market.quote({ symbol: "BTC/USD", bid: "90", ask: "91" });
    await world.clock.advanceBy(1_000, () => turns(500));
    expect(await world.legs(list)).toEqual(["NEW WAITING", "NEW WAITING"]);
  }
  expect(sentTo(world.venue)).toEqual([]);
  // At once, once more at once, then every retryMinMs (100).
  expect(world.reported.filter((name) => name === "append.failed").length).toBeLessThan(55);
  store().inject("none");
  await world.pass(1_000);
  await world.quote("90", "91");
  expect(await storyOf(world, list)).toEqual([
    "protective: ACCEPTED; profit: ACCEPTED",
    "profit: ENDED CANCELED OCO_TRIGGER; protective: TRIGGERED, CHILD_INTENDED",
    "protective: FILLED, CHILD_CLOSED, ENDED FILLED FILLED",
  ]);
});

it("complaint 26: a moving trail cancels and creates nothing: the position always has a stop", async () => {
  const world = await createWorld();
  const { belowStopPrice: _stop, ...fields } = OCO;
  const trail = { belowType: "TRAILING_STOP_MARKET", belowTrailingAmount: "5" } as const;
  await world.quote("90", "91");
  const list = await world.placeList("oco", { ...fields, ...trail, abovePrice: "200" });
  for (let bid = 90; bid <= 150; bid++) await world.quote(String(bid), "151");
  expect(await storyOf(world, list)).toEqual([
    "protective: ACCEPTED; profit: ACCEPTED",
    "protective: ACTIVATED",
  ]);
  expect(world.venue.submitted).toEqual([]);
  await world.quote("145", "151");
  expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
});

it("complaint 27: a stale, crossed or wild quote does not trigger a stop, and each is counted", async () => {
  const world = await createWorld();
  await world.quote("100", "101");
  const list = await world.placeList("oco", OCO);
  const bad = [
    await world.quote("90", "91", { timeMs: START_MS - 5_001 }),
    await world.quote("102", "90"),
    await world.quote("9", "9.5"),
  ];
  expect(bad.every((verdict) => verdict !== "counted")).toBe(true);
  await world.quote("99", "100");
  expect(await world.legs(list)).toEqual(["NEW WAITING", "NEW WAITING"]);
  const { quotesDropped } = world.engine.metrics();
  expect(quotesDropped.crossed + quotesDropped.jump).toBe(2);
  expect(quotesDropped.stale + quotesDropped["out-of-order"]).toBe(1);
});

describe("complaint 44: prices in the wrong order", () => {
  const oco = (fields: Partial<ListFields["oco"]>): ListFields["oco"] =>
    ({ symbol: SYMBOL, listClientOrderId: "l", ...OCO, ...fields }) as ListFields["oco"];
  const refusalOf = (run: () => unknown): string => {
    try {
      run();
      return "none";
    } catch (error) {
      const { code, remedy } = error as { code: number; remedy: string };
      return `${code} ${remedy}`;
    }
  };

  it.each([
    ["equal", { abovePrice: "90" }, "abovePrice", "belowStopPrice"],
    ["crossed", { abovePrice: "89" }, "abovePrice", "belowStopPrice"],
    [
      "of a stop-limit and a take-profit",
      {
        aboveType: "TAKE_PROFIT_LIMIT",
        aboveStopPrice: "89",
        belowType: "STOP_LOSS_LIMIT",
        belowPrice: "80",
      },
      "aboveStopPrice",
      "belowStopPrice",
    ],
  ] as const)("%s: the refusal names both fields", (_what, fields, upper, lower) => {
    const options = { clientId: (field: string) => field };
    expect(refusalOf(() => listIntent("oco", oco(fields as never), options))).toBe(
      `-2010 '${upper}' must be higher than '${lower}'.`,
    );
  });

  it("and no part of it reaches the engine", async () => {
    const world = await createWorld();
    await expect(world.placeList("oco", { ...OCO, abovePrice: "89" })).rejects.toMatchObject({ code: -2010 });
    await expect(
      world.placeList("legacyOco", { side: "SELL", quantity: "1", price: "89", stopPrice: "90" }),
    ).rejects.toMatchObject({ code: -2010, details: { upper: "price", lower: "stopPrice" } });
    expect(world.engine.metrics()).toMatchObject({ openParents: 0, journalSequence: 0 });
  });
});

it("complaint 46: a cancel after the trigger waits for the child and succeeds", async () => {
  const world = await createWorld();
  const list = await world.placeList("oco", OCO);
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  await world.quote("90", "91");
  const canceled = await world.cancel(legOf(list, "protective"));
  expect(canceled.pendingEnd?.status).toBe("CANCELED");
  await world.quote("110", "111");
  expect(await world.legs(list)).toEqual(["NEW WORKING cancelPending", "CANCELED CANCELED"]);
  world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed", [fillOf({ quantity: "0.3" })]));
  await world.engine.idle();
  expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "CANCELED CANCELED"]);
  expect([await world.executed(legOf(list, "protective")), alertsOf(world)]).toEqual(["0.3", []]);
});
