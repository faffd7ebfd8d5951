/** Trading state of an instrument; orders are placed in TRADING only, cancels always work. */
export type InstrumentStatus = "TRADING" | "HALT" | "BREAK" | "CANCEL_ONLY" | "END_OF_DAY";

/** What kind of market an instrument is; advanced orders need `liquidity`. */
export type InstrumentKind = "liquidity" | "staking" | "conversion";

/** A tradable pair. `symbol` is canonical, `<BASE>/USD` for liquidity markets; aliases resolve on advanced routes. */
export type Instrument = Readonly<{
  id: number;
  symbol: string;
  aliases: readonly string[];
  baseAsset: string;
  quoteAsset: string;
  name: string;
  kind: InstrumentKind;
  status: InstrumentStatus;
  /** Address of the base asset, such as that of its contract on a chain. */
  address?: string;
  /** Page about the instrument, a URI. */
  url?: string;
}>;
