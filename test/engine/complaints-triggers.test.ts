import { expect, it } from "vitest";
import { formatPrice } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { filled, sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

const seedOf = ({ activation }: ParentOrder): string | undefined =>
  activation && formatPrice(activation.seed);
const observedBy = ({ trigger }: ParentOrder): string | undefined => trigger && formatPrice(trigger.observed);

it("complaint 4: a quote with one side only does not count; a trailing order waits undisturbed", async () => {
  const world = await createWorld();
  const order = await world.place({
    side: "SELL",
    type: "TRAILING_STOP_MARKET",
    trailingDelta: 100,
    stopPrice: "90",
  });
  expect(await world.quote("", "100")).toBe("malformed");
  expect(await world.quote("0", "100")).toBe("zero");
  expect(await world.status(order)).toBe("NEW WAITING");
  expect((await world.order(order)).activation).toBeUndefined();
  await world.quote("99", "100");
  expect(seedOf(await world.order(order))).toBe("99");
});

it("complaint 5: a SELL trail with gate 15 stays inactive at bid 14.9 and is active from 15.5 on", async () => {
  const world = await createWorld();
  const trail = { side: "SELL", type: "TRAILING_STOP_MARKET", quantity: "10", trailingAmount: "1" } as const;
  const order = await world.place({ ...trail, stopPrice: "15" });
  await world.quote("13", "13.1");
  await world.quote("14.9", "15");
  expect((await world.order(order)).activation).toBeUndefined();
  await world.quote("15.5", "15.6");
  expect(seedOf(await world.order(order))).toBe("15.5");
  await world.quote("14.51", "14.6");
  expect(sentTo(world.venue)).toEqual([]);
  await world.quote("14.5", "14.6");
  expect(sentTo(world.venue)).toEqual(["SELL 10"]);
});

it("complaint 6: after a gap from trigger 105 to ask 200 the child is priced at 200, never at 105", async () => {
  const world = await createWorld();
  const atMarket = await world.place({ type: "TRAILING_STOP_MARKET", trailingAmount: "5", stopPrice: "100" });
  const capped = await world.place({
    type: "TRAILING_STOP_LIMIT",
    trailingAmount: "5",
    stopPrice: "100",
    price: "150",
  });
  await world.quote("99", "100");
  await world.quote("199", "200");
  expect(sentTo(world.venue)).toEqual(["BUY 1"]);
  expect(observedBy(await world.order(atMarket))).toBe("200");
  expect(await world.status(capped)).toBe("NEW WAITING");
  await world.quote("149", "150");
  expect(sentTo(world.venue)).toEqual(["BUY 1", "BUY 1 @ 150"]);
});

it("complaint 11: admission takes no cap from the market", async () => {
  const world = await createWorld();
  await world.quote("2600", "2601");
  const order = await world.place({ side: "SELL", type: "STOP_MARKET", stopPrice: "2470" });
  await world.quote("2600", "2601");
  expect(sentTo(world.venue)).toEqual([]);
  await world.quote("2470", "2471");
  expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  expect((await world.order(order)).intent.price).toBeUndefined();
});

it("complaint 28: a bid of 0 is dropped and triggers no SELL stop at 90", async () => {
  const world = await createWorld();
  const order = await world.place({ side: "SELL", type: "STOP_MARKET", stopPrice: "90" });
  expect(await world.quote("0", "100")).toBe("zero");
  expect(world.engine.metrics().quotesDropped.zero).toBe(1);
  expect((await world.order(order)).trigger).toBeUndefined();
  expect(sentTo(world.venue)).toEqual([]);
});

it("complaint 29: a BUY stop 100 limit 101 triggers at 102 and buys at 99 when the price returns", async () => {
  const world = await createWorld();
  const order = await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" });
  await world.quote("101", "102");
  expect(observedBy(await world.order(order))).toBe("102");
  expect(sentTo(world.venue)).toEqual([]);
  await world.quote("98", "99");
  expect(sentTo(world.venue)).toEqual(["BUY 1 @ 101"]);
  expect(await world.status(order)).toBe("FILLED FILLED");
});

it("complaint 29: the trigger is kept over a crash", async () => {
  const world = await createWorld();
  await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" });
  await world.quote("101", "102");
  await world.crash();
  await world.quote("98", "99");
  expect(sentTo(world.venue)).toEqual(["BUY 1 @ 101"]);
});

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

it("complaint 45: a SELL stop at 0.40 with the bid at 0.60 sends nothing", async () => {
  const world = await createWorld();
  await world.quote("0.60", "0.61");
  const order = await world.place({ side: "SELL", type: "STOP_MARKET", stopPrice: "0.40", quantity: "100" });
  await world.quote("0.60", "0.61");
  expect(sentTo(world.venue)).toEqual([]);
  expect(await world.status(order)).toBe("NEW WAITING");
});
