import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatQuantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { createMortalWorld, type MortalWorld } from "../support/mortal-world.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import {
  createWorld,
  INSTRUMENTS,
  START_MS,
  SYMBOL,
  type World,
  type WorldOptions,
} from "../support/world.ts";

const MINUTE = 60_000;

/** Bars of a minute: a quote at exactly the time at which slots open. */
const BARS: WorldOptions = { settings: { quoteMaxAgeMs: 5 * MINUTE } };

describe("work that is due at a time comes before the quotes and prints of that time", () => {
  it("a TWAP with one-minute slots and one-minute quotes has a child in every slot", async () => {
    const world = await createWorld(BARS);
    await world.quote("99", "100");
    const order = await world.place({ type: "TWAP", quantity: "6", interval: MINUTE, intervalCount: 6 });
    for (let bar = 1; bar <= 6; bar++) {
      world.clock.schedule(START_MS + bar * MINUTE, () => {
        world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
      });
    }
    await world.quote("99", "100");
    await world.clock.advanceBy(7 * MINUTE, () => world.engine.idle());
    expect(world.venue.submitted).toHaveLength(6);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("an order that expires at the time of a quote sends nothing on it, whichever of the two the clock runs first", async () => {
    for (const quoteFirst of [true, false]) {
      const world = await createWorld();
      const expireTime = START_MS + 1_000;
      const feed = (): void => {
        world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
      };
      if (quoteFirst) world.clock.schedule(expireTime, feed);
      const order = await world.place({ price: "100", expireTime });
      if (!quoteFirst) world.clock.schedule(expireTime, feed);
      await world.clock.advanceBy(2_000, () => world.engine.idle());
      expect(world.venue.submitted).toEqual([]);
      expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    }
  });

  it("a print comes after a pause that ends at its time", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const order = await world.place({ type: "POV", participationBips: 10_000, quantity: "1" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    await world.print("0.5");
    expect(world.venue.submitted).toHaveLength(1);
    await world.clock.advanceBy(100, () => world.engine.idle());
    await world.print("0.5");
    expect(world.venue.submitted).toHaveLength(2);
    expect(await world.status(order)).toBe("NEW WAITING");
  });
});

type Plan = Readonly<{ bars: readonly number[]; orders: readonly number[]; quoteFirst: readonly boolean[] }>;

/** A run in which, at every time, the clock runs the quote or the engine's timers first, as requested. */
async function journalOf({ bars, orders, quoteFirst }: Plan, ahead: boolean): Promise<string> {
  const venue = createScriptedVenue();
  let executions = 0;
  venue.onSubmit = (child) => {
    const fill = { executionId: `x${++executions}`, price: 10_000_000_000, timeMs: 0 };
    return reported(child.childId, "closed", [{ ...fill, quantity: child.quantity }] as never);
  };
  const world = await createWorld({ settings: { quoteMaxAgeMs: 60_000 }, venue });
  const feedAt = (bar: number): void => {
    world.clock.schedule(START_MS + bar * 1_000, () => {
      world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    });
  };
  await world.quote("99", "100");
  // Timers set before the orders run before the engine's timers of one time, those set after them run later.
  for (const [at, bar] of bars.entries()) if (quoteFirst[at] === ahead) feedAt(bar);
  await placeAll(world, orders);
  for (const [at, bar] of bars.entries()) if (quoteFirst[at] !== ahead) feedAt(bar);
  await world.clock.advanceBy(60_000, () => world.engine.idle());
  return JSON.stringify(world.updates.map(({ record }) => record));
}

async function placeAll(world: World, orders: readonly number[]): Promise<void> {
  for (const [n, kind] of orders.entries()) {
    const interval = 1_000 * (1 + (kind % 3));
    const schedule = { quantity: "3", interval, intervalCount: 3, newClientOrderId: `o${n}` };
    if (kind % 2 === 0) await world.place({ type: "TWAP", ...schedule });
    else if (kind % 3 === 0) await world.place({ type: "VWAP", ...schedule, volumeProfile: "1,0,2" });
    else {
      const expireTime = START_MS + 1_000 * (1 + kind);
      await world.place({ price: "100", expireTime, newClientOrderId: `o${n}` });
    }
  }
}

it("the journal is the same whether the clock runs a timer or a quote of one time first", async () => {
  const plans = fc.record({
    bars: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 10 }),
    orders: fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }),
    quoteFirst: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  });
  const same = fc.asyncProperty(plans, async (plan) => {
    expect(await journalOf(plan, true)).toBe(await journalOf(plan, false));
  });
  await fc.assert(same, { numRuns: 40, seed: seedOr(20_261_122) });
});

it("slots wake nothing in a silent market: a day of a VWAP with one-second slots without quotes takes few steps", async () => {
  const world = await createWorld();
  await world.quote("99", "100");
  const volumeProfile = Array.from({ length: 10_000 }, () => "1").join(",");
  const order = await world.place({ type: "VWAP", quantity: "10000", interval: 1_000, volumeProfile });
  await world.quote("99", "100");
  let steps = 0;
  await world.clock.advanceBy(86_400_000, () => {
    steps++;
    return world.engine.idle();
  });
  // Housekeeping runs once an hour.
  expect(steps).toBeLessThan(40);
  // The next quote finds the slot of its time open.
  await world.quote("99", "100");
  expect([world.venue.submitted.length, await world.status(order)]).toEqual([3, "PARTIALLY_FILLED WAITING"]);
});

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
