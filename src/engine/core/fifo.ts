/** Removed items stay in the array until they are all of it, or half of it and at least this many. */
const SPARE = 1_024;

/** A first-in, first-out queue. Each operation takes constant time, whatever the length. */
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

  /** Removes and returns the first item. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    // The array keeps its room for the next item.
    if (this.#items.length === 1) return this.#items.pop();
    const { first } = this;
    this.#items[this.#start++] = undefined;
    if (this.size === 0 || (this.#start >= SPARE && this.#start * 2 >= this.#items.length)) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return first;
  }

  /** Removes and returns the first items, for as long as this holds for an item and the number of those taken. */
  takeWhile(holds: (item: T, taken: number) => boolean): readonly T[] {
    let count = 0;
    while (count < this.size && holds(this.#items[this.#start + count] as T, count)) count++;
    const taken = this.#items.slice(this.#start, this.#start + count) as T[];
    for (let left = count; left > 0; left--) this.shift();
    return taken;
  }

  some(holds: (item: T) => boolean): boolean {
    return this.#items.some((item) => item !== undefined && holds(item));
  }

  clear(): void {
    this.#items = [];
    this.#start = 0;
  }
}
