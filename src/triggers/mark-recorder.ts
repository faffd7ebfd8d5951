import type { Price } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { Activation, MarketMark } from "../model/index.ts";
import { knownExtreme } from "./extreme.ts";
import { Extremes } from "./extremes.ts";
import type { MarketOf, MarkHistory } from "./mark-history.ts";

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

  /** Takes in an order of a shard that became active earlier, and whose reference is read later. */
  hold(shard: number): void {
    this.#readerOf(shard, this.#lastPosition).active++;
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
  forget(shard: number): void {
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
  forgetBefore(position: number): void {
    this.#recorded.removeBefore(position);
  }

  /**
   * Returns the reference of an order of a shard that became active earlier: the extreme of all marks from its
   * activation on, durable or not. Throws an InvariantError (I31) when the marks do not contain its seed.
   */
  referenceSince(shard: number, activation: Activation): Price {
    const reference = this.knownSince(shard, activation);
    if (reference !== undefined) return reference;
    throw new InvariantError(
      "I31",
      `no mark at or after position ${activation.position} holds the seed of a trailing order`,
    );
  }

  /** Like {@link referenceSince}; returns `undefined` when the marks do not contain the seed. */
  knownSince(shard: number, { position, seed }: Activation): Price | undefined {
    const { symbol, side } = this.#market;
    const since = this.#readers.get(shard)?.sincePosition ?? this.#lastPosition;
    const reference = knownExtreme(side, [
      this.#history.referenceFrom({ shard, symbol, side, position }),
      this.#recorded.referenceFrom(Math.max(position, since + 1)),
    ]);
    return knownExtreme(side, [reference, seed]) === reference ? reference : undefined;
  }

  /** Position of the newest mark, made or in the history; 0 before the first. */
  get #lastPosition(): number {
    return Math.max(this.#made, this.#history.lastPosition(this.#market) ?? 0);
  }

  /**
   * Returns whether the newest mark was made here at this price and holds for the shard. Marks of a shard that came later may
   * have higher positions than those that were made here, and say nothing about other shards. They may also have the same
   * positions, and what was made here before says nothing about that shard (decision KY).
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
