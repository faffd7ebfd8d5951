import { expect, it } from "vitest";
import { contentsOf } from "../../src/adapters/memory/disk.ts";
import { createWorld } from "../support/world.ts";

const HIGHEST = "9999999999.99999999";
const BUY_STOP = {
  type: "TRAILING_STOP_LIMIT",
  trailingAmount: "5",
  limitOffset: "9999999999",
} as const;

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

it("decision BU: a limit that an earlier version froze above the range becomes the largest price", async () => {
  const world = await createWorld();
  const { onSubmit } = world.venue;
  await world.quote("50000", "50010");
  const order = await world.place(BUY_STOP);
  await world.quote("50000", "50010");
  world.venue.onSubmit = (child) => ({ childId: child.childId, state: "rejected", fills: [] });
  await world.quote("50010", "50020");
  for (const { records } of contentsOf(world.disk).shards)
    for (const [sequence, text] of records.texts)
      records.texts.set(sequence, text.replaceAll(HIGHEST.replace(".", ""), "1000005000000000000"));
  world.venue.onSubmit = onSubmit;
  await world.crash();
  expect((await world.order(order)).trigger?.limit).toBe(1_000_005_000_000_000_000n);
  expect(world.engine.runningLimit(await world.order(order))).toBe(999_999_999_999_999_999n);
  await world.pass(10_000);
  await world.quote("50010", "50020");
  expect(world.venue.submitted.at(-1)?.limitPrice).toBe(999_999_999_999_999_999n);
  expect(await world.status(order)).toBe("FILLED FILLED");
});
