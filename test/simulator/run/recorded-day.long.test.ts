import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import type { NewManagedOrder } from "../../../src/client/index.ts";
import { csvMarket, mergeMarkets, type SimulationResult, simulate } from "../../../src/simulator/index.ts";
import { csvFile } from "../../sandbox/csv-file.ts";
import { QUOTE_HEADER, recordedDay, TRADE_HEADER } from "../../sandbox/recorded-day.ts";

const SYMBOL = "BTC/USD";
const RUNS = 3;
/** The part of the day that the test plays. */
const MINUTES = 180;

const orders = [
  { side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: 100 },
  { side: "SELL", type: "STOP_MARKET", stopPrice: "7390" },
  { side: "BUY", type: "SYNTHETIC_LIMIT", price: "7500" },
  { side: "BUY", type: "TWAP", interval: 600_000, intervalCount: 12 },
  { side: "BUY", type: "POV", participationBips: 1_000 },
] as const;

/** Hours with each kind of order, on a venue with every term that draws a number or has a state. */
function day(quotes: string, trades: string): Promise<SimulationResult> {
  return simulate({
    symbols: [SYMBOL],
    market: mergeMarkets(csvMarket(quotes), csvMarket(trades)),
    balances: { USD: "1000000", BTC: "100" },
    settings: { quoteMaxAgeMs: 300_000 },
    venue: {
      fees: { maker: "0.0005", taker: "0.001" },
      impact: { shape: "square-root", coefficientBps: "50", windowMs: 3_600_000, halfLifeMs: 600_000 },
      latency: { submitMs: 40, answerMs: 10 },
      rejectionRate: 0.2,
      seed: 11,
    },
    strategy: async ({ account, placeNative }) => {
      for (const [index, order] of orders.entries()) {
        const fields = { ...order, symbol: SYMBOL, quantity: "6", newClientOrderId: `order-${index}` };
        await account.place(fields as NewManagedOrder);
      }
      await placeNative({ symbol: SYMBOL, side: "BUY", type: "LIMIT", quantity: "1", price: "7399" });
    },
  });
}

it(`${RUNS} simulations of a recorded day's first hours have one hash`, async () => {
  const recorded = recordedDay();
  const quotes = await csvFile("quotes.csv", [QUOTE_HEADER, ...recorded.quotes.slice(0, MINUTES)]);
  const trades = await csvFile("trades.csv", [TRADE_HEADER, ...recorded.trades.slice(0, MINUTES)]);
  const results: SimulationResult[] = [];
  for (let run = 0; run < RUNS; run++) results.push(await day(quotes, trades));
  const [first] = results;
  expect(new Set(results.map(({ hash }) => hash)).size).toBe(1);
  expect(results.map(({ statistics }) => statistics)).toEqual(results.map(() => first?.statistics));
  expect(first?.counts).toMatchObject({ quotes: MINUTES, droppedQuotes: {} });
  expect(first?.fills.length).toBeGreaterThan(20);
  await Promise.all([quotes, trades].map((path) => rm(dirname(path), { recursive: true, force: true })));
});
