import { expect, it, vi } from "vitest";
import { type MarketRow, simulate } from "../../../src/simulator/index.ts";

const START_MS = Date.UTC(2026, 0, 1);
const QUOTE: MarketRow = { kind: "quote", timeMs: START_MS, symbol: "BTC/USD", bid: "60000", ask: "60001" };
const TRADE: MarketRow = {
  kind: "trade",
  timeMs: START_MS,
  symbol: "BTC/USD",
  price: "60000",
  quantity: "0.1",
};

const run = (market: readonly MarketRow[]) =>
  simulate({ symbols: ["BTC/USD"], market, strategy: () => undefined });

it.each([
  ["bid", QUOTE],
  ["ask", QUOTE],
  ["bidQuantity", QUOTE],
  ["price", TRADE],
  ["quantity", TRADE],
])("mistake: a number as %s is a TypeError that names it", async (name, row) => {
  const refused = run([QUOTE, { ...row, [name]: 60_000 } as MarketRow]);
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(
    `row 2 of the market cannot be used: ${name} must be a decimal string`,
  );
});

it("one trade a second for four hours: the store is never taken for silent", async () => {
  const write = vi.spyOn(console, "error").mockReturnValue();
  const rows = Array.from({ length: 4 * 3_600 }, (_, second): MarketRow[] => {
    const timeMs = START_MS + second * 1_000;
    return [...(second % 4 === 0 ? [{ ...QUOTE, timeMs }] : []), { ...TRADE, timeMs }];
  });
  await run(rows.flat());
  expect(write.mock.calls).toEqual([]);
  write.mockRestore();
});
