import { describe, expect, it } from "vitest";
import { nativeOf } from "../../src/conformance/native-orders/world.ts";
import { price, quantity } from "../../src/decimal/index.ts";
import type { AccountUpdate, ReportedFill } from "../../src/ports/index.ts";
import { createAccountEvents } from "../../src/sandbox/account-events.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { openVenueWorld, quoteOf, type VenueWorld } from "./venue-world.ts";

/** The events of the account after each fill, as the service requests them: once the fill is durable. */
function reportsOf({ venue }: VenueWorld): readonly (AccountUpdate | undefined)[] {
  const events = createAccountEvents({ venue, instruments: createCatalogue() });
  const reported: (AccountUpdate | undefined)[] = [];
  venue.native.subscribe(({ order, executionId, lastQuantity, lastPrice, timeMs }) => {
    if (lastQuantity === undefined || lastPrice === undefined) return;
    const fill: ReportedFill["fill"] = { executionId, quantity: lastQuantity, price: lastPrice, timeMs };
    reported.push(events.afterFill({ ...order, fill }));
  });
  return reported;
}

/** Each balance that a fill changed, with its change. */
const linesOf = (reported: readonly (AccountUpdate | undefined)[]): readonly string[] =>
  reported.map((update) =>
    (update?.balances ?? []).map(({ asset, wallet, change }) => `${asset} ${wallet} (${change})`).join(", "),
  );

/** Account 1 has 1,000 USD. */
async function openFunded(): Promise<VenueWorld> {
  const world = await openVenueWorld();
  await world.venue.setBalances(1, { USD: "1000" });
  return world;
}

describe("convention 4.10: the balances reported with a fill", () => {
  it("are those right after it, also for an order that takes several levels", async () => {
    const world = await openFunded();
    const reported = reportsOf(world);
    world.venue.quote(quoteOf({ bids: ["99"], asks: ["100x1", "101x2", "102"] }));
    await world.venue.native.place(nativeOf({ price: "102", quantity: "4" }));
    expect(linesOf(reported)).toEqual([
      "BTC 1 (1), USD 900 (-100)",
      "BTC 3 (2), USD 698 (-202)",
      "BTC 4 (1), USD 596 (-102)",
    ]);
    expect(reported.map((update) => update?.positions)).toEqual([
      [{ symbol: "BTC/USD", amount: "1" }],
      [{ symbol: "BTC/USD", amount: "3" }],
      [{ symbol: "BTC/USD", amount: "4" }],
    ]);
  });

  it("include nothing of a fill that is not reported yet", async () => {
    const world = await openFunded();
    const reported = reportsOf(world);
    world.venue.quote(quoteOf({ bids: ["99"], asks: ["100"] }));
    await Promise.all([1, 2].map(() => world.venue.native.place(nativeOf({ price: "100" }))));
    expect(linesOf(reported)).toEqual(["BTC 1 (1), USD 900 (-100)", "BTC 2 (1), USD 800 (-100)"]);
  });

  it("hostile 96: with an execution that the venue only claims, they are the current ones", async () => {
    const world = await openFunded();
    const events = createAccountEvents({ venue: world.venue, instruments: createCatalogue() });
    const fill = { executionId: "claimed", quantity: quantity("1"), price: price("100"), timeMs: 0 };
    const update = events.afterFill({ accountId: 1, symbol: "BTC/USD", side: "BUY", fill });
    expect(linesOf([update])).toEqual(["BTC 0 (1), USD 1000 (-100)"]);
  });
});
