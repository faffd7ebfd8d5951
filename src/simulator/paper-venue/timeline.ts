/** A position in a timeline. */
export type TimelineNode<T> = {
  readonly value: T;
  before: TimelineNode<T> | undefined;
  after: TimelineNode<T> | undefined;
};

/** Values in order of occurrence. Removing any of them has the same small cost. */
export class Timeline<T> {
  #first: TimelineNode<T> | undefined;
  #last: TimelineNode<T> | undefined;

  /** Adds a value after all others. */
  push(value: T): TimelineNode<T> {
    const node: TimelineNode<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
    return node;
  }

  /** Removes a value. Call it once per node. */
  remove(node: TimelineNode<T>): void {
    const { before, after } = node;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Iterates from the newest to the oldest. */
  *newestFirst(): Iterable<T> {
    for (let node = this.#last; node !== undefined; node = node.before) yield node.value;
  }
}
