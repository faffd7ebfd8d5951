import type { Price } from "../decimal/index.ts";
import { type Activation, type MarketSide, type Quote, shardOfId } from "../model/index.ts";
import { currentGroup, type Entry, isOlder, isTrailing, LevelHeaps, putInto } from "./entry.ts";
import { LeftistHeap } from "./leftist-heap.ts";
import { type MarketOf, type MarkHistory, MarkRecorder } from "./marks.ts";
import { TrailingGroups } from "./trailing-groups.ts";
import {
  type Activated,
  actsBefore,
  everyHit,
  type Hit,
  levelHit,
  type Progress,
  type Watch,
} from "./watch.ts";

/** Returns whether one item goes before another. Returns false both ways for equal items. */
export type Before<T> = (a: T, b: T) => boolean;

/** Items that one step moves. This is about as much work as one touch of a heap. */
const PER_STEP = 16;

/**
 * Sorts items in steps of bounded work, however many there are. Items arrive in runs that are sorted already (a heap
 * yields such runs), and runs are merged in pairs. A single run needs no work.
 */
export class IncrementalSort<T> {
  readonly #before: Before<T>;
  /** Runs, each sorted. */
  #runs: T[][] = [];
  /** Runs that this pass has merged. */
  #merged: T[][] = [];
  #at = { pair: 0, left: 0, right: 0 };

  constructor(before: Before<T>) {
    this.#before = before;
  }

  /** Adds an item. Call it before the first step only. */
  add(one: T): void {
    const run = this.#runs.at(-1);
    const last = run?.at(-1);
    if (run === undefined || last === undefined || this.#before(one, last)) this.#runs.push([one]);
    else run.push(one);
  }

  /** Moves some items. Returns false when all were in order. */
  step(): boolean {
    if (this.#runs.length < 2) return false;
    for (let moves = 0; moves < PER_STEP && this.#runs.length > 1; moves++) this.#move();
    return true;
  }

  /** All items, sorted once {@link step} has returned false. */
  get inOrder(): readonly T[] {
    return this.#runs[0] ?? [];
  }

  #move(): void {
    const { pair, left, right } = this.#at;
    const into = this.#merged[pair / 2] ?? this.#begin();
    const [a, b] = [this.#runs[pair]?.[left], this.#runs[pair + 1]?.[right]];
    if (b !== undefined && (a === undefined || this.#before(b, a))) {
      into.push(b);
      this.#at.right++;
    } else if (a !== undefined) {
      into.push(a);
      this.#at.left++;
    } else this.#endPair();
  }

  #begin(): T[] {
    const into: T[] = [];
    this.#merged.push(into);
    return into;
  }

  #endPair(): void {
    this.#at = { pair: this.#at.pair + 2, left: 0, right: 0 };
    if (this.#at.pair < this.#runs.length) return;
    this.#runs = this.#merged;
    this.#merged = [];
    this.#at.pair = 0;
  }
}

/** The price of one side, and when it was quoted. */
type SidePrice = Readonly<{ price: Price; timeMs: number }>;

/**
 * The part of a trigger book that observes one side of the market. A quote is processed in steps, each of which
 * touches one order. The book calls them in the order in which a quote acts on them.
 */
export class SideBook {
  readonly #levels: LevelHeaps = new LevelHeaps();
  /** Gates that delay an activation. */
  readonly #gates: LevelHeaps = new LevelHeaps();
  readonly #groups: TrailingGroups;
  readonly #marks: MarkRecorder;
  /** Entries that fire on the next quote. */
  readonly #every: LeftistHeap<Entry> = new LeftistHeap(isOlder);
  /** Trailing entries that become active at the end of the next quote, or of this one. */
  readonly #activating: LeftistHeap<Entry> = new LeftistHeap(isOlder);

  constructor(market: MarketOf, history: MarkHistory) {
    this.#groups = new TrailingGroups(market.side);
    this.#marks = new MarkRecorder(market, history);
  }

  /** Adds an entry with its watch on this side. */
  add(entry: Entry, watch: Watch): void {
    if (watch.kind === "every") putInto(this.#every, entry);
    else if (watch.kind === "level") this.#levels.add(entry, watch.condition);
    else if (watch.activation !== undefined && isTrailing(entry))
      this.#groups.restore(entry, this.#marks.restore(shardOfId(entry.orderId), watch.activation));
    else if (watch.gate !== undefined) this.#gates.add(entry, watch.gate);
    else putInto(this.#activating, entry);
  }

  /** Puts an entry in the place of one of the same order. If that trails, the new one goes on from its reference. */
  replace(known: Entry, entry: Entry, watch: Watch): void {
    const reference = this.reference(known);
    if (reference === undefined || !isTrailing(known) || !isTrailing(entry)) {
      this.remove(known);
      return this.add(entry, watch);
    }
    this.#groups.remove(known);
    this.#groups.restore(entry, reference);
  }

  /** Removes an entry that is in this book. */
  remove(entry: Entry): void {
    if (!isTrailing(entry) || entry.trail.group === undefined) return void entry.heap?.remove(entry);
    this.#groups.remove(entry);
    this.#marks.left(shardOfId(entry.orderId));
  }

  /** Throws an InvariantError (I31) when the marks do not contain the activation of a watch. */
  check({ orderId }: Entry, watch: Watch): void {
    if (watch.kind === "trail" && watch.activation !== undefined)
      this.#marks.referenceSince(shardOfId(orderId), watch.activation);
  }

  /** Returns the reference of an active trailing entry. */
  reference(entry: Entry): Price | undefined {
    return isTrailing(entry) ? currentGroup(entry)?.reference : undefined;
  }

  /** Returns whether an order fires or becomes active on this price, or may do so. */
  isTouchedBy(price: Price): boolean {
    return (
      this.#every.head !== undefined ||
      this.#activating.head !== undefined ||
      this.#levels.hasMet(price) ||
      this.#gates.hasMet(price) ||
      this.#groups.hasMet(price)
    );
  }

  /**
   * Removes and returns the next hit on the price, with the references as they are; `undefined` when there is none.
   */
  takeFired(price: Price): Hit | undefined {
    const every = this.#every.pop();
    if (every !== undefined) return everyHit(every, price);
    const entry = this.#levels.takeMet(price);
    if (entry === undefined) return this.#takeTrailing(price);
    return levelHit(entry, { observed: price, level: levelOf(entry) });
  }

  #takeTrailing(price: Price): Hit | undefined {
    const hit = this.#groups.takeMet(price);
    if (hit !== undefined) this.#marks.left(shardOfId(hit.fired.orderId));
    return hit;
  }

  /**
   * Opens a gate that the price meets. Its entry becomes active at the end of this quote. Returns false when there is
   * none.
   */
  openGate(price: Price): boolean {
    const entry = this.#gates.takeMet(price);
    if (entry === undefined) return false;
    putInto(this.#activating, entry);
    return true;
  }

  /**
   * Merges two groups of trailing entries whose references the price moves to the same value. Returns false when no
   * two are left.
   */
  mergeTwo(price: Price): boolean {
    return this.#groups.mergeTwo(price);
  }

  /** Moves the references that the price passes. */
  move(price: Price, timeMs: number): void {
    if (this.#groups.move(price)) this.#marks.move(price, timeMs);
  }

  /** The entry that becomes active next. */
  get activating(): Entry | undefined {
    return this.#activating.head;
  }

  /** Activates the entry that {@link activating} returns. */
  activateNext(at: SidePrice): Activation | undefined {
    const entry = this.#activating.pop();
    if (entry === undefined || !isTrailing(entry)) return undefined;
    this.#groups.join(entry, at.price);
    return { position: this.#marks.seed(shardOfId(entry.orderId), at), seed: at.price };
  }

  /** The part that makes the marks. */
  get marks(): MarkRecorder {
    return this.#marks;
  }
}

/** Returns the level of an entry in the level heaps, which is its key. */
const levelOf = ({ key }: Entry): Price => key as Price;

type Sides = Readonly<Record<MarketSide, SideBook>>;

/**
 * The processing of one counted quote by a trigger book, in as many slices as its host wants. It checks every condition
 * with the references from before the quote, then opens gates, then moves references, then activates.
 */
export class PriceSweep {
  readonly quote: Quote;
  readonly #sides: Sides;
  readonly #hits: IncrementalSort<Hit> = new IncrementalSort(actsBefore);
  /** Ids of orders that have left the book and are not reported yet. */
  #left: number[] = [];
  #activated: Activated[] = [];
  #hasMoved = false;

  constructor(sides: Sides, quote: Quote) {
    this.#sides = sides;
    this.quote = quote;
  }

  /** Takes at most `most` steps. Calls `left` for each order that left the book. */
  run(most: number, left: (orderId: number) => void): Progress {
    let steps = 0;
    while (steps < most && this.#step()) steps++;
    for (const orderId of this.#left) left(orderId);
    this.#left = [];
    const isOver = steps < most;
    const activated = this.#activated;
    this.#activated = [];
    const fired = isOver ? this.#hits.inOrder.map((hit) => hit.fired) : [];
    return { quote: this.quote, steps, isOver, fired, activated };
  }

  /** Opens gates and activates, and does nothing else. */
  seed(): readonly Activated[] {
    while (this.#openGate());
    while (this.#activateOne());
    return this.#activated;
  }

  /** Touches one order. Returns false when none is left and the fired ones are in order. */
  #step(): boolean {
    if (!this.#hasMoved) {
      if (this.#fireOne() || this.#openGate() || this.#mergeTwo()) return true;
      this.#move();
    }
    return this.#activateOne() || this.#hits.step();
  }

  #fireOne(): boolean {
    const { ask, bid } = this.#sides;
    const hit = ask.takeFired(this.quote.ask) ?? bid.takeFired(this.quote.bid);
    if (hit === undefined) return false;
    this.#hits.add(hit);
    this.#left.push(hit.fired.orderId);
    return true;
  }

  #openGate(): boolean {
    const { ask, bid } = this.#sides;
    return ask.openGate(this.quote.ask) || bid.openGate(this.quote.bid);
  }

  #mergeTwo(): boolean {
    const { ask, bid } = this.#sides;
    return ask.mergeTwo(this.quote.ask) || bid.mergeTwo(this.quote.bid);
  }

  #move(): void {
    const { ask, bid, timeMs } = this.quote;
    this.#sides.ask.move(ask, timeMs);
    this.#sides.bid.move(bid, timeMs);
    this.#hasMoved = true;
  }

  #activateOne(): boolean {
    const side = this.#sideOfOldest();
    const entry = side && this.#sides[side].activating;
    if (side === undefined || entry === undefined) return false;
    const { timeMs } = this.quote;
    const activation = this.#sides[side].activateNext({ price: this.quote[side], timeMs });
    if (activation !== undefined) this.#activated.push({ orderId: entry.orderId, activation });
    return true;
  }

  #sideOfOldest(): MarketSide | undefined {
    const [ask, bid] = [this.#sides.ask.activating, this.#sides.bid.activating];
    if (ask === undefined) return bid && "bid";
    return bid !== undefined && isOlder(bid, ask) ? "bid" : "ask";
  }
}
