import { describe, expect, it } from "vitest";
import type { ManagedOrderReply } from "../../../src/client/index.ts";
import { type Level, levelsOf, namedOf, namesOf, rangeWith } from "../../../src/sandbox/console/levels.ts";
import { plotText } from "../../../src/sandbox/console/numbers.ts";

const NOW = 1_000_000;
const HEIGHT = 300;
const level = (price: number): Level => ({ price, label: "Sell stop", side: "SELL", isSoft: false });

const order = (members: Partial<ManagedOrderReply>): ManagedOrderReply =>
  ({
    ...{ symbol: "BTC/USD", orderId: "-1", side: "SELL", status: "NEW", held: false, transactTime: NOW },
    ...members,
  }) as ManagedOrderReply;

/** Names in a drawing that shows the prices from 100 to 200. */
const names = (levels: readonly Level[]): ReturnType<typeof namesOf> =>
  namesOf(levels, {
    ...{ named: namedOf(levels, 150), height: HEIGHT },
    yOf: (price) => ((200 - price) / 100) * HEIGHT,
  });

describe("the names of levels", () => {
  it("stand above their lines, in the order of their prices", () => {
    expect(names([level(180), level(120)])).toEqual([
      { text: "Sell stop", side: "SELL", y: 56 },
      { text: "Sell stop", side: "SELL", y: 236 },
    ]);
    expect(names([])).toEqual([]);
  });

  it("do not cover each other, and are inside, however many levels there are", () => {
    for (const count of [2, 20, 200]) {
      const ys = names(Array.from({ length: count }, (_, index) => level(210 - (index * 120) / count))).map(
        ({ y }) => y,
      );
      const gaps = ys.slice(1).map((y, index) => y - (ys[index] ?? 0));
      expect(gaps.every((gap) => gap >= 15)).toBe(true);
      expect(ys.every((y) => y >= 10 && y <= HEIGHT)).toBe(true);
      expect(ys.length).toBeLessThanOrEqual(14);
    }
  });

  it("are those of the six nearest levels on both sides of the market", () => {
    const levels = Array.from({ length: 40 }, (_, index) => level(200 - index));
    const named = namedOf(levels, 180.5).map(({ price }) => price);
    expect(named).toEqual([186, 185, 184, 183, 182, 181, 180, 179, 178, 177, 176, 175]);
    expect(names(levels).map(({ y }) => y)).toHaveLength(6);
  });

  it("levels beyond an edge share a name, with their lowest and highest price", () => {
    const above = [70_001, 70_000].map(level);
    const buy = { ...level(99), label: "Buy persistent limit", side: "BUY" } as const;
    expect(names([...above, buy])).toEqual([
      { text: "↑ 2 sell levels: 70,000.00 to 70,001.00", side: "SELL", y: 11 },
      { text: "↓ Buy persistent limit 99.000", side: "BUY", y: 296 },
    ]);
    expect(names([buy, level(98)])[0]).toMatchObject({ text: "↓ 2 levels: 98.000 to 99.000", side: "BOTH" });
  });
});

describe("the prices of the chart", () => {
  it("a level far from the market does not flatten its line, and a near one is shown", () => {
    const market = { low: 60_000, high: 60_040 };
    expect(rangeWith(market, [90_000, 10].map(level))).toEqual(market);
    expect(rangeWith(market, [90_000, 60_060, 59_980, 10].map(level))).toEqual({ low: 59_980, high: 60_060 });
  });

  it("a market that stands still has some height", () => {
    const { low, high } = rangeWith({ low: 100, high: 100 }, []);
    expect([low < 100, high > 100, high - low]).toEqual([true, true, expect.closeTo(0.06)]);
  });

  it("a small price has at least five digits", () => {
    expect([60_000.5, 149.81, 1.5, 0.25, 0.0000125, 0].map(plotText)).toEqual([
      ...["60,000.50", "149.81", "1.5000", "0.25000", "0.00001250", "0.00"],
    ]);
  });
});

describe("the levels of open orders", () => {
  it("are those of the market that is shown, and only while an order is open", () => {
    const orders = [
      order({ type: "STOP_LOSS_LIMIT", stopPrice: "95", price: "94" }),
      order({ type: "STOP_MARKET", stopPrice: "95", status: "FILLED" }),
      order({ type: "STOP_MARKET", stopPrice: "95", symbol: "ETH/USD" }),
      order({ type: "SYNTHETIC_LIMIT", price: "97", side: "BUY", held: true }),
      order({ type: "POV" }),
    ];
    const lines = levelsOf(orders, "BTC/USD");
    expect(lines.map(({ price, label, isSoft }) => [price, label, isSoft])).toEqual([
      [97, "Buy persistent limit", true],
      [95, "Sell stop-limit", false],
      [94, "Sell stop-limit, limit", false],
    ]);
  });

  const linesOf = (members: Partial<ManagedOrderReply>): unknown =>
    levelsOf([order({ trailingAmount: "5", ...members })], "BTC/USD").map(({ price, label, isSoft }) => [
      ...[price, label, isSoft],
    ]);

  it("a trailing level is the one that the service tells, dashed until it is met", () => {
    const trailing = { type: "TRAILING_STOP_MARKET", triggerLevel: "95" } as const;
    expect(linesOf({ type: "TRAILING_STOP_MARKET" })).toEqual([]);
    expect(linesOf(trailing)).toEqual([[95, "Sell trailing stop 5.00 USD", true]]);
    expect(linesOf({ ...trailing, side: "BUY" })).toEqual([[95, "Buy trailing stop 5.00 USD", true]]);
    expect(linesOf({ ...trailing, triggerTime: NOW })).toEqual([[95, "Sell trailing stop 5.00 USD", false]]);
  });

  it("of a trailing stop-limit that has triggered, only its limit is left, which stands still", () => {
    const trailing = { type: "TRAILING_STOP_LIMIT", triggerLevel: "195" } as const;
    const dynamic = { ...trailing, limitOffset: "1", dynamicLimit: "194" } as const;
    expect(linesOf({ ...trailing, price: "201", triggerTime: NOW })).toEqual([
      [201, "Sell trailing stop-limit, limit", false],
    ]);
    expect(linesOf(dynamic)).toEqual([
      [195, "Sell trailing stop-limit 5.00 USD", true],
      [194, "Sell trailing stop-limit, limit", true],
    ]);
    expect(linesOf({ ...dynamic, triggerTime: NOW })).toEqual([
      [194, "Sell trailing stop-limit, limit", false],
    ]);
  });

  it("levels of one price are one, with their number", () => {
    const stop = order({ type: "STOP_MARKET", stopPrice: "100" });
    const soft = order({ type: "STOP_MARKET", stopPrice: "100", held: true });
    const buy = order({ type: "SYNTHETIC_LIMIT", price: "100", side: "BUY" });
    const higher = order({ type: "STOP_MARKET", stopPrice: "100.02" });
    const told = (orders: readonly ManagedOrderReply[]): unknown =>
      levelsOf(orders, "BTC/USD").map(({ label, price, side, isSoft }) => [label, price, side, isSoft]);
    expect(told([stop, soft, higher])).toEqual([
      ["Sell stop", 100.02, "SELL", false],
      ["Sell stop ×2", 100, "SELL", false],
    ]);
    expect(told([stop, buy])).toEqual([["2 levels", 100, "BOTH", false]]);
    expect(told([soft, order({ type: "LIMIT_MAKER", price: "100", held: true })])).toEqual([
      ["2 sell levels", 100, "SELL", true],
    ]);
  });

  it("a trailing level begins at its gate, which is shown until then", () => {
    const gated = { type: "TRAILING_STOP_MARKET", stopPrice: "130" } as const;
    expect(linesOf(gated)).toEqual([[130, "Sell trailing stop gate", false]]);
    expect(linesOf({ ...gated, triggerLevel: "135" })).toEqual([[135, "Sell trailing stop 5.00 USD", true]]);
  });
});
