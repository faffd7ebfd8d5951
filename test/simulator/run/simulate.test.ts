import { describe, expect, it } from "vitest";
import { Quantity, statusOf } from "../../../src/index.ts";
import {
  MarketDataError,
  type MarketRow,
  type SimulationOptions,
  type SimulationResult,
  type Strategy,
  simulate,
} from "../../../src/simulator/index.ts";

const SYMBOL = "BTC/USD";
const START_MS = 1_760_000_000_000;

const quote = (afterMs: number, bid: string, ask: string): MarketRow => ({
  ...{ kind: "quote", timeMs: START_MS + afterMs, symbol: SYMBOL },
  ...{ bid, ask },
});

/** Falls from 60,000 by 100 a second, ten times, then rises again. */
const DIP: readonly MarketRow[] = Array.from({ length: 20 }, (_, n) => {
  const price = 60_000 - 100 * (n < 10 ? n : 20 - n);
  return quote(n * 1_000, String(price), String(price + 1));
});

const run = async (strategy: Strategy, more: Partial<SimulationOptions> = {}): Promise<SimulationResult> =>
  await simulate({ symbols: [SYMBOL], market: DIP, strategy, ...more });

const stop = {
  symbol: SYMBOL,
  side: "SELL",
  type: "STOP_MARKET",
  quantity: "1",
  stopPrice: "59500",
} as const;

describe("simulate", () => {
  it("a stop fires at the quote that meets it and executes at that quote", async () => {
    const result = await run(({ account }) => account.place(stop), { balances: { USD: "0", BTC: "1" } });
    expect(result.orders.map((order) => statusOf(order).status)).toEqual(["FILLED"]);
    expect(result.fills).toMatchObject([
      { timeMs: START_MS + 5_000, side: "SELL", price: "59500", quantity: "1", commission: "0" },
    ]);
    expect(result.balances).toEqual({ USD: "59500", BTC: "0" });
    expect(result.counts).toEqual({ quotes: 20, trades: 1, droppedQuotes: {}, children: 1, alerts: 0 });
  });

  it("the same input gives the same hash, another input another", async () => {
    const place: Strategy = ({ account }) => account.place(stop);
    const results = [await run(place), await run(place), await run(place, { balances: { BTC: "2" } })];
    const [one, two, three] = results.map(({ hash }) => hash);
    expect([one === two, one === three]).toEqual([true, false]);
  });

  it("a strategy that answers its own fills comes to rest before time moves on", async () => {
    const times: number[] = [];
    const result = await run(
      async (trader) => {
        trader.on("fill", async ({ fill }) => {
          times.push(trader.nowMs());
          expect(fill.timeMs).toBe(trader.nowMs());
          await trader.account.openOrders({ limit: 10 });
          await trader.placeNative({ symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "0.5" });
        });
        await trader.account.place(stop);
      },
      { balances: { USD: "100000", BTC: "1" } },
    );
    expect(times).toEqual([START_MS + 5_000]);
    expect(result.nativeOrders.map(({ status }) => status)).toEqual(["FILLED"]);
    expect(result.fills.map(({ timeMs, price }) => [timeMs - START_MS, price])).toEqual([
      [5_000, "59500"],
      [5_000, "59501"],
    ]);
    expect(result.positions).toEqual({ [SYMBOL]: "0.5" });
  });

  it("a resting native order is a maker, one that executes on arrival a taker", async () => {
    const fees = { maker: "0.001", taker: "0.002" };
    const result = await run(
      async ({ placeNative }) => {
        const buy = { symbol: SYMBOL, side: "BUY", quantity: "1" } as const;
        await placeNative({ ...buy, type: "MARKET" });
        await placeNative({ ...buy, type: "LIMIT", price: "59201" });
      },
      { balances: { USD: "200000" }, venue: { fees } },
    );
    expect(result.fills.map(({ liquidity, price, commission }) => [liquidity, price, commission])).toEqual([
      ["taker", "60001", "120.002"],
      ["maker", "59201", "59.201"],
    ]);
    expect(result.balances).toEqual({ BTC: "2", USD: "80618.797" });
    expect(result.statistics.commissions).toBe("179.203");
  });

  it("a resting native order executes at its limit, also if the market jumps past it", async () => {
    const levels = [
      ["58900", "1"],
      ["58950", "1"],
    ] as const;
    const jump = { ...quote(1_000, "58800", "58900"), asks: levels };
    const result = await run(
      ({ placeNative }) =>
        placeNative({ symbol: SYMBOL, side: "BUY", type: "LIMIT", quantity: "1.5", price: "59000" }),
      { market: [quote(0, "60000", "60001"), jump] },
    );
    expect(result.fills.map(({ price, quantity }) => [price, quantity])).toEqual([
      ["59000", "1"],
      ["59000", "0.5"],
    ]);
    expect(result.balances).toEqual({ BTC: "1.5", USD: "11500" });
  });

  it("slippage makes a price worse, never beyond the limit", async () => {
    const buy = { symbol: SYMBOL, side: "BUY", quantity: "1" } as const;
    const result = await run(
      async ({ placeNative, account }) => {
        await placeNative({ ...buy, type: "MARKET" });
        await account.place({ ...buy, type: "SYNTHETIC_LIMIT", price: "59902" });
      },
      { balances: { USD: "200000" }, venue: { slippage: () => "10" } },
    );
    expect(result.fills.map(({ price }) => price)).toEqual(["60061.001", "59902"]);
  });

  it("latency: a child meets the quote of its arrival", async () => {
    const result = await run(({ account }) => account.place(stop), {
      balances: { BTC: "1" },
      venue: { latency: { submitMs: 1_500, answerMs: 100 } },
    });
    expect(result.fills.map(({ timeMs, price }) => [timeMs - START_MS, price])).toEqual([[6_500, "59400"]]);
  });

  it("fills and equity are in the order of time, also if an answer comes after a later fill", async () => {
    const prices = ["100", "110", "120", "130", "130"];
    const market = prices.map((price, n) => quote(500 * n, price, String(Number(price) + 1)));
    const result = await run(
      async ({ account, at, placeNative }) => {
        const sell = { symbol: SYMBOL, side: "SELL", type: "MARKET", quantity: "1" } as const;
        at(START_MS + 1_000, () => placeNative(sell));
        const buy = { symbol: SYMBOL, side: "BUY", quantity: "1", price: "200" } as const;
        await account.place({ ...buy, type: "SYNTHETIC_LIMIT" });
      },
      { market, balances: { USD: "1000" }, sampleMs: 1, venue: { latency: { answerMs: 1_000 } } },
    );
    expect(result.fills.map(({ timeMs, side }) => [timeMs - START_MS, side])).toEqual([
      [0, "BUY"],
      [1_000, "SELL"],
    ]);
    expect(result.statistics.trades.closed).toBe(1);
    const times = result.equity.map(({ timeMs }) => timeMs);
    expect(times).toEqual(times.toSorted());
  });

  it("a trade of the market counts beside an execution of the account with the same id", async () => {
    const trade = (afterMs: number, id: string): MarketRow => ({
      ...{ kind: "trade", timeMs: START_MS + afterMs, symbol: SYMBOL },
      ...{ price: "60000", quantity: "1", id },
    });
    const ids = ["1", "1", "market-1", "x".repeat(64)];
    const market = [quote(0, "60000", "60001"), ...ids.map((id, index) => trade(index + 1, id))];
    const result = await run(
      ({ placeNative }) => placeNative({ symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "1" }),
      { market },
    );
    expect(result.fills.map(({ executionId }) => executionId)).toEqual(["1"]);
    // The execution, and three trades of the market. The trade that was delivered twice counts once.
    expect(result.counts.trades).toBe(4);
  });

  it.each(["child", "native order"])("a slippage model that fails for a %s ends it", async (of) => {
    const broken = new Error("broken");
    const slippage = (): never => {
      throw broken;
    };
    const strategy: Strategy = async ({ account, placeNative }) => {
      if (of === "child") await account.place(stop);
      else
        await placeNative({ symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "1" }).catch(
          () => undefined,
        );
    };
    const balances = { USD: "100000", BTC: "1" };
    await expect(run(strategy, { balances, venue: { slippage } })).rejects.toBe(broken);
    const wrong = { slippage: () => 5 as unknown as string };
    await expect(run(strategy, { balances, venue: wrong })).rejects.toThrow(
      "slippage must return basis points",
    );
  });

  it("a timer of a strategy at a fraction of a millisecond runs at the next whole one", async () => {
    const buy = { symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "1" } as const;
    const result = await run(({ at, placeNative }) => at(START_MS + 1_000.5, () => placeNative(buy)));
    expect(result.fills.map(({ timeMs }) => timeMs - START_MS)).toEqual([1_001]);
    expect(result.counts.trades).toBe(1);
  });

  it("timers of a strategy run at their times", async () => {
    const times: number[] = [];
    await run(({ every, at, nowMs }) => {
      const cancel = every(4_000, () => times.push(nowMs() - START_MS));
      at(START_MS + 13_500, cancel);
    });
    expect(times).toEqual([4_000, 8_000, 12_000]);
  });

  it("an error of a strategy ends the simulation, whether it throws or rejects", async () => {
    const broken = new Error("broken");
    const fail = (): never => {
      throw broken;
    };
    await expect(run(fail)).rejects.toBe(broken);
    await expect(run(async () => fail())).rejects.toBe(broken);
    await expect(run(({ on }) => on("quote", fail))).rejects.toBe(broken);
    await expect(run(({ at }) => at(START_MS + 10, fail))).rejects.toBe(broken);
  });

  it("a strategy that never comes to rest is an error", async () => {
    const endless: Strategy = ({ on, placeNative }) => {
      const again = (): unknown =>
        placeNative({ symbol: SYMBOL, side: "BUY", type: "LIMIT", quantity: "1", price: "1" });
      on("native", again);
      return again();
    };
    await expect(run(endless)).rejects.toThrow("the strategy does not come to rest");
  });

  const calm = [1, 2, 3].map((afterMs) => quote(afterMs, "1", "2"));
  it.each([
    [[], "the market has no rows"],
    [[quote(1, "1", "2"), quote(0, "1", "2")], "row 2 of the market cannot be used: its time is before"],
    [[{ ...quote(0, "1", "2"), timeMs: Number.NaN }], "row 1 of the market cannot be used: its time must be"],
    [
      [...calm, { ...quote(9, "1", "2"), timeMs: Number.POSITIVE_INFINITY }],
      "row 4 of the market cannot be used",
    ],
    [
      [...calm, { ...quote(9, "1", "2"), timeMs: "9" as unknown as number }],
      "row 4 of the market cannot be used",
    ],
    [
      [quote(0, "1", "2"), quote(0.5, "1", "2")],
      "row 2 of the market cannot be used: its time must be a whole",
    ],
    [[quote(-START_MS - 1, "1", "2")], "row 1 of the market cannot be used: its time must be a whole"],
    [[{ ...quote(0, "1", "2"), symbol: "X/USD" }], "row 1 of the market cannot be used: X/USD is not among"],
  ])("hostile input: a market %# is refused by row", async (market, message) => {
    const refused = run(() => undefined, { market });
    await expect(refused).rejects.toThrow(MarketDataError);
    await expect(run(() => undefined, { market })).rejects.toThrow(message);
  });

  it("the equity is USD and the middle of bid and ask of the rest; the deepest fall is found", async () => {
    const result = await run(() => undefined, { balances: { USD: "1000", BTC: "1" }, sampleMs: 1_000 });
    expect(result.equity.at(0)).toEqual({ timeMs: START_MS, equity: "61000.5" });
    expect(result.equity.at(10)).toEqual({ timeMs: START_MS + 10_000, equity: "60000.5" });
    expect(result.statistics).toMatchObject({
      ...{ startEquity: "61000.5", endEquity: "60900.5", profit: "-100" },
      maxDrawdown: { amount: "1000", peakMs: START_MS, troughMs: START_MS + 10_000 },
      trades: { closed: 0 },
    });
    expect(result.positions).toEqual({ [SYMBOL]: Quantity.format(Quantity.parse("1")) });
  });

  it("what two symbols trade is worth its value in the first of them, once", async () => {
    const symbols = [SYMBOL, "BTC/USDT"];
    const market = [quote(0, "60000", "60002"), { ...quote(0, "61000", "61002"), symbol: "BTC/USDT" }];
    const result = await run(() => undefined, { symbols, market, balances: { USD: "1000", BTC: "1" } });
    expect(result.equity.map(({ equity }) => equity)).toEqual(["61001"]);
  });

  describe("an account that holds two symbols", () => {
    const OTHER = "ETH/USD";
    const holding = { symbols: [SYMBOL, OTHER], balances: { USD: "1000", BTC: "1", ETH: "10" } };
    const other = { ...quote(6_500, "2999", "3001"), symbol: OTHER };
    const mixed = DIP.flatMap((row) => (row.timeMs === START_MS + 7_000 ? [other, row] : [row]));

    it("has no equity until both have a quote; fills before that add no point", async () => {
      const result = await run(({ account }) => account.place({ ...stop, quantity: "0.5" }), {
        ...{ ...holding, market: mixed, sampleMs: 1_000 },
      });
      expect(result.fills.map(({ timeMs }) => timeMs - START_MS)).toEqual([5_000]);
      // 1,000 + 0.5 * 59,500 USD, 0.5 BTC at 59,400.5 and 10 ETH at 3,000.
      expect(result.equity[0]).toEqual({ timeMs: START_MS + 6_500, equity: "90450.25" });
      expect(result.statistics.startEquity).toBe("90450.25");
    });

    it("is an error if one of them never has a quote", async () => {
      const refused = run(() => undefined, holding);
      await expect(refused).rejects.toThrow(MarketDataError);
      await expect(refused).rejects.toThrow("the market has no quote of ETH/USD");
    });
  });
});
