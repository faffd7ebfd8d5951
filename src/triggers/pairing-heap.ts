/** The links of a heap's node; the node itself is what the heap holds. `previous` is the parent for a first child. */
export type HeapNode<T> = { child: T | undefined; next: T | undefined; previous: T | undefined };

/** Whether `a` must leave the heap before `b`; false for equal ones. */
export type Precedes<T> = (a: T, b: T) => boolean;

/**
 * An intrusive pairing heap: insert and absorb in O(1), pop and remove in O(log n) amortised, no recursion.
 * A node is in at most one heap at a time, and its key must not change while it is in one.
 */
export class PairingHeap<T extends HeapNode<T>> {
  readonly #precedes: Precedes<T>;
  #root: T | undefined = undefined;

  constructor(precedes: Precedes<T>) {
    this.#precedes = precedes;
  }

  /** The node that leaves next; `undefined` when the heap is empty. */
  get head(): T | undefined {
    return this.#root;
  }

  /** Takes in a node that is in no heap. */
  insert(node: T): void {
    this.#root = this.#root === undefined ? node : this.#link(this.#root, node);
  }

  /** Removes and returns the head; `undefined` when the heap is empty. */
  pop(): T | undefined {
    const head = this.#root;
    if (head !== undefined) this.#root = this.#releaseChildren(head);
    return head;
  }

  /** Removes a node that is in this heap. */
  remove(node: T): void {
    if (node === this.#root) {
      this.pop();
      return;
    }
    cut(node);
    const orphans = this.#releaseChildren(node);
    if (orphans !== undefined) this.insert(orphans);
  }

  /** Takes in all nodes of another heap of the same order and leaves that one empty. */
  absorb(other: PairingHeap<T>): void {
    const root = other.#root;
    other.#root = undefined;
    if (root !== undefined) this.insert(root);
  }

  /** Joins two roots: the one that leaves later becomes the first child of the other. */
  #link(a: T, b: T): T {
    const [first, later] = this.#precedes(b, a) ? [b, a] : [a, b];
    const sibling = first.child;
    if (sibling !== undefined) sibling.previous = later;
    later.next = sibling;
    later.previous = first;
    first.child = later;
    return first;
  }

  /** Makes one tree of a node's children, in two passes: pairs from the left, then all pairs from the right. */
  #releaseChildren(parent: T): T | undefined {
    let root: T | undefined;
    let pair = this.#pairUp(parent.child);
    parent.child = undefined;
    while (pair !== undefined) {
      const following: T | undefined = pair.next;
      pair.next = undefined;
      root = root === undefined ? pair : this.#link(root, pair);
      pair = following;
    }
    return root;
  }

  /** Links siblings two by two; returns the winners, last pair first, chained by `next`. */
  #pairUp(siblings: T | undefined): T | undefined {
    let winners: T | undefined;
    let left = siblings;
    while (left !== undefined) {
      const right: T | undefined = left.next;
      const rest: T | undefined = right?.next;
      release(left);
      if (right !== undefined) release(right);
      const winner: T = right === undefined ? left : this.#link(left, right);
      winner.next = winners;
      winners = winner;
      left = rest;
    }
    return winners;
  }
}

function release<T extends HeapNode<T>>(node: T): void {
  node.next = undefined;
  node.previous = undefined;
}

/** Takes a node that is not the root, with its children, out of its siblings. */
function cut<T extends HeapNode<T>>(node: T): void {
  const { previous, next } = node;
  if (previous?.child === node) previous.child = next;
  else if (previous !== undefined) previous.next = next;
  if (next !== undefined) next.previous = previous;
  release(node);
}
