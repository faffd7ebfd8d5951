import { csvMarket, type SimulationResult, simulate } from "../../src/simulator/index.ts";
import { SYMBOL } from "../support/world.ts";

/** One set of the bench: the file of the market, and the distance of the trailing stop. */
export type BenchSet = Readonly<{ path: string; trailingBps: number }>;

/** Sells a position by a trailing stop, and buys it again an hour after each sale. */
export function run({ path, trailingBps }: BenchSet): Promise<SimulationResult> {
  return simulate({
    symbols: [SYMBOL],
    market: csvMarket(path),
    balances: { USD: "1000000", BTC: "1" },
    venue: { fees: { maker: "0", taker: "0.001" } },
    strategy: async ({ account, placeNative, on, at, nowMs }) => {
      const order = { symbol: SYMBOL, quantity: "1" } as const;
      const follow = () =>
        account.place({ ...order, side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: trailingBps });
      const enter = async (): Promise<void> => {
        await placeNative({ ...order, side: "BUY", type: "MARKET" });
        await follow();
      };
      on("ended", () => at(nowMs() + 3_600_000, enter));
      await follow();
    },
  });
}
