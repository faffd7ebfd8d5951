import { describe, expect, it } from "vitest";
import { formatPrice } from "../../src/decimal/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "110" } as const;

const referencesOf = async (world: World, orderId: number): Promise<string | undefined> => {
  const { trigger } = await world.order(orderId);
  return trigger?.reference === undefined ? undefined : formatPrice(trigger.reference);
};

describe("decision 16: which quotes act", () => {
  it("I30: a dropped quote neither triggers nor moves a reference", async () => {
    const world = await createWorld();
    const stop = await world.place(STOP);
    const trail = await world.place({
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingAmount: "5",
      stopPrice: "100",
    });
    await world.quote("100", "101");
    const now = START_MS;
    expect(await world.quote("130", "120")).toBe("crossed");
    expect(await world.quote("120", "121", { timeMs: now + 1_001 })).toBe("future");
    expect(await world.quote("120", "121", { timeMs: now - 1 })).toBe("out-of-order");
    expect(await world.quote("1200", "1210")).toBe("jump");
    expect(await world.quote("1e3", "121")).toBe("malformed");
    expect(await world.quote("0", "121")).toBe("zero");
    await world.pass(6_000, { heartbeat: false });
    expect(await world.quote("120", "121", { timeMs: now })).toBe("stale");
    await world.quote("96", "97");
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.status(stop)).toBe("NEW WAITING");
    await world.quote("95", "96");
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
    expect(await referencesOf(world, trail.orderId)).toBe("100");
  });

  it("every drop is counted by its cause, and so are counted quotes", async () => {
    const world = await createWorld();
    world.engine.market.quote({ symbol: "XRP/USD", bid: "1", ask: "2" });
    await world.quote("100", "101");
    await world.quote("x", "101");
    await world.quote("0.00", "101");
    await world.quote("102", "101");
    await world.quote("100", "101", { timeMs: START_MS - 1 });
    await world.quote("100", "101", { timeMs: START_MS + 5_000 });
    await world.quote("2000", "2001");
    await world.pass(10_000, { heartbeat: false });
    await world.quote("100", "101", { timeMs: START_MS + 4_000 });
    expect(world.engine.metrics().quotesDropped).toEqual({
      "unknown-symbol": 1,
      malformed: 1,
      zero: 1,
      crossed: 1,
      "out-of-order": 1,
      future: 1,
      stale: 1,
      jump: 1,
      unconfirmed: 0,
    });
    expect(world.engine.metrics().quotesCounted).toBe(1);
  });

  it("a heartbeat renews the quote, and triggers nothing that the market has not passed", async () => {
    const world = await createWorld();
    await world.quote("98", "99");
    const stop = await world.place(STOP);
    for (let n = 0; n < 10; n++) {
      await world.pass(1_000, { heartbeat: true });
      expect(world.engine.quote("BTC/USD")?.fresh).toBe(true);
    }
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.status(stop)).toBe("NEW WAITING");
    await world.pass(5_001, { heartbeat: false });
    expect(world.engine.quote("BTC/USD")?.fresh).toBe(false);
  });

  it("a quote that is too old at the admission decides nothing; the heartbeat that confirms it does", async () => {
    const world = await createWorld();
    await world.quote("120", "121");
    await world.pass(5_001, { heartbeat: false });
    const order = await world.place(STOP);
    await world.engine.idle();
    expect(await world.status(order)).toBe("NEW WAITING");
    world.engine.market.heartbeat("BTC/USD");
    await world.engine.idle();
    expect(await world.status(order)).toBe("FILLED FILLED");
  });
});

describe("decisions 18 and 19: trailing", () => {
  it("I31: a reference survives every crash and is never reset; the trigger is compared before it moves", async () => {
    const world = await createWorld();
    const order = await world.place({
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingAmount: "5",
      stopPrice: "100",
    });
    for (const bid of ["100", "104", "108", "110", "107"]) await world.quote(bid, "120");
    await world.crash();
    await world.quote("106", "120");
    await world.crash();
    await world.quote("105", "120");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(await referencesOf(world, order.orderId)).toBe("110");
  });

  it("I31: a move made while an append is in flight becomes durable without a further quote", async () => {
    const world = await createWorld();
    const order = await world.place({
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingAmount: "5",
      stopPrice: "100",
    });
    await world.quote("100", "120");
    world.engine.market.quote({ symbol: "BTC/USD", bid: "104", ask: "120" });
    await Promise.resolve();
    await Promise.resolve();
    world.engine.market.quote({ symbol: "BTC/USD", bid: "110", ask: "120" });
    await world.engine.idle();
    await world.crash();
    await world.quote("105", "120");
    expect(await referencesOf(world, order.orderId)).toBe("110");
  });

  it("a dynamic limit is frozen at the trigger, SELL rounded up and BUY down, and visible before", async () => {
    const world = await createWorld();
    const dynamic = { type: "TRAILING_STOP_LIMIT", price2: "0.1", limitOffset: "0.00000001" } as const;
    await world.quote("100", "100");
    const sell = await world.place({ side: "SELL", ...dynamic });
    await world.quote("100.00000001", "100.00000001");
    await world.quote("100.00000001", "100.00000001");
    expect(formatPrice(world.engine.runningLimit(await world.order(sell)) ?? fail())).toBe("99.9");
    await world.quote("99", "99.5");
    const { trigger } = await world.order(sell);
    expect(formatPrice(trigger?.limit ?? fail())).toBe("99.9");
    await world.quote("200", "201");
    expect(sentTo(world.venue)).toEqual(["SELL 1 @ 99.9"]);
  });
});

describe("decision 20: one quote, many triggers", () => {
  it("act in that order also over accounts of different shards", async () => {
    const world = await createWorld();
    expect(shardOf(1)).not.toBe(shardOf(2));
    await world.place({ ...STOP, stopPrice: "101", quantity: "1" }, 1);
    await world.place({ ...STOP, stopPrice: "102", quantity: "2" }, 2);
    await world.place({ ...STOP, stopPrice: "103", quantity: "3" }, 1);
    await world.place({ ...STOP, stopPrice: "104", quantity: "4" }, 2);
    await world.quote("108", "109");
    expect(sentTo(world.venue)).toEqual(["BUY 1", "BUY 2", "BUY 3", "BUY 4"]);
  });
});

const fail = (): never => {
  throw new Error("nothing there");
};
