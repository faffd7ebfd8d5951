import {
  listOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  textOption,
  wholeOption,
  wordOption,
} from "../../common/index.ts";
import { INSTRUMENT_KINDS, INSTRUMENT_STATUSES, type Instrument } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";

const instrumentsOption: OptionCheck = listOption(
  "a list of instruments",
  optionsOf<Instrument>({
    id: wholeOption({ from: 0 }),
    symbol: nameOption,
    aliases: listOption("a list of other names of the symbol", nameOption),
    baseAsset: nameOption,
    quoteAsset: nameOption,
    name: textOption(),
    kind: wordOption(INSTRUMENT_KINDS),
    status: wordOption(INSTRUMENT_STATUSES),
    address: optionalOption(nameOption),
    url: optionalOption(nameOption),
  }),
);

/**
 * Creates a fixed catalogue of instruments. Throws a RangeError if a symbol or alias names two of them, and a TypeError
 * or RangeError that names a member of an instrument that is missing, unknown or wrong.
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
  instrumentsOption(instruments, "createMemoryInstruments");
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
