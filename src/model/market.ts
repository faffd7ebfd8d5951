import { add, max, min, type Notional, notionalOf, type Price, type Quantity } from "../decimal/index.ts";

/** The side of the market that an order executes against: the ask for BUY, the bid for SELL. */
export type MarketSide = "ask" | "bid";

/** One visible level. Without `size` the source gives none, and the level counts as unlimited. */
export interface Level {
  readonly price: Price;
  readonly size?: Quantity;
}

/**
 * A counted quote, which passed the quote gate. Levels are best first. `sequence` counts per instrument and process.
 */
export interface Quote {
  readonly symbol: string;
  readonly bid: Price;
  readonly ask: Price;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly timeMs: number;
  readonly sequence: number;
}

/** The part of a quote that a journal record keeps as its cause. */
export interface QuoteStamp {
  readonly symbol: string;
  readonly bid: Price;
  readonly ask: Price;
  readonly timeMs: number;
  readonly sequence: number;
}

/** The part of the last counted quote of a market that a store keeps. */
export type StoredQuote = Omit<QuoteStamp, "sequence">;

/** Returns the stamp of a quote. */
export function stampOf(quote: Quote): QuoteStamp {
  return {
    symbol: quote.symbol,
    bid: quote.bid,
    ask: quote.ask,
    timeMs: quote.timeMs,
    sequence: quote.sequence,
  };
}

/**
 * An extreme on which trailing orders of a shard depend. On the ask it is a low, on the bid a high. Positions rise with
 * time per instrument and side; a shard has a mark only at some of them.
 */
export interface MarketMark {
  readonly shard: number;
  readonly symbol: string;
  readonly side: MarketSide;
  readonly position: number;
  readonly price: Price;
  readonly timeMs: number;
}

/**
 * An executed trade of the service as it was counted, once per id. A fresh trade counts for POV; every trade counts
 * for the bar of its minute.
 */
export interface CountedPrint {
  readonly symbol: string;
  readonly id: string;
  readonly quantity: Quantity;
  /** When it was executed, and when it was first seen here, in epoch milliseconds. */
  readonly timeMs: number;
  readonly seenAtMs: number;
  readonly fresh: boolean;
}

/** Executed base-asset volume of one minute, which begins at `minuteMs`. A minute without volume has no bar. */
export interface VolumeBar {
  readonly symbol: string;
  readonly minuteMs: number;
  readonly quantity: Quantity;
}

/** A counted print with its price. */
export interface PricedPrint extends CountedPrint {
  readonly price: Price;
}

/** Length of a stored bar in milliseconds: a minute, five minutes, an hour or a UTC day. */
export type BarLengthMs = 60_000 | 300_000 | 3_600_000 | 86_400_000;

/** The lengths of stored bars in milliseconds, shortest first. */
export const BAR_LENGTHS_MS: readonly BarLengthMs[] = [60_000, 300_000, 3_600_000, 86_400_000];

/** Bars that are kept of each length and market. Older ones are deleted. */
export const BARS_RETAINED = 1_440;

/**
 * Age in milliseconds, when it is first seen, from which a print counts for no bar. Ids are kept for an hour longer, so
 * that no bar counts a print twice.
 */
export const BAR_PRINT_AGE_MS: number = 23 * 3_600_000;

/**
 * Prices and sums of the prints of one bar. `open` is the price of the print with the earliest time, `close` that of
 * the latest; of prints with the same time, the first counted opens and the last counted closes. `openedAtMs` and
 * `closedAtMs` are the times of these two, in epoch milliseconds. `quoteQuantity` is the sum of price times quantity.
 */
export interface BarFigures {
  readonly open: Price;
  readonly high: Price;
  readonly low: Price;
  readonly close: Price;
  readonly openedAtMs: number;
  readonly closedAtMs: number;
  readonly quantity: Quantity;
  readonly quoteQuantity: Notional;
  readonly prints: number;
}

/**
 * The prints of one market in the period of `lengthMs` that begins at `startMs`. A period without prints has no bar.
 */
export interface PriceBar {
  readonly symbol: string;
  readonly lengthMs: BarLengthMs;
  readonly startMs: number;
  readonly figures: BarFigures;
}

/** Returns the start of the period of `lengthMs` in which a time is. Both are in milliseconds. */
export function barStartMs(timeMs: number, lengthMs: BarLengthMs): number {
  return timeMs - (timeMs % lengthMs);
}

/**
 * Returns the figures of prints of which `later` were counted after `earlier`.
 *
 * @example
 * ```ts
 * import { Price, Quantity } from "managed-orders";
 * import { barsOf, joinFigures } from "managed-orders/ports";
 * const print = (id: string, price: string, timeMs: number) => ({
 *   ...{ symbol: "BTC/USD", id, price: Price.parse(price), quantity: Quantity.parse("2") },
 *   ...{ timeMs, seenAtMs: timeMs, fresh: true },
 * });
 * const [first] = barsOf([print("1", "100", 5)]);
 * const [second] = barsOf([print("2", "101", 4)]);
 * const joined = first && second && joinFigures(first.figures, second.figures);
 * console.log(joined && Price.format(joined.open), joined?.prints); // 101 2
 * ```
 */
export function joinFigures(earlier: BarFigures, later: BarFigures): BarFigures {
  const opens = later.openedAtMs < earlier.openedAtMs ? later : earlier;
  const closes = later.closedAtMs >= earlier.closedAtMs ? later : earlier;
  return {
    open: opens.open,
    high: max(earlier.high, later.high),
    low: min(earlier.low, later.low),
    close: closes.close,
    openedAtMs: opens.openedAtMs,
    closedAtMs: closes.closedAtMs,
    quantity: add(earlier.quantity, later.quantity),
    quoteQuantity: add(earlier.quoteQuantity, later.quoteQuantity),
    prints: earlier.prints + later.prints,
  };
}

/** Returns the figures of consecutive bars, oldest first: undefined without bars. */
export function figuresOfBars(bars: readonly PriceBar[]): BarFigures | undefined {
  let sum: BarFigures | undefined;
  for (const { figures } of bars) sum = sum === undefined ? figures : joinFigures(sum, figures);
  return sum;
}

/** Returns whether a print counts for bars: it was not older than {@link BAR_PRINT_AGE_MS} when it was first seen. */
export function countsForBars({ timeMs, seenAtMs }: CountedPrint): boolean {
  return seenAtMs - timeMs < BAR_PRINT_AGE_MS;
}

/** Returns the figures of a single print. */
export function figuresOf({ price, quantity, timeMs }: PricedPrint): BarFigures {
  return {
    ...{ open: price, high: price, low: price, close: price, openedAtMs: timeMs, closedAtMs: timeMs },
    ...{ quantity, quoteQuantity: notionalOf(price, quantity), prints: 1 },
  };
}

/**
 * Returns what a batch of prints adds to bars: one bar of each length for each market and period, of the prints that
 * count for bars. The prints are in the order in which they were counted. A store joins each with the stored bar of the
 * same symbol, length and start.
 *
 * @example
 * ```ts
 * import { Price, Quantity } from "managed-orders";
 * import { barsOf } from "managed-orders/ports";
 * const print = { symbol: "BTC/USD", id: "1", price: Price.parse("100"), quantity: Quantity.parse("2") };
 * const bars = barsOf([{ ...print, timeMs: 90_000, seenAtMs: 90_000, fresh: true }]);
 * console.log(bars.map(({ lengthMs, startMs }) => `${lengthMs}:${startMs}`).join()); // 60000:60000,300000:0,3600000:0,86400000:0
 * ```
 */
export function barsOf(prints: readonly PricedPrint[]): readonly PriceBar[] {
  const bars = new Map<string, PriceBar>();
  for (const print of prints) {
    if (!countsForBars(print)) continue;
    const { symbol, timeMs } = print;
    const figures = figuresOf(print);
    for (const lengthMs of BAR_LENGTHS_MS) {
      const startMs = barStartMs(timeMs, lengthMs);
      const key = `${lengthMs} ${startMs} ${symbol}`;
      const before = bars.get(key);
      const joined = before === undefined ? figures : joinFigures(before.figures, figures);
      bars.set(key, { symbol, lengthMs, startMs, figures: joined });
    }
  }
  return [...bars.values()];
}

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
