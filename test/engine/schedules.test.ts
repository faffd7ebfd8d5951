import { describe, expect, it } from "vitest";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { createScriptedVenue, filled, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

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
});
