import { expect, it } from "vitest";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

const TWAP = { type: "TWAP", quantity: "1", interval: 10_000, intervalCount: 4 } as const;

it("complaint 7: a TWAP of three steps over ten slices is refused for its minimum, without side effects", async () => {
  const world = await createWorld();
  await world.quote("99", "100");
  const tiny = { ...TWAP, quantity: "0.000003", intervalCount: 10 };
  await expect(world.place(tiny)).rejects.toMatchObject({ code: -1013 });
  await expect(
    world.place({ ...tiny, type: "LIMIT", targetStrategy: 180, price: "9000000" }),
  ).rejects.toMatchObject({
    code: -1013,
  });
  expect(world.engine.metrics().openParents).toBe(0);
});

it("complaint 14: an iceberg that is restarted with a child in flight keeps that one child", async () => {
  const world = await createWorld();
  const order = await world.place({ type: "ICEBERG", quantity: "1", price: "100", icebergQty: "0.4" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  await world.quote("99", "100");
  const before = (await world.order(order)).child;
  await world.crash();
  for (let n = 0; n < 5; n++) await world.quote("99", "100");
  expect((await world.order(order)).child?.childId).toBe(before?.childId);
  expect(sentTo(world.venue)).toEqual(["BUY 0.4 @ 100"]);
});

it("complaint 21: the minimum is compared with the slice that is sent, not with a rounded-up share of the whole", async () => {
  const world = await createWorld();
  const cap = { ...TWAP, type: "LIMIT", targetStrategy: 180, price: "45", intervalCount: 3 } as const;
  // A third of 1 is 0.333333...: 15.00 at 45, but the slice of 0.333333 is 14.999985.
  await expect(world.place({ ...cap, quantity: "1" })).rejects.toMatchObject({ code: -1013 });
  await expect(world.place({ ...cap, quantity: "1.000002" })).resolves.toMatchObject({ accountId: 1 });
});

it("complaint 22: a residual of 3 USD after the last attempt ends it EXPIRED, with its fills kept", async () => {
  const world = await createWorld();
  await world.quote("99", "100", { ask: "0" });
  const order = await world.place(TWAP);
  for (let slot = 0; slot < 4; slot++) {
    world.venue.onSubmit = (child) =>
      slot < 3 ? filled(child) : reported(child.childId, "closed", [fillOf({ quantity: "0.22" })]);
    await world.quote("99", "100");
    await world.pass(10_000, { heartbeat: false });
  }
  expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.97"]);
});

it("complaint 23: with an interval of 1 s and a venue that takes 5 s, there is never a second child, and missed slots stay missed", async () => {
  const world = await createWorld();
  await world.quote("99", "100");
  const order = await world.place({ ...TWAP, quantity: "4", interval: 1_000, intervalCount: 20 });
  let out = 0;
  let most = 0;
  world.venue.onSubmit = (child) => {
    most = Math.max(most, ++out);
    return new Promise((resolve) =>
      world.clock.schedule(world.clock.nowMs() + 5_000, () => {
        out--;
        resolve(filled(child));
      }),
    );
  };
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  for (let second = 0; second < 20; second++) {
    await world.quote("99", "100");
    await world.pass(1_000);
  }
  await world.pass(5_000);
  expect([most, world.venue.submitted.length]).toEqual([1, 4]);
  expect([await world.status(order), await world.executed(order)]).toEqual(["EXPIRED EXPIRED", "0.8"]);
});

it("complaint 38: an iceberg is filled when its executions sum to its quantity, not to its display quantity", async () => {
  const world = await createWorld();
  const order = await world.place({ type: "ICEBERG", quantity: "1", price: "100", icebergQty: "0.4" });
  const executed: string[] = [];
  for (let n = 0; n < 3; n++) {
    await world.quote("99", "100");
    executed.push(`${await world.executed(order)} ${(await world.order(order)).ended?.status}`);
  }
  expect(executed).toEqual(["0.4 undefined", "0.8 undefined", "1 FILLED"]);
});
