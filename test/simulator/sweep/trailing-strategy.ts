import {
  type MarketRow,
  type SweepContext,
  type SweepOutcome,
  simulate,
} from "../../../src/simulator/index.ts";

type Parameters = Readonly<{ trailingBps: number; quantity: string }>;

const START_MS = 1_760_000_000_000;

/** Rises for 50 seconds, then falls for 50. */
const market: readonly MarketRow[] = Array.from({ length: 100 }, (_, n) => {
  const bid = 60_000 + 20 * (n < 50 ? n : 100 - n);
  const prices = { bid: String(bid), ask: String(bid + 1) };
  return { kind: "quote", timeMs: START_MS + n * 1_000, symbol: "BTC/USD", ...prices };
});

/** A module of a sweep: sells by a trailing stop on a venue that refuses a third of the children by its seed. */
export async function run(
  { trailingBps, quantity }: Parameters,
  { seed }: SweepContext,
): Promise<SweepOutcome> {
  const result = await simulate({
    symbols: ["BTC/USD"],
    market,
    balances: { USD: "0", BTC: "1" },
    venue: { rejectionRate: 0.33, seed, fees: { maker: "0", taker: "0.001" } },
    strategy: ({ account }) => {
      const order = { symbol: "BTC/USD", side: "SELL", quantity, trailingDelta: trailingBps } as const;
      return account.place({ ...order, type: "TRAILING_STOP_MARKET", newClientOrderId: "trailing" });
    },
  });
  return { ...result, figures: { fills: result.fills.length, soldAt: result.fills[0]?.price ?? "never" } };
}
