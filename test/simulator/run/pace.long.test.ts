import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NewManagedOrder } from "../../../src/client/index.ts";
import {
  type MarketRow,
  type MarketSource,
  type SimulationResult,
  type Strategy,
  simulate,
  type Trader,
} from "../../../src/simulator/index.ts";

const SYMBOL = "BTC/USD";
const START_MS = 1_760_000_000_000;

type Action = Readonly<{ afterMs: number; place: (trader: Trader, name: string) => unknown }>;
type Case = Readonly<{
  rows: readonly MarketRow[];
  actions: readonly Action[];
  onFill: boolean;
  periodMs: number;
  submitMs: number;
  answerMs: number;
}>;

const cents = (value: number): string => `${Math.floor(value / 100)}.${String(value % 100).padStart(2, "0")}`;

const anyRow = fc.record({
  stepMs: fc.constantFrom(0, 1, 100, 1_000, 7_000),
  move: fc.integer({ min: -90, max: 90 }),
});

function marketOf(steps: readonly Readonly<{ stepMs: number; move: number }>[]): readonly MarketRow[] {
  let [timeMs, price] = [START_MS, 100_000];
  return steps.map(({ stepMs, move }, index): MarketRow => {
    timeMs += stepMs;
    price += move;
    const common = { timeMs, symbol: SYMBOL };
    if (index % 7 === 6) return { ...common, kind: "trade", price: cents(price), quantity: "0.5" };
    return { ...common, kind: "quote", bid: cents(price), ask: cents(price + 1), askQuantity: "0.3" };
  });
}

const orders: readonly Omit<NewManagedOrder, "newClientOrderId">[] = [
  { symbol: SYMBOL, side: "SELL", type: "STOP_MARKET", quantity: "0.2", stopPrice: "999.5" },
  { symbol: SYMBOL, side: "SELL", type: "TRAILING_STOP_MARKET", quantity: "0.2", trailingDelta: 10 },
  { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "0.7", price: "999.8" },
  { symbol: SYMBOL, side: "BUY", type: "STOP_MARKET", quantity: "0.2", stopPrice: "1000.7" },
  { symbol: SYMBOL, side: "BUY", type: "TWAP", quantity: "0.6", interval: 10_000, intervalCount: 3 },
] as never;

const anyAction: fc.Arbitrary<Action> = fc.record({
  afterMs: fc.integer({ min: 0, max: 20_000 }),
  place: fc.oneof(
    fc.constantFrom(...orders).map((order) => (trader: Trader, newClientOrderId: string) => {
      const placed = trader.account.place({ ...order, newClientOrderId } as NewManagedOrder);
      // Without a fresh quote, the engine refuses some orders.
      return placed.catch(() => undefined);
    }),
    fc.constantFrom("998", "1001").map((price) => (trader: Trader) => {
      return trader.placeNative({ symbol: SYMBOL, side: "BUY", type: "LIMIT", quantity: "0.1", price });
    }),
  ),
});

const anyCase: fc.Arbitrary<Case> = fc.record({
  rows: fc.array(anyRow, { minLength: 2, maxLength: 60 }).map(marketOf),
  actions: fc.array(anyAction, { maxLength: 6 }),
  onFill: fc.boolean(),
  periodMs: fc.constantFrom(0, 3_000),
  submitMs: fc.constantFrom(0, 0, 250),
  answerMs: fc.constantFrom(0, 40),
});

const strategyOf =
  ({ actions, onFill, periodMs }: Case, every: (trader: Trader) => void): Strategy =>
  async (trader) => {
    every(trader);
    let fills = 0;
    if (onFill)
      trader.on("fill", async () => {
        if (++fills < 3) await actions[0]?.place(trader, `after-fill-${fills}`);
      });
    if (periodMs > 0) trader.every(periodMs, () => trader.account.openOrders({ limit: 5 }));
    for (const [index, { afterMs, place }] of actions.entries())
      trader.at(START_MS + afterMs, () => place(trader, `order-${index}`));
    await actions[0]?.place(trader, "at-once");
  };

/** The rows, with a whole turn of the event loop before each. */
async function* slowly(rows: readonly MarketRow[]): AsyncGenerator<MarketRow> {
  for (const row of rows) {
    await new Promise((resolve) => setImmediate(resolve));
    yield row;
  }
}

async function run(
  given: Case,
  market: MarketSource,
  every: (trader: Trader) => void,
): Promise<SimulationResult | string> {
  const { submitMs, answerMs } = given;
  return await simulate({
    ...{ symbols: [SYMBOL], market, strategy: strategyOf(given, every), sampleMs: 1_000 },
    balances: { USD: "100000", BTC: "5" },
    venue: { latency: { submitMs, answerMs }, fees: { maker: "0.001", taker: "0.002" } },
    endMs: START_MS + 90_000,
  }).catch((error: unknown) => String(error));
}

describe("the pace of a simulation", () => {
  it("rows that are delivered without waiting give the result of rows that each wait for rest", async () => {
    let executed = 0;
    const property = fc.asyncProperty(anyCase, async (given) => {
      const fast = await run(given, given.rows, () => undefined);
      const slow = await run(given, slowly(given.rows), (trader) => trader.on("quote", () => undefined));
      expect(fast).toEqual(slow);
      if (typeof fast !== "string") executed += fast.fills.length;
    });
    await fc.assert(property, { numRuns: 30 });
    expect(executed).toBeGreaterThan(30);
  });

  it("the promises of a quote listener that returns nothing are awaited before time moves", async () => {
    const market = Array.from({ length: 5 }, (_, n): MarketRow => {
      return { kind: "quote", timeMs: START_MS + n, symbol: SYMBOL, bid: "999", ask: "1000" };
    });
    const times: number[] = [];
    await simulate({
      symbols: [SYMBOL],
      market,
      strategy: (trader) => {
        const listen = async (timeMs: number): Promise<void> => {
          for (let step = 0; step < 20; step++) await undefined;
          times.push(trader.nowMs() - timeMs);
        };
        trader.on("quote", ({ timeMs }) => void listen(timeMs));
      },
    });
    expect(times).toEqual([0, 0, 0, 0]);
  });

  it("a strategy that does not return its promise acts at the same time, however long its promises take", async () => {
    const market = Array.from({ length: 5 }, (_, n): MarketRow => {
      return { kind: "quote", timeMs: START_MS + n, symbol: SYMBOL, bid: "999", ask: "1000" };
    });
    const strategy: Strategy = (trader) => {
      const buyLater = async (): Promise<void> => {
        for (let step = 0; step < 500; step++) await undefined;
        await trader.placeNative({ symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "1" });
      };
      void buyLater();
      trader.at(START_MS + 3, () => void buyLater());
    };
    const fillsOf = async (source: MarketSource): Promise<readonly number[]> => {
      const { fills } = await simulate({ symbols: [SYMBOL], market: source, strategy });
      return fills.map(({ timeMs }) => timeMs - START_MS);
    };
    expect([await fillsOf(market), await fillsOf(slowly(market))]).toEqual([
      [0, 3],
      [0, 3],
    ]);
  });

  it("a listener hears quotes until it is removed, after the venue has them", async () => {
    const market = ["999", "998", "997"].map((bid, n): MarketRow => {
      return { kind: "quote", timeMs: START_MS + n, symbol: SYMBOL, bid, ask: "1000" };
    });
    const received: string[] = [];
    const result = await simulate({
      ...{ symbols: [SYMBOL], market, balances: { BTC: "1" } },
      strategy: ({ on, placeNative }) => {
        const stop = on("quote", async ({ timeMs }) => {
          received.push(String(timeMs - START_MS));
          stop();
          await placeNative({ symbol: SYMBOL, side: "SELL", type: "MARKET", quantity: "0.5" });
        });
      },
    });
    expect(received).toEqual(["1"]);
    expect(result.fills.map(({ price }) => price)).toEqual(["998"]);
  });
});
