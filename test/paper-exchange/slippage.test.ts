import { describe, expect, it } from "vitest";
import { formatNotional, formatPrice, notional, ZERO_NOTIONAL } from "../../src/decimal/index.ts";
import type { SlippageModel } from "../../src/simulator/index.ts";
import { childOf, DEADLINE_MS, faulty, openFundedWorld, quoteOf } from "../sandbox/venue-world.ts";

const deadlineMs = DEADLINE_MS;

const broken: SlippageModel = () => {
  throw new Error("broken");
};

describe("decision PN: slippage", () => {
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
