import { add, type Price, subtract } from "../decimal/index.ts";
import type { MarketSide } from "../model/index.ts";
import { currentGroup, Group, type Rank, type TrailingEntry } from "./entry.ts";
import { LeftistHeap } from "./leftist-heap.ts";
import { relativeSpan } from "./trailing.ts";
import { type Hit, levelHit } from "./watch.ts";

/**
 * Active trailing entries on one side of the market, in groups with the same reference. One heap is headed by the
 * group whose reference a new extreme reaches first, another by the group whose nearest member fires first. A quote
 * that does neither looks only at these two, whatever the number of groups and members.
 *
 * References rise on the ask, and fall on the bid, with the time of activation. A new extreme therefore reaches the
 * newest groups first. A heap keeps that order, and also accepts restored groups in any order.
 */
export class TrailingGroups {
  readonly #side: MarketSide;
  readonly #byReference: LeftistHeap<Rank>;
  readonly #byLevel: LeftistHeap<Group>;
  /** Groups created from restored entries since the last quote, so that equal references share one. */
  readonly #restored = new Map<Price, Group>();
  /**
   * The merge of the groups that the price has moved so far. It is not in the order of references until all are
   * merged.
   */
  #moving: Group | undefined;

  constructor(side: MarketSide) {
    this.#side = side;
    this.#byReference = new LeftistHeap(side === "ask" ? highestReference : lowestReference);
    this.#byLevel = new LeftistHeap(side === "ask" ? lowestLevel : highestLevel);
  }

  /** Adds an entry that became active at the price observed now, after {@link move} saw that price. */
  join(entry: TrailingEntry, observed: Price): void {
    const newest = this.#byReference.head?.group;
    this.#enter(entry, newest?.reference === observed ? newest : new Group(observed));
  }

  /** Adds an entry that was active before, with its earlier reference. */
  restore(entry: TrailingEntry, reference: Price): void {
    const group = this.#restored.get(reference) ?? new Group(reference);
    this.#restored.set(reference, group);
    this.#enter(entry, group);
  }

  /** Removes an active entry. */
  remove(entry: TrailingEntry): void {
    const group = currentGroup(entry);
    if (group === undefined) return;
    const heap = heapOf(entry, group);
    const nearest = heap.head === entry;
    heap.remove(entry);
    if (nearest) this.#settle(group);
  }

  /** Returns whether the price meets the level of an entry. */
  hasMet(price: Price): boolean {
    const group = this.#byLevel.head;
    return group !== undefined && this.#meets(group.level, price);
  }

  /**
   * Removes and returns one of the most crossed entries whose level the price meets; `undefined` when there is none.
   */
  takeMet(price: Price): Hit | undefined {
    const group = this.#byLevel.head;
    if (group === undefined || !this.#meets(group.level, price)) return undefined;
    const nearest = this.#nearest(group);
    if (nearest === undefined) return undefined;
    const { level, reference } = group;
    heapOf(nearest, group).pop();
    this.#settle(group);
    return levelHit(nearest, { observed: price, level, reference });
  }

  /**
   * Merges two groups whose reference the price passes. Returns false when no two are left. The newest groups come
   * first, and the older one survives. The chain from an entry to its group therefore leads only to older groups, and
   * stays short however long the entry lives.
   */
  mergeTwo(price: Price): boolean {
    if (this.#restored.size > 0) this.#restored.clear();
    this.#moving ??= this.#takeReached(price, false);
    const older = this.#moving && this.#takeReached(price, true);
    if (this.#moving === undefined || older === undefined) return false;
    this.#absorb(this.#moving, { into: older });
    this.#moving = older;
    older.reference = price;
    return true;
  }

  /** Moves every reference that the price passes. Returns whether there was one. */
  move(price: Price): boolean {
    while (this.mergeTwo(price));
    const survivor = this.#moving;
    if (survivor === undefined) return false;
    this.#moving = undefined;
    survivor.reference = price;
    this.#byReference.insert(survivor.rank);
    this.#settle(survivor);
    return true;
  }

  /**
   * Removes and returns the newest group from the order of references if the price is beyond its reference, or at it
   * when `isAt`.
   */
  #takeReached(price: Price, isAt: boolean): Group | undefined {
    const group = this.#byReference.head?.group;
    if (group === undefined) return undefined;
    const isReached = this.#isBeyond(price, group.reference) || (isAt && group.reference === price);
    return isReached ? this.#byReference.pop()?.group : undefined;
  }

  #absorb(group: Group, { into }: Readonly<{ into: Group }>): void {
    into.relative.absorb(group.relative);
    into.absolute.absorb(group.absolute);
    group.mergedInto = into;
    this.#byLevel.remove(group);
  }

  #enter(entry: TrailingEntry, group: Group): void {
    const isNew = group.relative.head === undefined && group.absolute.head === undefined;
    entry.trail.group = group;
    entry.key = entry.trail.distance;
    const heap = heapOf(entry, group);
    heap.insert(entry);
    if (isNew) {
      group.level = this.#levelOf(entry, group);
      this.#byReference.insert(group.rank);
      this.#byLevel.insert(group);
    } else if (heap.head === entry) this.#settle(group);
  }

  /** Updates the position of a group after a change of its nearest member. Drops an empty group. */
  #settle(group: Group): void {
    this.#byLevel.remove(group);
    const nearest = this.#nearest(group);
    if (nearest === undefined) {
      if (this.#moving === group) this.#moving = undefined;
      else this.#byReference.remove(group.rank);
      if (this.#restored.get(group.reference) === group) this.#restored.delete(group.reference);
      return;
    }
    group.level = this.#levelOf(nearest, group);
    this.#byLevel.insert(group);
  }

  /** Returns the entry whose level is met first, of the smallest distance of each kind. */
  #nearest(group: Group): TrailingEntry | undefined {
    const [relative, absolute] = [group.relative.head, group.absolute.head];
    if (relative === undefined || absolute === undefined) return relative ?? absolute;
    return this.#meets(this.#levelOf(relative, group), this.#levelOf(absolute, group)) ? relative : absolute;
  }

  #levelOf({ trail }: TrailingEntry, { reference }: Group): Price {
    const { distance, relative } = trail;
    const span = relative ? relativeSpan(reference, distance, "up") : (distance as Price);
    return this.#side === "ask" ? add(reference, span) : subtract(reference, span);
  }

  #meets(level: Price, price: Price): boolean {
    return this.#side === "ask" ? price >= level : price <= level;
  }

  #isBeyond(price: Price, reference: Price): boolean {
    return this.#side === "ask" ? price < reference : price > reference;
  }
}

function heapOf(entry: TrailingEntry, group: Group): LeftistHeap<TrailingEntry> {
  return entry.trail.relative ? group.relative : group.absolute;
}

function highestReference(a: Rank, b: Rank): boolean {
  return a.group.reference > b.group.reference;
}

function lowestReference(a: Rank, b: Rank): boolean {
  return a.group.reference < b.group.reference;
}

function lowestLevel(a: Group, b: Group): boolean {
  return a.level < b.level;
}

function highestLevel(a: Group, b: Group): boolean {
  return a.level > b.level;
}
