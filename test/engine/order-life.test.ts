import { expect, it } from "vitest";
import { formatQuantity } from "../../src/decimal/index.ts";
import { createWorld } from "../support/world.ts";

it("contract, trigger rule 3: a persistent limit sends its child when the ask reaches the cap", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  await world.quote("100", "100.5");
  expect(world.venue.submitted).toHaveLength(0);
  await world.quote("99", "99.9");
  expect(
    world.venue.submitted.map((child) => [child.childId.slice(0, 4), formatQuantity(child.quantity)]),
  ).toEqual([["aqc-", "1"]]);
  expect(await world.status(order)).toBe("FILLED FILLED");
});

it("complaint 8: a stop that triggered and filled sends exactly one child, however many quotes cross it", async () => {
  const world = await createWorld();
  await world.place({ type: "STOP_MARKET", stopPrice: "110" });
  for (let n = 0; n < 50; n++) await world.quote("120", "121");
  expect(world.venue.submitted).toHaveLength(1);
});
