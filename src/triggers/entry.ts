import type { Price, Scaled } from "../decimal/index.ts";
import type { MarketSide, TrailingDistance } from "../model/index.ts";
import { type HeapNode, LeftistHeap } from "./leftist-heap.ts";
import { rateOf } from "./trailing.ts";
import { type LevelCondition, olderFirst, type Watcher } from "./watch.ts";

/**
 * A watcher in the trigger book, and the node of the one heap that holds it. Every resting order has one, so it is a
 * single object with the compared values; the watcher and its watch are not kept.
 */
export type Entry = {
  readonly orderId: number;
  readonly acceptedAtMs: number;
  readonly acceptance: number;
  readonly side: MarketSide;
  /** Present only if the entry trails. */
  readonly trail: Trail | undefined;
  /** Sort key in its heap: a level or the distance. */
  key: Scaled;
  /** The heap that holds it, unless it is in a heap of a group. */
  heap: LeftistHeap<Entry> | undefined;
  left: Entry | undefined;
  right: Entry | undefined;
  parent: Entry | undefined;
  depth: number;
};

/** Additional state of a trailing entry. */
export type Trail = {
  /** A rate in units of 1e-10 when `relative`, else in steps of 1e-8. */
  readonly distance: Scaled;
  readonly relative: boolean;
  /** The group that it joined when it became active. {@link currentGroup} returns its current group. */
  group: Group | undefined;
};

/** A trailing entry. Once active, it is in a heap with other trailing entries only. */
export type TrailingEntry = Omit<Entry, "trail" | "left" | "right" | "parent"> & {
  readonly trail: Trail;
  left: TrailingEntry | undefined;
  right: TrailingEntry | undefined;
  parent: TrailingEntry | undefined;
};

/** Returns whether an entry trails. */
export function isTrailing(entry: Entry): entry is TrailingEntry {
  return entry.trail !== undefined;
}

/** Creates an entry that is in no heap yet. */
export function entryOf({ orderId, acceptedAtMs, acceptance, watch }: Watcher): Entry {
  return {
    orderId,
    acceptedAtMs,
    acceptance,
    side: watch.side,
    trail: watch.kind === "trail" ? trailOf(watch.distance) : undefined,
    key: 0,
    heap: undefined,
    left: undefined,
    right: undefined,
    parent: undefined,
    depth: 1,
  };
}

function trailOf(distance: TrailingDistance): Trail {
  if (distance.kind === "amount") return { distance: distance.amount, relative: false, group: undefined };
  return { distance: rateOf(distance), relative: true, group: undefined };
}

/** Inserts an entry that is in no heap into one. */
export function putInto(heap: LeftistHeap<Entry>, entry: Entry): void {
  entry.heap = heap;
  heap.insert(entry);
}

/** Orders entries by key, lowest first, then oldest first. */
function lowestKey(a: Entry, b: Entry): boolean {
  return a.key < b.key || (a.key === b.key && isOlder(a, b));
}

/** Orders entries by key, highest first, then oldest first. */
function highestKey(a: Entry, b: Entry): boolean {
  return a.key > b.key || (a.key === b.key && isOlder(a, b));
}

/** Orders entries by age alone. */
export function isOlder(a: Entry, b: Entry): boolean {
  return olderFirst(a, b) < 0;
}

/** The node of a group in the order of references. */
export type Rank = {
  readonly group: Group;
  left: Rank | undefined;
  right: Rank | undefined;
  parent: Rank | undefined;
  depth: number;
};

/**
 * Trailing entries that share a reference, now and forever. For each kind of distance only the smallest can fire
 * first. The group itself is a node of the heap by `level`, the price at which its nearest member fires.
 */
export class Group implements HeapNode<Group> {
  reference: Price;
  level: Price;
  readonly relative: LeftistHeap<TrailingEntry> = new LeftistHeap<TrailingEntry>(lowestKey);
  readonly absolute: LeftistHeap<TrailingEntry> = new LeftistHeap<TrailingEntry>(lowestKey);
  readonly rank: Rank = { group: this, left: undefined, right: undefined, parent: undefined, depth: 1 };
  /** Set when a new extreme merged it into an older group. */
  mergedInto: Group | undefined = undefined;
  left: Group | undefined = undefined;
  right: Group | undefined = undefined;
  parent: Group | undefined = undefined;
  depth = 1;

  constructor(reference: Price) {
    this.reference = reference;
    this.level = reference;
  }
}

/** Returns the group that an active entry belongs to now. Shortens the chain of merges for later calls. */
export function currentGroup({ trail }: TrailingEntry): Group | undefined {
  let { group } = trail;
  while (group?.mergedInto !== undefined) {
    const parent: Group = group.mergedInto;
    group.mergedInto = parent.mergedInto ?? parent;
    group = parent;
  }
  trail.group = group;
  return group;
}

/** Levels and gates on one side of the market, in two heaps. A quote that meets none looks only at the two heads. */
export class LevelHeaps {
  readonly #atOrAbove = new LeftistHeap<Entry>(lowestKey);
  readonly #atOrBelow = new LeftistHeap<Entry>(highestKey);

  /** Adds an entry that waits for `condition`. */
  add(entry: Entry, condition: LevelCondition): void {
    entry.key = condition.level;
    putInto(condition.direction === "atOrAbove" ? this.#atOrAbove : this.#atOrBelow, entry);
  }

  /** Returns whether the price meets the condition of an entry. */
  hasMet(price: Price): boolean {
    return this.#meetsAbove(price) || this.#meetsBelow(price);
  }

  /**
   * Removes and returns an entry whose condition the price meets; `undefined` when there is none. In each direction
   * the most crossed goes first, then the oldest.
   */
  takeMet(price: Price): Entry | undefined {
    if (this.#meetsAbove(price)) return this.#atOrAbove.pop();
    return this.#meetsBelow(price) ? this.#atOrBelow.pop() : undefined;
  }

  #meetsAbove(price: Price): boolean {
    const { head } = this.#atOrAbove;
    return head !== undefined && head.key <= price;
  }

  #meetsBelow(price: Price): boolean {
    const { head } = this.#atOrBelow;
    return head !== undefined && head.key >= price;
  }
}
