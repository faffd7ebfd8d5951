import { describe, expect, it } from "vitest";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { filled, sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

describe("decision 16: what is left of the sizes of the standing quote", () => {
  it("is shared by the orders of its market: one child has it until the source tells it anew", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => ({ childId, state: "open", fills: [] });
    await world.quote("99", "100", { ask: "1" });
    for (let n = 0; n < 2; n++) await world.place({ price: "100", quantity: "1" });
    // A heartbeat says nothing of what the child in flight has taken at the venue and not yet reported.
    for (let n = 0; n < 5; n++) await world.pass(1_000);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    const [child] = world.venue.submitted;
    if (child !== undefined) world.venue.say(filled(child));
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    // One that is later than the execution brings it back.
    await world.pass(1);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 1 @ 100"]);
  });

  it("a child in flight holds what is inside its limit, and not the deeper levels that a stop of another account needs", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => ({ childId, state: "open", fills: [] });
    const bids = [
      ["100", "1"],
      ["99", "50"],
    ] as const;
    await world.quote("100", "101", { bids });
    await world.place({ side: "SELL", price: "100", quantity: "100" });
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["SELL 100 @ 100"]);
    world.venue.onSubmit = (child) => filled(child, "99");
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "100", quantity: "2" } as const;
    const order = await world.place(stop, 2);
    await world.engine.idle();
    expect(await world.status(order)).toBe("FILLED FILLED");
    const limit = await world.place({ side: "SELL", price: "100" }, 2);
    await world.pass(1_000);
    expect(await world.status(limit)).toBe("NEW WAITING");
  });

  it("a child whose end was stored although its append failed holds nothing", async () => {
    const { world, store } = await createFaultyWorld();
    world.venue.onSubmit = ({ childId }) => ({ childId, state: "open", fills: [] });
    await world.quote("99", "100", { ask: "1" });
    const first = await world.place({ price: "100" });
    await world.engine.idle();
    store().inject("unknown", 1);
    const [child] = world.venue.submitted;
    if (child !== undefined) world.venue.say(filled(child));
    await world.pass(1_000);
    expect(await world.status(first)).toBe("FILLED FILLED");
    world.venue.onSubmit = (next) => filled(next);
    const second = await world.place({ price: "100" });
    await world.pass(1_000);
    await world.pass(1_000);
    expect(await world.status(second)).toBe("FILLED FILLED");
  });
});
