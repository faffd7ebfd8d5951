import { add, type Price, subtract } from "../decimal/index.ts";
import type { MarketSide } from "../model/index.ts";
import { currentGroup, Group, type Rank, type TrailingEntry } from "./entry.ts";
import { type Hit, levelHit } from "./firing-order.ts";
import { LeftistHeap } from "./leftist-heap.ts";
import { relativeSpan } from "./trailing.ts";

/**
 * Active trailing entries on one side of the market, in groups of equal reference. The group whose reference a new
 * extreme reaches first heads one heap, the group whose nearest member fires first heads another: a quote that does
 * neither looks at these two only, whatever the number of groups and members.
 *
 * References rise on the ask, and fall on the bid, with the time of activation; a new extreme therefore takes the
 * newest groups first. A heap keeps that order and also takes restored groups in any order.
 */
export class TrailingGroups {
  readonly #side: MarketSide;
  readonly #byReference: LeftistHeap<Rank>;
  readonly #byLevel: LeftistHeap<Group>;
  /** Groups made of restored entries since the last quote, so that equal references share one. */
  readonly #restored = new Map<Price, Group>();

  /** Made of those that the price has moved so far; it is in no order of references until all are one. */
  #moving: Group | undefined;

  constructor(side: MarketSide) {
    this.#side = side;
    this.#byReference = new LeftistHeap(side === "ask" ? highestReference : lowestReference);
    this.#byLevel = new LeftistHeap(side === "ask" ? lowestLevel : highestLevel);
  }

  /** Takes in an entry that became active at the price observed now, after {@link move} saw it. */
  join(entry: TrailingEntry, observed: Price): void {
    const newest = this.#byReference.head?.group;
    this.#enter(entry, newest?.reference === observed ? newest : new Group(observed));
  }

  /** Takes in an entry that was active before, with the reference it had. */
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

  /** Whether there is an entry whose level the price meets. */
  hasMet(price: Price): boolean {
    const group = this.#byLevel.head;
    return group !== undefined && this.#meets(group.level, price);
  }

  /** Removes an entry whose level the price meets, of all that do one of the most crossed; `undefined` when none does. */
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
   * Makes one of two groups whose reference the price goes beyond; false when no two are left. The newest come first,
   * and the older survives: then the chain from an entry to its group leads to ever older groups only, and stays short
   * however long the entry lives.
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

  /** Moves every reference that the price goes beyond, and says whether there was one. */
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

  /** Takes the newest group out of the order of references if the price is beyond its reference, or `isAt` it. */
  #takeReached(price: Price, isAt: boolean): Group | undefined {
    const group = this.#byReference.head?.group;
    if (group === undefined) return undefined;
    const isReached = this.#isBeyond(price, group.reference) || (isAt && group.reference === price);
    return isReached ? this.#byReference.pop()?.group : undefined;
  }

  #absorb(group: Group, { into }: Readonly<{ into: Group }>): void {
    into.relative.absorb(group.relative);
    into.absolute.absorb(group.absolute);
    this.#byLevel.remove(group);
    group.mergedInto = into;
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

  /** Puts a group where its nearest member now belongs, or drops it when none is left. */
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

  /** Of the smallest distance of each kind, the one whose level is met first. */
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
