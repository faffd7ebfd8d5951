import { describe, expect, it } from "vitest";
import { quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { createScriptedVenue, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "100" } as const;

/** Sends quotes every 10 ms for a period; returns the times at which children were sent, relative to now. */
async function sendTimes(world: World, ms: number): Promise<readonly number[]> {
  const startMs = world.clock.nowMs();
  const times: number[] = [];
  for (let passed = 0; passed < ms; passed += 10) {
    for (const act of [() => world.quote("99", "100"), () => world.pass(10, { heartbeat: false })]) {
      const sent = world.venue.submitted.length;
      await act();
      if (world.venue.submitted.length > sent) times.push(world.clock.nowMs() - startMs);
    }
  }
  return times;
}

describe("decision 22: the quantity of a child", () => {
  it("I14: the minimum is compared with the average price of the levels, to the last step", async () => {
    const world = await createWorld();
    await world.place({ price: "150", quantity: "1" });
    await world.quote("98", "100", {
      asks: [
        ["100", "0.05"],
        ["150", "0.066666"],
      ],
    });
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("98", "100", {
      asks: [
        ["100", "0.05"],
        ["150", "0.066667"],
      ],
    });
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 150"]);
  });

  it("I25: an order that triggers without a sufficient size waits and gives the reason", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100", quantity: "10" });
    await world.quote("98", "99", { ask: "0.1" });
    expect((await world.engine.story(order.orderId))?.waitingFor).toMatch(/minimum/);
    expect(await world.status(order)).toBe("NEW WAITING");
  });
});

describe("decision 25: residuals", () => {
  it("a residual below the minimum ends the parent EXPIRED when its child is closed", async () => {
    const world = await createWorld();
    const order = await world.place({ ...STOP, quantity: "1" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.9" })]);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    expect((await world.order(order)).ended?.reason).toBe("RESIDUAL_BELOW_MIN_NOTIONAL");
    expect(await world.executed(order)).toBe("0.9");
  });
});

describe("decision 26: the pace of attempts", () => {
  it("100 ms after a child without a fill, doubling to 5 s", async () => {
    const world = await createWorld();
    await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    const times = await sendTimes(world, 23_000);
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(pauses).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  it("I25: a child whose market moved away while it waited for the venue is not handed over", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    const orders = [await world.place({ price: "100" }), await world.place({ price: "100", quantity: "2" })];
    await world.quote("99", "100");
    await world.pass(900);
    await world.quote("100", "101");
    await world.pass(100);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(orders[1] ?? 0)).toBe("NEW WAITING");
    await world.pass(100);
    await world.quote("99", "100");
    await world.pass(1_000);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 2 @ 100"]);
  });

  it("I25: nor on a quote that has become stale", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 0.1 }) });
    await world.place({ price: "100" });
    const second = await world.place({ price: "100" });
    await world.quote("99", "100");
    await world.pass(10_000, { heartbeat: false });
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(await world.status(second)).toBe("NEW WAITING");
  });

  it("while the venue's rate delays children, reduce-only ones go first and none is dropped", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 2 }) });
    world.exposure.set({ accountId: 2, symbol: "BTC/USD", quantity: subtract(ZERO_QUANTITY, quantity("9")) });
    for (const size of ["1", "2", "3"]) await world.place({ ...STOP, stopPrice: "90", quantity: size });
    for (const size of ["4", "5"]) await world.place({ ...STOP, quantity: size, reduceOnly: true }, 2);
    await world.quote("99", "100");
    for (let n = 0; n < 4; n++) await world.pass(500);
    expect(sentTo(world.venue)).toEqual(["BUY 1", "BUY 4", "BUY 5", "BUY 2", "BUY 3"]);
    expect(world.engine.metrics()).toMatchObject({ openParents: 0, venueQueue: 0, inFlight: 0 });
  });
});
