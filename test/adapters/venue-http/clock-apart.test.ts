import { describe, expect, it } from "vitest";
import { createMemoryHost } from "../../../src/adapters/memory/index.ts";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import { openEngine } from "../../../src/engine/index.ts";
import { statusOf } from "../../../src/lifecycle/index.ts";
import type { Clock } from "../../../src/ports/index.ts";
import { createCatalogue } from "../../../src/sandbox/catalogue.ts";
import { openPaperVenue } from "../../../src/simulator/index.ts";
import { quoteOf } from "../../sandbox/venue-world.ts";
import { connect, serveVenue, until, watched } from "./loopback.ts";

const SYMBOL = "BTC/USD";

/** The clock of a machine that is apart by some milliseconds. */
function apart(clock: Clock, byMs: number): Clock {
  return { ...clock, nowMs: () => clock.nowMs() + byMs };
}

describe("a venue whose clock is apart", () => {
  it.each([-10_000, 10_000])("by %d ms: an order fills, and its child once", async (byMs) => {
    const clock = createSystemClock();
    const venueClock = apart(clock, byMs);
    const paper = await openPaperVenue({ clock: venueClock, instruments: createCatalogue() });
    await paper.setBalances(1, { USD: "1000000", BTC: "10" });
    paper.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
    const running = await serveVenue({ venue: watched(paper, venueClock), clock: venueClock });
    const client = await connect(running.url);
    const host = createMemoryHost({ symbols: [SYMBOL] });
    const reported: string[] = [];
    const engine = await openEngine({
      telemetry: { event: (_level, name) => void reported.push(name) },
      ...{ store: host.store, instruments: host.instruments, accounts: host.accounts },
      ...{ exposure: host.exposure, entropy: host.entropy, clock, venue: client.venue },
      settings: { advancedOrders: true },
    });
    // A child that is sent before the venue has told its time is late for a venue that is ahead.
    await until(() => reported.includes("venue.clock-apart"), "the venue's time");
    const { order } = await engine.account(1).place({
      ...{ symbol: SYMBOL, side: "BUY", type: "STOP", quantity: "1", stopPrice: "101" },
    });
    const quote = (bid: string, ask: string) => engine.market.quote({ symbol: SYMBOL, bid, ask });
    quote("99", "100");
    quote("100", "101");
    let status = "";
    const read = async (): Promise<void> => {
      const found = await engine.account(1).find({ orderId: order.orderId });
      status = found === undefined ? "" : statusOf(found).status;
    };
    await until(() => {
      void read();
      return status === "FILLED";
    }, "the fill");
    const rows = paper.children().map(({ submissions, executedQty }) => [submissions, executedQty]);
    expect(rows).toEqual([[1, "1"]]);
    client.close();
    await engine.close();
    await running.close();
    await paper.close();
  });
});
