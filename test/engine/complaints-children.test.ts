import { expect, it } from "vitest";
import { formatQuantity } from "../../src/decimal/index.ts";
import { filled, fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "110" } as const;

it("complaint 34: a fill that the stream leaves out is found within one cycle of reconciliation", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  const fills = [fillOf({ quantity: "0.3" })];
  world.venue.onSubmit = ({ childId }) => reported(childId, "open", fills);
  world.venue.onLookup = ({ childId }) => reported(childId, "open", fills);
  await world.quote("99", "100");
  expect(await world.executed(order)).toBe("0.3");
  fills.push(fillOf({ quantity: "0.2" }));
  await world.pass(world.engine.settings.reconcileEveryMs);
  expect(await world.executed(order)).toBe("0.5");
  expect(await world.status(order)).toBe("PARTIALLY_FILLED WORKING");
});

it("complaint 37: after every partial fill the next child is for the rest", async () => {
  const world = await createWorld();
  const order = await world.place({ ...STOP, quantity: "1" });
  for (const part of ["0.25", "0.125", "0.3"]) {
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: part })]);
    await world.quote("120", "121");
  }
  world.venue.onSubmit = (child) => filled(child);
  await world.quote("120", "121");
  expect(world.venue.submitted.map(({ quantity }) => formatQuantity(quantity))).toEqual([
    "1",
    "0.75",
    "0.625",
    "0.325",
  ]);
  expect(await world.status(order)).toBe("FILLED FILLED");
});
