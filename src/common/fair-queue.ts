/** An item with its place in a queue: the round in which it goes, and its number among all that have come. */
export type Queued<K, T> = Readonly<{ key: K; item: T; round: number; number: number }>;

/** The items of a round. Those before `at` have gone: to remove each from the array would move all others. */
type Round<K, T> = { items: Queued<K, T>[]; at: number };

/**
 * Items by key, round by round: a round has one item of each key, and those of one round go in the order in which they came.
 * So a key with one item waits for one of each other key, however many they have. An item that is away for a time keeps its
 * place.
 */
export class FairQueue<K, T> {
  /** The rounds that have items. */
  readonly #rounds: Map<number, Round<K, T>> = new Map();
  /** By key with items that have not gone: the round of the newest. */
  readonly #newest: Map<K, number> = new Map();
  /** No round before this one has items. */
  #first = 1;
  /** The latest round of which an item has gone, and the latest of all. */
  #gone = 0;
  #last = 0;
  #count = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The item that goes next. */
  get first(): T | undefined {
    const next = this.#next;
    return next?.items[next.at]?.item;
  }

  /** Gives an item its place: in the next round of its key, or in one behind all others. It is not in the queue yet. */
  place(key: K, item: T, isLast = false): Queued<K, T> {
    const round = Math.max(isLast ? this.#last : this.#gone, this.#newest.get(key) ?? 0) + 1;
    this.#newest.set(key, round);
    this.#last = Math.max(this.#last, round);
    return { key, item, round, number: this.#count++ };
  }

  /** Adds an item at its place. */
  add(queued: Queued<K, T>): void {
    const { round, number } = queued;
    const held = this.#rounds.get(round) ?? { items: [], at: 0 };
    this.#rounds.set(round, held);
    const place = held.items.findLastIndex((before) => before.number < number) + 1;
    held.items.splice(Math.max(place, held.at), 0, queued);
    this.#first = Math.min(this.#first, round);
    this.#size++;
  }

  /** Removes and returns the item that goes next. */
  shift(): Queued<K, T> | undefined {
    const held = this.#next;
    const next = held?.items[held.at];
    if (held === undefined || next === undefined) return undefined;
    const { key, round } = next;
    if (++held.at === held.items.length) this.#rounds.delete(round);
    this.#size--;
    this.#gone = Math.max(this.#gone, round);
    if (this.#newest.get(key) === round) this.#newest.delete(key);
    return next;
  }

  /** Forgets the rounds of a key of which all items were removed for good. */
  evict(key: K): void {
    this.#newest.delete(key);
  }

  /** Removes and returns the items for which this holds, in the order in which they would have gone. */
  remove(isMeant: (item: T) => boolean): readonly Queued<K, T>[] {
    const removed: Queued<K, T>[] = [];
    for (const [round, { items, at }] of this.#rounds) {
      const waiting = items.slice(at);
      const left = waiting.filter(({ item }) => !isMeant(item));
      if (left.length === waiting.length) continue;
      for (const one of waiting) if (isMeant(one.item)) removed.push(one);
      if (left.length > 0) this.#rounds.set(round, { items: left, at: 0 });
      else this.#rounds.delete(round);
    }
    this.#size -= removed.length;
    return removed.sort((a, b) => a.round - b.round || a.number - b.number);
  }

  /** The items of the first round. */
  get #next(): Round<K, T> | undefined {
    if (this.#size === 0) return undefined;
    // Most rounds follow the one before, but not those of items that came back.
    if (!this.#rounds.has(this.#first)) this.#first++;
    if (!this.#rounds.has(this.#first)) {
      this.#first = Number.POSITIVE_INFINITY;
      for (const round of this.#rounds.keys()) this.#first = Math.min(this.#first, round);
    }
    return this.#rounds.get(this.#first);
  }
}
