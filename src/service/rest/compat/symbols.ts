import type { Instrument } from "../../../model/index.ts";
import type { Instruments } from "../../../ports/index.ts";

/**
 * Returns the name of an instrument for clients whose symbols are letters and digits: base and quote asset joined. The
 * canonical symbol stays if the catalogue knows that name for another instrument.
 */
export function compatSymbol(
  instruments: Instruments,
  { symbol, baseAsset, quoteAsset }: Instrument,
): string {
  const joined = `${baseAsset}${quoteAsset}`;
  const named = instruments.resolve(joined);
  return named === undefined || named.symbol === symbol ? joined : symbol;
}

/**
 * Returns a function from a name that a client sent to the canonical symbol; it returns a name of no instrument as it
 * is. The whole catalogue is read at most once, however many names one request has, because every answer of the host is
 * checked. Make a new function for each request: a host may change its instruments.
 */
export function canonicalSymbols(instruments: Instruments): (sent: string) => string {
  let joined: ReadonlyMap<string, string> | undefined;
  return (sent) => {
    const known = instruments.resolve(sent);
    if (known !== undefined) return known.symbol;
    joined ??= joinedNames(instruments);
    return joined.get(sent) ?? sent;
  };
}

/** Returns the canonical symbols by base and quote asset joined. The first instrument keeps a name of several. */
function joinedNames(instruments: Instruments): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { symbol, baseAsset, quoteAsset } of instruments.all()) {
    const joined = `${baseAsset}${quoteAsset}`;
    if (!names.has(joined)) names.set(joined, symbol);
  }
  return names;
}

/** Returns the name that a client knows a canonical symbol by. */
export function symbolForClient(instruments: Instruments, symbol: string): string {
  const instrument = instruments.find(symbol);
  return instrument === undefined ? symbol : compatSymbol(instruments, instrument);
}

/**
 * Returns a catalogue for one reply. It asks the host once per name, however many rows have it, because every answer of
 * the host is checked.
 */
export function askedOnce(instruments: Instruments): Instruments {
  return {
    all: () => instruments.all(),
    find: remembering((symbol) => instruments.find(symbol)),
    resolve: remembering((name) => instruments.resolve(name)),
  };
}

type Look = (name: string) => Instrument | undefined;

function remembering(look: Look): Look {
  const found = new Map<string, Instrument | undefined>();
  return (name) => {
    if (!found.has(name)) found.set(name, look(name));
    return found.get(name);
  };
}
