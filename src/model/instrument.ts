/** Trading state of an instrument. Orders are placed only in TRADING; cancels always work. */
export type InstrumentStatus = "TRADING" | "HALT" | "BREAK" | "CANCEL_ONLY" | "END_OF_DAY";

/** All states of an instrument. */
export const INSTRUMENT_STATUSES: readonly InstrumentStatus[] = [
  "TRADING",
  "HALT",
  "BREAK",
  "CANCEL_ONLY",
  "END_OF_DAY",
];

/** Kind of market of an instrument. Advanced orders need `liquidity`. */
export type InstrumentKind = "liquidity" | "staking" | "conversion";

/** All kinds of markets. */
export const INSTRUMENT_KINDS: readonly InstrumentKind[] = ["liquidity", "staking", "conversion"];

/** A tradable pair. `symbol` is canonical, `<BASE>/USD` for liquidity markets. Aliases resolve on advanced routes. */
export interface Instrument {
  readonly id: number;
  readonly symbol: string;
  readonly aliases: readonly string[];
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly name: string;
  readonly kind: InstrumentKind;
  readonly status: InstrumentStatus;
  /** Address of the base asset, such as the address of its contract on a chain. */
  readonly address?: string;
  /** Page about the instrument, a URI. */
  readonly url?: string;
}
