import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  add,
  formatNotional,
  formatPrice,
  notional,
  type Quantity,
  quantity,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../src/decimal/index.ts";
import { Impact } from "../../src/paper-exchange/execution-terms.ts";
import { type ImpactModel, type MarketRow, simulate } from "../../src/simulator/index.ts";
import { childOf, DEADLINE_MS, openFundedWorld, quoteOf } from "../sandbox/venue-world.ts";

const deadlineMs = DEADLINE_MS;
const SYMBOL = "BTC/USD";
const HOUR_MS = 3_600_000;

const model = (shape: ImpactModel["shape"], more: Partial<ImpactModel> = {}): ImpactModel => ({
  ...{ shape, coefficientBps: "100", volumes: { [SYMBOL]: "10000" } },
  ...more,
});

async function priceOf(
  impact: ImpactModel,
  child: Parameters<typeof childOf>[0],
): Promise<readonly string[]> {
  const { venue } = await openFundedWorld({ terms: { impact } });
  venue.quote(quoteOf({ bids: ["100"], asks: ["100"] }));
  const { fills } = await venue.submit(childOf(child), { deadlineMs });
  return fills.map(({ price }) => formatPrice(price));
}

/**
 * The mean of `c · (u / V)^d` from `b` to `b + q` in floating point, in a form without a difference of nearly equal
 * numbers: the quotient of the differences of third and second powers is divided out.
 */
function meanBps(
  { shape, coefficientBps }: ImpactModel,
  [b, q, v]: readonly [number, number, number],
): number {
  const base = Math.max(v, b + q);
  const [from, to] = [Math.sqrt(b), Math.sqrt(b + q)];
  const linear = (2 * b + q) / (2 * base);
  const root = (2 * (to * to + to * from + from * from)) / (3 * (to + from) * Math.sqrt(base));
  return Number(coefficientBps) * (shape === "linear" ? linear : root);
}

const shapes = fc.constantFrom<ImpactModel["shape"]>("linear", "square-root");
const anyQuantity = fc.integer({ min: 1, max: 5_000_000_000 }).map((units) => units as unknown as Quantity);
const size = (of: Quantity): number => Number(of) / 1e6;
const bps = (units: bigint): number => Number(units) / 1e8;

describe("the impact of an execution", () => {
  it.each([
    ["linear", "BUY", "10", "100.0005"],
    ["linear", "SELL", "10", "99.9995"],
    ["linear", "BUY", "100", "100.005"],
    // 2 / 3 of 10 bps, rounded up.
    ["square-root", "BUY", "100", "100.06666667"],
    ["square-root", "SELL", "1", "99.99333333"],
  ] as const)("%s, %s of %s of a volume of 10,000 at 100 bps", async (shape, side, amount, price) => {
    expect(await priceOf(model(shape), { side, quantity: amount })).toEqual([price]);
  });

  it("property: is the mean of the definition over the own quantity, rounded up", () => {
    fc.assert(
      fc.property(shapes, anyQuantity, anyQuantity, (shape, ahead, taken) => {
        const impact = model(shape);
        const units = new Impact(impact).units({ symbol: SYMBOL, side: "BUY", quantity: taken, ahead }, 0);
        const expected = meanBps(impact, [size(ahead), size(taken), 10_000]);
        expect(Math.abs(bps(units) - expected)).toBeLessThan(1e-7 * Math.max(1, expected));
        expect(bps(units)).toBeLessThanOrEqual(100);
      }),
    );
  });

  it("is rounded against the trader to 1e-8 basis points", () => {
    const buy = { symbol: SYMBOL, side: "BUY", quantity: quantity("100"), ahead: ZERO_QUANTITY } as const;
    expect(new Impact(model("square-root")).units(buy, 0)).toBe(666_666_667n);
  });

  it("property: two executions at one time cost as much as one of the sum of their quantities", () => {
    fc.assert(
      fc.property(shapes, anyQuantity, anyQuantity, (shape, first, second) => {
        const both = add(first, second);
        // Up to the volume; beyond it the volume is the own quantity.
        fc.pre(size(both) <= 10_000);
        const impact = new Impact(model(shape, { halfLifeMs: HOUR_MS }));
        const buy = { symbol: SYMBOL, side: "BUY", ahead: ZERO_QUANTITY } as const;
        const one = impact.units({ ...buy, quantity: both }, 0) * BigInt(both);
        const before = impact.units({ ...buy, quantity: first }, 0) * BigInt(first);
        impact.executed({ ...buy, quantity: first }, 0);
        const after = impact.units({ ...buy, quantity: second }, 0) * BigInt(second);
        const rounding = before + after - one;
        expect(rounding >= -BigInt(both) && rounding <= BigInt(both)).toBe(true);
      }),
    );
  });

  it("half of the own quantity is forgotten in each half-life, and a rest in the other direction helps nobody", () => {
    const impact = model("linear", { halfLifeMs: HOUR_MS });
    const state = new Impact(impact);
    state.executed({ symbol: SYMBOL, side: "BUY", quantity: quantity("400") }, 0);
    const at = (side: "BUY" | "SELL", nowMs: number): number =>
      bps(state.units({ symbol: SYMBOL, side, quantity: quantity("100"), ahead: ZERO_QUANTITY }, nowMs));
    expect([at("BUY", 0), at("BUY", HOUR_MS), at("BUY", 2 * HOUR_MS)]).toEqual([4.5, 2.5, 1.5]);
    expect(at("BUY", HOUR_MS / 2)).toBeCloseTo(meanBps(impact, [400 / Math.SQRT2, 100, 10_000]), 7);
    expect(at("SELL", 0)).toBe(0.5);
    state.executed({ symbol: SYMBOL, side: "SELL", quantity: quantity("300") }, 0);
    expect(at("BUY", 0)).toBe(1.5);
    expect(at("BUY", 1_000 * HOUR_MS)).toBe(0.5);
  });

  it("without a half-life each order begins anew; another symbol is not affected", () => {
    const state = new Impact(model("linear"));
    const buy = { symbol: SYMBOL, side: "BUY", quantity: quantity("100"), ahead: ZERO_QUANTITY } as const;
    state.executed(buy, 0);
    expect(bps(state.units(buy, 0))).toBe(0.5);
    expect(state.units({ ...buy, symbol: "ETH/USD" }, 0)).toBe(0n);
  });

  it("the volume of a window is what was traded in it; without a trade, an order is all of the volume", () => {
    const { volumes: _, ...rolling } = model("linear", { windowMs: 60_000 });
    const state = new Impact(rolling);
    const buy = { symbol: SYMBOL, side: "BUY", quantity: quantity("100"), ahead: ZERO_QUANTITY } as const;
    const at = (nowMs: number): number => bps(state.units(buy, nowMs));
    expect(at(0)).toBe(50);
    state.traded(SYMBOL, quantity("600"), 10_500);
    state.traded(SYMBOL, quantity("400"), 40_000);
    expect([at(40_000), at(69_999), at(70_000), at(99_999), at(100_000)]).toEqual([5, 5, 12.5, 12.5, 50]);
  });

  it("never makes a price worse than the limit, adds to slippage, and grows along the levels of one order", async () => {
    const impact = model("linear", { volumes: { [SYMBOL]: "2" } });
    expect(await priceOf(impact, { side: "BUY", quantity: "2", limitPrice: "100.2" })).toEqual(["100.2"]);
    const { venue } = await openFundedWorld({ terms: { impact, slippage: () => "10" } });
    venue.quote(quoteOf({ bids: ["99"], asks: ["100x1", "100.5x1"] }));
    const { fills } = await venue.submit(childOf({ quantity: "2" }), { deadlineMs });
    // 10 + 25 bps of 100, then 10 + 75 bps of 100.5.
    expect(fills.map(({ price }) => formatPrice(price))).toEqual(["100.35", "101.35425"]);
  });

  it("an order that does not execute leaves nothing behind, one that executes does", async () => {
    const impact = model("linear", { volumes: { [SYMBOL]: "10" }, halfLifeMs: HOUR_MS });
    const { venue } = await openFundedWorld({ terms: { impact } });
    venue.quote(quoteOf({ bids: ["99"], asks: ["100x3"] }));
    const submit = async (child: Parameters<typeof childOf>[0]): Promise<readonly string[]> => {
      const { fills } = await venue.submit(childOf(child), { deadlineMs });
      return fills.map(({ price }) => formatPrice(price));
    };
    expect(await submit({ childId: "a", quantity: "4", timeInForce: "FOK" })).toEqual([]);
    expect(await submit({ childId: "b", quantity: "1" })).toEqual(["100.05"]);
    expect(await submit({ childId: "c", quantity: "1" })).toEqual(["100.15"]);
  });

  it("a BUY by amount pays more at each level, and no more than the amount", async () => {
    const impact = model("linear", { volumes: { [SYMBOL]: "2" } });
    const { venue } = await openFundedWorld({ terms: { impact } });
    venue.quote(quoteOf({ bids: ["99"], asks: ["100x1", "101"] }));
    const { order, fills } = await venue.native.place({
      ...{ accountId: 1, symbol: SYMBOL, side: "BUY", clientOrderId: "buy", requestKey: "1" },
      ...{ type: "MARKET", quoteQuantity: notional("150") },
    });
    // 100 bps · 1 / (2 · 2), and 100 bps · (2 + 0.492574) / (2 · 2) of 101.
    expect(fills.map(({ price }) => formatPrice(price))).toEqual(["100.25", "101.62937494"]);
    const spent = Number(formatNotional(order.executedNotional ?? ZERO_NOTIONAL));
    expect([order.status, spent <= 150, spent > 149.9998]).toEqual(["FILLED", true, true]);
  });

  it.each([
    [{ volumes: undefined }, "must be an object with either volumes or windowMs"],
    [{ windowMs: 1 }, "must be an object with either volumes or windowMs"],
    [{ volumes: { [SYMBOL]: "0" } }, 'volumes["BTC/USD"] must be a positive decimal string'],
    [{ coefficientBps: "-1" }, "coefficientBps must be a decimal string of zero or more"],
    [{ shape: "cubic" as never }, "shape must be one of linear, square-root"],
    [{ halfLifeMs: 0 }, "halfLifeMs must be a whole number of milliseconds from 1"],
    [{ halfLive: 5 } as never, "did you mean `halfLifeMs`?"],
  ])("refuses wrong options %#", async (more, message) => {
    const impact = { ...model("linear"), ...(more as object) };
    await expect(openFundedWorld({ terms: { impact } })).rejects.toThrow(message);
  });

  it("a simulation measures the volume of a window from the trades of its market, and repeats to the hash", async () => {
    const market = Array.from({ length: 40 }, (_, n): MarketRow => {
      const common = { timeMs: n * 1_000, symbol: SYMBOL };
      if (n % 2 === 1) return { ...common, kind: "trade", price: "100", quantity: "5", id: `t${n}` };
      return { ...common, kind: "quote", bid: "99", ask: "100" };
    });
    const run = (impact: ImpactModel) =>
      simulate({
        ...{ symbols: [SYMBOL], market, venue: { impact } },
        strategy: ({ placeNative, at }) =>
          at(30_500, () => placeNative({ symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "1" })),
      });
    const impact: ImpactModel = { shape: "linear", coefficientBps: "100", windowMs: 60_000 };
    const [one, again] = [await run(impact), await run(impact)];
    // 15 trades of 5: 100 bps · 1 / (2 · 75).
    expect(one.fills.map(({ price }) => price)).toEqual(["100.00666667"]);
    expect(again.hash).toBe(one.hash);
  });
});
