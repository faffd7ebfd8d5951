import {
  PRICE_SCALE,
  type Price,
  parsePrice,
  parseScaled,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
} from "../../decimal/index.ts";
import type { Level, Quote } from "../../model/index.ts";
import type { LevelInput, QuoteDrop, QuoteInput } from "../../ports/index.ts";
import type { Moment } from "../core/engine-time.ts";

/** Limits of a quote gate; see the engine settings of the same names. */
export type GateLimits = Readonly<{
  quoteMaxAgeMs: number;
  quoteMaxAheadMs: number;
  quoteJumpFactor: number;
}>;

/**
 * What is known of a market before its first quote here: both prices, one of them, or none, and when they were. Empty
 * means that the first quote has to be confirmed by the next.
 */
export type GateMemory = Readonly<{ bid?: Price; ask?: Price; timeMs?: number }>;

/**
 * Decides which quotes of one instrument count (decision 16). A dropped quote changes nothing: it neither triggers
 * nor moves a reference.
 */
export class QuoteGate {
  readonly #limits: GateLimits;
  #last: Quote | undefined;
  /** When the last quote held for certain; a wall clock that is set makes it neither younger nor, set back, immortal. */
  #confirmedWallMs = 0;
  #confirmedMonotonicMs = 0;
  /** Judges quotes until one counts; nobody acts on it. */
  #memory: GateMemory | undefined;
  #heldBack: Quote | undefined;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** What the first quote is judged by; has no say any more once a quote has counted. */
  remember(memory: GateMemory): void {
    if (this.#last === undefined) this.#memory = memory;
  }

  /** The last counted quote. */
  get last(): Quote | undefined {
    return this.#last;
  }

  /** Whether the last counted quote, or the heartbeat that confirmed it, is young enough to act on. */
  isFresh({ wallMs, monotonicMs }: Moment): boolean {
    const { quoteMaxAgeMs } = this.#limits;
    const isYoung = wallMs - this.#confirmedWallMs <= quoteMaxAgeMs;
    return this.#last !== undefined && isYoung && monotonicMs - this.#confirmedMonotonicMs <= quoteMaxAgeMs;
  }

  /** The source is alive: the last quote still holds. */
  heartbeat(now: Moment): void {
    if (this.#last === undefined) return;
    this.#confirmedWallMs = now.wallMs;
    this.#confirmedMonotonicMs = now.monotonicMs;
  }

  /** The counted quote, or why it does not count. */
  take(input: QuoteInput, { wallMs, monotonicMs }: Moment): Quote | QuoteDrop {
    const timeMs = input.timeMs ?? wallMs;
    const quote = readQuote(input, { timeMs, sequence: (this.#last?.sequence ?? 0) + 1 });
    if (typeof quote === "string") return quote;
    const drop = this.#untimely(timeMs, wallMs) ?? this.#wild(quote);
    if (drop !== undefined) return drop;
    this.#last = quote;
    this.#memory = undefined;
    this.#confirmedWallMs = timeMs;
    this.#confirmedMonotonicMs = monotonicMs - Math.max(wallMs - timeMs, 0);
    return quote;
  }

  #untimely(timeMs: number, wallMs: number): QuoteDrop | undefined {
    const latestMs = wallMs + this.#limits.quoteMaxAheadMs;
    if (timeMs > latestMs) return "future";
    // A last quote from the future was counted before the clock was set back: its time says nothing any more.
    const lastMs = (this.#last ?? this.#memory)?.timeMs ?? 0;
    if (timeMs < lastMs && lastMs <= latestMs) return "out-of-order";
    return wallMs - timeMs > this.#limits.quoteMaxAgeMs ? "stale" : undefined;
  }

  /** A wild change, and a first quote that nothing is known of, are held back until the next quote stands near them. */
  #wild(quote: Quote): QuoteDrop | undefined {
    const heldBack = this.#heldBack;
    this.#heldBack = undefined;
    const before = this.#last ?? this.#memory;
    if (before === undefined || this.#isNear(before, quote)) return undefined;
    if (heldBack !== undefined && this.#isNear(heldBack, quote)) return undefined;
    this.#heldBack = quote;
    return isBlank(before) ? "unconfirmed" : "jump";
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

type Stamp = Readonly<{ timeMs: number; sequence: number }>;

function readQuote(input: QuoteInput, stamp: Stamp): Quote | QuoteDrop {
  if (!Number.isSafeInteger(stamp.timeMs) || stamp.timeMs < 0) return "malformed";
  const bids = readSide(input.bid, input.bids, input.bidQuantity);
  if (typeof bids === "string") return bids;
  const asks = readSide(input.ask, input.asks, input.askQuantity);
  if (typeof asks === "string") return asks;
  const bid = bids[0]?.price;
  const ask = asks[0]?.price;
  if (bid === undefined || ask === undefined) return "malformed";
  if (bid > ask) return "crossed";
  if (!isOrdered(bids, -1) || !isOrdered(asks, 1)) return "malformed";
  return { symbol: input.symbol, bid, ask, bids, asks, timeMs: stamp.timeMs, sequence: stamp.sequence };
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

/** Levels of which the first must be the best price that was told beside them. */
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

/** A source that leaves a side out, or sends numbers, is held to the type here too. */
function readLevel(priceText: string, sizeText: string | undefined): Level | "zero" | "malformed" {
  if (typeof priceText !== "string") return "malformed";
  const price = parsePrice(priceText);
  if (price === undefined) return parseScaled(priceText, PRICE_SCALE) === 0 ? "zero" : "malformed";
  if (sizeText === undefined) return { price };
  const size = typeof sizeText === "string" ? readSize(sizeText) : undefined;
  return size === undefined ? "malformed" : { price, size };
}

const SIZE = /^([0-9]{1,20})(?:\.([0-9]{1,6})[0-9]*)?$/;

/** Visible size; finer than our quantity step it is cut, never rounded up. Zero means that the level is empty. */
function readSize(text: string): Quantity | undefined {
  const size = parseScaled(text, QUANTITY_SCALE) ?? parseScaled(cutToScale(text), QUANTITY_SCALE);
  return size !== undefined && size < QUANTITY_LIMIT ? (size as Quantity) : undefined;
}

function cutToScale(text: string): string {
  const [, whole = "", decimals = ""] = SIZE.exec(text) ?? [];
  return `${whole}.${decimals}`;
}

function isOrdered(levels: readonly Level[], direction: 1 | -1): boolean {
  let previous: Price | undefined;
  for (const { price } of levels) {
    if (previous !== undefined && (direction === 1 ? price <= previous : price >= previous)) return false;
    previous = price;
  }
  return true;
}
