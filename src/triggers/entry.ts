import type { Price, Scaled } from "../decimal/index.ts";
import type { TrailingDistance } from "../model/index.ts";
import { olderFirst } from "./firing-order.ts";
import { type HeapNode, LeftistHeap } from "./leftist-heap.ts";
import { rateOf } from "./trailing.ts";
import type { Watcher } from "./watch.ts";

/** A watcher in the trigger book; the node of the one heap that holds it. */
export type Entry = {
  readonly watcher: Watcher;
  /** A trailing distance: a rate in 1e-10 when `relative`, else 1e-8 steps; zero when it does not trail. */
  readonly distance: Scaled;
  readonly relative: boolean;
  /** What its heap orders by: a level or the distance. */
  key: Scaled;
  /** The group it joined when it became active; ask {@link currentGroup} where that is now. */
  group: Group | undefined;
  /** Whether the gate that held its activation back was met. */
  passed: boolean;
  left: Entry | undefined;
  right: Entry | undefined;
  parent: Entry | undefined;
  depth: number;
};

const NO_DISTANCE: TrailingDistance = { kind: "amount", amount: 0 as unknown as Price };

/** An entry that is in no heap yet. */
export function entryOf(watcher: Watcher): Entry {
  const distance = watcher.watch.kind === "trail" ? watcher.watch.distance : NO_DISTANCE;
  const relative = distance.kind !== "amount";
  return {
    watcher,
    distance: relative ? rateOf(distance) : distance.amount,
    relative,
    key: 0,
    group: undefined,
    passed: false,
    left: undefined,
    right: undefined,
    parent: undefined,
    depth: 1,
  };
}

/** Orders entries by key, lowest first, then oldest first. */
export function lowestKey(a: Entry, b: Entry): boolean {
  return a.key < b.key || (a.key === b.key && isOlder(a, b));
}

/** Orders entries by key, highest first, then oldest first. */
export function highestKey(a: Entry, b: Entry): boolean {
  return a.key > b.key || (a.key === b.key && isOlder(a, b));
}

/** Orders entries by age alone. */
export function isOlder(a: Entry, b: Entry): boolean {
  return olderFirst(a.watcher, b.watcher) < 0;
}

/** The place of a group in the order of references. */
export type Rank = {
  readonly group: Group;
  left: Rank | undefined;
  right: Rank | undefined;
  parent: Rank | undefined;
  depth: number;
};

/**
 * Trailing entries that share a reference, and will share it for ever. Per kind of distance only the smallest can
 * fire first. The group itself is a node of the heap by `level`, at which its nearest member fires.
 */
export class Group implements HeapNode<Group> {
  reference: Price;
  level: Price;
  readonly relative: LeftistHeap<Entry> = new LeftistHeap(lowestKey);
  readonly absolute: LeftistHeap<Entry> = new LeftistHeap(lowestKey);
  readonly rank: Rank = { group: this, left: undefined, right: undefined, parent: undefined, depth: 1 };
  /** Set when a new extreme made it one with an older group. */
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

/** The group that an active entry belongs to now; shortens the way for the next time. */
export function currentGroup(entry: Entry): Group | undefined {
  let group = entry.group;
  while (group?.mergedInto !== undefined) {
    const parent: Group = group.mergedInto;
    group.mergedInto = parent.mergedInto ?? parent;
    group = parent;
  }
  entry.group = group;
  return group;
}
