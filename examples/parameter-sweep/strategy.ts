/**
 * The strategy of the sweep. Each worker thread imports this module once and calls `run` for one set after another. It
 * reads the market from a file, because a large market is not copied from thread to thread.
 */
import { fileURLToPath } from "node:url";
import { csvMarket, type SweepContext, type SweepOutcome, simulate } from "managed-orders/simulator";

/** The parameters that are swept. */
export type Parameters = Readonly<{
  /** Distance of the trailing stop in basis points. */
  trailingBps: number;
  /** Pause between a sale and the next purchase, in minutes. */
  pauseMin: number;
}>;

const SYMBOL = "BTC/USD";

/** Buys, sells by a trailing stop, pauses, and begins again. */
export async function run(
  { trailingBps, pauseMin }: Parameters,
  { seed }: SweepContext,
): Promise<SweepOutcome> {
  const result = await simulate({
    symbols: [SYMBOL],
    market: csvMarket(fileURLToPath(new URL("./quotes.csv", import.meta.url))),
    balances: { USD: "10000" },
    venue: { fees: { maker: "0", taker: "0.0002" }, latency: { submitMs: 50 }, rejectionRate: 0.1, seed },
    settings: { quoteMaxAgeMs: 60_000 },
    strategy: async ({ account, placeNative, on, at, nowMs }) => {
      const order = { symbol: SYMBOL, quantity: "0.1" } as const;
      const enter = async (): Promise<void> => {
        await placeNative({ ...order, side: "BUY", type: "MARKET" });
        await account.place({
          ...order,
          side: "SELL",
          type: "TRAILING_STOP_MARKET",
          trailingDelta: trailingBps,
        });
      };
      on("ended", () => at(nowMs() + pauseMin * 60_000, enter));
      await enter();
    },
  });
  return { ...result, figures: { purchases: result.nativeOrders.length } };
}
