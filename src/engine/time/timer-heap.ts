/** An entry of a heap. `place` is its index, and below 0 once it has run or was canceled. */
export type TimerEntry = {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  place: number;
};

/**
 * A binary heap of entries by time, then by age. Adding or removing one moves at most as many entries as the heap is
 * deep.
 */
export class TimerHeap {
  readonly #heap: TimerEntry[] = [];

  /** The entry that is due first. */
  get head(): TimerEntry | undefined {
    return this.#heap[0];
  }

  push(entry: TimerEntry): void {
    this.#put(entry, this.#heap.length);
    this.#up(entry);
  }

  /** Removes and returns the first entry. */
  take(): TimerEntry | undefined {
    const { head } = this;
    if (head !== undefined) this.cancel(head);
    return head;
  }

  /** Removes an entry. Does nothing to one that has run or was canceled. */
  cancel(entry: TimerEntry): void {
    const { place } = entry;
    if (this.#heap[place] !== entry) return;
    entry.place = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, place);
    this.#up(last);
    this.#down(last);
  }

  clear(): void {
    for (const entry of this.#heap) entry.place = -1;
    this.#heap.length = 0;
  }

  #put(entry: TimerEntry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }

  #up(entry: TimerEntry): void {
    while (entry.place > 0) {
      const parent = this.#heap[(entry.place - 1) >> 1];
      if (parent === undefined || !isEarlier(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #down(entry: TimerEntry): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1];
      const right = this.#heap[2 * entry.place + 2];
      const child = left !== undefined && right !== undefined && isEarlier(right, left) ? right : left;
      if (child === undefined || !isEarlier(child, entry)) return;
      this.#swap(entry, child);
    }
  }

  #swap(a: TimerEntry, b: TimerEntry): void {
    const place = a.place;
    this.#put(a, b.place);
    this.#put(b, place);
  }
}

const isEarlier = (a: TimerEntry, b: TimerEntry): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
