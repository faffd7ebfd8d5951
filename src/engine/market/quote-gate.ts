import {
  floorFact,
  PRICE_SCALE,
  type Price,
  parseFact,
  parsePriceFact,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
} from "../../decimal/index.ts";
import type { Level, Quote, StoredQuote } from "../../model/index.ts";
import type { LevelInput, QuoteDrop, QuoteInput } from "../../ports/index.ts";
import type { MarkHistory } from "../../triggers/index.ts";
import type { Moment } from "../core/engine-time.ts";

/** Limits of a quote gate. See the engine settings of the same names. */
type GateLimits = Readonly<{
  quoteMaxAgeMs: number;
  quoteMaxAheadMs: number;
  quoteJumpFactor: number;
}>;

/**
 * Prices of a market from before its first quote here: both, one or none, and their time. If empty, the first quote
 * must be confirmed by the next.
 */
export type GateMemory = Readonly<{ bid?: Price; ask?: Price; timeMs?: number }>;

/**
 * Decides which quotes of one instrument count. A dropped quote changes nothing: it neither triggers an order nor moves a
 * reference.
 */
export class QuoteGate {
  readonly #limits: GateLimits;
  #last: Quote | undefined;
  /**
   * Last confirmation of the last quote, by both clocks. Setting the wall clock back neither makes a quote younger
   * nor keeps it fresh forever.
   */
  #confirmedWallMs = 0;
  #confirmedMonotonicMs = 0;
  /** Prices to compare quotes with until one counts. Orders do not act on them. */
  #memory: GateMemory | undefined;
  #deferred: Quote | undefined;
  /**
   * What the source has sent after the last counted quote, if that did not count: a heartbeat confirms this one, and not the
   * counted one. One that cannot be read, or is held back until a quote near it comes, confirms nothing.
   */
  #uncounted: Quote | "nothing" | undefined;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /**
   * Sets the prices against which the first quote is checked; undefined: none. A quote that was held back confirms no other
   * any more. Has no effect once a quote has counted.
   */
  restore(memory: GateMemory | undefined): void {
    if (this.#last !== undefined) return;
    this.#memory = memory;
    this.#deferred = undefined;
    if (this.#uncounted !== undefined) this.#uncounted = "nothing";
  }

  /** The last counted quote. */
  get last(): Quote | undefined {
    return this.#last;
  }

  /** When the last counted quote was confirmed last, by the monotonic clock; undefined without one. */
  get confirmedMs(): number | undefined {
    return this.#last === undefined ? undefined : this.#confirmedMonotonicMs;
  }

  /** Returns whether the last counted quote, or the heartbeat that confirmed it, is young enough to act on. */
  isFresh({ wallMs, monotonicMs }: Moment): boolean {
    const { quoteMaxAgeMs } = this.#limits;
    const isYoung = wallMs - this.#confirmedWallMs <= quoteMaxAgeMs;
    return this.#last !== undefined && isYoung && monotonicMs - this.#confirmedMonotonicMs <= quoteMaxAgeMs;
  }

  /**
   * Confirms the source's last quote as of now, whether it counted or not, and returns it: one that was late counts from
   * now on. Returns undefined if there is none, it cannot be read, or it is held back: a wild price counts only when the
   * next quote is near it.
   */
  heartbeat(now: Moment): Quote | undefined {
    const uncounted = this.#uncounted;
    if (uncounted === "nothing") return undefined;
    if (uncounted !== undefined) {
      // A time ahead of the clock is none that later quotes could be compared with.
      const sequence = (this.#last?.sequence ?? 0) + 1;
      this.#count({ ...uncounted, sequence, timeMs: Math.min(uncounted.timeMs, now.wallMs) }, now);
    }
    if (this.#last === undefined) return undefined;
    this.#confirmedWallMs = now.wallMs;
    this.#confirmedMonotonicMs = now.monotonicMs;
    return this.#last;
  }

  /** Returns the counted quote, or the reason why it does not count. */
  take(input: QuoteInput, now: Moment): Quote | QuoteDrop {
    const timeMs = input.timeMs ?? now.wallMs;
    const quote = readQuote(input, timeMs, (this.#last?.sequence ?? 0) + 1);
    if (typeof quote === "string") {
      this.#uncounted = "nothing";
      return quote;
    }
    const untimely = this.#untimely(timeMs, now.wallMs);
    const drop = untimely ?? this.#wild(quote);
    if (drop === undefined) return this.#count(quote, now);
    if (drop === "out-of-order" || this.#repeats(quote)) return drop;
    this.#uncounted = untimely !== undefined && this.#isNearLast(quote) ? quote : "nothing";
    return drop;
  }

  #count(quote: Quote, { wallMs, monotonicMs }: Moment): Quote {
    this.#last = quote;
    this.#uncounted = undefined;
    // One that came before this one is not confirmed by the next.
    this.#deferred = undefined;
    this.#memory = undefined;
    this.#confirmedWallMs = quote.timeMs;
    this.#confirmedMonotonicMs = monotonicMs - Math.max(wallMs - quote.timeMs, 0);
    return quote;
  }

  /** Returns whether a quote is the last counted one, sent again: a source may begin a new connection with it, however old it is. */
  #repeats({ timeMs, bid, ask }: Quote): boolean {
    const last = this.#last;
    return last !== undefined && timeMs === last.timeMs && bid === last.bid && ask === last.ask;
  }

  #untimely(timeMs: number, wallMs: number): QuoteDrop | undefined {
    const latestMs = wallMs + this.#limits.quoteMaxAheadMs;
    if (timeMs > latestMs) return "future";
    // A last quote from the future was counted before the clock was set back. Its time means nothing now.
    const lastMs = (this.#last ?? this.#memory)?.timeMs ?? 0;
    if (timeMs < lastMs && lastMs <= latestMs) return "out-of-order";
    return wallMs - timeMs > this.#limits.quoteMaxAgeMs ? "stale" : undefined;
  }

  /**
   * Returns why a quote is held back, if it is. A quote that jumps, or the first quote without a memory to compare
   * with, is held back. The next quote counts if it is near the one held back.
   */
  #wild(quote: Quote): QuoteDrop | undefined {
    const deferred = this.#deferred;
    this.#deferred = undefined;
    const before = this.#last ?? this.#memory;
    if (before === undefined || this.#isNear(before, quote)) return undefined;
    if (deferred !== undefined && this.#isNear(deferred, quote)) return undefined;
    this.#deferred = quote;
    return isBlank(before) ? "unconfirmed" : "jump";
  }

  /** Returns whether a quote that did not come in time would be no jump. */
  #isNearLast(quote: Quote): boolean {
    const before = this.#last ?? this.#memory;
    return before === undefined || this.#isNear(before, quote);
  }

  #isNear(before: GateMemory, quote: Quote): boolean {
    return !isBlank(before) && this.#within(before.bid, quote.bid) && this.#within(before.ask, quote.ask);
  }

  #within(a: Price | undefined, b: Price): boolean {
    if (a === undefined) return true;
    const factor = this.#limits.quoteJumpFactor;
    if (
      typeof a === "number" &&
      typeof b === "number" &&
      a * factor <= Number.MAX_SAFE_INTEGER &&
      b * factor <= Number.MAX_SAFE_INTEGER
    ) {
      return a <= b * factor && b <= a * factor;
    }
    const wide = BigInt(factor);
    return BigInt(a) <= BigInt(b) * wide && BigInt(b) <= BigInt(a) * wide;
  }
}

const isBlank = ({ bid, ask }: GateMemory): boolean => bid === undefined && ask === undefined;

function readQuote(input: QuoteInput, timeMs: number, sequence: number): Quote | QuoteDrop {
  if (!Number.isSafeInteger(timeMs) || timeMs < 0) return "malformed";
  const bids = readSide(input.bid, input.bids, input.bidQuantity);
  if (typeof bids === "string") return bids;
  const asks = readSide(input.ask, input.asks, input.askQuantity);
  if (typeof asks === "string") return asks;
  const bid = bids[0]?.price;
  const ask = asks[0]?.price;
  if (bid === undefined || ask === undefined) return "malformed";
  if (bid > ask) return "crossed";
  if (!isOrdered(bids, -1) || !isOrdered(asks, 1)) return "malformed";
  return { symbol: input.symbol, bid, ask, bids, asks, timeMs, sequence };
}

function readSide(
  best: string,
  levels: readonly LevelInput[] | undefined,
  size: string | undefined,
): readonly Level[] | QuoteDrop {
  if (levels !== undefined && levels.length > 0) return readLevels(best, levels);
  const level = readLevel(best, size);
  return typeof level === "string" ? level : [level];
}

/** Reads levels. The first must be the best price given beside them. */
function readLevels(best: string, levels: readonly LevelInput[]): readonly Level[] | QuoteDrop {
  const top = readLevel(best, undefined);
  if (typeof top === "string") return top;
  const read: Level[] = [];
  for (const [price, size] of levels) {
    const level = readLevel(price, size);
    if (typeof level === "string") return level;
    read.push(level);
  }
  return read[0]?.price === top.price ? read : "malformed";
}

/** Reads one level. Checks types at runtime too, because a source may omit a side or send numbers. */
function readLevel(priceText: string, sizeText: string | undefined): Level | "zero" | "malformed" {
  if (typeof priceText !== "string") return "malformed";
  const price = parsePriceFact(priceText);
  if (price === undefined) return parseFact(priceText, PRICE_SCALE) === 0 ? "zero" : "malformed";
  if (sizeText === undefined) return { price };
  const size = typeof sizeText === "string" ? readSize(sizeText) : undefined;
  return size === undefined ? "malformed" : { price, size };
}

/**
 * Reads a visible size. Digits finer than the quantity step are cut off, never rounded up. Zero means that the level
 * is empty.
 */
function readSize(text: string): Quantity | undefined {
  const size = floorFact(text, QUANTITY_SCALE);
  return size !== undefined && size < QUANTITY_LIMIT ? (size as Quantity) : undefined;
}

function isOrdered(levels: readonly Level[], direction: 1 | -1): boolean {
  let previous: Price | undefined;
  for (const { price } of levels) {
    if (previous !== undefined && (direction === 1 ? price <= previous : price >= previous)) return false;
    previous = price;
  }
  return true;
}

/**
 * The last counted quote of every market that open parents watch, in its durable version. The first quote after an opening
 * is checked against it.
 */
export class QuoteMemory {
  readonly #watchesAll: boolean;
  /** Quotes in the store. */
  readonly #stored: Map<string, StoredQuote> = new Map();
  /** Number of parents that watch each market. Only watched markets have an entry. */
  readonly #open: Map<string, number> = new Map();
  /** Watched symbols whose last quote the store may not have. A commit looks at no others. */
  readonly #unkept: Set<string> = new Set();

  /** With `watchesAll`, the last quotes of all open markets are kept: orders of other nodes may watch them. */
  constructor({ watchesAll = false }: Readonly<{ watchesAll?: boolean }> = {}) {
    this.#watchesAll = watchesAll;
  }

  /** Notes that a market was opened. */
  opened(symbol: string): void {
    if (this.#watchesAll) this.watch(symbol);
  }

  /** Stores quotes that are durable: those that the store held at the opening, and later ones. */
  stored(quotes: readonly StoredQuote[]): void {
    for (const quote of quotes) this.#stored.set(quote.symbol, quote);
  }

  /** Forgets which quotes the store has, so that all last quotes are due: another engine may have stored others. */
  doubt(): void {
    this.#stored.clear();
    for (const symbol of this.#open.keys()) this.#unkept.add(symbol);
  }

  /** Notes a counted quote. */
  counted({ symbol }: Quote): void {
    if (this.#open.has(symbol)) this.#unkept.add(symbol);
  }

  /** Returns whether an open parent of this engine watches a market. */
  hasParents(symbol: string): boolean {
    return (this.#open.get(symbol) ?? 0) > (this.#watchesAll ? 1 : 0);
  }

  /** Returns the markets that open parents of this engine watch. */
  watched(): readonly string[] {
    return [...this.#open.keys()].filter((symbol) => this.hasParents(symbol));
  }

  /** Counts one more open parent that watches a market. */
  watch(symbol: string): void {
    const watching = this.#open.get(symbol) ?? 0;
    this.#open.set(symbol, watching + 1);
    if (watching === 0) this.#unkept.add(symbol);
  }

  /** Subtracts a parent that has ended or is not known any more. */
  unwatch(symbol: string): void {
    const watching = this.#open.get(symbol) ?? 0;
    if (watching > 1) return void this.#open.set(symbol, watching - 1);
    this.#open.delete(symbol);
    this.#unkept.delete(symbol);
  }

  /**
   * Returns the last counted quotes that the store does not have yet: of markets with open parents and of those in
   * `touched`.
   */
  due(last: (symbol: string) => Quote | undefined, touched: Iterable<string>): readonly StoredQuote[] {
    const quotes: StoredQuote[] = [];
    for (const symbol of new Set([...this.#unkept, ...touched])) {
      const quote = last(symbol);
      if (quote === undefined || isSame(this.#stored.get(symbol), quote)) {
        // Nothing needs keeping until the next quote is counted.
        this.#unkept.delete(symbol);
        continue;
      }
      const { bid, ask, timeMs } = quote;
      quotes.push({ symbol, bid, ask, timeMs });
    }
    return quotes;
  }

  /**
   * Returns the prices against which the first quote of a market with open parents is checked: the kept quote, else the
   * newest mark, else an empty memory, so that only the next quote confirms. Returns undefined for any other market.
   */
  before(symbol: string, history: MarkHistory): GateMemory | undefined {
    if (!this.#open.has(symbol)) return undefined;
    return this.#stored.get(symbol) ?? newestMark(history, symbol) ?? {};
  }
}

function isSame(stored: StoredQuote | undefined, { bid, ask, timeMs }: Quote): boolean {
  return stored !== undefined && stored.bid === bid && stored.ask === ask && stored.timeMs === timeMs;
}

function newestMark(history: MarkHistory, symbol: string): GateMemory | undefined {
  const bid = history.newest({ symbol, side: "bid" });
  const ask = history.newest({ symbol, side: "ask" });
  if (ask === undefined || (bid !== undefined && bid.timeMs > ask.timeMs))
    return bid && { bid: bid.price, timeMs: bid.timeMs };
  return { ask: ask.price, timeMs: ask.timeMs };
}
