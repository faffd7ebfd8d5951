import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nativeOf } from "../../src/conformance/native-orders/world.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { PaperVenue } from "../../src/paper-exchange/index.ts";
import { createAccountEvents } from "../../src/sandbox/account-events.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import {
  childOf,
  DEADLINE_MS,
  faulty,
  openFundedWorld,
  openVenueWorld,
  quoteOf,
  temporaryDirectory,
} from "../sandbox/venue-world.ts";

const deadlineMs = DEADLINE_MS;

const positionOf = async (venue: PaperVenue, symbol = "BTC/USD"): Promise<string> =>
  formatQuantity(await venue.position(1, symbol));

describe("positions that are set", () => {
  it("are the exposure; a symbol without one uses the balance of its base asset", async () => {
    const { venue } = await openFundedWorld();
    expect([await positionOf(venue), venue.positions(1)]).toEqual(["10", {}]);
    await venue.setPositions(1, { "BTC/USD": "-2.5", "ETH/USD": "0" });
    expect([await positionOf(venue), await positionOf(venue, "ETH/USD")]).toEqual(["-2.5", "0"]);
    await venue.setPositions(1, { "ETH/USD": "999999999999.999999" });
    expect([await positionOf(venue), venue.positions(1)]).toEqual([
      "10",
      { "ETH/USD": "999999999999.999999" },
    ]);
  });

  it.each([
    [{ "XRP/USD": "1" }, "positions.XRP/USD: unknown instrument"],
    [{ "BTC/USD": "1.1234567" }, "positions.BTC/USD: must be a quantity"],
    [{ "BTC/USD": "-1000000000000" }, "positions.BTC/USD: must be a quantity"],
    [{ "BTC/USD": "--1" }, "positions.BTC/USD: must be a quantity"],
    [{ "BTC/USD": "" }, "positions.BTC/USD: must be a quantity"],
  ])("%j is refused", async (positions, message) => {
    const { venue } = await openFundedWorld();
    await expect(venue.setPositions(1, positions as Record<string, string>)).rejects.toThrow(message);
    expect(venue.positions(1)).toEqual({});
  });

  it("change with fills of children, of held ones when they are released, and of native orders", async () => {
    const { venue } = await openFundedWorld();
    await venue.setPositions(1, { "BTC/USD": "-2" });
    await venue.submit(childOf({ quantity: "0.5" }), { deadlineMs });
    expect(await positionOf(venue)).toBe("-1.5");
    faulty(venue, { mode: "hold", count: 1 });
    await venue.submit(childOf({ side: "SELL", quantity: "1" }), { deadlineMs });
    expect(await positionOf(venue)).toBe("-1.5");
    await venue.release();
    expect(await positionOf(venue)).toBe("-2.5");
    await venue.native.place(nativeOf({ price: "101", quantity: "4" }));
    expect([await positionOf(venue), venue.balances(1)["BTC"]]).toEqual(["1.5", "13.5"]);
    expect(venue.positions(2)).toEqual({});
  });

  it("are restored after a restart", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const { venue } = await openFundedWorld({ path });
    await venue.setPositions(1, { "BTC/USD": "-2" });
    await venue.submit(childOf({ quantity: "0.5" }), { deadlineMs });
    await venue.close();
    const { venue: again } = await openVenueWorld({ path });
    expect(again.positions(1)).toEqual({ "BTC/USD": "-1.5" });
    await again.close();
  });

  it("I13: a reduce-only child takes at most the rest of one, and is refused if there is none", async () => {
    const { venue } = await openFundedWorld();
    await venue.setPositions(1, { "BTC/USD": "-2" });
    const buy = (quantity: string, more = {}) =>
      venue.submit(childOf({ quantity, reduceOnly: true, ...more }), { deadlineMs });
    expect(await buy("3", { timeInForce: "FOK" })).toMatchObject({ state: "closed", fills: [] });
    expect(await buy("1", { side: "SELL" })).toMatchObject({ state: "rejected" });
    expect((await buy("3")).fills.map(({ quantity }) => formatQuantity(quantity))).toEqual(["2"]);
    expect(await buy("1")).toMatchObject({ state: "rejected", detail: "ReduceOnly Order is rejected." });
    expect(await positionOf(venue)).toBe("0");
    await venue.submit(childOf({ quantity: "1" }), { deadlineMs });
    expect(await positionOf(venue)).toBe("1");
  });

  it("convention 4.10: an event contains the position right after its fill", async () => {
    const { venue } = await openFundedWorld();
    await venue.setPositions(1, { "BTC/USD": "-3" });
    venue.quote(quoteOf({ bids: ["99"], asks: ["100x1", "101x2"] }));
    const child = childOf({ quantity: "2" });
    const { fills } = await venue.submit(child, { deadlineMs });
    const events = createAccountEvents({ venue, instruments: createCatalogue() });
    const { accountId, symbol, side } = child;
    const reported = fills.map((fill) => events.afterFill({ accountId, symbol, side, fill })?.positions);
    expect(reported).toEqual([[{ symbol, amount: "-2" }], [{ symbol, amount: "-1" }]]);
  });
});
