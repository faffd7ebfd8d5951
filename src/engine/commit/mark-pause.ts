import type { Core } from "../core/core.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { CommitQueue } from "../shards/commit-queue.ts";

/** Longest wait of marks, in time and in turns, even if every turn brings another quote of their market. */
const LONGEST_MS = 20;
const MOST_TURNS = 4_096;

/**
 * Delays an append of marks alone until a turn brings no more of them. Quotes that arrive one per turn, each a new
 * extreme, then share an append. Records and prints never wait. Decision IL states what a crash loses.
 */
export class MarkPause {
  readonly #core: Core;
  readonly #market: MarketHub;
  readonly #commits: CommitQueue;

  constructor(core: Core, { market, commits }: Readonly<{ market: MarketHub; commits: CommitQueue }>) {
    this.#core = core;
    this.#market = market;
    this.#commits = commits;
  }

  /** Whether there are marks and nothing else to append. */
  get isDue(): boolean {
    return this.#commits.isEmpty && this.#market.hasOnlyMarks;
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
}
