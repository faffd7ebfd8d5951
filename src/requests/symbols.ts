import { OrderError } from "../errors/index.ts";
import type { Instrument } from "../model/index.ts";

/** Resolves a symbol or an alias to an instrument, or returns `undefined` if there is none. */
export type ResolveSymbol = (symbol: string) => Instrument | undefined;

/** How a route accepts symbols. `exactSymbol` refuses aliases, as version 2 queries do (decision 44). */
export type SymbolContext<I extends Pick<Instrument, "symbol"> = Instrument> = Readonly<{
  resolve: (symbol: string) => I | undefined;
  exactSymbol: boolean;
}>;

/** Returns the instrument of a symbol. Throws BAD_SYMBOL (-1121) if there is none. */
export function instrumentOf<I extends Pick<Instrument, "symbol">>(
  symbol: string,
  context: SymbolContext<I>,
): I {
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
export function notTraded({ symbol }: Instrument): OrderError {
  return new OrderError("NOT_TRADED", { field: "symbol", symbol });
}
