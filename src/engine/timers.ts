import type { Clock } from "../ports/index.ts";

type Entry = { atMs: number; order: number; run: (() => void) | undefined };

/**
 * One timer heap with one armed timer of the clock: expiry, retry pace, deadlines, reconciliation.
 * A canceled entry keeps its place until due or until half of the heap is canceled, then the heap is made again.
 */
export class Timers {
  readonly #clock: Clock;
  readonly #heap: Entry[] = [];
  #canceled = 0;
  #added = 0;
  #disarm: (() => void) | undefined;
  #armedMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `run` once at or after `atMs`; the returned function cancels it. */
  at(atMs: number, run: () => void): () => void {
    const entry: Entry = { atMs, order: this.#added++, run };
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
    this.#arm();
    return () => this.#cancel(entry);
  }

  /** Cancels everything. */
  stop(): void {
    this.#heap.length = 0;
    this.#canceled = 0;
    this.#arm();
  }

  #cancel(entry: Entry): void {
    if (entry.run === undefined) return;
    entry.run = undefined;
    this.#canceled++;
    if (this.#canceled * 2 > this.#heap.length + 64) this.#compact();
  }

  #compact(): void {
    const live = this.#heap.filter((entry) => entry.run !== undefined).sort(byTime);
    this.#heap.length = 0;
    for (const entry of live) this.#heap.push(entry);
    this.#canceled = 0;
  }

  #arm(): void {
    const next = this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
    if (next === this.#armedMs) return;
    this.#disarm?.();
    this.#armedMs = next;
    this.#disarm =
      next === Number.POSITIVE_INFINITY ? undefined : this.#clock.schedule(next, () => this.#due());
  }

  #due(): void {
    this.#armedMs = Number.POSITIVE_INFINITY;
    this.#disarm = undefined;
    try {
      this.#runDue(this.#clock.nowMs());
    } finally {
      this.#arm();
    }
  }

  #runDue(nowMs: number): void {
    for (let head = this.#heap[0]; head !== undefined && head.atMs <= nowMs; head = this.#heap[0]) {
      this.#pop();
      const run = head.run;
      if (run === undefined) this.#canceled--;
      head.run = undefined;
      run?.();
    }
  }

  #pop(): void {
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

const byTime = (a: Entry, b: Entry): number => a.atMs - b.atMs || a.order - b.order;
