import { expect, it } from "vitest";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "110" } as const;

const firstOf = (submitted: readonly ChildRequest[]): ChildRequest => {
  const [child] = submitted;
  if (child === undefined) throw new Error("nothing was sent");
  return child;
};

it("complaint 8: a stop that triggered and filled sends one child, even if 1,000 more quotes cross it", async () => {
  const world = await createWorld();
  await world.place(STOP);
  for (let n = 0; n < 1_001; n++) await world.quote("120", "121");
  expect(sentTo(world.venue)).toEqual(["BUY 1"]);
});

it("complaint 17: a fill whose answer is lost is found by a look-up and no second child goes out", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = () => new Error("connection reset");
  world.venue.onLookup = (child) => filled(child);
  await world.quote("99", "100");
  await world.pass(0);
  for (let n = 0; n < 10; n++) await world.quote("99", "100");
  expect(await world.status(order)).toBe("FILLED FILLED");
  expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
});

it("complaint 18: no quote sends another child while an answer takes 30 s", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = (child) =>
    new Promise((resolve) =>
      world.clock.schedule(world.clock.nowMs() + 30_000, () => resolve(filled(child))),
    );
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  await world.quote("99", "100");
  for (let second = 0; second < 29; second++) {
    await world.pass(1_000);
    await world.quote("99", "100");
    expect(await world.executed(order)).toBe("0");
  }
  await world.pass(1_000);
  expect(await world.status(order)).toBe("FILLED FILLED");
  expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
});

it("complaint 19: after FILLED no child is sent, even on 10,000 favorable quotes", async () => {
  const world = await createWorld();
  const order = await world.place({ side: "SELL", type: "TAKE_PROFIT_MARKET", stopPrice: "110" });
  await world.quote("110", "111");
  expect(await world.status(order)).toBe("FILLED FILLED");
  for (let n = 0; n < 10_000; n++) world.engine.market.quote({ symbol: "BTC/USD", bid: "120", ask: "121" });
  await world.engine.idle();
  expect(sentTo(world.venue)).toEqual(["SELL 1"]);
});

it("complaint 31: a single 'unknown' of the venue about a canceled unknown child proves nothing; the second one does", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = () => "silence";
  await world.quote("99", "100");
  await world.cancel(order);
  await world.pass(3_999);
  expect(await world.status(order)).toBe("NEW UNKNOWN cancelPending");
  await world.pass(1);
  expect(await world.status(order)).toBe("NEW UNKNOWN cancelPending");
  await world.pass(5_000);
  expect(await world.status(order)).toBe("CANCELED CANCELED");
  expect(sentTo(world.venue)).toHaveLength(1);
});

it("complaint 32: neither a late cancel nor a late refusal of the venue overwrites FILLED", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  await world.quote("99", "100");
  const { childId } = firstOf(world.venue.submitted);
  await expect(world.cancel(order)).rejects.toMatchObject({ code: -2011 });
  for (const state of ["rejected", "open", "closed"] as const) world.venue.say(reported(childId, state));
  await world.engine.idle();
  expect(await world.status(order)).toBe("FILLED FILLED");
  expect(await world.executed(order)).toBe("1");
});

it("complaint 33: a fill after CANCELED is added and reported, and the order stays CANCELED", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
  await world.quote("99", "100");
  await world.cancel(order);
  const { childId } = firstOf(world.venue.submitted);
  world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.4" })]));
  await world.engine.idle();
  await world.engine.idle();
  expect(await world.status(order)).toBe("CANCELED CANCELED");
  expect(await world.executed(order)).toBe("0.4");
  expect(world.alerts.map(({ alert }) => alert)).toEqual(["LATE_FILL"]);
  expect((await world.engine.verify()).equal).toBe(true);
});

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

it("complaint 50: a refused child leaves the rest unchanged, is counted, and the next attempt goes out", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
  await world.quote("99", "100");
  expect(await world.executed(order)).toBe("0");
  expect((await world.order(order)).consecutiveUnfilled).toBe(1);
  world.venue.onSubmit = (child) => filled(child);
  await world.pass(100);
  await world.quote("99", "100");
  expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 1 @ 100"]);
  expect(new Set(world.venue.submitted.map(({ childId }) => childId)).size).toBe(2);
  expect(await world.status(order)).toBe("FILLED FILLED");
});

it("complaint 49: at 10 per second, 25 due children go out in order and none is dropped", async () => {
  const world = await createWorld({
    venue: createScriptedVenue({ honoursDeadline: true, ratePerSecond: 10 }),
  });
  const orders = [];
  for (let n = 0; n < 25; n++) orders.push(await world.place({ ...STOP, newClientOrderId: `due-${n}` }));
  await world.quote("120", "121");
  expect(world.venue.submitted).toHaveLength(1);
  for (let tenth = 0; tenth < 24; tenth++) {
    await world.pass(99);
    expect(world.venue.submitted).toHaveLength(tenth + 1);
    await world.pass(1);
  }
  expect(world.venue.submitted.map(({ parentOrderId }) => parentOrderId)).toEqual(
    orders.map(({ orderId }) => orderId),
  );
});
