import { add, type Price, subtract } from "../decimal/index.ts";
import type { MarketSide } from "../model/index.ts";
import { currentGroup, type Entry, Group, type Rank } from "./entry.ts";
import { type Hit, levelHit } from "./firing-order.ts";
import { PairingHeap } from "./pairing-heap.ts";
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
  readonly #byReference: PairingHeap<Rank>;
  readonly #byLevel: PairingHeap<Group>;
  /** Groups made of restored entries since the last quote, so that equal references share one. */
  readonly #restored = new Map<Price, Group>();

  constructor(side: MarketSide) {
    this.#side = side;
    this.#byReference = new PairingHeap(side === "ask" ? highestReference : lowestReference);
    this.#byLevel = new PairingHeap(side === "ask" ? lowestLevel : highestLevel);
  }

  /** Takes in an entry that became active at the price observed now, after {@link move} saw it. */
  join(entry: Entry, observed: Price): void {
    const newest = this.#byReference.head?.group;
    this.#enter(entry, newest?.reference === observed ? newest : new Group(observed));
  }

  /** Takes in an entry that was active before, with the reference it had. */
  restore(entry: Entry, reference: Price): void {
    const group = this.#restored.get(reference) ?? new Group(reference);
    this.#restored.set(reference, group);
    this.#enter(entry, group);
  }

  /** Removes an active entry. */
  remove(entry: Entry): void {
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
    return levelHit(nearest.watcher, { observed: price, level, reference });
  }

  /** Moves every reference that the price goes beyond, and says whether there was one. */
  move(price: Price): boolean {
    if (this.#restored.size > 0) this.#restored.clear();
    const first = this.#byReference.head?.group;
    if (first === undefined || !this.#isBeyond(price, first.reference)) return false;
    const survivor = this.#mergeDownTo(price, first);
    survivor.reference = price;
    this.#byReference.insert(survivor.rank);
    this.#settle(survivor);
    return true;
  }

  /**
   * Takes all groups whose reference the price reaches out of the order of references, and makes one of them. The
   * oldest survives: then the chain from an entry to its group leads to ever older groups only, and stays short
   * however long the entry lives.
   */
  #mergeDownTo(price: Price, first: Group): Group {
    this.#byReference.pop();
    const newer: Group[] = [];
    let survivor = first;
    let next = this.#byReference.head?.group;
    while (next !== undefined && (next.reference === price || this.#isBeyond(price, next.reference))) {
      this.#byReference.pop();
      newer.push(survivor);
      survivor = next;
      next = this.#byReference.head?.group;
    }
    for (const group of newer) this.#absorb(group, { into: survivor });
    return survivor;
  }

  #absorb(group: Group, { into }: Readonly<{ into: Group }>): void {
    into.relative.absorb(group.relative);
    into.absolute.absorb(group.absolute);
    this.#byLevel.remove(group);
    group.mergedInto = into;
  }

  #enter(entry: Entry, group: Group): void {
    const isNew = group.relative.head === undefined && group.absolute.head === undefined;
    entry.group = group;
    entry.key = entry.distance;
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
      this.#byReference.remove(group.rank);
      if (this.#restored.get(group.reference) === group) this.#restored.delete(group.reference);
      return;
    }
    group.level = this.#levelOf(nearest, group);
    this.#byLevel.insert(group);
  }

  /** Of the smallest distance of each kind, the one whose level is met first. */
  #nearest(group: Group): Entry | undefined {
    const [relative, absolute] = [group.relative.head, group.absolute.head];
    if (relative === undefined || absolute === undefined) return relative ?? absolute;
    return this.#meets(this.#levelOf(relative, group), this.#levelOf(absolute, group)) ? relative : absolute;
  }

  #levelOf(entry: Entry, { reference }: Group): Price {
    const span = entry.relative ? relativeSpan(reference, entry.distance, "up") : (entry.distance as Price);
    return this.#side === "ask" ? add(reference, span) : subtract(reference, span);
  }

  #meets(level: Price, price: Price): boolean {
    return this.#side === "ask" ? price >= level : price <= level;
  }

  #isBeyond(price: Price, reference: Price): boolean {
    return this.#side === "ask" ? price < reference : price > reference;
  }
}

function heapOf(entry: Entry, group: Group): PairingHeap<Entry> {
  return entry.relative ? group.relative : group.absolute;
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
