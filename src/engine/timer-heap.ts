/** An entry of a heap; one without `run` has run, or was canceled and waits to be thrown away. */
export type TimerEntry = { readonly atMs: number; readonly order: number; run: (() => void) | undefined };

/**
 * Entries by time, those of one time by age. A canceled entry keeps its place until due or until half of the heap is
 * canceled, then the heap is made again.
 */
export class TimerHeap {
  readonly #heap: TimerEntry[] = [];
  #canceled = 0;

  /** The entry that is due first. */
  get head(): TimerEntry | undefined {
    let head = this.#heap[0];
    while (head !== undefined && head.run === undefined) {
      this.#canceled--;
      this.#drop();
      head = this.#heap[0];
    }
    return head;
  }

  push(entry: TimerEntry): void {
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
  }

  /** Takes the first entry out and runs it. */
  runHead(): void {
    const { head } = this;
    if (head === undefined) return;
    this.#drop();
    const { run } = head;
    head.run = undefined;
    run?.();
  }

  /** Does nothing to an entry that has run or was canceled. */
  cancel(entry: TimerEntry): void {
    if (entry.run === undefined) return;
    entry.run = undefined;
    this.#canceled++;
    if (this.#canceled * 2 > this.#heap.length + 64) this.#compact();
  }

  clear(): void {
    this.#heap.length = 0;
    this.#canceled = 0;
  }

  #compact(): void {
    const live = this.#heap.filter((entry) => entry.run !== undefined).sort(byTime);
    this.clear();
    for (const entry of live) this.#heap.push(entry);
  }

  #drop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#down(0);
  }

  #up(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) return;
      index = parent;
    }
  }

  #down(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const earlier = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfEarlier(earlier, index)) return;
      index = earlier;
    }
  }

  #isEarlier(a: number, b: number): boolean {
    const left = this.#heap[a];
    const right = this.#heap[b];
    return left !== undefined && right !== undefined && byTime(left, right) < 0;
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    const a = this.#heap[lower];
    const b = this.#heap[upper];
    if (a === undefined || b === undefined || byTime(a, b) >= 0) return false;
    this.#heap[upper] = a;
    this.#heap[lower] = b;
    return true;
  }
}

const byTime = (a: TimerEntry, b: TimerEntry): number => a.atMs - b.atMs || a.order - b.order;
