import { createMemoryInstruments } from "../adapters/memory/index.ts";
import type { Instrument, InstrumentKind } from "../model/index.ts";
import type { Instruments } from "../ports/index.ts";

const pair = (id: number, baseAsset: string, name: string, kind: InstrumentKind): Instrument => ({
  id,
  symbol: `${baseAsset}/USD`,
  aliases: [`${baseAsset}USD`, `${baseAsset}-USD`],
  baseAsset,
  quoteAsset: "USD",
  name,
  kind,
  status: "TRADING",
});

/** Instruments of a sandbox: three liquidity markets, and a staking instrument that advanced orders must exclude. */
export const SANDBOX_INSTRUMENTS: readonly Instrument[] = [
  pair(1, "BTC", "Bitcoin", "liquidity"),
  pair(2, "ETH", "Ether", "liquidity"),
  pair(3, "SOL", "Solana", "liquidity"),
  pair(4, "STETH", "Staked Ether", "staking"),
];

/** Creates the sandbox's catalogue. The aliases `BTCUSD` and `BTC-USD` resolve (decision 44). */
export function createCatalogue(): Instruments {
  return createMemoryInstruments(SANDBOX_INSTRUMENTS);
}

/** Returns the balances of the demo account by asset: USD and every base asset. */
export function demoBalances(instruments: Instruments): Readonly<Record<string, string>> {
  const bases = instruments.all().map((instrument) => [instrument.baseAsset, "1000"]);
  return Object.fromEntries([["USD", "10000000"], ...bases]);
}
