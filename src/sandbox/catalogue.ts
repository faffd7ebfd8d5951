import { createMemoryInstruments } from "../adapters/memory/index.ts";
import { type Price, parsePrice } from "../decimal/index.ts";
import type { Instrument, InstrumentKind } from "../model/index.ts";
import type { Clock, Instruments } from "../ports/index.ts";
import { SettingsError } from "./input.ts";
import { type Market, SyntheticMarket, walkStart } from "./market.ts";

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
const SANDBOX_INSTRUMENTS: readonly Instrument[] = [
  pair(1, "BTC", "Bitcoin", "liquidity"),
  pair(2, "ETH", "Ether", "liquidity"),
  pair(3, "SOL", "Solana", "liquidity"),
  pair(4, "STETH", "Staked Ether", "staking"),
];

/** A market of a catalogue file, and the price at which its synthetic quotes begin. */
export type Listing = Readonly<{ instrument: Instrument; price: Price }>;

const HEADER = "symbol,name,price";
/** A synthetic market of this size still tells each price within the maximum age of a quote. */
const MOST_MARKETS = 500;

/**
 * Reads the text of a catalogue file: the header `symbol,name,price` and a line for each market against USD. Throws a
 * SettingsError that names the first invalid line.
 */
export function readListings(text: string): readonly Listing[] {
  // Spreadsheets write a byte order mark before the first line.
  const [header, ...lines] = text
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split(/\r?\n/);
  if (header !== HEADER) throw new SettingsError(`line 1: the header must be ${HEADER}`);
  if (lines.length === 0 || lines.length > MOST_MARKETS)
    throw new SettingsError(`the file must have 1 to ${MOST_MARKETS} markets, not ${lines.length}`);
  const known = new Set<string>();
  return lines.map((line, index): Listing => {
    const fail = (problem: string): never => {
      throw new SettingsError(`line ${index + 2}: ${problem}`);
    };
    const [symbol = "", name = "", text = "", ...more] = line.split(",");
    if (more.length > 0 || name === "") fail("must be three cells, such as BTC/USD,Bitcoin,60000");
    const [, base = fail(`the symbol must be such as BTC/USD, not ${JSON.stringify(symbol)}`)] =
      /^([A-Z0-9]{1,16})\/USD$/.exec(symbol) ?? [];
    if (base === "USD" || known.has(symbol)) fail(`the market ${symbol} is listed twice, or is no market`);
    known.add(symbol);
    const price =
      parsePrice(text) ?? fail(`the price must be a decimal above 0, not ${JSON.stringify(text)}`);
    return { instrument: pair(index + 1, base, name, "liquidity"), price };
  });
}

/** Creates the sandbox's catalogue. The aliases `BTCUSD` and `BTC-USD` resolve. */
export function createCatalogue(listings?: readonly Listing[]): Instruments {
  return createMemoryInstruments(listings?.map(({ instrument }) => instrument) ?? SANDBOX_INSTRUMENTS);
}

/** Creates the synthetic market of a catalogue. */
export function syntheticMarket(
  clock: Clock,
  {
    catalogue,
    marketSeed: seed,
  }: Readonly<{ catalogue: readonly Listing[] | undefined; marketSeed: number }>,
): Market {
  const starts = catalogue?.map(({ instrument, price }) => walkStart(instrument.symbol, price));
  return new SyntheticMarket({ clock, seed, ...(starts && { starts }) });
}

/** Returns the balances of the demo account by asset: USD and every base asset. */
export function demoBalances(instruments: Instruments): Readonly<Record<string, string>> {
  const bases = instruments.all().map((instrument) => [instrument.baseAsset, "1000"]);
  return Object.fromEntries([["USD", "10000000"], ...bases]);
}
