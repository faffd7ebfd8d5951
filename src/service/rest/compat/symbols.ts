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

/** Returns the canonical symbol of a name that a client sent; a name of no instrument is returned as it is. */
export function canonicalSymbol(instruments: Instruments, sent: string): string {
  const known = instruments.resolve(sent);
  if (known !== undefined) return known.symbol;
  const named = instruments.all().find(({ baseAsset, quoteAsset }) => `${baseAsset}${quoteAsset}` === sent);
  return named?.symbol ?? sent;
}

/** Returns the name that a client knows a canonical symbol by. */
export function symbolForClient(instruments: Instruments, symbol: string): string {
  const instrument = instruments.find(symbol);
  return instrument === undefined ? symbol : compatSymbol(instruments, instrument);
}
