import type { ChildRequest } from "../../model/index.ts";
import { type HeapNode, LeftistHeap } from "../../triggers/index.ts";
import type { Moment } from "../core/engine-time.ts";

/** A due child, the time until which it may go, when its intent was handed to the store, and whether it was durable in time. */
export type DueChild = Readonly<{
  child: ChildRequest;
  notAfterMs: number;
  requestedAt: Moment;
  isInTime: boolean;
}>;

/** A due child in the queue: the round in which it goes, and its place among all that have come. */
export class QueuedChild implements HeapNode<QueuedChild> {
  readonly due: DueChild;
  readonly round: number;
  readonly place: number;
  left: QueuedChild | undefined = undefined;
  right: QueuedChild | undefined = undefined;
  parent: QueuedChild | undefined = undefined;
  depth = 1;

  constructor(due: DueChild, round: number, place: number) {
    this.due = due;
    this.round = round;
    this.place = place;
  }
}

/**
 * Children round by round: a round has one child of each account, and those of one round go in the order in which they came. So
 * an account with one child waits for one of each other account, however many they have. A child that is away for a time
 * keeps its round.
 */
export class AccountTurns {
  readonly #waiting: Set<QueuedChild> = new Set();
  readonly #heap: LeftistHeap<QueuedChild> = new LeftistHeap<QueuedChild>(goesBefore);
  /** By account with children that have not gone: the round of the newest. */
  readonly #newest: Map<number, number> = new Map();
  /** The latest round of which a child has gone, and the latest of all. */
  #round = 0;
  #last = 0;

  get size(): number {
    return this.#waiting.size;
  }

  get first(): QueuedChild | undefined {
    return this.#heap.head;
  }

  /** Gives a child its round: the next one of its account, or one behind those of all others. */
  queued(due: DueChild, place: number, isLast = false): QueuedChild {
    const { accountId } = due.child;
    const before = isLast ? this.#last : this.#round;
    const round = Math.max(before, this.#newest.get(accountId) ?? 0) + 1;
    this.#newest.set(accountId, round);
    this.#last = Math.max(this.#last, round);
    return new QueuedChild(due, round, place);
  }

  add(child: QueuedChild): void {
    this.#waiting.add(child);
    this.#heap.insert(child);
  }

  /** Removes the child that goes next. */
  shift(): void {
    const child = this.#heap.pop();
    if (child === undefined) return;
    const { round, due } = child;
    this.#waiting.delete(child);
    this.#round = Math.max(this.#round, round);
    if (this.#newest.get(due.child.accountId) === round) this.#newest.delete(due.child.accountId);
  }

  /** Forgets the rounds of an account of which all children were removed for good. */
  evict(accountId: number): void {
    this.#newest.delete(accountId);
  }

  /** Removes and returns the children for which this holds, in the order in which they would have gone. */
  remove(isMeant: (due: DueChild) => boolean): readonly QueuedChild[] {
    const removed = [...this.#waiting].filter(({ due }) => isMeant(due));
    for (const child of removed) {
      this.#waiting.delete(child);
      this.#heap.remove(child);
    }
    return removed.sort((a, b) => (goesBefore(a, b) ? -1 : 1));
  }
}

const goesBefore = (a: QueuedChild, b: QueuedChild): boolean =>
  a.round === b.round ? a.place < b.place : a.round < b.round;
