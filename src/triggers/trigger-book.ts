import { type Keyed, KeyedTable } from "../common/index.ts";
import type { Price } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { MarketMark, MarketSide, Quote } from "../model/index.ts";
import { type Entry, entryOf } from "./entry.ts";
import { MarkHistory } from "./marks.ts";
import { PriceSweep, SideBook } from "./side-book.ts";
import type { Activated, Observation, Progress, Watch, Watcher } from "./watch.ts";

/** Groups of trailing orders that may be merged at once by a quote that meets no order. */
const MERGES_AT_ONCE = 32;

/** An order that was added or changed while a quote was being processed, and its watch. */
type Waiting = Readonly<{ entry: Entry; watch: Watch; isChange?: true }>;

const BY_ID: Keyed<number, Entry> = {
  keyOf: ({ orderId }) => orderId,
  hashOf: (id) => {
    const hash = Math.imul(id ^ Math.trunc(id / 2 ** 32), 0x9e3779b1);
    return (hash ^ (hash >>> 15)) >>> 0;
  },
};

const NOTHING: Observation = Object.freeze({ fired: Object.freeze([]), activated: Object.freeze([]) });

/**
 * The watches of the orders of one instrument. A quote that meets no order costs the same however many wait. A quote
 * that fires, activates or moves references costs O(log n) amortised for each order or group it touches.
 *
 * The book creates the marks on which its trailing references depend. The host takes them, makes them durable together with
 * the activations of the same quotes, and then adds them, in order, to the history that the book was created with. A book
 * created with that history after a restart, and given the same watchers, makes the same decisions as this one would have
 * made (contract, Trigger rules).
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { TriggerBook } from "managed-orders/rules";
 * const book = new TriggerBook("BTC/USD");
 * const condition = { direction: "atOrBelow", level: Price.parse("100") } as const;
 * const watch = { kind: "level", side: "bid", condition } as const;
 * book.add({ orderId: -256, acceptedAtMs: 1, acceptance: 1, watch });
 * const quote = { symbol: "BTC/USD", bids: [], asks: [], timeMs: 2, sequence: 1 };
 * const { fired } = book.observe({ ...quote, bid: Price.parse("99.5"), ask: Price.parse("99.6") });
 * console.log(fired[0]?.orderId); // -256
 * ```
 */
export class TriggerBook {
  /** The instrument whose quotes it observes. */
  readonly symbol: string;
  readonly #entries: KeyedTable<number, Entry> = new KeyedTable(BY_ID);
  readonly #sides: Readonly<Record<MarketSide, SideBook>>;
  #sweep: PriceSweep | undefined;
  /** Quotes and orders that came while a quote was being processed. */
  #behind: (Quote | Waiting)[] = [];
  /** Those orders, unless they were removed again. */
  readonly #waiting: Set<Entry> = new Set();
  /** Orders of which a change waits, or has waited since the book was last idle. */
  readonly #changing: Set<number> = new Set();
  #isUnmet = false;

  /**
   * Creates a book. `history` contains the durable marks of the instrument before the first quote is processed and the
   * first order with an activation is added. The book reads it and does not write to it.
   */
  constructor(symbol: string, history: MarkHistory = new MarkHistory()) {
    this.symbol = symbol;
    this.#sides = {
      ask: new SideBook({ symbol, side: "ask" }, history),
      bid: new SideBook({ symbol, side: "bid" }, history),
    };
  }

  /** Number of orders in the book. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns whether an order is in the book. */
  has(orderId: number): boolean {
    return this.#entries.get(orderId) !== undefined;
  }

  /**
   * Adds an order, which waits from the next quote on. If it has an activation, its reference is the extreme of the
   * marks since the position of that activation. Throws an InvariantError when the order is in the book already (I24),
   * or when the marks do not contain its activation (I31).
   */
  add(watcher: Watcher): void {
    const entry = this.#entryOf(watcher);
    this.#isUnmet = false;
    const { watch } = watcher;
    const side = this.#sides[watch.side];
    if (this.#sweep === undefined) side.add(entry, watch);
    else {
      side.check(entry, watch);
      this.#waiting.add(entry);
      this.#behind.push({ entry, watch });
    }
    this.#entries.set(entry);
  }

  /**
   * Changes the watch of an order in the book, from the next quote on. Quotes that wait meet the watch before, because they came
   * before the change. Throws as {@link add} does for the marks.
   */
  replace(watcher: Watcher): void {
    const { orderId, watch } = watcher;
    const entry = entryOf(watcher);
    this.#sides[watch.side].check(entry, watch);
    if (this.#sweep === undefined) return this.#place({ entry, watch, isChange: true });
    this.#changing.add(orderId);
    this.#behind.push({ entry, watch, isChange: true });
  }

  /** Forgets the changes of an order that leaves the book. */
  #forgetChanges(orderId: number): void {
    if (!this.#changing.delete(orderId)) return;
    this.#behind = this.#behind.filter(
      (one) => !("entry" in one) || one.isChange !== true || one.entry.orderId !== orderId,
    );
  }

  /** Removes an order. Returns false when it was not in the book. */
  remove(orderId: number): boolean {
    const entry = this.#entries.get(orderId);
    if (entry === undefined) return false;
    this.#forgetChanges(orderId);
    if (!this.#waiting.delete(entry)) this.#sides[entry.side].remove(entry);
    return this.#entries.delete(orderId);
  }

  /** Returns the reference of an active trailing order in 1e-8 steps; `undefined` for any other order. */
  reference(orderId: number): Price | undefined {
    const entry = this.#entries.get(orderId);
    return entry && this.#sides[entry.side].reference(entry);
  }

  /**
   * Processes a counted quote: checks all conditions with the references from before the quote, then moves references, then
   * activates. Fired orders have left the book. Throws an InvariantError (I30) for a quote that cannot have been counted
   * (of another instrument, not above zero, or crossed), and while an earlier quote is being processed.
   */
  observe(quote: Quote): Observation {
    this.#requireIdle();
    return this.begin(quote) ? this.resume(Number.POSITIVE_INFINITY) : NOTHING;
  }

  /**
   * Like {@link observe}, for a caller that divides its work over turns of the event loop. Returns false when the quote
   * meets no order; it is done then. Otherwise the quote is processed in slices, see {@link resume}; quotes and orders
   * that come before it is done wait behind it. Throws for the same quotes as {@link observe}.
   */
  begin(quote: Quote): boolean {
    this.#isUnmet = false;
    this.#requireCounted(quote);
    if (this.#sweep !== undefined) {
      this.#behind.push(quote);
      return true;
    }
    const { ask, bid } = this.#sides;
    const isTouched = ask.isTouchedBy(quote.ask) || bid.isTouchedBy(quote.bid);
    if (isTouched || !mergesAtOnce(ask, quote.ask) || !mergesAtOnce(bid, quote.bid)) {
      this.#sweep = new PriceSweep(this.#sides, quote);
      return true;
    }
    ask.move(quote.ask, quote.timeMs);
    bid.move(quote.bid, quote.timeMs);
    this.#isUnmet = true;
    return false;
  }

  /**
   * Activates the trailing orders that were added since the last processed quote, on that quote: it opens their gates and
   * seeds their references. It fires nothing and moves no reference. Throws an InvariantError (I30) for the same quotes as
   * {@link observe}, and while a quote is being processed.
   */
  seed(quote: Quote): readonly Activated[] {
    this.#requireIdle();
    this.#requireCounted(quote);
    this.#isUnmet = false;
    return new PriceSweep(this.#sides, quote).seed();
  }

  /** Whether the last quote met no order, and none was added since: it meets none if it comes again. */
  get isUnmet(): boolean {
    return this.#isUnmet;
  }

  /** Whether a quote is being processed, so that {@link resume} must be called. */
  get isBusy(): boolean {
    return this.#sweep !== undefined;
  }

  /** Number of quotes and orders that wait for the current quote. */
  get waiting(): number {
    return this.#behind.length;
  }

  /**
   * Lets the current quote touch at most `most` orders, and returns the results. The fired orders come with its last
   * slice. Throws an InvariantError (I30) when no quote is being processed.
   */
  resume(most: number): Progress {
    if (this.#sweep === undefined) throw new InvariantError("I30", "no quote acts on the trigger book");
    const progress = this.#sweep.run(most, (orderId) => {
      this.#forgetChanges(orderId);
      return this.#entries.delete(orderId);
    });
    if (progress.isOver) {
      this.#sweep = undefined;
      this.#takeInWaiting();
    }
    return progress;
  }

  /** Whether marks were made since the last call of {@link takeMarks}. */
  get hasMarks(): boolean {
    return this.#sides.ask.marks.hasUntaken || this.#sides.bid.marks.hasUntaken;
  }

  /** About how many marks the next call of {@link takeMarks} returns. */
  get marksDue(): number {
    return this.#sides.ask.marks.readers + this.#sides.bid.marks.readers;
  }

  /**
   * Returns the marks made since the last call, by position per shard and side, for every shard with active orders in
   * the book. A reference that moves many times between two calls leaves one mark per shard, unless an order became
   * active in between (architecture, market journal).
   */
  takeMarks(): readonly MarketMark[] {
    return [...this.#sides.ask.marks.take(), ...this.#sides.bid.marks.take()];
  }

  /**
   * Like {@link takeMarks}, but only for the shards of which an order became active or left the book since: their records
   * rest on these marks. The others may wait.
   */
  takeDueMarks(): readonly MarketMark[] {
    return [...this.#sides.ask.marks.takeDue(), ...this.#sides.bid.marks.takeDue()];
  }

  /** Forgets what it knows of the marks of a shard that has no order in the book: another process makes them. */
  pruneShard(shard: number): void {
    this.#sides.ask.marks.prune(shard);
    this.#sides.bid.marks.prune(shard);
  }

  /** Forgets the marks of one side before a position that no active order needs. */
  pruneMarks({ side, beforePosition }: Readonly<{ side: MarketSide; beforePosition: number }>): void {
    this.#sides[side].marks.pruneBefore(beforePosition);
  }

  #entryOf(watcher: Watcher): Entry {
    if (this.has(watcher.orderId))
      throw new InvariantError("I24", `order ${watcher.orderId} is in the trigger book already`);
    return entryOf(watcher);
  }

  /**
   * Processes quotes and orders that came while a quote was processed, in order of arrival, up to the next quote that
   * meets an order.
   */
  #takeInWaiting(): void {
    let taken = 0;
    for (const one of this.#behind) {
      if (this.#sweep !== undefined) break;
      taken++;
      if ("entry" in one) this.#place(one);
      else this.begin(one);
    }
    this.#behind = this.#behind.slice(taken);
    if (this.#behind.length === 0) this.#changing.clear();
  }

  /** Adds an order that waited, unless it was removed meanwhile, or changes one. */
  #place({ entry, watch, isChange }: Waiting): void {
    const side = this.#sides[entry.side];
    this.#isUnmet = false;
    if (isChange) {
      const known = this.#entries.get(entry.orderId);
      if (known === undefined) return;
      side.replace(known, entry, watch);
      this.#entries.set(entry);
    } else if (this.#waiting.delete(entry)) side.add(entry, watch);
  }

  #requireIdle(): void {
    if (this.#sweep !== undefined)
      throw new InvariantError("I30", `an earlier quote still acts on the trigger book of ${this.symbol}`);
  }

  #requireCounted(quote: Quote): void {
    if (quote.symbol !== this.symbol || !(quote.bid > 0) || quote.bid > quote.ask) {
      throw new InvariantError(
        "I30",
        `the trigger book of ${this.symbol} was given a quote that does not count`,
      );
    }
  }
}

/** Merges the groups that a price moves to one reference. Returns false when they are too many for one step. */
function mergesAtOnce(side: SideBook, price: Price): boolean {
  for (let merges = 0; merges < MERGES_AT_ONCE; merges++) if (!side.mergeTwo(price)) return true;
  return false;
}
