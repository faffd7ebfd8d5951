import { OrderError } from "../errors/index.ts";
import type { Instrument } from "../model/index.ts";

/** What the reading of a request needs of an instrument. */
type NamedInstrument = Pick<Instrument, "symbol" | "kind">;

/** Resolves a symbol or an alias to an instrument, or returns `undefined` if there is none. */
export type ResolveSymbol = (symbol: string) => NamedInstrument | undefined;

/** How a route accepts symbols. `exactSymbol` refuses aliases, as version 2 queries do. */
export type SymbolContext = Readonly<{ resolve: ResolveSymbol; exactSymbol: boolean }>;

/** Base and quote asset joined, or with a hyphen. */
const USUAL_ALIAS = /^([^/-]+)-?USD$/;

/**
 * Returns the canonical symbol of a usual alias, `BTC/USD` for `BTCUSD` and `BTC-USD`, and any other name as it is. The
 * catalogue itself says what a name means as long as it has the instrument.
 */
export function usualSymbol(name: string): string {
  return name.replace(USUAL_ALIAS, "$1/USD");
}

/** Returns the instrument of a symbol. Throws BAD_SYMBOL (-1121) if there is none. */
export function instrumentOf(symbol: string, context: SymbolContext): NamedInstrument {
  const instrument = context.resolve(symbol);
  const named = instrument !== undefined && (!context.exactSymbol || instrument.symbol === symbol);
  if (!named) throw new OrderError("BAD_SYMBOL", { field: "symbol" });
  return instrument;
}

/**
 * Returns the canonical symbol of the market for an order. Throws BAD_SYMBOL for an unknown symbol and NOT_TRADED for
 * an instrument that is not a liquidity market (both -1121).
 */
export function marketOf(symbol: string, resolve: ResolveSymbol): string {
  const instrument = instrumentOf(symbol, { resolve, exactSymbol: false });
  if (instrument.kind !== "liquidity") throw notTraded(instrument);
  return instrument.symbol;
}

/** Returns the refusal of an order on a staking or conversion instrument. */
export function notTraded({ symbol }: NamedInstrument): OrderError {
  return new OrderError("NOT_TRADED", { field: "symbol", symbol });
}
