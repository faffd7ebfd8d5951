import { expect, it } from "vitest";
import { filled, sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

it("complaint 36: a quote and a fill in the same millisecond create one child", async () => {
  const world = await createWorld();
  const order = await world.place({ type: "STOP_MARKET", stopPrice: "100" });
  world.venue.onSubmit = (child) => {
    world.engine.market.quote({ symbol: "BTC/USD", bid: "100", ask: "101" });
    return filled(child);
  };
  world.engine.market.quote({ symbol: "BTC/USD", bid: "100", ask: "101" });
  world.engine.market.quote({ symbol: "BTC/USD", bid: "101", ask: "102" });
  await world.engine.idle();
  expect(sentTo(world.venue)).toEqual(["BUY 1"]);
  expect(await world.status(order)).toBe("FILLED FILLED");
});
