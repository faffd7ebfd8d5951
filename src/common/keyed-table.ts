/** Values of a part, on average, before there is one part more. */
const VALUES_PER_PART = 1_500;

/** Slots of a part that has few values; a power of two, as all numbers of slots are. */
const FEWEST_SLOTS = 8;

/** How a value is found: by a key that stands in it, and a 32-bit hash of that. */
export type Keyed<K, V> = Readonly<{ keyOf: (value: V) => K; hashOf: (key: K) => number }>;

/**
 * Values by a key that stands in each, of any number of them. A `Map` keeps the key beside the value and takes 24 to 50
 * bytes for both; here a value is one slot of an array, about 14 bytes. And a `Map` of a million moves all of them in one
 * step when it grows; here they lie in parts, and what grows takes one part more at a time, which takes over a share of
 * the values of one other (linear hashing). The key of a value must not change while it is here.
 */
export class KeyedTable<K extends string | number, V extends object> {
  readonly #keyed: Keyed<K, V>;
  readonly #parts: Part<K, V>[];
  /** Parts of which all have been cut since their number doubled last: 1, 2, 4 ... */
  #round = 1;
  #size = 0;

  constructor(keyed: Keyed<K, V>) {
    this.#keyed = keyed;
    this.#parts = [new Part(keyed)];
  }

  /** How many values. */
  get size(): number {
    return this.#size;
  }

  /** The value with a key. */
  get(key: K): V | undefined {
    const hash = this.#keyed.hashOf(key);
    return this.#partOf(hash).get(key, hash);
  }

  /** Takes in a value, in place of the one with its key. */
  set(value: V): void {
    const key = this.#keyed.keyOf(value);
    const hash = this.#keyed.hashOf(key);
    if (!this.#partOf(hash).set(value, { key, hash })) return;
    this.#size++;
    if (this.#size > this.#parts.length * VALUES_PER_PART) this.#widen();
  }

  /** Takes the value with a key out; false when there is none. */
  delete(key: K): boolean {
    const hash = this.#keyed.hashOf(key);
    const wasThere = this.#partOf(hash).delete(key, hash);
    if (wasThere) this.#size--;
    return wasThere;
  }

  /** Of the parts that have been cut in this round a key may be in the other half. */
  #partOf(hash: number): Part<K, V> {
    const wide = hash % (2 * this.#round);
    const number = wide < this.#parts.length ? wide : wide - this.#round;
    return this.#parts[number] as Part<K, V>;
  }

  /** The part whose turn it is gives about half of its values to a new one. */
  #widen(): void {
    const round = this.#round;
    const [from, to] = [this.#parts.length - round, this.#parts.length];
    const [values, staying, leaving] = [
      this.#parts[from]?.values() ?? [],
      new Part(this.#keyed),
      new Part(this.#keyed),
    ];
    for (const value of values) {
      const key = this.#keyed.keyOf(value);
      const hash = this.#keyed.hashOf(key);
      (hash % (2 * round) === to ? leaving : staying).set(value, { key, hash });
    }
    this.#parts[from] = staying;
    this.#parts.push(leaving);
    if (this.#parts.length === 2 * round) this.#round *= 2;
  }
}

/** Slots in a row; a value stands in the first free one from where its hash says. At most three of four are taken. */
class Part<K, V extends object> {
  readonly #keyed: Keyed<K, V>;
  #slots: (V | undefined)[] = emptySlots(FEWEST_SLOTS);
  #size = 0;

  constructor(keyed: Keyed<K, V>) {
    this.#keyed = keyed;
  }

  get(key: K, hash: number): V | undefined {
    return this.#slots[this.#slotOf(key, hash)];
  }

  /** False when there was one with that key. */
  set(value: V, { key, hash }: Readonly<{ key: K; hash: number }>): boolean {
    const slot = this.#slotOf(key, hash);
    const isNew = this.#slots[slot] === undefined;
    this.#slots[slot] = value;
    if (isNew && ++this.#size * 4 > this.#slots.length * 3) this.#grow();
    return isNew;
  }

  /** What stands behind moves up, so that nobody stops at a hole before what is looked for. */
  delete(key: K, hash: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let free = this.#slotOf(key, hash);
    if (slots[free] === undefined) return false;
    for (let slot = (free + 1) & mask; ; slot = (slot + 1) & mask) {
      const value = slots[slot];
      if (value === undefined) break;
      const own = this.#firstOf(this.#keyed.hashOf(this.#keyed.keyOf(value)));
      if (((slot - own) & mask) < ((slot - free) & mask)) continue;
      slots[free] = value;
      free = slot;
    }
    slots[free] = undefined;
    this.#size--;
    return true;
  }

  values(): readonly V[] {
    return this.#slots.filter((value) => value !== undefined);
  }

  /** Where the key is, or the free slot where it would be. */
  #slotOf(key: K, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = this.#firstOf(hash);
    for (let value = this.#slots[slot]; value !== undefined; value = this.#slots[slot]) {
      if (this.#keyed.keyOf(value) === key) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** By the upper half of the hash: the lower one has said which part. */
  #firstOf(hash: number): number {
    return (hash >>> 16) & (this.#slots.length - 1);
  }

  #grow(): void {
    const values = this.values();
    this.#slots = emptySlots(2 * this.#slots.length);
    for (const value of values) {
      const key = this.#keyed.keyOf(value);
      this.#slots[this.#slotOf(key, this.#keyed.hashOf(key))] = value;
    }
  }
}

const emptySlots = <V>(count: number): (V | undefined)[] => new Array<V | undefined>(count).fill(undefined);
