import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  formatNotional,
  formatPrice,
  notional,
  price,
  quantity,
  ZERO_NOTIONAL,
} from "../../src/decimal/index.ts";
import type { NativePlaced } from "../../src/ports/index.ts";
import type { PaperVenue, SlippageModel } from "../../src/simulator/index.ts";
import {
  childOf,
  DEADLINE_MS,
  faulty,
  openFundedWorld,
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

describe("commissions", () => {
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

const deadlineMs = DEADLINE_MS;

const broken: SlippageModel = () => {
  throw new Error("broken");
};

describe("slippage", () => {
  it("a model is called once for each level, so the prices that are checked are those that are charged", async () => {
    const calls: string[] = [];
    const slippage: SlippageModel = ({ price }) => String(100 * (calls.push(price) - 1));
    const { venue } = await openFundedWorld({ terms: { slippage } });
    venue.quote(quoteOf({ bids: ["99"], asks: ["100x1", "200x1"] }));
    faulty(venue, { mode: "partial", fraction: "0.75" });
    const { fills } = await venue.submit(childOf({ quantity: "2" }), { deadlineMs });
    expect(calls).toEqual(["100", "200"]);
    expect(fills.map(({ price, quantity }) => [formatPrice(price), quantity as number])).toEqual([
      ["100", 1_000_000],
      ["202", 500_000],
    ]);
  });

  it.each([
    ["throws", broken, "The slippage model failed: broken"],
    ["returns a number", (() => 5) as unknown as SlippageModel, "slippage must return basis points"],
  ])("a child is refused if the model %s, and its outcome is known", async (_, slippage, detail) => {
    const { venue } = await openFundedWorld({ terms: { slippage } });
    const child = childOf();
    const report = await venue.submit(child, { deadlineMs });
    expect(report).toMatchObject({ state: "rejected", fills: [], detail: expect.stringContaining(detail) });
    expect(await venue.lookup(child)).toEqual(report);
    expect(venue.balances(1)).toEqual({ USD: "1000000", BTC: "10" });
  });

  it.each([
    [["100"], "99.999999"],
    [["50x1", "100"], "99.999999"],
  ])("a BUY by amount at %j spends no more than the amount", async (asks, spent) => {
    const { venue } = await openFundedWorld({ terms: { slippage: () => "100" } });
    venue.quote(quoteOf({ bids: ["49"], asks }));
    const { order } = await venue.native.place({
      ...{ accountId: 1, symbol: "BTC/USD", side: "BUY", clientOrderId: "buy", requestKey: "1" },
      ...{ type: "MARKET", quoteQuantity: notional("100") },
    });
    expect([order.status, formatNotional(order.executedNotional ?? ZERO_NOTIONAL)]).toEqual([
      "FILLED",
      spent,
    ]);
  });
});
