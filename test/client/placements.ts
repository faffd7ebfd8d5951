import { RefusedError } from "../../src/client/index.ts";

/** A stop that rests: the market of the tests is above its trigger. */
export const STOP = {
  symbol: "BTC/USD",
  side: "SELL",
  type: "STOP_MARKET",
  quantity: "0.01",
  stopPrice: "6000",
} as const;

/** A pair of exits around the market of the tests. */
export const PAIR = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "0.01",
  aboveType: "LIMIT",
  abovePrice: "8000",
  belowType: "STOP_LOSS",
  belowStopPrice: "6000",
} as const;

/** Resolves to the refusal of a call. Throws if the call succeeds or fails otherwise. */
export async function refusalOf(call: Promise<unknown>): Promise<RefusedError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RefusedError) return error;
  throw new Error(`no refusal: ${String(error)}`);
}
