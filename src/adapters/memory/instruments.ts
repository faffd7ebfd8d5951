import type { Instrument } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";

/**
 * Creates a fixed catalogue of instruments. Throws a RangeError if a symbol or alias names two of them.
 *
 * @example
 * ```ts
 * import { createMemoryInstruments } from "managed-orders/memory";
 * const instruments = createMemoryInstruments([
 *   {
 *     id: 1,
 *     symbol: "BTC/USD",
 *     aliases: ["BTCUSD", "BTC-USD"],
 *     baseAsset: "BTC",
 *     quoteAsset: "USD",
 *     name: "Bitcoin",
 *     kind: "liquidity",
 *     status: "TRADING",
 *   },
 * ]);
 * console.log(instruments.resolve("BTCUSD")?.symbol, instruments.find("BTCUSD")); // BTC/USD undefined
 * ```
 */
export function createMemoryInstruments(instruments: readonly Instrument[]): Instruments {
  const all = [...instruments];
  const bySymbol = new Map(all.map((instrument) => [instrument.symbol, instrument]));
  const byName = new Map<string, Instrument>();
  for (const instrument of all) {
    for (const name of new Set([instrument.symbol, ...instrument.aliases])) {
      if (byName.has(name)) throw new RangeError(`instruments: the name ${name} belongs to two instruments`);
      byName.set(name, instrument);
    }
  }
  return { all: () => all, find: (symbol) => bySymbol.get(symbol), resolve: (name) => byName.get(name) };
}
