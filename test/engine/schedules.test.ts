import { describe, expect, it } from "vitest";
import { quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

const STEP = 10_000;
/** No heartbeat: after the time of a step nothing stands, and the next quote is the first observation of its slot. */
const QUIET = { heartbeat: false } as const;
/** A quarter of 1 every ten seconds. */
const TWAP = { type: "TWAP", quantity: "1", interval: STEP, intervalCount: 4 } as const;
const CAPPED = { ...TWAP, type: "LIMIT", targetStrategy: 180, price: "100" } as const;

/** A world with a market, and an order in it. */
async function trading(
  fields: Partial<OrderFields> = TWAP,
  world?: World,
): Promise<Readonly<{ world: World; order: ParentOrder }>> {
  const own = world ?? (await createWorld());
  // It has a price for the admission, and nothing on offer that could serve the first slot.
  await own.quote("99", "100", { bid: "0", ask: "0" });
  return { world: own, order: await own.place(fields) };
}

const waitsFor = async (world: World, { orderId }: ParentOrder): Promise<string | undefined> =>
  (await world.engine.story(orderId))?.waitingFor;

describe("decision 27: slots of a TWAP", () => {
  it("one child in each, at its first observation; the slices sum to the whole", async () => {
    const { world, order } = await trading({ ...TWAP, quantity: "1.000002", intervalCount: 3 });
    const sizes = ["BUY 0.333334", "BUY 0.333334", "BUY 0.333334"];
    for (let slot = 0; slot < 3; slot++) {
      expect(sentTo(world.venue)).toEqual(sizes.slice(0, slot));
      for (let n = 0; n < 3; n++) await world.quote("99", "100");
      expect(sentTo(world.venue)).toEqual(sizes.slice(0, slot + 1));
      await world.pass(STEP, QUIET);
    }
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(await world.executed(order)).toBe("1.000002");
  });

  it("a child that the venue's rate holds back does not go out after its slot, which is missed", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 0.5 }) });
    await world.quote("99", "100", { bid: "0", ask: "0" });
    const [first, second] = [await world.place(TWAP), await world.place(TWAP)];
    await world.pass(STEP - 500, QUIET);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
    for (let quotes = 0; quotes < 8; quotes++) {
      await world.pass(1_000, QUIET);
      await world.quote("99", "100");
    }
    expect([await world.executed(first), await world.executed(second)]).toEqual(["0.5", "0.25"]);
  });

  it("nothing before the end of the delay, then at once on the quote that stands", async () => {
    const { world, order } = await trading({ ...TWAP, intervalDelay: 5_000 });
    await world.quote("99", "100");
    await world.pass(4_999);
    await world.quote("99", "100");
    expect(await waitsFor(world, order)).toMatch(/next slot/);
    expect(sentTo(world.venue)).toEqual([]);
    await world.pass(1, QUIET);
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
  });

  it("decision 16: each slot acts when it opens on the quote that a heartbeat has confirmed", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const order = await world.place({ ...TWAP, interval: 5_000 });
    await world.engine.idle();
    for (let slot = 0; slot < 4; slot++) {
      expect(sentTo(world.venue)).toHaveLength(slot + 1);
      for (let second = 0; second < 5; second++) await world.pass(1_000);
    }
    expect([await world.status(order), await world.executed(order)]).toEqual(["FILLED FILLED", "1"]);
  });

  it("a slot opens at its exact millisecond and closes when the next opens", async () => {
    const { world, order } = await trading();
    await world.quote("99", "100");
    await world.pass(STEP - 1, QUIET);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(1);
    await world.pass(1);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(2);
    expect((await world.order(order)).nextSlot).toBe(2);
  });

  it("I33: slots without a quote are missed: no burst, and their slices are not carried over", async () => {
    const { world, order } = await trading();
    await world.pass(3 * STEP, { heartbeat: false });
    for (let n = 0; n < 10; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
    await world.pass(STEP, QUIET);
    expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.25"]);
  });

  it("I30: stale and crossed quotes use no slot", async () => {
    const { world } = await trading();
    const late = { timeMs: START_MS - 6_000 };
    for (const verdict of [await world.quote("99", "100", late), await world.quote("101", "100")])
      expect(verdict).not.toBe("counted");
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
  });

  it("a quote with too little size does not use the slot; a later one of the slot does", async () => {
    const { world, order } = await trading();
    await world.quote("99", "100", { ask: "0.149999" });
    expect([sentTo(world.venue), await waitsFor(world, order)]).toEqual([
      [],
      "the quantity on offer is worth less than the minimum",
    ]);
    await world.quote("99", "100", { ask: "0.15" });
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
  });

  it("the unfilled rest of a child is not tried again in its slot, nor in the next", async () => {
    const { world, order } = await trading();
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.1" })]);
    for (let slot = 0; slot < 4; slot++) {
      for (let n = 0; n < 3; n++) await world.quote("99", "100");
      await world.pass(STEP, QUIET);
    }
    expect(sentTo(world.venue)).toEqual(Array(4).fill("BUY 0.25"));
    expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.4"]);
  });

  it("complaint 23: while a child takes long its slots are missed, and there are never two children", async () => {
    const { world, order } = await trading();
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    for (let n = 0; n < 25; n++) {
      await world.pass(1_000);
      await world.quote("99", "100");
    }
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
    const [child] = world.venue.submitted;
    if (child === undefined) throw new Error("nothing was sent");
    world.venue.say(filled(child));
    world.venue.onSubmit = (next) => filled(next);
    await world.engine.idle();
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25", "BUY 0.25"]);
    expect((await world.order(order)).nextSlot).toBe(3);
  });

  it("decision 26: a refused child leaves its slot open at the pace of refusals, which ends with a slot that fills", async () => {
    const { world, order } = await trading();
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    await world.quote("99", "100");
    expect([sentTo(world.venue).length, (await world.order(order)).nextSlot]).toEqual([1, 0]);
    // The pause is over, and no later quote has come.
    await world.pass(100, QUIET);
    expect(sentTo(world.venue)).toHaveLength(1);
    world.venue.onSubmit = (child) => filled(child);
    await world.quote("99", "100");
    expect([sentTo(world.venue).length, (await world.order(order)).nextSlot]).toEqual([2, 1]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(2);
  });

  it("a child that was withdrawn frees its slot", async () => {
    const { world, order } = await trading(CAPPED);
    world.engine.market.quote({ symbol: SYMBOL, bid: "99", ask: "100" });
    await world.quote("100", "101");
    expect(await world.facts(order)).toEqual(["ACCEPTED", "CHILD_INTENDED", "CHILD_CLOSED"]);
    expect([sentTo(world.venue), (await world.order(order)).nextSlot]).toEqual([[], 0]);
    await world.pass(100);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25 @ 100"]);
  });

  it("unless the slot is over by then", async () => {
    const { world, store } = await createFaultyWorld();
    const { order } = await trading(CAPPED, world);
    await world.engine.idle();
    store().inject("slow", 1);
    world.engine.market.quote({ symbol: SYMBOL, bid: "99", ask: "100" });
    await world.clock.advanceBy(STEP, () => Promise.resolve());
    world.engine.market.quote({ symbol: SYMBOL, bid: "100", ask: "101" });
    store().release();
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual([]);
    await world.pass(100);
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25 @ 100"]);
    expect((await world.order(order)).nextSlot).toBe(2);
  });
});

describe("decision 28: the end of a TWAP", () => {
  it("is the moment its last slot closes, without any quote: the rest expires", async () => {
    const { world, order } = await trading();
    await world.quote("99", "100");
    await world.pass(4 * STEP - 1, { heartbeat: false });
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WAITING");
    await world.pass(1, { heartbeat: false });
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    expect((await world.order(order)).ended?.reason).toBe("SCHEDULE_ENDED");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it.each([
    ["its fills count, the rest expires", "0.1", "EXPIRED EXPIRED", "0.85"],
    ["FILLED if that was all", "0.25", "FILLED FILLED", "1"],
  ])("a child in flight when the last slot closes is awaited: %s", async (_what, size, status, executed) => {
    const { world, order } = await trading();
    for (let slot = 0; slot < 3; slot++) {
      await world.quote("99", "100");
      await world.pass(STEP, QUIET);
    }
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await world.pass(2 * STEP, QUIET);
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WORKING");
    const { childId = "" } = world.venue.submitted.at(-1) ?? {};
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: size })]));
    await world.engine.idle();
    expect([await world.status(order), await world.executed(order)]).toEqual([status, executed]);
  });

  it("decision 12: an unknown child is awaited too, and its slot is not used again when it is void", async () => {
    const { world, order } = await trading();
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    await world.pass(5_000);
    expect(await world.status(order)).toBe("NEW WAITING");
    world.venue.onSubmit = (child) => filled(child);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(1);
    await world.pass(5_000);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(2);
  });

  it("decision 25: a residual that no quote can execute ends it earlier", async () => {
    const { world, order } = await trading({ ...TWAP, quantity: "0.6" });
    world.venue.onSubmit = (child) => filled(child);
    for (let slot = 0; slot < 3; slot++) {
      await world.quote("99", "100");
      await world.pass(STEP, QUIET);
    }
    await world.quote("69", "70");
    expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.45"]);
    expect((await world.order(order)).ended?.reason).toBe("RESIDUAL_BELOW_MIN_NOTIONAL");
  });

  it("I55: an expiry ends it in the middle, and so does a cancel; with a child in flight both wait", async () => {
    const { world, order } = await trading({ ...TWAP, expireTime: START_MS + 15_000 });
    const other = await world.place(TWAP);
    await world.quote("99", "100");
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.pass(STEP, QUIET);
    await world.quote("99", "100");
    await world.pass(5_000);
    expect((await world.cancel(other)).pendingEnd?.status).toBe("CANCELED");
    for (const { childId } of world.venue.submitted.slice(-2)) world.venue.say(reported(childId, "closed"));
    await world.engine.idle();
    expect([await world.status(order), await world.status(other)]).toEqual([
      "EXPIRED EXPIRED",
      "CANCELED CANCELED",
    ]);
    expect(await world.executed(order)).toBe("0.25");
    await world.pass(4 * STEP, QUIET);
    expect(sentTo(world.venue)).toHaveLength(4);
  });
});

describe("decisions 23, 24, 28: admission and sizes of a TWAP", () => {
  it.each([
    ["of 15 USD exactly", "0.6", undefined],
    ["a step below", "0.599999", -1013],
    ["complaint 7: of less than a step", "0.000003", -1013],
  ])("its smallest slice: %s", async (_what, size, code) => {
    const { world } = await trading();
    const placing = world.place({ ...TWAP, quantity: size });
    if (code === undefined) await expect(placing).resolves.toMatchObject({ accountId: 1 });
    else await expect(placing).rejects.toMatchObject({ code });
  });

  it("at the cap, or without one at the current quote; without either -1112", async () => {
    const world = await createWorld();
    await expect(world.place(TWAP)).rejects.toMatchObject({ code: -1112 });
    await expect(world.place(CAPPED)).resolves.toMatchObject({ accountId: 1 });
    await expect(world.place({ ...CAPPED, price: "59.99" })).rejects.toMatchObject({ code: -1013 });
  });

  it("its cap applies in every slot", async () => {
    const { world, order } = await trading(CAPPED);
    await world.quote("99", "100.01");
    expect([sentTo(world.venue), await waitsFor(world, order)]).toEqual([
      [],
      "the market offers no quantity within its limit price",
    ]);
    await world.pass(STEP, QUIET);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25 @ 100"]);
  });

  it("reduce-only: no minimum; no slice beyond the exposure; without exposure a slot is missed", async () => {
    const world = await createWorld();
    const hold = (size: string): void =>
      world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: quantity(size) });
    hold("0.005");
    const fields = { ...TWAP, side: "SELL", quantity: "0.01", reduceOnly: true } as const;
    const { order } = await trading(fields, world);
    await world.quote("99", "100");
    await world.pass(STEP, QUIET);
    hold("0.001");
    await world.quote("99", "100");
    await world.pass(STEP, QUIET);
    world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: ZERO_QUANTITY });
    await world.quote("99", "100");
    expect(await waitsFor(world, order)).toMatch(/exposure/);
    // Before it is measured again: it would end without anything to reduce.
    await world.pass(4_000, QUIET);
    hold("5");
    await world.pass(STEP - 4_000, QUIET);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.0025", "SELL 0.001", "SELL 0.0025"]);
    await world.pass(STEP, QUIET);
    expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.006"]);
  });

  it("FOK children: sent only if the whole slice is available", async () => {
    const { world, order } = await trading({ ...TWAP, childTimeInForce: "FOK" });
    await world.quote("99", "100", { ask: "0.249999" });
    expect(await waitsFor(world, order)).toMatch(/FOK/);
    await world.quote("99", "100", { ask: "0.25" });
    expect(world.venue.submitted[0]).toMatchObject({ timeInForce: "FOK" });
  });
});
