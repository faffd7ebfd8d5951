import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice, formatQuantity } from "../../src/decimal/index.ts";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { loseRows } from "../support/stored-rows.ts";
import { createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "110" } as const;

const referencesOf = async (world: World, orderId: number): Promise<string | undefined> => {
  const { trigger } = await world.order(orderId);
  return trigger?.reference === undefined ? undefined : formatPrice(trigger.reference);
};

describe("which quotes act", () => {
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

describe("trailing", () => {
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

describe("one quote, many triggers", () => {
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

describe("events of the market", () => {
  it("a counted quote is reported once, a dropped one and a heartbeat are not", async () => {
    const world = await createWorld();
    const received: string[] = [];
    world.engine.events.on("quote", ({ symbol, bid, ask, sequence }) => {
      received.push(`${symbol} ${formatPrice(bid)} ${formatPrice(ask)} ${sequence}`);
    });
    await world.quote("100", "101");
    await world.quote("102", "101");
    await world.quote("0", "101");
    world.engine.market.heartbeat(SYMBOL);
    await world.quote("100", "101");
    expect(received).toEqual([`${SYMBOL} 100 101 1`, `${SYMBOL} 100 101 2`]);
  });

  it("a counted print is reported once with its price", async () => {
    const world = await createWorld();
    const received: unknown[] = [];
    world.engine.events.on("print", ({ price, quantity, ...print }) => {
      received.push([print.id, formatPrice(price), formatQuantity(quantity), print.timeMs]);
    });
    await world.print("0.5", { id: "a", price: "99.5" });
    await world.print("0.5", { id: "a", price: "99.5" });
    await world.print("0", { id: "b" });
    expect(received).toEqual([["a", "99.5", "0.5", START_MS]]);
  });

  it("the quote can be read during its event, after the decisions that it triggered", async () => {
    const world = await createWorld();
    const stop = await world.place({ type: "STOP_MARKET", stopPrice: "110" });
    const seen: unknown[] = [];
    world.engine.events.on("quote", ({ sequence }) => {
      seen.push(world.engine.quote(SYMBOL)?.quote.sequence === sequence);
    });
    await world.quote("110", "111");
    expect([seen, await world.status(stop)]).toEqual([[true], "FILLED FILLED"]);
  });

  it("the price of a print is a member of the event only: the journal keeps its own form", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const order = await world.place({ type: "POV", participationBips: 5_000, quantity: "1" });
    await world.quote("100", "101");
    await world.print("10", { id: "outside" });
    const story = await world.engine.story(order.orderId);
    const causes = story?.records.map(({ cause }) => cause) ?? [];
    const print = causes.find(({ kind }) => kind === "PRINT");
    expect(print).toEqual({
      kind: "PRINT",
      print: expect.not.objectContaining({ price: expect.anything() }),
    });
  });
});

const STOP_MEMORY: Partial<OrderFields> = {
  type: "STOP_MARKET",
  side: "SELL",
  stopPrice: "90",
  quantity: "10",
};

/** The last quotes in the store, as `symbol bid ask time`. */
const stored = async ({ disk }: World): Promise<readonly string[]> =>
  (await createMemoryStore({ disk }).readQuotes()).map(
    ({ symbol, bid, ask, timeMs }) => `${symbol} ${bid} ${ask} ${timeMs - START_MS}`,
  );

/** A world that crashed with an open stop, its market at 100. */
async function crashed(): Promise<World> {
  const world = await createWorld();
  await world.quote("100", "101");
  await world.place(STOP_MEMORY);
  await world.pass(100);
  await world.quote("100", "101");
  await world.place({ side: "BUY", price: "50" });
  await world.crash();
  return world;
}

describe("the first quote after an opening with open parents", () => {
  it("is compared with the last one before, and the memory itself triggers nothing", async () => {
    const world = await crashed();
    expect(world.engine.quote(SYMBOL)).toBeUndefined();
    world.engine.market.heartbeat(SYMBOL);
    expect(world.engine.quote(SYMBOL)).toBeUndefined();
    expect(await world.quote("9", "9.1")).toBe("jump");
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.quote("89", "90")).toBe("counted");
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it("counts when the next one confirms it, at that quote's price", async () => {
    const world = await crashed();
    expect(await world.quote("9", "9.1")).toBe("jump");
    expect(await world.quote("9.2", "9.3")).toBe("counted");
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it("does not count if it is older than the last one before", async () => {
    const world = await crashed();
    expect(await world.quote("89", "90", { timeMs: START_MS + 99 })).toBe("out-of-order");
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.quote("89", "90", { timeMs: START_MS + 100 })).toBe("counted");
  });

  it("is held until it is confirmed if nothing is known", async () => {
    const world = await createWorld();
    await world.place(STOP_MEMORY);
    await world.crash();
    expect(await world.quote("9", "9.1")).toBe("unconfirmed");
    expect(await world.quote("100", "101")).toBe("unconfirmed");
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.quote("89", "90")).toBe("counted");
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(world.engine.metrics().quotesDropped.unconfirmed).toBe(2);
  });

  it("is compared with the newest mark if there is no quote, by the side of the mark", async () => {
    const world = await createWorld();
    await world.quote("100", "101");
    await world.place({
      type: "TRAILING_STOP_MARKET",
      side: "SELL",
      trailingAmount: "5",
    } as Partial<OrderFields>);
    await world.quote("104", "105");
    loseRows(world.disk, "quote");
    await world.crash();
    expect(await world.quote("9", "105")).toBe("jump");
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.quote("98", "9999")).toBe("counted");
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it("counts at once, whatever its price, if no parent of the market is open", async () => {
    const world = await createWorld();
    await world.quote("100", "101");
    await world.cancel(await world.place(STOP_MEMORY));
    expect(await stored(world)).toHaveLength(1);
    await world.crash();
    expect(await world.quote("5", "6", { timeMs: START_MS - 1_000 })).toBe("counted");
  });
});

describe("the last counted quote is stored", () => {
  it("with other writes, of markets with open parents only, and never by itself", async () => {
    const world = await createWorld();
    await world.quote("100", "101");
    await world.quote("10", "11", { symbol: "ETH/USD" } as object);
    expect(await stored(world)).toEqual([]);
    const stop = await world.place(STOP_MEMORY);
    expect(await stored(world)).toEqual([`${SYMBOL} 10000000000 10100000000 0`]);
    await world.pass(1_000);
    const { appends } = world.engine.metrics();
    await world.quote("102", "103");
    expect(world.engine.metrics().appends).toBe(appends);
    await world.place({ symbol: "ETH/USD", side: "BUY", price: "5", quantity: "10" });
    expect(await stored(world)).toEqual([
      `${SYMBOL} 10200000000 10300000000 1000`,
      "ETH/USD 1000000000 1100000000 0",
    ]);
    await world.cancel(stop);
    await world.quote("104", "105");
    await world.place({ symbol: "ETH/USD", side: "BUY", price: "6", quantity: "10" });
    expect((await stored(world))[0]).toBe(`${SYMBOL} 10200000000 10300000000 1000`);
  });

  it("once more when the engine closes", async () => {
    const world = await createWorld();
    await world.quote("100", "101");
    await world.place(STOP_MEMORY);
    await world.quote("110", "111");
    await world.engine.close();
    expect(await stored(world)).toEqual([`${SYMBOL} 11000000000 11100000000 0`]);
    await world.crash();
    expect(await world.quote("9", "9.1")).toBe("jump");
  });

  it("by the next append if one failed", async () => {
    const { world, store } = await createFaultyWorld();
    await world.quote("100", "101");
    store().inject("fail", 1);
    await expect(world.place(STOP_MEMORY)).rejects.toThrow();
    expect(await stored(world)).toEqual([]);
    await world.place({ ...STOP_MEMORY, newClientOrderId: "again" });
    expect(await stored(world)).toEqual([`${SYMBOL} 10000000000 10100000000 0`]);
  });

  it("also for a parent that waits for a print and not for a price", async () => {
    const world = await createWorld();
    await world.quote("100", "101");
    await world.place({ type: "POV", participationBips: 1_000 } as Partial<OrderFields>);
    await world.quote("120", "121");
    await world.print("1");
    expect((await stored(world))[0]).toContain("12000000000");
  });
});

const QUOTES = 12_000;
const MOST_WAITING = 10_000;

describe("I64: quotes that come while the store does not answer", () => {
  it("wait up to a limit; above it the quote before them acts at once, on the same orders", async () => {
    const { world, store } = await createFaultyWorld();
    await world.quote("93", "100");
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" } as const;
    const trail = {
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingAmount: "5",
      stopPrice: "94",
    } as const;
    const stops = await Promise.all(Array.from({ length: 50 }, () => world.place(stop)));
    const later = await world.place({ ...stop, stopPrice: "50" });
    const trailing = await world.place(trail);
    await world.quote("93", "100");
    expect(await world.facts(trailing)).toEqual(["ACCEPTED"]);
    const book = (world.engine.market as MarketHub).book(SYMBOL);
    const report = (bid: string): unknown => world.engine.market.quote({ symbol: SYMBOL, bid, ask: "100" });
    store().inject("slow");
    // More than an append holds, so that no quote acts in turns.
    const placed = Array.from({ length: 600 }, () => world.place({ price: "50" }, 2));
    await turns();
    report("89");
    report("98");
    let most = 0;
    for (let count = 0; count < QUOTES; count++) {
      report(count % 2 === 0 ? "97" : "98");
      most = Math.max(most, book?.waiting ?? 0);
    }
    store().inject("none");
    store().release();
    await Promise.all(placed);
    await world.engine.idle();
    const triggers = await Promise.all(stops.map(async (order) => (await world.order(order)).trigger));
    expect([most, triggers.filter((one) => one !== undefined).length]).toEqual([MOST_WAITING, 50]);
    expect([(await world.order(later)).trigger, await world.facts(trailing)]).toEqual([
      undefined,
      ["ACCEPTED", "ACTIVATED"],
    ]);
    expect(world.venue.submitted).toHaveLength(50);
  });
});

const BUY_STOP = { type: "TRAILING_STOP_LIMIT", trailingAmount: "5", limitOffset: "9999999999" } as const;

it("a dynamic limit above the range becomes the largest price, in views, in the journal and at the venue", async () => {
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
