import { createRandom } from "../../../src/common/random.ts";
import { bracket, type OrderFields } from "../../../src/index.ts";
import {
  type MarketRow,
  type SimulationResult,
  type Strategy,
  simulate,
} from "../../../src/simulator/index.ts";

/** Symbol of the walks. */
export const SYMBOL = "BTC/USD";

/** Begin of the walks: 1 January 2026, UTC. */
export const START_MS: number = Date.UTC(2026, 0, 1);

const SECOND_MS = 1_000;

/** Draws whole numbers between two bounds, which are included. */
export function drawing(seed: number): (from: number, to: number) => number {
  const random = createRandom(seed);
  return (from, to) => from + random.below(to - from + 1);
}

/** A random walk around 60,000: a quote each second, and a trade after each other quote. */
export function walk(seed: number, seconds: number): readonly MarketRow[] {
  const draw = drawing(seed);
  let cents = 6_000_000;
  return Array.from({ length: seconds }, (_, second) => {
    cents += draw(-4_000, 4_000);
    const timeMs = START_MS + second * SECOND_MS;
    const [bid, ask] = [decimal(cents), decimal(cents + 100)];
    const sizes = { bidQuantity: decimal(draw(50, 900)), askQuantity: decimal(draw(50, 900)) };
    const quote: MarketRow = { kind: "quote", timeMs, symbol: SYMBOL, bid, ask, ...sizes };
    const quantity = decimal(draw(1, 500));
    const trade: MarketRow = { kind: "trade", timeMs, symbol: SYMBOL, price: bid, quantity };
    return second % 2 === 0 ? [quote] : [quote, trade];
  }).flat();
}

/** Writes hundredths. */
const decimal = (hundredths: number): string =>
  `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;

const sell = { symbol: SYMBOL, side: "SELL" } as const;
const buy = { symbol: SYMBOL, side: "BUY" } as const;

/** One order of each kind around a price of 60,000. */
export const EVERY_KIND: readonly OrderFields[] = [
  { ...sell, type: "STOP_MARKET", quantity: "3", stopPrice: "59900" },
  { ...buy, type: "STOP_LOSS_LIMIT", quantity: "2", stopPrice: "60100", price: "60150" },
  { ...buy, type: "TAKE_PROFIT_LIMIT", quantity: "2", stopPrice: "59850", price: "59900" },
  { ...sell, type: "TRAILING_STOP_MARKET", quantity: "2", trailingAmount: "120" },
  {
    ...buy,
    type: "TRAILING_STOP_LIMIT",
    quantity: "2",
    trailingDelta: 20,
    limitOffset: "15",
    stopPrice: "59950",
  },
  { ...buy, type: "ICEBERG", quantity: "9", price: "60000", icebergQty: "1" },
  { ...sell, type: "LIMIT_MAKER", quantity: "1", price: "60200" },
  { ...buy, type: "TWAP", quantity: "7.000003", interval: 10_000, intervalCount: 12 },
  {
    ...sell,
    type: "VWAP",
    quantity: "6",
    interval: 15_000,
    intervalCount: 8,
    volumeProfile: "1,3,0,2,5,1,1,4",
  },
  { ...buy, type: "POV", quantity: "20", participationBips: 1_500 },
];

/** Places one order of each kind, a bracket, and a native order. */
export const placeEveryKind: Strategy = async ({ account, placeNative }) => {
  await placeNative({ ...buy, type: "MARKET", quantity: "1" });
  for (const [index, order] of EVERY_KIND.entries())
    await account.place({ ...order, newClientOrderId: `order-${index}` });
  await account.placeList(
    bracket({
      ...{ symbol: SYMBOL, listClientOrderId: "swing", quantity: "2" },
      entry: { side: "BUY", type: "LIMIT", price: "59980" },
      takeProfit: { type: "LIMIT", price: "60100" },
      stopLoss: { type: "STOP_MARKET", stopPrice: "59850" },
    }),
  );
};

/** Runs a strategy on a walk, with fees, slippage, latency and refusals. */
export function onWalk(
  seed: number,
  strategy: Strategy = placeEveryKind,
  more: Readonly<{ chart?: boolean; seconds?: number }> = {},
): Promise<SimulationResult> {
  const { chart = true, seconds = 200 } = more;
  return simulate({
    ...{ symbols: [SYMBOL], market: walk(seed, seconds), strategy, chart },
    balances: { USD: "10000000", BTC: "100" },
    venue: {
      fees: { maker: "0.0005", taker: "0.001" },
      ...{ slippage: () => "0.5", latency: { submitMs: 20 }, rejectionRate: 0.1 },
    },
  });
}
