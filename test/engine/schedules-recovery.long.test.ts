import { describe, expect, it } from "vitest";
import { add, formatQuantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { createMortalWorld, type MortalWorld } from "../support/mortal-world.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, INSTRUMENTS, START_MS, SYMBOL } from "../support/world.ts";

const STEP = 10_000;
/** No heartbeat: after the time of a step nothing stands, and the next quote is the first observation of its slot. */
const QUIET = { heartbeat: false } as const;
const TWAP = { type: "TWAP", quantity: "1", interval: STEP, intervalCount: 4 } as const;
const VWAP = { type: "VWAP", quantity: "4", interval: STEP, volumeProfile: "1,0,3" } as const;

describe("I33: a schedule over a restart", () => {
  it("a slot that is open and has no durable intent may still be used", async () => {
    const world = await createWorld();
    await world.quote("99", "100", { ask: "0" });
    const order = await world.place(TWAP);
    await world.pass(STEP, QUIET);
    await world.place({ price: "50" });
    await world.crash();
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
    expect((await world.order(order)).nextSlot).toBe(2);
  });

  it("a used slot is not used again, whatever the result of its child", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.place(TWAP);
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.quote("99", "100");
    await world.crash();
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(1);
    await world.pass(STEP, QUIET);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(2);
  });

  it("slots that passed while no engine ran are missed: no burst; the plan is unchanged", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const order = await world.place({ ...TWAP, intervalDelay: 5_000 });
    await world.engine.close();
    await world.clock.advanceTo(START_MS + 5_000 + 2 * STEP);
    await world.crash();
    await world.pass(10_000);
    expect((await world.order(order)).plan).toEqual(order.plan);
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.25"]);
    await world.pass(STEP, QUIET);
    expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.25"]);
  });

  it("a schedule ends also if its instrument is not there any more", async () => {
    const instruments = [...INSTRUMENTS];
    const world = await createWorld({ instruments });
    await world.quote("99", "100");
    const [early, late] = [await world.place(TWAP), await world.place({ ...TWAP, intervalDelay: 2 * STEP })];
    await world.quote("99", "100");
    instruments.shift();
    await world.crash();
    await world.pass(4 * STEP, QUIET);
    expect([await world.status(early), await world.executed(early)]).toEqual(["EXPIRED EXPIRED", "0.25"]);
    await world.engine.close();
    await world.clock.advanceBy(2 * STEP);
    await world.crash();
    await world.pass(10_000);
    expect(await world.status(late)).toBe("EXPIRED EXPIRED");
  });

  it("a schedule that ended while no engine ran ends when the time is confirmed", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const [twap, vwap] = [await world.place(TWAP), await world.place(VWAP)];
    await world.quote("99", "100");
    await world.engine.close();
    await world.clock.advanceBy(10 * STEP);
    await world.crash();
    await world.pass(10_000);
    expect(await world.status(twap)).toBe("EXPIRED EXPIRED");
    expect(await world.status(vwap)).toBe("PARTIALLY_FILLED WAITING");
    await world.quote("99", "100");
    expect(await world.status(vwap)).toBe("FILLED FILLED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("a child that was in flight when its last slot closed is looked up, then the rest expires", async () => {
    const world = await createWorld();
    await world.quote("99", "100", { ask: "0" });
    const order = await world.place({ ...TWAP, intervalCount: 2 });
    await world.pass(STEP, QUIET);
    world.venue.onSubmit = () => "silence";
    world.venue.onLookup = () => new Error("no connection");
    await world.quote("99", "100");
    await world.crash();
    await world.pass(5 * STEP, QUIET);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    world.venue.onLookup = (child) => filled(child);
    await world.pass(STEP, QUIET);
    expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.5"]);
  });

  it("a child that waited for the venue's rate when the engine stopped is not sent, and its slot is used", async () => {
    const venue = createScriptedVenue({ ratePerSecond: 1 });
    const world = await createWorld({ venue });
    await world.quote("99", "100");
    const orders = [await world.place(TWAP), await world.place(TWAP)];
    await world.quote("99", "100");
    expect(sentTo(venue)).toEqual(["BUY 0.25"]);
    await world.engine.close();
    await world.crash();
    await world.pass(STEP, QUIET);
    for (const order of orders) expect((await world.order(order)).nextSlot).toBe(1);
    await world.quote("99", "100");
    await world.pass(1_000);
    expect(sentTo(venue)).toEqual(["BUY 0.25", "BUY 0.25", "BUY 0.25"]);
    expect(new Set(venue.submitted.map(({ childId }) => childId)).size).toBe(3);
  });
});

/** A quote in the middle of every slot, until the order has ended. */
async function traded(mortal: MortalWorld, fields: typeof TWAP | typeof VWAP): Promise<ParentOrder> {
  const { world, quote, pass, attempt } = mortal;
  await quote("99", "100");
  const order = { symbol: SYMBOL, side: "BUY", newClientOrderId: "schedule", ...fields } as const;
  const intent = orderIntent(order);
  const place = () => world.engine.place({ accountId: 1, intent });
  await attempt(place);
  await quote("99", "100");
  const { orderId } = (await place()).order;
  for (let round = 0; round < 24; round++) {
    await pass(STEP / 4);
    await quote("99", "100");
    if ((await world.order(orderId)).ended !== undefined) break;
  }
  return await world.order(orderId);
}

/** Executes 0.2 of a larger child. */
const open = (dieAt: number): Promise<MortalWorld> =>
  createMortalWorld({
    dieAt,
    settings: { snapshotEvery: 2 },
    answer: ({ childId, quantity }) => {
      const size = formatQuantity(quantity) === "0.25" ? "0.2" : formatQuantity(quantity);
      return reported(childId, "closed", [fillOf({ quantity: size })]);
    },
  });

describe.each([
  ["TWAP", TWAP, "EXPIRED"],
  ["VWAP", VWAP, "FILLED"],
] as const)("I20, I21, I33: %s", (_type, fields, status) => {
  it("after a crash at any point: no slot twice, no burst, no excess", async () => {
    const whole = await open(0);
    const end = await traded(whole, fields);
    expect([end.ended?.status, new Set(whole.points).size]).toEqual([status, 10]);
    for (let dieAt = 1; dieAt <= whole.points.length; dieAt++) {
      const mortal = await open(dieAt);
      const { world } = mortal;
      const order = await traded(mortal, fields);
      const at = `dies at ${dieAt}: ${whole.points[dieAt - 1]}`;
      expect([at, order.ended?.status]).toEqual([at, status]);
      expect([at, order.plan?.count, order.plan?.intervalMs]).toEqual([at, end.plan?.count, STEP]);
      const received = world.updates.filter((update) => update.order.orderId === order.orderId);
      const children = new Map(
        received.flatMap(({ order: { child } }) => (child ? [[child.childId, child]] : [])),
      );
      const used = [...children.values()];
      for (const child of used) {
        const slot = Math.floor((child.intendedAtMs - (order.plan?.startsAtMs ?? 0)) / STEP);
        expect([at, child.slot]).toEqual([at, slot]);
      }
      const slots = used.map(({ slot }) => slot);
      expect([at, new Set(slots).size]).toEqual([at, slots.length]);
      const sum = used.reduce((total, child) => add(total, child.executedQuantity), ZERO_QUANTITY);
      expect([at, sum <= order.executedQuantity]).toEqual([at, true]);
      expect((await world.engine.verify()).equal, at).toBe(true);
    }
  });
});
