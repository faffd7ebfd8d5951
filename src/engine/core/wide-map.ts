import { hashOf } from "./text-hash.ts";

/** Keys of a part, on average, before there is one part more. */
const KEYS_PER_PART = 3_000;

/**
 * Values by text, of any number of texts. One `Map` of a million moves all of them in one step when it grows, 50 ms
 * and more. Here they lie in parts, and what grows takes one part more at a time: that takes over a share of the keys
 * of one other (linear hashing).
 */
export class WideMap<V> {
  readonly #parts: Map<string, V>[] = [new Map()];
  /** Parts of which all have been cut since their number doubled last: 1, 2, 4 ... */
  #round = 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#partOf(key).get(key);
  }

  set(key: string, value: V): void {
    const part = this.#partOf(key);
    const before = part.size;
    part.set(key, value);
    this.#size += part.size - before;
    if (this.#size > this.#parts.length * KEYS_PER_PART) this.#widen();
  }

  delete(key: string): boolean {
    const wasThere = this.#partOf(key).delete(key);
    if (wasThere) this.#size--;
    return wasThere;
  }

  #partOf(key: string): Map<string, V> {
    return this.#parts[this.#parts.length === 1 ? 0 : this.#numberOf(key)] ?? new Map();
  }

  /** Of the parts that have been cut in this round a key may be in the other half. */
  #numberOf(key: string): number {
    const hash = hashOf(key);
    const wide = hash % (2 * this.#round);
    return wide < this.#parts.length ? wide : wide - this.#round;
  }

  /** The part whose turn it is gives about half of its keys to a new one. */
  #widen(): void {
    const [from, to] = [this.#parts.length - this.#round, this.#parts.length];
    const keys = this.#parts[from] ?? new Map<string, V>();
    const [staying, leaving] = [new Map<string, V>(), new Map<string, V>()];
    for (const [key, value] of keys)
      (hashOf(key) % (2 * this.#round) === to ? leaving : staying).set(key, value);
    this.#parts[from] = staying;
    this.#parts.push(leaving);
    if (this.#parts.length === 2 * this.#round) this.#round *= 2;
  }
}
