import { expect, it } from "vitest";
import { createWorld } from "../support/world.ts";

const BUY_STOP = { type: "TRAILING_STOP_LIMIT", trailingAmount: "5", limitOffset: "9999999999" } as const;

it("decision BU: a dynamic limit above the range becomes the largest price, in views, in the journal and at the venue", async () => {
  const world = await createWorld();
  await world.quote("50000", "50010");
  const order = await world.place(BUY_STOP);
  await world.quote("50000", "50010");
  await world.engine.idle();
  expect(world.engine.runningLimit(await world.order(order))).toBe(999_999_999_999_999_999n);
  await world.quote("50010", "50020");
  expect(world.venue.submitted[0]?.limitPrice).toBe(999_999_999_999_999_999n);
  expect(await world.status(order)).toBe("FILLED FILLED");
  await world.crash();
  expect((await world.engine.verify()).equal).toBe(true);
});
