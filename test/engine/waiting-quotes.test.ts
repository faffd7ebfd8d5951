import { describe, expect, it } from "vitest";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { SYMBOL } from "../support/world.ts";

const QUOTES = 12_000;
const MOST_WAITING = 10_000;

describe("I64, decision IA: quotes that come while the store does not answer", () => {
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
