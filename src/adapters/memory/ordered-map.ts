import type { Entry, KeyRange } from "../../ports/index.ts";

/** Most keys of a block. Adding a key moves at most as many. */
const LONGEST_BLOCK = 512;

/**
 * Texts by keys of ASCII characters, with the order of the keys: values in a `Map`, which finds a single one at once, and
 * beside it the keys in sorted blocks, of which the first keys find the right one. A block that is full is divided in
 * halves, or only followed by a new one if the key comes after all of its keys, as those of a journal do.
 */
export class OrderedMap {
  readonly #values = new Map<string, string>();
  /** No block is empty, except the only one of an empty map. */
  readonly #blocks: string[][] = [[]];
  /** The first key of each block. That of the first block is the empty text, before every key. */
  readonly #firsts: string[] = [""];
  /** The block that was used last: the next key is often in it too. */
  #last = 0;

  /** Number of keys. */
  get size(): number {
    return this.#values.size;
  }

  /** Returns the value of a key. */
  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  /** Adds a key, or replaces its value. */
  set(key: string, value: string): void {
    const { size } = this.#values;
    this.#values.set(key, value);
    if (this.#values.size > size) this.#insert(key);
  }

  /** Deletes a key. Returns false when there is none. */
  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    const number = this.#blockOf(key);
    const block = this.#block(number);
    block.splice(lastUpTo(block, key), 1);
    this.#narrow(number);
    return true;
  }

  /** Returns the entries of a range, in its order. */
  range({ from, before, limit, reverse = false }: KeyRange): Entry[] {
    const entries: Entry[] = [];
    const step = reverse ? -1 : 1;
    const start = reverse ? before : from;
    let number = this.#blockOf(start);
    let block = this.#block(number);
    let place = lastUpTo(block, start);
    // Rising, the key `from` belongs to the range; falling, the key `before` does not.
    if (reverse === (block[place] === start)) place += step;
    while (entries.length < limit) {
      const key = block[place];
      if (key === undefined) {
        number += step;
        const next = this.#blocks[number];
        if (next === undefined) break;
        block = next;
        place = reverse ? block.length - 1 : 0;
      } else {
        if (reverse ? key < from : key >= before) break;
        entries.push([key, this.#values.get(key) as string]);
        place += step;
      }
    }
    return entries;
  }

  #block(number: number): string[] {
    return this.#blocks[number] as string[];
  }

  /** Returns the number of the block that a key is in, or would be. */
  #blockOf(key: string): number {
    const firsts = this.#firsts;
    const last = this.#last;
    // If there is no such block any more, the first comparison is false.
    const isInLast =
      (firsts[last] as string) <= key && (last + 1 === firsts.length || key < (firsts[last + 1] as string));
    if (!isInLast) this.#last = lastUpTo(firsts, key);
    return this.#last;
  }

  #insert(key: string): void {
    const number = this.#blockOf(key);
    const block = this.#block(number);
    const place = lastUpTo(block, key) + 1;
    if (place < block.length) {
      block.splice(place, 0, key);
      if (block.length > LONGEST_BLOCK) this.#add(number + 1, block.splice(block.length >>> 1));
    } else if (place < LONGEST_BLOCK) block.push(key);
    else this.#add(number + 1, [key]);
  }

  #add(number: number, block: string[]): void {
    this.#blocks.splice(number, 0, block);
    this.#firsts.splice(number, 0, block[0] as string);
    this.#last = number;
  }

  /** Joins a short block with the next, and removes one that has become empty. */
  #narrow(number: number): void {
    const [block, next] = [this.#block(number), this.#blocks[number + 1]];
    if (next !== undefined && block.length + next.length <= LONGEST_BLOCK >>> 1) {
      this.#blocks.splice(number, 2, block.concat(next));
      this.#firsts.splice(number + 1, 1);
    } else if (block.length === 0 && this.#blocks.length > 1) {
      this.#blocks.splice(number, 1);
      this.#firsts.splice(number, 1);
      this.#firsts[0] = "";
    }
  }
}

/** Returns the place of the last key up to `key`; -1 if all come after it. Calling no function per step is faster. */
function lastUpTo(keys: readonly string[], key: string): number {
  // A new key is mostly the last one of its block.
  let high = keys.length;
  if (high > 0 && (keys[high - 1] as string) <= key) return high - 1;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
