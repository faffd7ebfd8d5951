import { describe, expect, it } from "vitest";
import { closedTrades, type StatisticsInput, statisticsOf } from "../../../src/simulator/statistics.ts";

const DAY_MS = 86_400_000;

/** Statistics of daily values. */
const daily = (values: readonly string[], more: Partial<StatisticsInput> = {}) =>
  statisticsOf({
    equity: values.map((equity, day) => ({ timeMs: day * DAY_MS, equity })),
    sampleMs: DAY_MS,
    ...{ commissions: "0", turnover: "0", closed: [] },
    ...more,
  });

describe("statistics, computed by hand", () => {
  it("returns and drawdown: 100, 110, 99, 121", () => {
    const { totalReturn, profit, annualReturn, maxDrawdown } = daily(["100", "110", "99", "121"]);
    expect([totalReturn, profit]).toEqual(["0.21", "21"]);
    // 1.21 ^ (365 / 3) - 1
    expect(annualReturn?.split(".")[0]).toBe("11809188505");
    expect(maxDrawdown).toEqual({
      ...{ amount: "11", fraction: "0.1", peakMs: DAY_MS, troughMs: 2 * DAY_MS, recoveredMs: 3 * DAY_MS },
    });
  });

  it("volatility, Sharpe and Sortino: returns of 0.1 and -0.1 and 0.2", () => {
    const { volatility, sharpe, sortino } = daily(["100", "110", "99", "118.8"]);
    const root = Math.sqrt(365);
    const mean = 0.2 / 3;
    const deviation = Math.sqrt(((0.1 - mean) ** 2 + (-0.1 - mean) ** 2 + (0.2 - mean) ** 2) / 2);
    expect(Number(volatility)).toBeCloseTo(deviation * root, 7);
    expect(Number(sharpe)).toBeCloseTo((mean / deviation) * root, 7);
    expect(Number(sortino)).toBeCloseTo((mean / Math.sqrt(0.01 / 3)) * root, 7);
  });

  it("the returns are those of equal periods, whenever the points come", () => {
    const at = (...points: readonly (readonly [days: number, equity: string])[]) => ({
      equity: points.map(([days, equity]) => ({ timeMs: days * DAY_MS, equity })),
    });
    // Returns of the four days: 0.1, 0, -0.1 and 0.2.
    const four = at([0, "100"], [0.2, "90"], [0.7, "110"], [2.5, "150"], [3, "99"], [3.1, "1"], [4, "118.8"]);
    const { volatility, sharpe, sortino } = daily([], four);
    const root = Math.sqrt(365);
    const deviation = Math.sqrt((0.05 ** 2 + 0.05 ** 2 + 0.15 ** 2 + 0.15 ** 2) / 3);
    expect(Number(volatility)).toBeCloseTo(deviation * root, 7);
    expect(Number(sharpe)).toBeCloseTo((0.05 / deviation) * root, 7);
    expect(Number(sortino)).toBeCloseTo((0.05 / Math.sqrt(0.01 / 4)) * root, 7);
    // An incomplete day at the end has no return.
    expect(daily([], at([0, "100"], [1, "110"], [2, "99"], [2.9, "1"])).volatility).toBe(
      daily(["100", "110", "99"]).volatility,
    );
  });

  it("hourly points give about the same figures with periods of a minute and of an hour", () => {
    const HOUR_MS = 3_600_000;
    // Over 30 days, four hours with 1.2 %, -1 %, 0.6 % and -0.7 %, repeated.
    const moves = [1.012, 0.99, 1.006, 0.993];
    let value = 1_000;
    const equity = Array.from({ length: 721 }, (_, hour) => {
      if (hour > 0) value *= moves[hour % 4] ?? 1;
      return { timeMs: hour * HOUR_MS, equity: value.toFixed(8) };
    });
    const [hour, minute] = [HOUR_MS, 60_000].map((sampleMs) => daily([], { equity, sampleMs }));
    for (const figure of ["volatility", "sharpe", "sortino"] as const) {
      expect(Number(minute?.[figure]) / Number(hour?.[figure])).toBeCloseTo(1, 2);
    }
  });

  it("hostile input: periods of a millisecond over a century take no more work than there are points", () => {
    const century = [0, 36_500].map((days) => ({ timeMs: days * DAY_MS, equity: String(days + 1) }));
    expect(daily([], { equity: century, sampleMs: 1 })).toHaveProperty("volatility");
  });

  it("ratios without a meaning are absent: no time, no risk, no loss, no trade", () => {
    const flat = daily(["100", "100", "100"]);
    expect([flat.sharpe, flat.sortino, flat.calmar, flat.volatility]).toEqual([
      undefined,
      undefined,
      undefined,
      "0",
    ]);
    expect(daily(["100"])).not.toHaveProperty("annualReturn");
    expect(flat.trades).toEqual({ closed: 0, won: 0, profit: "0" });
    expect(daily(["0", "0"]).totalReturn).toBe("0");
  });

  it("trades: profit factor, win rate and averages", () => {
    const trade = (profit: string) => ({ symbol: "A", openedMs: 0, closedMs: 0, quantity: "1", profit });
    const { trades } = daily(["1"], { closed: ["30", "-10", "10", "-10", "0"].map(trade) });
    expect(trades).toEqual({
      ...{
        closed: 5,
        won: 2,
        winRate: "0.4",
        profitFactor: "2",
        averageProfit: "20",
        averageLoss: "10",
        profit: "20",
      },
    });
  });
});

describe("closed trades", () => {
  const fill = (side: "BUY" | "SELL", price: string, quantity: string, commission = "0") => ({
    ...{ timeMs: 0, symbol: "BTC/USD", side, price, quantity, commission },
  });

  it("the oldest purchase is sold first, and both commissions count", () => {
    const fills = [fill("BUY", "100", "1", "1"), fill("BUY", "200", "1"), fill("SELL", "150", "1.5", "3")];
    // (150 - 2 - 101) * 1 + (150 - 2 - 200) * 0.5
    expect(closedTrades(fills, {})).toMatchObject([{ quantity: "1.5", profit: "21" }]);
  });

  it("what the account had at the start is sold first and closes nothing", () => {
    const fills = [fill("BUY", "100", "1"), fill("SELL", "150", "2"), fill("SELL", "150", "0.5")];
    const closed = closedTrades(fills, { "BTC/USD": "2" });
    expect(closed).toMatchObject([{ quantity: "0.5", profit: "25" }]);
  });
});
