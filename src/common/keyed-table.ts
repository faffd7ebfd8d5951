/** Values of a part, on average, before there is one part more. */
const VALUES_PER_PART = 1_500;

/** Slots of a part that has few values; a power of two, as all numbers of slots are. */
const FEWEST_SLOTS = 8;

/** How a value is found: by a key that stands in it, and a 32-bit hash of that. */
export type Keyed<K, V> = Readonly<{ keyOf: (value: V) => K; hashOf: (key: K) => number }>;

/**
 * Values by a key that stands in each, of any number of them. A `Map` keeps the key beside the value and takes 24 to 50
 * bytes for both; here a value is a slot of an array and its hash, about 20 bytes. And a `Map` of a million moves all of them in one
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
    if (!this.#partOf(hash).set(value, key, hash)) return;
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
    const [staying, leaving] = [new Part(this.#keyed), new Part(this.#keyed)];
    this.#parts[from]?.giveTo((hash) => (hash % (2 * round) === to ? leaving : staying));
    this.#parts[from] = staying;
    this.#parts.push(leaving);
    if (this.#parts.length === 2 * round) this.#round *= 2;
  }
}

/**
 * Slots in a row; a value stands in the first free one from where its hash says. At most three of four are taken. With the
 * hashes beside them no value is looked at but the one that is found: a million of them lie all over the memory.
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

  /** False when there was one with that key. */
  set(value: V, key: K, hash: number): boolean {
    const slot = this.#slotOf(key, hash);
    if (this.#slots[slot] !== undefined) {
      this.#slots[slot] = value;
      return false;
    }
    this.#put(value, slot, hash);
    return true;
  }

  /** What stands behind moves up, so that nobody stops at a hole before what is looked for. */
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

  /** Gives each value to the part that its hash says; this one is not used any more. */
  giveTo(partOf: (hash: number) => Part<K, V>): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    for (let slot = 0; slot < slots.length; slot++) {
      const [value, hash] = [slots[slot], hashes[slot] ?? 0];
      if (value !== undefined) partOf(hash).#add(value, hash);
    }
  }

  /** Where the key is, or the free slot where it would be. */
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

  /** By the upper half of the hash: the lower one has said which part. */
  #firstOf(hash: number): number {
    return (hash >>> 16) & (this.#slots.length - 1);
  }

  /** Takes in a value that is certainly new. */
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
