import { type Keyed, KeyedTable } from "../common/index.ts";
import type { Price } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { MarketMark, MarketSide, Quote } from "../model/index.ts";
import { type Entry, entryOf } from "./entry.ts";
import { MarkHistory } from "./mark-history.ts";
import { SideBook } from "./side-book.ts";
import { Sweep } from "./sweep.ts";
import type { Observation, Progress, Watch, Watcher } from "./watch.ts";

/** Groups of trailing orders that a quote which meets nothing may make one at once. */
const MERGES_AT_ONCE = 32;

/** An order that came while a quote acted, and what it watches. */
type Waiting = Readonly<{ entry: Entry; watch: Watch }>;

const BY_ID: Keyed<number, Entry> = {
  keyOf: ({ orderId }) => orderId,
  hashOf: (id) => {
    const hash = Math.imul(id ^ Math.trunc(id / 2 ** 32), 0x9e3779b1);
    return (hash ^ (hash >>> 15)) >>> 0;
  },
};

const NOTHING: Observation = Object.freeze({ fired: Object.freeze([]), activated: Object.freeze([]) });

/**
 * What the orders of one instrument wait for. A quote that meets nothing costs the same however many wait; one that
 * fires, activates or moves references costs O(log n) amortised for each order or group it touches.
 *
 * The book makes the marks that its trailing references rest on; the host takes them, makes them durable together
 * with the activations of the same quotes, and then adds them, in order, to the history that the book was made with.
 * A book made with that history after a restart, and given the same watchers, decides as this one would have.
 * Source: contract, Trigger rules; decisions 8 and 16-20.
 *
 * @example
 * ```ts
 * import { TriggerBook, price } from "managed-orders";
 * const book = new TriggerBook("BTC/USD");
 * const condition = { direction: "atOrBelow", level: price("100") } as const;
 * book.add({ orderId: -256, acceptedAtMs: 1, watch: { kind: "level", side: "bid", condition } });
 * const quote = { symbol: "BTC/USD", bids: [], asks: [], timeMs: 2, sequence: 1 };
 * const { fired } = book.observe({ ...quote, bid: price("99.5"), ask: price("99.6") });
 * console.log(fired[0]?.orderId); // -256
 * ```
 */
export class TriggerBook {
  /** The instrument whose quotes it observes. */
  readonly symbol: string;
  readonly #entries: KeyedTable<number, Entry> = new KeyedTable(BY_ID);
  readonly #sides: Readonly<Record<MarketSide, SideBook>>;
  #sweep: Sweep | undefined;
  /** Quotes and orders that came while a quote acted. */
  #behind: (Quote | Waiting)[] = [];
  /** Those orders, unless they were taken out again. */
  readonly #waiting: Set<Entry> = new Set();

  /** `history` holds the durable marks of the instrument already; the book reads it and does not write to it. */
  constructor(symbol: string, history: MarkHistory = new MarkHistory()) {
    this.symbol = symbol;
    this.#sides = {
      ask: new SideBook({ symbol, side: "ask" }, history),
      bid: new SideBook({ symbol, side: "bid" }, history),
    };
  }

  /** Orders in the book. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether an order is in the book. */
  has(orderId: number): boolean {
    return this.#entries.get(orderId) !== undefined;
  }

  /**
   * Lets an order wait from the next quote on. With an activation its reference is the extreme of the marks from
   * there. Throws an InvariantError when the order is in the book already (I24), or when the marks do not hold its
   * activation (I31).
   */
  add(watcher: Watcher): void {
    if (this.has(watcher.orderId)) {
      throw new InvariantError("I24", `order ${watcher.orderId} is in the trigger book already`);
    }
    const entry = entryOf(watcher);
    const { watch } = watcher;
    const side = this.#sides[watch.side];
    if (this.#sweep === undefined) side.add(entry, watch);
    else {
      side.check(watch);
      this.#waiting.add(entry);
      this.#behind.push({ entry, watch });
    }
    this.#entries.set(entry);
  }

  /** Takes an order out; false when it was not in the book. */
  remove(orderId: number): boolean {
    const entry = this.#entries.get(orderId);
    if (entry === undefined) return false;
    if (!this.#waiting.delete(entry)) this.#sides[entry.side].remove(entry);
    return this.#entries.delete(orderId);
  }

  /** The reference of an active trailing order, in 1e-8 steps; `undefined` for any other. */
  reference(orderId: number): Price | undefined {
    const entry = this.#entries.get(orderId);
    return entry && this.#sides[entry.side].reference(entry);
  }

  /**
   * Lets a counted quote act: checks all conditions with the references as they were, then moves references, then
   * activates. What fired has left the book. Throws an InvariantError (I30) on a quote that cannot have been
   * counted: of another instrument, not above zero, or crossed; and while an earlier one acts. Source: decision 20.
   */
  observe(quote: Quote): Observation {
    this.#demandIdle();
    return this.begin(quote) ? this.resume(Number.POSITIVE_INFINITY) : NOTHING;
  }

  /**
   * The same for a host that shares its turns: false when the quote meets nothing, and it is done. Else it acts in
   * slices, see {@link resume}; quotes and orders that come before it is over wait behind it. Throws as
   * {@link observe} does.
   */
  begin(quote: Quote): boolean {
    this.#demandCounted(quote);
    if (this.#sweep !== undefined) {
      this.#behind.push(quote);
      return true;
    }
    const { ask, bid } = this.#sides;
    const isTouched = ask.isTouchedBy(quote.ask) || bid.isTouchedBy(quote.bid);
    if (isTouched || !mergesAtOnce(ask, quote.ask) || !mergesAtOnce(bid, quote.bid)) {
      this.#sweep = new Sweep(this.#sides, quote);
      return true;
    }
    ask.move({ price: quote.ask, timeMs: quote.timeMs });
    bid.move({ price: quote.bid, timeMs: quote.timeMs });
    return false;
  }

  /** Whether a quote acts, and {@link resume} is to be called. */
  get isBusy(): boolean {
    return this.#sweep !== undefined;
  }

  /** How many quotes and orders wait for the quote that acts. */
  get waiting(): number {
    return this.#behind.length;
  }

  /**
   * Lets the quote that acts touch `most` orders, and tells what it did; with its last slice what it fired. Throws an
   * InvariantError (I30) when none acts.
   */
  resume(most: number): Progress {
    if (this.#sweep === undefined) throw new InvariantError("I30", "no quote acts on the trigger book");
    const progress = this.#sweep.run(most, (orderId) => this.#entries.delete(orderId));
    if (progress.isOver) {
      this.#sweep = undefined;
      this.#takeInWaiting();
    }
    return progress;
  }

  /** Whether marks were made since the last call of {@link takeMarks}. */
  get hasMarks(): boolean {
    return this.#sides.ask.hasMarks || this.#sides.bid.hasMarks;
  }

  /**
   * The marks made since the last call, in order of position per side. A reference that moves many times between
   * two calls leaves one mark, unless an order became active on the way. Source: architecture, market journal.
   */
  takeMarks(): readonly MarketMark[] {
    const asks = this.#sides.ask.takeMarks();
    const bids = this.#sides.bid.takeMarks();
    if (asks.length === 0) return bids;
    return bids.length === 0 ? asks : [...asks, ...bids];
  }

  /** What came while a quote acted, in the order in which it came, up to the next quote that meets something. */
  #takeInWaiting(): void {
    let taken = 0;
    for (const one of this.#behind) {
      if (this.#sweep !== undefined) break;
      taken++;
      if ("entry" in one) this.#place(one);
      else this.begin(one);
    }
    this.#behind = this.#behind.slice(taken);
  }

  /** An order that waited, unless it was taken out meanwhile. */
  #place({ entry, watch }: Waiting): void {
    if (this.#waiting.delete(entry)) this.#sides[entry.side].add(entry, watch);
  }

  #demandIdle(): void {
    if (this.#sweep !== undefined)
      throw new InvariantError("I30", `an earlier quote still acts on the trigger book of ${this.symbol}`);
  }

  #demandCounted(quote: Quote): void {
    if (quote.symbol !== this.symbol || !(quote.bid > 0) || quote.bid > quote.ask) {
      throw new InvariantError(
        "I30",
        `the trigger book of ${this.symbol} was given a quote that does not count`,
      );
    }
  }
}

/** Merges the groups that a price moves to one reference; false when they are too many for one step. */
function mergesAtOnce(side: SideBook, price: Price): boolean {
  for (let merges = 0; merges < MERGES_AT_ONCE; merges++) if (!side.mergeTwo(price)) return true;
  return false;
}
