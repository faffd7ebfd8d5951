import type { Core } from "../core/core.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { CommitQueue } from "../shards/commit-queue.ts";
import type { Timers } from "../time/timers.ts";

/** Longest wait of marks, in time and in turns, even if every turn brings another quote of their market. */
const LONGEST_MS = 20;
const MOST_TURNS = 4_096;

/** More marks than this at once are many. */
const MANY = 32;

/** Shortest time between two appends with many marks. */
const MANY_MS = 100;

/**
 * Delays the marks of moved references. An append of marks alone waits until a turn brings no more of them: quotes that
 * arrive one per turn, each a new extreme, then share it. And a move makes a mark for every shard with active trailing
 * orders, so many of them are appended at most ten times a second. Records, prints and the marks on which new
 * records rest never wait. A crash loses what waits here: a level is then at its last durable value.
 */
export class MarkPause {
  readonly #core: Core;
  readonly #market: MarketHub;
  readonly #commits: CommitQueue;
  readonly #timers: Timers;
  /** Monotonic time of the last append with many marks. */
  #manyAtMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  constructor(core: Core, market: MarketHub, commits: CommitQueue, timers: Timers) {
    this.#core = core;
    this.#market = market;
    this.#commits = commits;
    this.#timers = timers;
  }

  /** Whether there are marks that may be appended, and nothing else. */
  get isDue(): boolean {
    return this.#commits.isEmpty && this.#market.hasOnlyMarks && !this.onlyDue;
  }

  /** Whether the marks of moved references must wait. */
  get onlyDue(): boolean {
    return this.#market.marksDue > MANY && this.#core.monotonicMs() - this.#manyAtMs < MANY_MS;
  }

  /** Notes that so many marks are appended now. */
  taken(marks: number): void {
    if (marks > MANY) this.#manyAtMs = this.#core.monotonicMs();
  }

  /** Resolves when a turn has brought no more marks, when something else is due, or when the longest wait is over. */
  async over(): Promise<void> {
    const { monotonicMs, turns } = this.#core;
    const untilMs = monotonicMs() + LONGEST_MS;
    for (let turn = 0; turn < MOST_TURNS && this.isDue; turn++) {
      const { marking } = this.#market;
      await turns.next();
      if (this.#market.marking === marking || monotonicMs() >= untilMs) return;
    }
  }

  /** Calls a function, which begins an append, for marks that had to wait. */
  later(wake: () => void): void {
    if (this.#isWaiting || !this.#market.hasOnlyMarks) return;
    this.#isWaiting = true;
    this.#timers.after(MANY_MS, () => {
      this.#isWaiting = false;
      if (this.#market.hasFacts) wake();
    });
  }
}
