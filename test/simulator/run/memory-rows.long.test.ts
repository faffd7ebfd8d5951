import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  csvMarket,
  type MarketRow,
  type MarketSource,
  marketOfBars,
  type SimulationResult,
  simulate,
} from "../../../src/simulator/index.ts";

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

describe("a TWAP of nine minutes on bars of a minute", () => {
  const twap = { symbol: "BTC/USD", side: "BUY", type: "TWAP", quantity: "9" } as const;
  const simulated = (market: MarketSource): Promise<SimulationResult> =>
    simulate({
      ...{ symbols: ["BTC/USD"], market, balances: { USD: "10000" } },
      strategy: ({ account }) => account.place({ ...twap, interval: 60_000, intervalCount: 9 }),
    });
  const startS = START_MS / 1_000;
  const prices = { open: "100", high: "101", low: "99", close: "100", volume: "100" };
  const barsOf = (factor: number) =>
    Array.from({ length: 12 }, (_, minute) => {
      const openMs = (startS + minute * 60) * factor;
      return { symbol: "BTC/USD", openMs, intervalMs: 60 * factor, ...prices };
    });

  it("fills whole on a file whose times are seconds", async () => {
    const folder = await mkdtemp(join(tmpdir(), "seconds-"));
    const path = join(folder, "1m.csv");
    const lines = barsOf(1).map(({ openMs }) => `${openMs},100,101,99,100,100`);
    await writeFile(path, ["time,open,high,low,close,volume", ...lines].join("\n"));
    const { orders } = await simulated(csvMarket(path, { symbol: "BTC/USD" }));
    expect(orders.map(({ ended }) => ended?.reason)).toEqual(["FILLED"]);
    await rm(folder, { recursive: true });
  });

  it("is refused on rows in memory whose times are seconds or microseconds, and fills whole on milliseconds", async () => {
    const { orders } = await simulated(marketOfBars(barsOf(1_000)));
    expect(orders.map(({ ended }) => ended?.reason)).toEqual(["FILLED"]);
    await expect(simulated(marketOfBars(barsOf(1)))).rejects.toThrow(
      `row 1 of the market cannot be used: its timeMs ${startS} is in seconds since the epoch; multiply the times by 1,000`,
    );
    await expect(simulated(marketOfBars(barsOf(1_000_000)))).rejects.toThrow(
      "is in microseconds since the epoch; divide the times by 1,000",
    );
  });
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
