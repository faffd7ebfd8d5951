import { expect, it } from "vitest";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { OCO } from "../support/list-samples.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { SYMBOL } from "../support/world.ts";

it("complaint 20: an OCO that many quotes in one second trigger sends one child", async () => {
  const { world, store } = await createFaultyWorld();
  const list = await world.placeList("oco", OCO);
  store().inject("slow", 1);
  for (let n = 0; n < 20; n++) {
    world.engine.market.quote({ symbol: SYMBOL, bid: "90", ask: "91" });
    world.engine.market.quote({ symbol: SYMBOL, bid: "110", ask: "111" });
  }
  await turns();
  store().release();
  await world.engine.idle();
  expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  expect(await world.legs(list)).toEqual(["FILLED FILLED", "CANCELED CANCELED"]);
});
