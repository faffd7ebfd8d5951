import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import type { ParentOrder, VolumeBar } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { createScriptedVenue, filled, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

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

describe("slots of a TWAP", () => {
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

  it("each slot acts when it opens on the quote that a heartbeat has confirmed", async () => {
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

  it("I33: slots without a quote are missed: no burst, and their slices are not carried over", async () => {
    const { world, order } = await trading();
    await world.pass(3 * STEP, { heartbeat: false });
    for (let n = 0; n < 10; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
    await world.pass(STEP, QUIET);
    expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.25"]);
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

  it("a refused child leaves its slot open at the pace of refusals, which ends with a slot that fills", async () => {
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

describe("the end of a TWAP", () => {
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
});

const MINUTE = 60_000;
const VWAP = { type: "VWAP", quantity: "1", interval: STEP, volumeProfile: "1,0,3" } as const;

async function tradingVwap(
  fields: Partial<OrderFields> = VWAP,
  world?: World,
): Promise<Readonly<{ world: World; order: ParentOrder }>> {
  const own = world ?? (await createWorld());
  // It has a price for the admission, and nothing on offer that could serve the first slot.
  await own.quote("99", "100", { bid: "0", ask: "0" });
  return { world: own, order: await own.place(fields) };
}

/** Sends several quotes in every slot, for a number of slots. */
async function slots(world: World, count: number): Promise<void> {
  for (let slot = 0; slot < count; slot++) {
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    await world.pass(STEP, QUIET);
  }
}

/** Volumes by minute; the last one is the newest complete minute. */
const history = (...volumes: readonly (string | undefined)[]): WorldOptions["volumeHistory"] => ({
  minutes: ({ fromMs, toMs, symbol }): readonly VolumeBar[] =>
    volumes.flatMap((volume, index) => {
      const minuteMs = toMs - (volumes.length - index) * MINUTE;
      return volume === undefined || minuteMs < fromMs
        ? []
        : [{ symbol, minuteMs, quantity: quantity(volume) }];
    }),
});

/** The frozen weights, as cumulative sums. */
const cumulativeOf = ({ plan }: ParentOrder): string | undefined => plan?.cumulative?.join();

describe("a VWAP with its own weights", () => {
  it("slices by weight; a zero weight places nothing and leaves nothing to catch up", async () => {
    const { world, order } = await tradingVwap();
    await slots(world, 3);
    expect(sentTo(world.venue)).toEqual(["BUY 0.25", "BUY 0.75"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("contract: after the last slot the rest continues, one attempt per interval of at most the largest slice", async () => {
    const { world, order } = await tradingVwap({ ...VWAP, quantity: "2", volumeProfile: "1,2,1" });
    await world.pass(3 * STEP, { heartbeat: false });
    await slots(world, 1);
    expect(sentTo(world.venue)).toEqual(["BUY 1"]);
    await slots(world, 1);
    expect([sentTo(world.venue), await world.status(order)]).toEqual([["BUY 1", "BUY 1"], "FILLED FILLED"]);
  });
});

describe("a VWAP with weights from the service's volumes", () => {
  const OWN = { type: "VWAP", quantity: "1", interval: MINUTE, intervalCount: 3 } as const;

  it.each([
    ["in the middle and at the start, the next", ["1", "10", "1", "10"], "0,11000000,11000000,22000000"],
    ["of the last, the slot before", ["10", "1", "10", "1"], "10000000,10000000,22000000,22000000"],
    ["of several in a row, together", ["1", "1", undefined, "20"], "0,0,0,22000000"],
  ])("a slice below the minimum joins another slot in the plan: %s", async (_what, volumes, cumulative) => {
    const world = await createWorld({ volumeHistory: history(...volumes) });
    const { order } = await tradingVwap({ ...OWN, intervalCount: 4 }, world);
    expect(cumulativeOf(order)).toBe(cumulative);
    for (let slot = 0; slot < 4; slot++) {
      await world.quote("99", "100");
      await world.pass(MINUTE);
    }
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it.each([
    ["no volume at all", [], OWN],
    ["none in the requested intervals", ["1", undefined, undefined, undefined], OWN],
    ["volume of one minute only, without a count", ["1"], { ...OWN, intervalCount: undefined as never }],
  ] as const)("-2016 when there is %s", async (_what, volumes, fields) => {
    const world = await createWorld({ volumeHistory: history(...volumes) });
    await expect(tradingVwap(fields, world)).rejects.toMatchObject({ code: -2016 });
    expect(world.engine.metrics().openParents).toBe(0);
  });

  it("by default from the bars of the prints that the engine received; the current minute is not complete", async () => {
    const world = await createWorld();
    await world.clock.advanceTo(Math.ceil(START_MS / MINUTE) * MINUTE);
    for (const volume of ["2", "3", "4"]) {
      await world.print(volume);
      await world.print("1");
      await world.pass(MINUTE);
    }
    await world.print("9");
    await world.pass(MINUTE - 1);
    const { order } = await tradingVwap(OWN, world);
    expect(cumulativeOf(order)).toBe("3000000,7000000,12000000");
    await world.pass(1);
    expect(cumulativeOf(await world.place(OWN))).toBe("4000000,9000000,18000000");
  });

  it("I34: they are frozen at admission, over later prints and restarts", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 1 } });
    await world.clock.advanceTo(Math.ceil(START_MS / MINUTE) * MINUTE);
    const nowMs = world.clock.nowMs();
    for (const back of [3, 2, 1]) await world.print("1", { timeMs: nowMs - back * MINUTE });
    const { order } = await tradingVwap(OWN, world);
    for (const back of [3, 2, 1]) await world.print("5", { timeMs: nowMs - back * MINUTE });
    await world.crash();
    expect((await world.order(order)).plan).toEqual(order.plan);
    await world.quote("99", "100");
    expect(cumulativeOf(await world.place(OWN))).toBe("6000000,12000000,18000000");
  });

  it("a history that does not answer is a failure of the service, never a refusal", async () => {
    const failing = { minutes: () => Promise.reject(new Error("gone")) };
    const world = await createWorld({ volumeHistory: failing });
    await expect(tradingVwap(OWN, world)).rejects.toMatchObject({ code: -1001 });
    const throwing = {
      minutes: () => {
        throw new Error("gone");
      },
    };
    await expect(tradingVwap(OWN, await createWorld({ volumeHistory: throwing }))).rejects.toMatchObject({
      code: -1001,
    });
  });

  it("one with its own weights asks no port", async () => {
    const failing = { minutes: () => Promise.reject(new Error("gone")) };
    const { order } = await tradingVwap(VWAP, await createWorld({ volumeHistory: failing }));
    expect([cumulativeOf(order), order.intent.symbol]).toEqual(["1,1,4", SYMBOL]);
  });
});

const ICEBERG = { type: "ICEBERG", quantity: "1", price: "100", icebergQty: "0.4" } as const;

describe("an iceberg", () => {
  it("is sent in parts, one after the other: each is the display quantity, the last one the rest", async () => {
    const world = await createWorld();
    const order = await world.place(ICEBERG);
    for (let n = 0; n < 5; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.4 @ 100", "BUY 0.4 @ 100", "BUY 0.2 @ 100"]);
    expect([await world.status(order), await world.executed(order)]).toEqual(["FILLED FILLED", "1"]);
  });
});

describe("contract rule 1: admission of an iceberg", () => {
  it.each([
    ["a display quantity worth less than the minimum", { icebergQty: "0.149999" }, -1013],
    ["a display quantity worth the minimum", { icebergQty: "0.15" }, undefined],
    ["a display quantity equal to the whole", { icebergQty: "1" }, undefined],
    [
      "reduce-only: a display of a step",
      { icebergQty: "0.000001", side: "SELL", reduceOnly: true },
      undefined,
    ],
  ] as const)("%s", async (_what, fields, code) => {
    const world = await createWorld();
    world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: quantity("1") });
    const placing = world.place({ ...ICEBERG, ...fields });
    if (code === undefined) await expect(placing).resolves.toMatchObject({ accountId: 1 });
    else await expect(placing).rejects.toMatchObject({ code });
  });

  it("any number of parts is accepted unless a setting limits it; the last part may be smaller", async () => {
    const small = { ...ICEBERG, quantity: "150", icebergQty: "0.15" };
    const world = await createWorld();
    await expect(world.place(small)).resolves.toMatchObject({ accountId: 1 });
    const limited = await createWorld({ settings: { maxIcebergParts: 3 } });
    await expect(limited.place({ ...ICEBERG, quantity: "1.2" })).resolves.toMatchObject({ accountId: 1 });
    await expect(limited.place({ ...ICEBERG, quantity: "1.200001" })).rejects.toMatchObject({ code: -1013 });
  });
});

describe("I21: an iceberg with a child in flight over a restart", () => {
  it("continues with the same child; the next part has the next number", async () => {
    const world = await createWorld();
    const order = await world.place(ICEBERG);
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    const { lastChildId } = await world.order(order);
    await world.crash();
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect((await world.order(order)).child?.childId).toBe(lastChildId);
    expect(sentTo(world.venue)).toHaveLength(1);
    world.venue.onLookup = (child) => filled(child);
    world.venue.onSubmit = (child) => filled(child);
    await world.pass(5_000, { heartbeat: false });
    await world.quote("99", "100");
    expect(world.venue.submitted.map(({ childId }) => childId.slice(-2))).toEqual(["-1", "-2", "-3"]);
    expect(await world.executed(order)).toBe("1");
  });
});
