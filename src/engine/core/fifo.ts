/** Removed items stay in the array until they are half of it and at least this many. */
const SPARE = 1_024;

/** A first-in, first-out queue. Each operation takes constant time, whatever the length, unless it says otherwise. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #start = 0;

  get size(): number {
    return this.#items.length - this.#start;
  }

  get first(): T | undefined {
    return this.#items[this.#start];
  }

  get last(): T | undefined {
    return this.size === 0 ? undefined : this.#items.at(-1);
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Puts items to their places in a queue that is in an order. Takes time for each item of the queue. */
  merge(items: readonly T[], compare: (a: T, b: T) => number): void {
    if (items.length === 0) return;
    const waiting = this.#items.slice(this.#start) as T[];
    this.#items = [...items, ...waiting].sort(compare);
    this.#start = 0;
  }

  /** Removes and returns the first item. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const { first } = this;
    this.#items[this.#start++] = undefined;
    if (this.#start >= SPARE && this.#start * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return first;
  }
}
