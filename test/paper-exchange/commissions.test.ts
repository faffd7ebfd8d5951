import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import type { NativePlaced } from "../../src/ports/index.ts";
import type { PaperVenue } from "../../src/simulator/index.ts";
import {
  childOf,
  DEADLINE_MS,
  faulty,
  openVenueWorld,
  quoteOf,
  temporaryDirectory,
} from "../sandbox/venue-world.ts";

const FEES = { fees: { maker: "0.01", taker: "0" } };
const order = { accountId: 1, symbol: "BTC/USD", side: "BUY", clientOrderId: "buy" } as const;

/** Rests a BUY of 1 BTC at 100 USD. */
const rest = (venue: PaperVenue): Promise<NativePlaced> =>
  venue.native.place({
    ...{ ...order, requestKey: "1", type: "LIMIT", timeInForce: "GTC" },
    ...{ quantity: quantity("1"), price: price("100") },
  });

/** Buys 1 BTC for 100 USD with a child whose outcome the venue keeps for itself. */
async function buyHeld(venue: PaperVenue): Promise<void> {
  venue.quote(quoteOf({ bids: ["99"], asks: ["100x1"] }));
  faulty(venue, { mode: "hold" });
  await venue.submit(childOf(), { deadlineMs: DEADLINE_MS });
  faulty(venue, { mode: "none" });
}

const meet = (venue: PaperVenue): void => venue.quote(quoteOf({ bids: ["99"], asks: ["100"] }));

describe("decision PN: commissions", () => {
  it("of a resting order are reserved, so a held child and the order never cost more than there is", async () => {
    const { venue } = await openVenueWorld({ terms: FEES });
    await venue.setBalances(1, { USD: "200" });
    await buyHeld(venue);
    await expect(rest(venue)).rejects.toThrow("insufficient balance");
    await venue.setBalances(1, { USD: "201" });
    await rest(venue);
    expect(venue.funds(1)).toEqual([{ asset: "USD", free: "0", locked: "201" }]);
    meet(venue);
    await venue.idle();
    await venue.release();
    expect(venue.balances(1)).toEqual({ USD: "0", BTC: "2" });
  });

  it("of a maker count on arrival if they are higher", async () => {
    const { venue } = await openVenueWorld({ terms: FEES });
    await venue.setBalances(1, { USD: "100.99" });
    venue.quote(quoteOf({ bids: ["99"], asks: ["101"] }));
    await expect(rest(venue)).rejects.toThrow("insufficient balance");
  });

  it("stay reserved after a restart without them", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const before = await openVenueWorld({ path, terms: FEES });
    await before.venue.setBalances(1, { USD: "150" });
    await rest(before.venue);
    await before.venue.close();
    const { venue } = await openVenueWorld({ path });
    expect(venue.funds(1)).toEqual([{ asset: "USD", free: "49", locked: "101" }]);
    await venue.close();
  });

  it("that began after the order cancel it instead of the promise", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const before = await openVenueWorld({ path });
    await before.venue.setBalances(1, { USD: "200" });
    await buyHeld(before.venue);
    await rest(before.venue);
    await before.venue.close();
    expect(await readFile(path, "utf8")).not.toContain("commissionRate");
    const { venue } = await openVenueWorld({ path, terms: FEES });
    meet(venue);
    await venue.idle();
    await venue.release();
    expect(venue.balances(1)).toEqual({ USD: "100", BTC: "1" });
    expect(await venue.native.find({ ...order })).toMatchObject({
      status: "CANCELED",
      reason: "EXCHANGE_CANCELED",
    });
    await venue.close();
  });
});
