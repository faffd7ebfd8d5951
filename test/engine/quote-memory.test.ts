import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { loseRows } from "../support/stored-rows.ts";
import { createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

const STOP: Partial<OrderFields> = { type: "STOP_MARKET", side: "SELL", stopPrice: "90", quantity: "10" };

/** The last quotes in the store, as `symbol bid ask time`. */
const stored = async ({ disk }: World): Promise<readonly string[]> =>
  (await createMemoryStore({ disk }).readQuotes()).map(
    ({ symbol, bid, ask, timeMs }) => `${symbol} ${bid} ${ask} ${timeMs - START_MS}`,
  );

/** A world that crashed with an open stop, its market at 100. */
async function crashed(): Promise<World> {
  const world = await createWorld();
  await world.quote("100", "101");
  await world.place(STOP);
  await world.pass(100);
  await world.quote("100", "101");
  await world.place({ side: "BUY", price: "50" });
  await world.crash();
  return world;
}

describe("decision BR: the first quote after an opening with open parents", () => {
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
    await world.place(STOP);
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
    await world.cancel(await world.place(STOP));
    expect(await stored(world)).toHaveLength(1);
    await world.crash();
    expect(await world.quote("5", "6", { timeMs: START_MS - 1_000 })).toBe("counted");
  });
});

describe("decision BR: the last counted quote is stored", () => {
  it("with other writes, of markets with open parents only, and never by itself", async () => {
    const world = await createWorld();
    await world.quote("100", "101");
    await world.quote("10", "11", { symbol: "ETH/USD" } as object);
    expect(await stored(world)).toEqual([]);
    const stop = await world.place(STOP);
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
    await world.place(STOP);
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
    await expect(world.place(STOP)).rejects.toThrow();
    expect(await stored(world)).toEqual([]);
    await world.place({ ...STOP, newClientOrderId: "again" });
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
