import { describe, expect, it } from "vitest";
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
});
