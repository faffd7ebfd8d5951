/** Average number of values per part above which a part is added. */
const VALUES_PER_PART = 1_500;

/** Slots of a part with few values. A power of two, as every number of slots. */
const FEWEST_SLOTS = 8;

/** How a value is found: by a key inside it, and a 32-bit hash of that key. */
export type Keyed<K, V> = Readonly<{ keyOf: (value: V) => K; hashOf: (key: K) => number }>;

/**
 * Values by a key that each contains, for any number of values. A `Map` stores the key beside the value and takes 24
 * to 50 bytes for both; here a value takes an array slot and its hash, about 20 bytes. A `Map` of a million entries
 * also moves all of them in one step when it grows. This table consists of parts and grows by one part at a time,
 * which takes over a share of the values of one other part (linear hashing). The key of a value must not change while
 * it is in the table.
 */
export class KeyedTable<K extends string | number, V extends object> {
  readonly #keyed: Keyed<K, V>;
  readonly #parts: Part<K, V>[];
  /** Number of parts at the beginning of the current round of splits: 1, 2, 4 and so on. */
  #round = 1;
  #size = 0;

  constructor(keyed: Keyed<K, V>) {
    this.#keyed = keyed;
    this.#parts = [new Part(keyed)];
  }

  /** Number of values. */
  get size(): number {
    return this.#size;
  }

  /** Returns the value with a key. */
  get(key: K): V | undefined {
    const hash = this.#keyed.hashOf(key);
    return this.#partOf(hash).get(key, hash);
  }

  /** Adds a value. Replaces the value with the same key. */
  set(value: V): void {
    const key = this.#keyed.keyOf(value);
    const hash = this.#keyed.hashOf(key);
    if (!this.#partOf(hash).set(value, key, hash)) return;
    this.#size++;
    if (this.#size > this.#parts.length * VALUES_PER_PART) this.#widen();
  }

  /** Deletes the value with a key. Returns false when there is none. */
  delete(key: K): boolean {
    const hash = this.#keyed.hashOf(key);
    const wasThere = this.#partOf(hash).delete(key, hash);
    if (wasThere) this.#size--;
    return wasThere;
  }

  /** Returns the part of a hash. A key of a part that was split in this round may be in the other half. */
  #partOf(hash: number): Part<K, V> {
    const wide = hash % (2 * this.#round);
    const number = wide < this.#parts.length ? wide : wide - this.#round;
    return this.#parts[number] as Part<K, V>;
  }

  /** Moves about half of the values of the next part to split to a new part. */
  #widen(): void {
    const round = this.#round;
    const [from, to] = [this.#parts.length - round, this.#parts.length];
    const [staying, leaving] = [new Part(this.#keyed), new Part(this.#keyed)];
    this.#parts[from]?.giveTo((hash) => (hash % (2 * round) === to ? leaving : staying));
    this.#parts[from] = staying;
    this.#parts.push(leaving);
    if (this.#parts.length === 2 * round) this.#round *= 2;
  }
}

/**
 * An open-addressing hash table with linear probing. A value is in the first free slot from its hash on. At most
 * three of four slots are taken. The hashes are stored beside the slots, so that only the value that is found is
 * read: a million values are scattered over memory.
 */
class Part<K, V extends object> {
  readonly #keyed: Keyed<K, V>;
  #slots: (V | undefined)[] = emptySlots(FEWEST_SLOTS);
  #hashes: Uint32Array = new Uint32Array(FEWEST_SLOTS);
  #size = 0;

  constructor(keyed: Keyed<K, V>) {
    this.#keyed = keyed;
  }

  get(key: K, hash: number): V | undefined {
    return this.#slots[this.#slotOf(key, hash)];
  }

  /** Sets a value. Returns false when one with that key was replaced. */
  set(value: V, key: K, hash: number): boolean {
    const slot = this.#slotOf(key, hash);
    if (this.#slots[slot] !== undefined) {
      this.#slots[slot] = value;
      return false;
    }
    this.#put(value, slot, hash);
    return true;
  }

  /** Deletes a value. Moves later values up, so that a search does not stop at the gap before its value. */
  delete(key: K, hash: number): boolean {
    const [slots, hashes] = [this.#slots, this.#hashes];
    const mask = slots.length - 1;
    let free = this.#slotOf(key, hash);
    if (slots[free] === undefined) return false;
    for (let slot = (free + 1) & mask; slots[slot] !== undefined; slot = (slot + 1) & mask) {
      const own = this.#firstOf(hashes[slot] ?? 0);
      if (((slot - own) & mask) < ((slot - free) & mask)) continue;
      slots[free] = slots[slot];
      hashes[free] = hashes[slot] ?? 0;
      free = slot;
    }
    slots[free] = undefined;
    this.#size--;
    return true;
  }

  /** Moves each value to the part that its hash selects. This part is not used any more. */
  giveTo(partOf: (hash: number) => Part<K, V>): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    for (let slot = 0; slot < slots.length; slot++) {
      const value = slots[slot];
      if (value === undefined) continue;
      const hash = hashes[slot] ?? 0;
      partOf(hash).#add(value, hash);
    }
  }

  /** Returns the slot of a key, or the free slot for it. */
  #slotOf(key: K, hash: number): number {
    const [slots, hashes] = [this.#slots, this.#hashes];
    const mask = slots.length - 1;
    let slot = this.#firstOf(hash);
    for (let value = slots[slot]; value !== undefined; value = slots[slot]) {
      if (hashes[slot] === hash && this.#keyed.keyOf(value) === key) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Returns the first slot of a hash, by its upper half: the lower half has selected the part. */
  #firstOf(hash: number): number {
    return (hash >>> 16) & (this.#slots.length - 1);
  }

  /** Adds a value that is known to be new. */
  #add(value: V, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#firstOf(hash);
    while (this.#slots[slot] !== undefined) slot = (slot + 1) & mask;
    this.#put(value, slot, hash);
  }

  #put(value: V, slot: number, hash: number): void {
    this.#slots[slot] = value;
    this.#hashes[slot] = hash;
    if (++this.#size * 4 > this.#slots.length * 3) this.#grow();
  }

  #grow(): void {
    const larger = new Part(this.#keyed);
    larger.#slots = emptySlots(2 * this.#slots.length);
    larger.#hashes = new Uint32Array(2 * this.#slots.length);
    this.giveTo(() => larger);
    this.#slots = larger.#slots;
    this.#hashes = larger.#hashes;
  }
}

const emptySlots = <V>(count: number): (V | undefined)[] => new Array<V | undefined>(count).fill(undefined);
