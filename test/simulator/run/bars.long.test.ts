import fc from "fast-check";
import { expect, it } from "vitest";
import { Quantity } from "../../../src/index.ts";
import { type Bar, marketOfBars, type SimulationResult, simulate } from "../../../src/simulator/index.ts";

const SYMBOL = "BTC/USD";
const MINUTE = 60_000;

/** Bars of one minute each, around 100. */
const barsOf = (volumes: readonly string[]): readonly Bar[] =>
  volumes.map((volume, index) => {
    const prices = { open: "100", high: "100.5", low: "99.5", close: "100" };
    return { symbol: SYMBOL, openMs: index * MINUTE, intervalMs: MINUTE, ...prices, volume };
  });

type Order = Parameters<Parameters<Parameters<typeof simulate>[0]["strategy"]>[0]["account"]["place"]>[0];

const onBars = (volumes: readonly string[], orders: readonly Order[]): Promise<SimulationResult> =>
  simulate({
    symbols: [SYMBOL],
    market: marketOfBars(barsOf(volumes)),
    balances: { USD: "1000000", BTC: "1000" },
    strategy: async ({ account }) => {
      for (const order of orders) await account.place(order);
    },
  });

it("a TWAP of 60 slots of 5 s fills whole on minute bars", async () => {
  const twap = {
    symbol: SYMBOL,
    side: "BUY",
    type: "TWAP",
    quantity: "30",
    interval: 5_000,
    intervalCount: 60,
  } as const;
  const { orders, fills } = await onBars(
    Array.from({ length: 6 }, () => "100"),
    [twap],
  );
  expect(
    orders.map(({ ended, executedQuantity }) => [ended?.reason, Quantity.format(executedQuantity)]),
  ).toEqual([["FILLED", "30"]]);
  expect(fills).toHaveLength(60);
});

it("property: what executes within a bar never exceeds its volume, whoever buys and sells", async () => {
  const volumes = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(volumes, fc.integer({ min: 1, max: 40 }), async (thousandths, quantity) => {
      const order = { symbol: SYMBOL, type: "SYNTHETIC_LIMIT", quantity: String(quantity) } as const;
      const { fills } = await onBars(
        thousandths.map((volume) => String(volume / 1_000)),
        [
          { ...order, side: "BUY", price: "200" },
          { ...order, side: "SELL", price: "50" },
          { ...order, side: "BUY", price: "100" },
        ],
      );
      for (const [index, volume] of thousandths.entries()) {
        const executed = fills
          .filter(({ timeMs }) => Math.floor(timeMs / MINUTE) === index)
          .reduce((sum, fill) => sum + Number(Quantity.parse(fill.quantity)), 0);
        expect(executed).toBeLessThanOrEqual(volume * 1_000);
      }
    }),
    { numRuns: 50 },
  );
});
