import { harmless } from "../../host-answers/index.ts";
import type { Clock } from "../../ports/index.ts";
import type { EngineTime, Moment } from "../core/engine-time.ts";
import { Fifo } from "../core/fifo.ts";

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

/** Timers that run in one turn. This is a few milliseconds of arming. */
const MOST_IN_TURN = 512;

/**
 * The timers of an engine, with one armed timer of the clock. There are three kinds:
 * - Events at a time (expiry, the end of a schedule) are due in engine time.
 * - Waits (deadlines, look-ups, pauses) are due by the monotonic clock, which cannot be set.
 * - Passive timers (slots of a schedule, retry pace) matter only where a quote stands. They wake the engine while one can, for
 *   `quoteMaxAgeMs` after the last input. In silence they wake nothing, and run when the next input comes.
 *
 * If more timers are due than a turn has time for, the rest runs in the next turns, and inputs that come meanwhile wait for
 * it.
 */
export class Timers {
  readonly #clock: Clock;
  readonly #time: EngineTime;
  readonly #engine: TimerHeap = new TimerHeap();
  readonly #passive: TimerHeap = new TimerHeap();
  readonly #monotonic: TimerHeap = new TimerHeap();
  readonly #heaps: readonly TimerHeap[] = [this.#engine, this.#passive, this.#monotonic];
  readonly #failed: (error: unknown) => void;
  #added = 0;
  #disarm: (() => void) | undefined;
  #armedMs = Number.POSITIVE_INFINITY;
  /**
   * Total by which the clock has woken the engine too early for the next due timer. The next wake-up is scheduled
   * that much later.
   */
  #earlyMs = 0;
  /** Inputs that came while more timers were due than a turn has time for. */
  readonly #inputs: Fifo<() => void> = new Fifo();
  #isBehind = false;
  /** Number of timers that have run. */
  ran = 0;
  /** Until when a quote may stand, by the monotonic clock. */
  #quotedUntilMs = Number.NEGATIVE_INFINITY;
  #begun = false;
  #stopped = false;

  constructor(clock: Clock, time: EngineTime, failed: (error: unknown) => void) {
    this.#clock = clock;
    this.#time = time;
    this.#failed = failed;
  }

  /**
   * Lets timers become due. None is due before, because an opening engine is armed in slices and must not act half
   * armed.
   */
  begin(): void {
    this.#begun = true;
    this.#arm();
  }

  /** Runs `run` once when engine time is `atMs` or later. The returned function cancels it. */
  at(atMs: number, run: () => void): () => void {
    return this.#add(this.#engine, atMs, run);
  }

  /**
   * Like `at`, but wakes the engine only while a quote may stand ({@link quoted}): otherwise it runs before the first quote, print
   * or other timer from then on.
   */
  whileQuoted(atMs: number, run: () => void): () => void {
    return this.#add(this.#passive, atMs, run);
  }

  /** Runs `run` once after `waitMs`, whatever happens to the wall clock. The returned function cancels it. */
  after(waitMs: number, run: () => void): () => void {
    return this.#add(this.#monotonic, this.#clock.monotonicMs() + Math.max(waitMs, 0), run);
  }

  /** Notes that a market was heard, so that a quote stands for this time: what matters to it wakes the engine until then. */
  quoted(untilMs: number): void {
    this.#quotedUntilMs = untilMs;
    if (this.#passive.head !== undefined && this.#dueMs(this.#passive) < this.#armedMs) this.#arm();
  }

  /** Runs the due timers by time, then by age, up to the limit of a turn. Returns the current moment. */
  runDue(): Moment {
    const now = this.#time.moment();
    if (this.#isBehind || this.#first(now.monotonicMs) === undefined) return now;
    if (this.#runSome(MOST_IN_TURN) === 0) this.#fallBehind();
    else this.#arm();
    return now;
  }

  /** Runs an input after all timers due by now: at once, or in a later turn. */
  afterDue(act: () => void): void {
    if (this.#isBehind) this.#inputs.push(act);
    else act();
  }

  /** Whether due timers wait for the next turn. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Runs at most `most` due timers. Returns how many more it might have run. */
  #runSome(most: number): number {
    const { monotonicMs } = this.#time.moment();
    let left = most;
    for (let heap = this.#first(monotonicMs); heap !== undefined; heap = this.#first(monotonicMs)) {
      if (left === 0) return 0;
      this.#run(heap);
      left--;
    }
    return Math.max(left, 1);
  }

  /** Runs the head of a heap. A timer that throws stops neither the other timers nor the caller. */
  #run(heap: TimerHeap): void {
    const entry = heap.take();
    if (entry === undefined) return;
    this.ran++;
    harmless(entry.run, this.#failed);
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.#clock.soon(() => this.#resume());
  }

  /** Runs the due timers, and before each waiting input those due by then. */
  #resume(): void {
    let left = this.#runSome(MOST_IN_TURN);
    for (let input = this.#inputs.first; input !== undefined && left > 0; input = this.#inputs.first) {
      this.#inputs.shift();
      harmless(input, this.#failed);
      left = this.#runSome(left);
    }
    if (left === 0) return this.#fallBehind();
    this.#isBehind = false;
    this.#arm();
  }

  /** Arms the clock again: engine time has jumped, so its timers are due earlier. */
  rearm(): void {
    this.#disarm?.();
    this.#disarm = undefined;
    this.#armedMs = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /** Cancels all timers and takes no new ones. */
  stop(): void {
    this.#stopped = true;
    for (const heap of this.#heaps) heap.clear();
    this.#inputs.clear();
    this.#arm();
  }

  #add(heap: TimerHeap, atMs: number, run: () => void): () => void {
    if (this.#stopped) return () => undefined;
    const entry: TimerEntry = { atMs, order: this.#added++, run, place: -1 };
    heap.push(entry);
    this.#arm();
    return () => heap.cancel(entry);
  }

  /** Returns the heap whose head is due first, if that is by `untilMs` of the monotonic clock. */
  #first(untilMs: number): TimerHeap | undefined {
    let first: TimerHeap | undefined;
    let dueMs = untilMs;
    for (const heap of this.#heaps) {
      const { head } = heap;
      if (head === undefined) continue;
      const headMs = this.#dueMs(heap);
      const isOlder = headMs < dueMs || head.order < (first?.head?.order ?? Number.POSITIVE_INFINITY);
      if (headMs > dueMs || !isOlder) continue;
      first = heap;
      dueMs = headMs;
    }
    return first;
  }

  /** Returns when the head of a heap is due, by the monotonic clock. */
  #dueMs(heap: TimerHeap): number {
    const atMs = heap.head?.atMs ?? Number.POSITIVE_INFINITY;
    return heap === this.#monotonic ? atMs : this.#time.monotonicAt(atMs);
  }

  #arm(): void {
    if (!this.#begun || this.#isBehind) return;
    const passiveMs = this.#dueMs(this.#passive);
    const wakingMs = passiveMs <= this.#quotedUntilMs ? passiveMs : Number.POSITIVE_INFINITY;
    const nextMs = Math.min(this.#dueMs(this.#engine), this.#dueMs(this.#monotonic), wakingMs);
    if (nextMs === this.#armedMs) return;
    this.#disarm?.();
    this.#armedMs = nextMs;
    this.#disarm =
      nextMs === Number.POSITIVE_INFINITY
        ? undefined
        : this.#clock.schedule(nextMs + this.#earlyMs, () => this.#due(nextMs));
  }

  /**
   * Runs when the clock wakes the engine. Measures how much too early that is: otherwise the clock would wake it
   * again at once, and endlessly if the clock is moved from outside.
   */
  #due(atMs: number): void {
    this.#armedMs = Number.POSITIVE_INFINITY;
    this.#disarm = undefined;
    const earlyMs = atMs - this.#clock.monotonicMs();
    this.#earlyMs = earlyMs > 0 ? this.#earlyMs + earlyMs : 0;
    try {
      this.runDue();
    } finally {
      this.#arm();
    }
  }
}
