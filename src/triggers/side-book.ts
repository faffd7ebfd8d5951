import type { Price } from "../decimal/index.ts";
import { type Activation, shardOfId } from "../model/index.ts";
import { currentGroup, type Entry, isOlder, isTrailing, putInto } from "./entry.ts";
import { everyHit, type Hit, levelHit } from "./firing-order.ts";
import { LeftistHeap } from "./leftist-heap.ts";
import { LevelHeaps } from "./level-heaps.ts";
import type { MarketOf, MarkHistory } from "./mark-history.ts";
import { MarkRecorder } from "./mark-recorder.ts";
import { TrailingGroups } from "./trailing-groups.ts";
import type { Watch } from "./watch.ts";

/** The price of one side, and when it was quoted. */
export type SidePrice = Readonly<{ price: Price; timeMs: number }>;

/**
 * The part of a trigger book that observes one side of the market. A quote is processed in steps, each of which
 * touches one order. The book calls them in the order of decision 20.
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

  /** Adds an active entry whose reference {@link restoreHeld} reads. It waits for nothing until then. */
  hold(entry: Entry, activation: Activation): void {
    if (!isTrailing(entry)) return;
    const shard = shardOfId(entry.orderId);
    this.#groups.hold(entry, { ...activation, shard });
    this.#marks.hold(shard);
  }

  /**
   * Gives the entries of one activation their reference; `undefined` when there are none. Removes them and returns their
   * order ids if the marks do not contain that activation.
   */
  restoreHeld(): readonly number[] | undefined {
    const removed = this.#groups.restoreHeld((held) => this.#marks.knownSince(held.shard, held));
    for (const orderId of removed ?? []) this.#marks.left(shardOfId(orderId));
    return removed;
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
    const group = isTrailing(entry) ? currentGroup(entry) : undefined;
    return group?.held === undefined ? group?.reference : undefined;
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
  move({ price, timeMs }: SidePrice): void {
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
