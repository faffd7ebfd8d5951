import { harmless } from "../../host-answers/index.ts";
import type { Clock } from "../../ports/index.ts";
import type { EngineTime, Moment } from "../core/engine-time.ts";
import { Fifo } from "../core/fifo.ts";
import { type TimerEntry, TimerHeap } from "./timer-heap.ts";

/** Timers that run in one turn: a few milliseconds of arming. */
const MOST_IN_TURN = 512;

/**
 * The timers of an engine, with one armed timer of the clock. What happens at a time (expiry, the end of a schedule)
 * is due in engine time; what waits for a while (deadlines, look-ups, pauses) by the monotonic clock, which nobody
 * sets; what matters only to a quote or print that comes then (slots of a schedule, retry pace) is passive: it is due when the next
 * of them comes, and wakes nobody. Of more than a turn has time for the rest is due in the next ones, and what comes
 * meanwhile waits for it (decision DC).
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
  /** How much too early the clock has woken us for the timer that is due next: the next waking is asked for so much later. */
  #earlyMs = 0;
  /** What came while more was due than a turn has time for. */
  readonly #inputs: Fifo<() => void> = new Fifo();
  #isBehind = false;
  /** How many have run. */
  ran = 0;
  #begun = false;
  #stopped = false;

  constructor(clock: Clock, time: EngineTime, failed: (error: unknown) => void) {
    this.#clock = clock;
    this.#time = time;
    this.#failed = failed;
  }

  /** Until now nothing was due: an engine that opens is armed in slices, and nothing happens to half of it. */
  begin(): void {
    this.#begun = true;
    this.#arm();
  }

  /** Runs `run` once when engine time is `atMs`, or later; the returned function cancels it. */
  at(atMs: number, run: () => void): () => void {
    return this.#add(this.#engine, atMs, run);
  }

  /** The same, but nobody is woken for it: it runs before the first quote or print from then on, or other timer. */
  beforeInput(atMs: number, run: () => void): () => void {
    return this.#add(this.#passive, atMs, run);
  }

  /** Runs `run` once when so much time has passed, whatever is done to the wall clock; the returned function cancels it. */
  after(waitMs: number, run: () => void): () => void {
    return this.#add(this.#monotonic, this.#clock.monotonicMs() + Math.max(waitMs, 0), run);
  }

  /** Runs what is due now, by time, then by age, as much as a turn has time for; returns what now is. */
  runDue(): Moment {
    const now = this.#time.moment();
    if (this.#isBehind || this.#first(now.monotonicMs) === undefined) return now;
    if (this.#runSome(MOST_IN_TURN) === 0) this.#fallBehind();
    else this.#arm();
    return now;
  }

  /** Lets an input act when what is due by now has run: at once, or in a later turn. */
  afterDue(act: () => void): void {
    if (this.#isBehind) this.#inputs.push(act);
    else act();
  }

  /** Whether something is due that waits for the next turn. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Runs what is due, `most` at most; returns how many more it might have run. */
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

  /** Runs the head of a heap. One that throws stops neither the others nor whoever let the time pass. */
  #run(heap: TimerHeap): void {
    const entry = heap.take();
    if (entry === undefined) return;
    this.ran++;
    harmless(entry.run, this.#failed);
  }

  #fallBehind(): void {
    this.#isBehind = true;
    this.#clock.soon(() => this.#goOn());
  }

  /** Before each input that waits, what is due by then. */
  #goOn(): void {
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

  /** Engine time has jumped: what waits for it is due earlier. */
  rearm(): void {
    this.#disarm?.();
    this.#disarm = undefined;
    this.#armedMs = Number.POSITIVE_INFINITY;
    this.#arm();
  }

  /** Cancels everything, and takes nothing in from now on. */
  stop(): void {
    this.#stopped = true;
    for (const heap of this.#heaps) heap.clear();
    while (this.#inputs.shift() !== undefined);
    this.#arm();
  }

  #add(heap: TimerHeap, atMs: number, run: () => void): () => void {
    if (this.#stopped) return () => undefined;
    const entry: TimerEntry = { atMs, order: this.#added++, run, place: -1 };
    heap.push(entry);
    if (heap !== this.#passive) this.#arm();
    return () => heap.cancel(entry);
  }

  /** The heap whose head is due first, if that is by `untilMs` of the monotonic clock. */
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

  /** When the head of a heap is due, by the monotonic clock. */
  #dueMs(heap: TimerHeap): number {
    const atMs = heap.head?.atMs ?? Number.POSITIVE_INFINITY;
    return heap === this.#monotonic ? atMs : this.#time.monotonicAt(atMs);
  }

  #arm(): void {
    if (!this.#begun || this.#isBehind) return;
    const nextMs = Math.min(this.#dueMs(this.#engine), this.#dueMs(this.#monotonic));
    if (nextMs === this.#armedMs) return;
    this.#disarm?.();
    this.#armedMs = nextMs;
    this.#disarm =
      nextMs === Number.POSITIVE_INFINITY
        ? undefined
        : this.#clock.schedule(nextMs + this.#earlyMs, () => this.#due(nextMs));
  }

  /** A clock that wakes too early would otherwise do so again at once, for ever on one that somebody else moves. */
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
