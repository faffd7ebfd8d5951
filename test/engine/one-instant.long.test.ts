import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScriptedVenue, reported } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import { createWorld, START_MS, type World, type WorldOptions } from "../support/world.ts";

const MINUTE = 60_000;

/** Bars of a minute: a quote at exactly the time at which slots open. */
const BARS: WorldOptions = { settings: { quoteMaxAgeMs: 5 * MINUTE } };

describe("decision DC: work that is due at a time comes before the quotes and prints of that time", () => {
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

it("decision DC: the journal is the same whether the clock runs a timer or a quote of one time first", async () => {
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

it("decision DC: slots wake nothing in a silent market: a day of a VWAP with one-second slots without quotes takes few steps", async () => {
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
