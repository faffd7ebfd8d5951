import {
  type Price,
  parsePrice,
  parseScaled,
  QUANTITY_SCALE,
  type Quantity,
} from "../../src/decimal/index.ts";
import type { MarketMark, QuoteStamp, Side } from "../../src/model/index.ts";
import type { QuoteDrop, QuoteInput } from "../../src/ports/index.ts";

/** One level of a received quote. Without a size its quantity is unlimited. */
export type SeenLevel = Readonly<{ price: Price; size?: Quantity }>;

/** A quote that a process received and counted. */
export type SeenQuote = Readonly<{
  symbol: string;
  bid: Price;
  ask: Price;
  bids: readonly SeenLevel[];
  asks: readonly SeenLevel[];
  timeMs: number;
}>;

/** A quote with its number among the counted quotes of its market. */
type NumberedQuote = SeenQuote & Readonly<{ sequence: number }>;

/** A moment by the clocks of a process. */
type Reading = Readonly<{ wallMs: number; monotonicMs: number }>;

/** Most quotes of one market that are kept. A trigger may wait for its shard while many more come. */
const MOST_RECENT = 4_000;

/** The quotes of each market that a process has counted, according to the world. */
export class SeenMarkets {
  readonly #last: Map<string, SeenQuote> = new Map();
  readonly #confirmedAtMs: Map<string, number> = new Map();
  /** Time of the last quote or heartbeat, on the monotonic clock. */
  readonly #heardAtMs: Map<string, number> = new Map();
  /** What a source has sent after the last counted quote, if a heartbeat confirms that instead: a quote, or nothing. */
  readonly #uncounted: Map<string, SeenQuote | "nothing"> = new Map();
  /** The newest quotes of each market, for causes of triggers. */
  readonly #recent: Map<string, NumberedQuote[]> = new Map();

  counted(quote: SeenQuote, monotonicMs: number): void {
    this.#uncounted.delete(quote.symbol);
    this.#heardAtMs.set(quote.symbol, monotonicMs);
    this.#last.set(quote.symbol, quote);
    this.#confirmedAtMs.set(quote.symbol, quote.timeMs);
    const recent = this.#recent.get(quote.symbol) ?? [];
    recent.push({ ...quote, sequence: (recent.at(-1)?.sequence ?? 0) + 1 });
    if (recent.length > MOST_RECENT) recent.splice(0, MOST_RECENT / 2);
    this.#recent.set(quote.symbol, recent);
  }

  /** Notes a quote that did not count. A heartbeat confirms it if only its time was wrong. */
  dropped(symbol: string, drop: QuoteDrop, quote: SeenQuote | undefined, jumpFactor: number): void {
    const last = this.#last.get(symbol);
    const isRepeated = last?.timeMs === quote?.timeMs && last?.bid === quote?.bid && last?.ask === quote?.ask;
    if (drop === "out-of-order" || drop === "unknown-symbol" || (last !== undefined && isRepeated)) return;
    const isUntimely = quote !== undefined && (drop === "stale" || drop === "future");
    const isNear = last === undefined || (quote !== undefined && isNearTo(last, quote, jumpFactor));
    this.#uncounted.set(symbol, isUntimely && isNear ? quote : "nothing");
  }

  /** Notes a heartbeat. `isFirst` tells whether a quote counts that was dropped for its time before any counted. */
  heartbeat(symbol: string, { wallMs, monotonicMs }: Reading, isFirst: boolean): void {
    const uncounted = this.#uncounted.get(symbol);
    if (uncounted === "nothing") return;
    if (uncounted !== undefined && (isFirst || this.#last.has(symbol)))
      this.counted({ ...uncounted, timeMs: Math.min(uncounted.timeMs, wallMs) }, monotonicMs);
    const confirmed = this.#confirmedAtMs.get(symbol);
    if (confirmed === undefined) return;
    this.#heardAtMs.set(symbol, monotonicMs);
    this.#confirmedAtMs.set(symbol, Math.max(confirmed, wallMs));
  }

  last(symbol: string): SeenQuote | undefined {
    return this.#last.get(symbol);
  }

  /** Returns the number of the newest counted quote of a market; 0 without one. */
  newest(symbol: string): number {
    return this.#recent.get(symbol)?.at(-1)?.sequence ?? 0;
  }

  /** Returns the time since the source last confirmed its quote, on the clock by which it is longer. */
  ageMs(symbol: string, { wallMs, monotonicMs }: Reading): number {
    const never = Number.NEGATIVE_INFINITY;
    const byWallMs = wallMs - (this.#confirmedAtMs.get(symbol) ?? never);
    return Math.max(byWallMs, monotonicMs - (this.#heardAtMs.get(symbol) ?? never));
  }

  /** Returns whether a quote with these prices and this time was counted under this number. */
  has({ symbol, bid, ask, timeMs, sequence }: QuoteStamp): boolean {
    const quote = this.#recent.get(symbol)?.find((recent) => recent.sequence === sequence);
    return quote?.timeMs === timeMs && quote.bid === bid && quote.ask === ask;
  }

  /** Returns the number of the newest quote that a mark can come from; 0 if that quote is no longer kept. */
  numberOf({ symbol, side, price, timeMs }: MarketMark): number {
    const made = this.#recent
      .get(symbol)
      ?.findLast((quote) => quote.timeMs === timeMs && quote[side] === price);
    return made?.sequence ?? 0;
  }
}

function isNearTo(last: SeenQuote, quote: SeenQuote, factor: number): boolean {
  const isWithin = (a: Price, b: Price): boolean =>
    BigInt(a) <= BigInt(b) * BigInt(factor) && BigInt(b) <= BigInt(a) * BigInt(factor);
  return isWithin(last.bid, quote.bid) && isWithin(last.ask, quote.ask);
}

/** Returns a received quote as the world itself reads it; undefined if it is invalid. */
export function readSeen(input: QuoteInput, timeMs: number): SeenQuote | undefined {
  const bid = parsePrice(plain(input.bid));
  const ask = parsePrice(plain(input.ask));
  if (bid === undefined || ask === undefined || bid > ask) return undefined;
  return {
    symbol: input.symbol,
    bid,
    ask,
    bids: levelsOf(input.bids, bid, input.bidQuantity),
    asks: levelsOf(input.asks, ask, input.askQuantity),
    timeMs,
  };
}

/** Returns a decimal without its trailing zeros. */
const plain = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

function levelsOf(levels: QuoteInput["bids"], best: Price, size: string | undefined): readonly SeenLevel[] {
  if (levels !== undefined && levels.length > 0) {
    return levels.flatMap(([price, quantity]) => {
      const at = parsePrice(plain(price));
      return at === undefined ? [] : [levelOf(at, quantity)];
    });
  }
  return [levelOf(best, size)];
}

function levelOf(price: Price, size: string | undefined): SeenLevel {
  const read = size === undefined ? undefined : parseScaled(plain(size), QUANTITY_SCALE);
  return read === undefined ? { price } : { price, size: read as Quantity };
}

/** Returns the levels that an order of this side executes against, inside its limit. */
export function reachable(quote: SeenQuote, side: Side, limit: Price | undefined): readonly SeenLevel[] {
  const levels = side === "BUY" ? quote.asks : quote.bids;
  if (limit === undefined) return levels;
  return levels.filter(({ price }) => (side === "BUY" ? price <= limit : price >= limit));
}
