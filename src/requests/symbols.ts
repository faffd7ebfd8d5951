import { OrderError } from "../errors/index.ts";
import type { Instrument } from "../model/index.ts";

/** How a symbol or an alias becomes an instrument; `undefined` when there is none. */
export type ResolveSymbol = (symbol: string) => Instrument | undefined;

/** How a route takes symbols: `exactSymbol` refuses aliases, as version 2 queries do (decision 44). */
export type SymbolContext = Readonly<{ resolve: ResolveSymbol; exactSymbol: boolean }>;

/** The instrument a symbol names; throws BAD_SYMBOL (-1121) when there is none. */
export function instrumentOf(symbol: string, context: SymbolContext): Instrument {
  const instrument = context.resolve(symbol);
  const named = instrument !== undefined && (!context.exactSymbol || instrument.symbol === symbol);
  if (!named) throw new OrderError("BAD_SYMBOL", { field: "symbol" });
  return instrument;
}

/**
 * The canonical symbol of the market to place an order on; throws BAD_SYMBOL for an unknown one and NOT_TRADED for one
 * that is no liquidity market (both -1121).
 */
export function marketOf(symbol: string, resolve: ResolveSymbol): string {
  const instrument = instrumentOf(symbol, { resolve, exactSymbol: false });
  if (instrument.kind !== "liquidity") throw notTraded(instrument);
  return instrument.symbol;
}

/** The refusal to place an order on a staking or conversion instrument. */
export function notTraded({ symbol }: Instrument): OrderError {
  return new OrderError("NOT_TRADED", { field: "symbol", symbol });
}
