/** Links of a node in a heap. The node itself is the item. */
export type HeapNode<T> = {
  left: T | undefined;
  right: T | undefined;
  parent: T | undefined;
  /** Number of nodes down the right edge from this one, itself included. */
  depth: number;
};

/** Returns whether `a` must leave the heap before `b`. Returns false for equal nodes. */
type Precedes<T> = (a: T, b: T) => boolean;

/**
 * An intrusive leftist heap. Insert, absorb, pop and remove take O(log n) each, even the first pop after a million
 * inserts, without recursion. A node is in at most one heap at a time, and its key must not change while it is in
 * one.
 */
export class LeftistHeap<T extends HeapNode<T>> {
  readonly #precedes: Precedes<T>;
  #root: T | undefined = undefined;

  constructor(precedes: Precedes<T>) {
    this.#precedes = precedes;
  }

  /** The node that leaves next; `undefined` when the heap is empty. */
  get head(): T | undefined {
    return this.#root;
  }

  /** Inserts a node that is in no heap. */
  insert(node: T): void {
    this.#root = this.#merge(this.#root, node);
  }

  /** Removes and returns the head; `undefined` when the heap is empty. */
  pop(): T | undefined {
    const head = this.#root;
    if (head !== undefined) this.remove(head);
    return head;
  }

  /** Removes a node that is in this heap. */
  remove(node: T): void {
    const { left, right, parent } = node;
    if (left !== undefined) left.parent = undefined;
    if (right !== undefined) right.parent = undefined;
    release(node);
    const rest = this.#merge(left, right);
    if (parent === undefined) {
      this.#root = rest;
      return;
    }
    if (parent.left === node) parent.left = rest;
    else parent.right = rest;
    if (rest !== undefined) rest.parent = parent;
    for (let above: T | undefined = parent; above !== undefined && balance(above); ) above = above.parent;
  }

  /** Moves all nodes of another heap of the same order into this one. */
  absorb(other: LeftistHeap<T>): void {
    this.#root = this.#merge(this.#root, other.#root);
    other.#root = undefined;
  }

  /** Merges two trees into one by merging their right edges, which are short. */
  #merge(one: T | undefined, other: T | undefined): T | undefined {
    if (one === undefined || other === undefined) return one ?? other;
    const isOtherFirst = this.#precedes(other, one);
    const root = isOtherFirst ? other : one;
    let last = root;
    let later = isOtherFirst ? one : other;
    for (let next = last.right; next !== undefined; next = last.right) {
      const isLaterFirst = this.#precedes(later, next);
      const upper = isLaterFirst ? later : next;
      if (isLaterFirst) later = next;
      link(last, upper);
      last = upper;
    }
    link(last, later);
    for (let node: T | undefined = last; node !== undefined; node = node.parent) balance(node);
    return root;
  }
}

function link<T extends HeapNode<T>>(parent: T, right: T): void {
  parent.right = right;
  right.parent = parent;
}

/**
 * Moves the deeper child to the left and updates the depth from the right edge. Returns false if the depth is
 * unchanged.
 */
function balance<T extends HeapNode<T>>(node: T): boolean {
  const { left, right, depth } = node;
  if ((left?.depth ?? 0) < (right?.depth ?? 0)) {
    node.left = right;
    node.right = left;
  }
  node.depth = (node.right?.depth ?? 0) + 1;
  return node.depth !== depth;
}

function release<T extends HeapNode<T>>(node: T): void {
  node.left = undefined;
  node.right = undefined;
  node.parent = undefined;
  node.depth = 1;
}
