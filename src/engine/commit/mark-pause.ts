import type { Core } from "../core/core.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { CommitQueue } from "../shards/commit-queue.ts";

/** So long marks wait at most while every turn brings another quote of their market; and so many turns. */
const LONGEST_MS = 20;
const MOST_TURNS = 4_096;

/**
 * Marks that nothing else waits with go to the store when a turn brings no more of them: quotes that are delivered one a
 * turn, each a new extreme, share an append. A record or a print waits for nothing. What a crash loses is stated in
 * decision IL.
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

  /** Whether there are marks and nothing else to keep. */
  get isDue(): boolean {
    return this.#commits.isEmpty && this.#market.hasOnlyMarks;
  }

  /** Resolves when a turn has brought no more, something else is to be kept, or the longest wait is over. */
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
