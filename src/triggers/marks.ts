import { partitionPoint } from "../common/index.ts";
import { compare, max, min, type Price } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { Activation, MarketMark, MarketSide } from "../model/index.ts";

/** Returns the one of two prices that a trailing reference keeps: the lower on the ask, the higher on the bid. */
export function extreme(side: MarketSide, prices: readonly [Price, Price]): Price {
  return side === "ask" ? min(prices[0], prices[1]) : max(prices[0], prices[1]);
}

/** Returns the one of two optional prices that a trailing reference keeps. */
function knownExtreme(
  side: MarketSide,
  [a, b]: readonly [Price | undefined, Price | undefined],
): Price | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return extreme(side, [a, b]);
}

/** A price at a position. */
export type Placed = Readonly<{ position: number; price: Price }>;

/**
 * Prices by position of which none later is at least as extreme: the extremes of all suffixes, so that a binary search
 * finds a reference.
 */
class Extremes<Mark extends Placed> {
  readonly #side: MarketSide;
  readonly #standing: Mark[] = [];

  constructor(side: MarketSide) {
    this.#side = side;
  }

  /** The newest mark. */
  get last(): Mark | undefined {
    return this.#standing[this.#standing.length - 1];
  }

  /** Adds a mark after all others. Removes those that it outdoes, and calls a function for each. */
  append(mark: Mark, outdone?: (mark: Mark) => void): void {
    let { last } = this;
    while (last !== undefined && extreme(this.#side, [mark.price, last.price]) === mark.price) {
      this.#standing.pop();
      outdone?.(last);
      last = this.last;
    }
    this.#standing.push(mark);
  }

  /** Returns the extreme of all marks from `position` on; `undefined` when there are none. */
  referenceFrom(position: number): Price | undefined {
    return this.#standing[this.#firstFrom(position)]?.price;
  }

  /** Returns the marks from `position` on, by position. */
  from(position: number): readonly Mark[] {
    return this.#standing.slice(this.#firstFrom(position));
  }

  /** Removes and returns at most `limit` marks before `position`, by position. */
  removeBefore(position: number, limit: number = Number.POSITIVE_INFINITY): readonly Mark[] {
    return this.#standing.splice(0, Math.min(this.#firstFrom(position), limit));
  }

  #firstFrom(position: number): number {
    return partitionPoint(this.#standing, (mark) => mark.position < position);
  }
}

/** The durable marks of one shard on one side of an instrument's market. */
class MarkTrack {
  readonly #side: MarketSide;
  #standing: Extremes<MarketMark>;
  /** Marks that a later one outdoes. */
  #outdone: MarketMark[] = [];

  constructor(side: MarketSide) {
    this.#side = side;
    this.#standing = new Extremes(side);
  }

  /** Adds a mark. One with a known position replaces the known mark. */
  add(mark: MarketMark): void {
    const { last } = this.#standing;
    if (last === undefined || mark.position > last.position) this.#append(mark);
    else this.#insert(mark);
  }

  /** The highest position; `undefined` without marks. The newest mark always stands. */
  get lastPosition(): number | undefined {
    return this.#standing.last?.position;
  }

  /** Returns the extreme of all marks from `position` on; `undefined` when there are none. */
  referenceFrom(position: number): Price | undefined {
    return this.#standing.referenceFrom(position);
  }

  /** Removes and returns, by position, at most `limit` marks that no reference from `oldestPosition` on can need. */
  obsolete(oldestPosition: number, limit: number = Number.POSITIVE_INFINITY): readonly MarketMark[] {
    const outdone = this.#outdone.splice(0, limit);
    const standing = this.#standing.removeBefore(oldestPosition, limit - outdone.length);
    return [...outdone, ...standing].sort(byPosition);
  }

  #append(mark: MarketMark): void {
    this.#standing.append(mark, (outdone) => this.#outdone.push(outdone));
  }

  /** Adds a mark out of order, or one that replaces another. This is rare, so everything is rebuilt. */
  #insert(mark: MarketMark): void {
    const others = [...this.#outdone, ...this.#standing.from(0)].filter(
      (known) => known.position !== mark.position,
    );
    this.#outdone = [];
    this.#standing = new Extremes(this.#side);
    for (const each of [...others, mark].sort(byPosition)) this.#append(each);
  }
}

function byPosition(a: MarketMark, b: MarketMark): number {
  return compare(a.position, b.position);
}

/** Identifies one side of one instrument's market. */
export interface MarketOf {
  readonly symbol: string;
  readonly side: MarketSide;
}

/** Identifies the marks of one shard on one side of one instrument's market. */
export interface MarksOf extends MarketOf {
  readonly shard: number;
}

/** The marks of one side of one market. */
type Market = { newest: MarketMark; lastPosition: number; readonly tracks: Map<number, MarkTrack> };

/**
 * The durable marks of all shards and instruments. Trailing references are read from them. The host adds a mark when it is
 * durable (architecture, Trailing references are facts).
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { MarkHistory } from "managed-orders/rules";
 * const history = new MarkHistory();
 * const market = { shard: 7, symbol: "BTC/USD", side: "bid" } as const;
 * history.add({ ...market, position: 1, price: Price.parse("105"), timeMs: 1 });
 * history.add({ ...market, position: 2, price: Price.parse("100"), timeMs: 2 });
 * console.log(Price.format(history.referenceFrom({ ...market, position: 1 }) ?? Price.parse("1"))); // 105
 * ```
 */
export class MarkHistory {
  readonly #markets: Readonly<Record<MarketSide, Map<string, Market>>> = { ask: new Map(), bid: new Map() };

  /** Adds a mark. Marks may come in any order; one with the position of a known mark of its shard replaces it. */
  add(mark: MarketMark): void {
    const { shard, side, position } = mark;
    const market = this.#marketOf(mark);
    if (mark.timeMs > market.newest.timeMs) market.newest = mark;
    market.lastPosition = Math.max(market.lastPosition, position);
    let track = market.tracks.get(shard);
    if (track === undefined) {
      track = new MarkTrack(side);
      market.tracks.set(shard, track);
    }
    track.add(mark);
  }

  /** Forgets all marks of a shard: another process makes them from now on. Positions are not used again. */
  prune(shard: number): void {
    for (const markets of Object.values(this.#markets))
      for (const { tracks } of markets.values()) tracks.delete(shard);
  }

  #marketOf(mark: MarketMark): Market {
    const markets = this.#markets[mark.side];
    let market = markets.get(mark.symbol);
    if (market === undefined) {
      market = { newest: mark, lastPosition: mark.position, tracks: new Map() };
      markets.set(mark.symbol, market);
    }
    return market;
  }

  /**
   * Returns the reference of a trailing order of the shard that became active at `position`; `undefined` without a mark
   * from there on.
   */
  referenceFrom({
    shard,
    symbol,
    side,
    position,
  }: MarksOf & Readonly<{ position: number }>): Price | undefined {
    return this.#markets[side].get(symbol)?.tracks.get(shard)?.referenceFrom(position);
  }

  /** Returns the mark with the latest time; `undefined` before the first mark. */
  newest({ symbol, side }: MarketOf): MarketMark | undefined {
    return this.#markets[side].get(symbol)?.newest;
  }

  /** Returns each side of a market that has had a mark. */
  markets(): readonly MarketOf[] {
    const sides = ["ask", "bid"] as const;
    return sides.flatMap((side) => [...this.#markets[side].keys()].map((symbol) => ({ symbol, side })));
  }

  /** Returns the highest position that was added; `undefined` before the first mark. */
  lastPosition({ symbol, side }: MarketOf): number | undefined {
    return this.#markets[side].get(symbol)?.lastPosition;
  }

  /** Returns the highest position of the marks of a shard; `undefined` when it has none. */
  lastPositionOf({ shard, symbol, side }: MarksOf): number | undefined {
    return this.#markets[side].get(symbol)?.tracks.get(shard)?.lastPosition;
  }

  /** Returns the shards that have marks on a side of a market. */
  shardsOf({ symbol, side }: MarketOf): readonly number[] {
    return [...(this.#markets[side].get(symbol)?.tracks.keys() ?? [])];
  }

  /**
   * Removes and returns, by position, the marks of a shard that no order of it needs which is active since
   * `oldestPosition` or later. An omitted `oldestPosition` means that no order is active. A mark with the highest
   * position of the market always stays, so that no position is assigned twice. With `limit` it removes at most that
   * many, and the next call continues.
   */
  obsolete({
    shard,
    symbol,
    side,
    oldestPosition,
    limit,
  }: MarksOf & Readonly<{ oldestPosition: number | undefined; limit?: number }>): readonly MarketMark[] {
    const market = this.#markets[side].get(symbol);
    if (market === undefined) return [];
    const { lastPosition, tracks } = market;
    const needed = Math.min(oldestPosition ?? lastPosition, lastPosition);
    return tracks.get(shard)?.obsolete(needed, limit) ?? [];
  }
}

/** A price on which references rest. */
type Recorded = Readonly<{ position: number; price: Price; timeMs: number }>;

/** A shard with trailing orders on this side of the market. */
type Reader = {
  /** Active trailing orders that are in the book now. */
  active: number;
  /** Position after which marks hold for the shard. Earlier ones are in the history as far as they do. */
  readonly sincePosition: number;
  /** Position up to which the marks were taken for it. */
  takenPosition: number;
};

/**
 * Makes the marks of one instrument and side, for each shard with active trailing orders on it: an order that becomes
 * active gets the position of a mark, and a reference that moves makes a mark for every such shard. Of the marks that
 * were not taken yet, one that a later one outdoes is left out.
 */
export class MarkRecorder {
  readonly #market: MarketOf;
  readonly #history: MarkHistory;
  /** What was recorded since the opening and not outdone. */
  readonly #recorded: Extremes<Recorded>;
  readonly #readers: Map<number, Reader> = new Map();
  /** Shards whose marks must be taken with the next records: one of their orders became active or left the book. */
  readonly #due: Set<number> = new Set();
  /** Position of the newest mark that was made here. The history may have higher ones: those of shards that came later. */
  #made = 0;
  /** Whether a reference has moved since all marks were taken. */
  #hasMoved = false;

  constructor(market: MarketOf, history: MarkHistory) {
    this.#market = market;
    this.#history = history;
    this.#recorded = new Extremes(market.side);
  }

  /** Records that a reference moved to this price. */
  move(price: Price, timeMs: number): void {
    this.#record(price, timeMs);
    this.#hasMoved = true;
  }

  /** Returns the position of the mark that seeds an order of a shard which becomes active at this price. */
  seed(shard: number, { price, timeMs }: Readonly<{ price: Price; timeMs: number }>): number {
    if (!this.#isNewest(shard, price)) this.#record(price, timeMs);
    const reader = this.#readerOf(shard, this.#lastPosition - 1);
    reader.active++;
    this.#require(shard, reader);
    return this.#lastPosition;
  }

  /**
   * Takes in an order that became active earlier, and returns its reference. Throws an InvariantError (I31) when the
   * marks do not contain its seed.
   */
  restore(shard: number, activation: Activation): Price {
    const reference = this.referenceSince(shard, activation);
    const reader = this.#readerOf(shard, this.#lastPosition);
    reader.active++;
    if (reader.takenPosition < this.#lastPosition) this.#hasMoved = true;
    return reference;
  }

  /** Notes that an active order of a shard has left the book: it may have fired at a reference that moved just now. */
  left(shard: number): void {
    const reader = this.#readers.get(shard);
    if (reader === undefined) return;
    reader.active--;
    this.#require(shard, reader);
  }

  /**
   * Forgets a shard without orders in the book: its marks were made elsewhere meanwhile. What was recorded here since then
   * does not count for it.
   */
  prune(shard: number): void {
    this.#readers.delete(shard);
    this.#due.delete(shard);
  }

  /** Whether there are marks since the last take. */
  get hasUntaken(): boolean {
    return this.#hasMoved || this.#due.size > 0;
  }

  /** About how many shards {@link take} returns marks for. */
  get readers(): number {
    return this.#hasMoved ? this.#readers.size : this.#due.size;
  }

  /** Returns the marks of all shards since the last call. */
  take(): readonly MarketMark[] {
    const marks = this.takeDue();
    if (!this.#hasMoved) return marks;
    this.#hasMoved = false;
    for (const [shard, reader] of this.#readers) if (reader.active > 0) this.#takeFor(shard, reader, marks);
    return marks;
  }

  /** Returns the marks of the shards with orders that became active or left the book since the last call. */
  takeDue(): MarketMark[] {
    const marks: MarketMark[] = [];
    for (const shard of this.#due) {
      const reader = this.#readers.get(shard);
      if (reader !== undefined) this.#takeFor(shard, reader, marks);
    }
    this.#due.clear();
    return marks;
  }

  /** Forgets marks before a position that no order needs. */
  pruneBefore(position: number): void {
    this.#recorded.removeBefore(position);
  }

  /**
   * Returns the reference of an order of a shard that became active earlier: the extreme of all marks from its
   * activation on, durable or not. Throws an InvariantError (I31) when the marks do not contain its seed.
   */
  referenceSince(shard: number, { position, seed }: Activation): Price {
    const { symbol, side } = this.#market;
    const since = this.#readers.get(shard)?.sincePosition ?? this.#lastPosition;
    const reference = knownExtreme(side, [
      this.#history.referenceFrom({ shard, symbol, side, position }),
      this.#recorded.referenceFrom(Math.max(position, since + 1)),
    ]);
    if (reference !== undefined && knownExtreme(side, [reference, seed]) === reference) return reference;
    throw new InvariantError(
      "I31",
      `no mark at or after position ${position} holds the seed of a trailing order`,
    );
  }

  /** Position of the newest mark, made or in the history; 0 before the first. */
  get #lastPosition(): number {
    return Math.max(this.#made, this.#history.lastPosition(this.#market) ?? 0);
  }

  /**
   * Returns whether the newest mark was made here at this price and holds for the shard. Marks of a shard that came later
   * may have higher positions than those that were made here, and say nothing about other shards. They may also have the
   * same positions, and what was made here before says nothing about that shard.
   */
  #isNewest(shard: number, price: Price): boolean {
    const { symbol, side } = this.#market;
    const { last } = this.#recorded;
    if (last?.price !== price || last.position !== this.#lastPosition) return false;
    const since =
      this.#readers.get(shard)?.sincePosition ?? this.#history.lastPositionOf({ shard, symbol, side }) ?? 0;
    return last.position > since;
  }

  #require(shard: number, { takenPosition }: Reader): void {
    if (takenPosition < this.#lastPosition) this.#due.add(shard);
  }

  #record(price: Price, timeMs: number): void {
    this.#made = this.#lastPosition + 1;
    this.#recorded.append({ position: this.#made, price, timeMs });
  }

  /** Returns a shard; one that is new here reads the marks after a position. */
  #readerOf(shard: number, sincePosition: number): Reader {
    let reader = this.#readers.get(shard);
    if (reader === undefined) {
      reader = { active: 0, sincePosition, takenPosition: sincePosition };
      this.#readers.set(shard, reader);
    }
    return reader;
  }

  #takeFor(shard: number, reader: Reader, into: MarketMark[]): void {
    const { symbol, side } = this.#market;
    for (const { position, price, timeMs } of this.#recorded.from(reader.takenPosition + 1))
      into.push({ shard, symbol, side, position, price, timeMs });
    reader.takenPosition = this.#lastPosition;
  }
}
