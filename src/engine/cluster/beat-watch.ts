import type { NodeRow, WatchedBeat } from "../../ports/index.ts";

/** When a read was asked for and answered, by the monotonic clock. */
export type ReadTimes = Readonly<{ askedMs: number; answeredMs: number }>;

type Seen = { beat: number; sinceMs: number; stillMs: number; ttlMs: number };

/**
 * Watches the beats of nodes. A node has failed if the same beat was read for a whole ttl: from the answer of the first
 * read to the question of the last (decision WN). The ttl is the longer one of its own and that of this node, because a
 * node relies on its lease by its own (decision YE).
 */
export class BeatWatch {
  readonly #ttlMs: number;
  readonly #seen: Map<number, Seen> = new Map();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** Starts anew, because a read failed: nobody may have been able to renew. */
  reset(): void {
    this.#seen.clear();
  }

  /**
   * Takes the rows of a read. A beat is known to have been the same only between the answer of the first read and the
   * question of this one, so that an answer that took long shortens what is known (decision YN).
   */
  saw(rows: readonly NodeRow[], { askedMs, answeredMs }: ReadTimes): void {
    const gone = new Set(this.#seen.keys());
    for (const { incarnation, beat, ...row } of rows) {
      const ttlMs = Math.max(this.#ttlMs, row.ttlMs);
      gone.delete(incarnation);
      const seen = this.#seen.get(incarnation);
      if (seen?.beat === beat) seen.stillMs = askedMs - seen.sinceMs;
      else this.#seen.set(incarnation, { beat, sinceMs: answeredMs, stillMs: 0, ttlMs });
    }
    for (const incarnation of gone) this.#seen.delete(incarnation);
  }

  /** Returns the beat of a node that has not changed for a whole ttl; undefined for any other node. */
  failed(incarnation: number): WatchedBeat | undefined {
    const seen = this.#seen.get(incarnation);
    return seen !== undefined && seen.stillMs >= seen.ttlMs ? { incarnation, beat: seen.beat } : undefined;
  }

  /** Monotonic time from which a read can show that a node has failed; undefined if one has. */
  dueMs(incarnation: number): number | undefined {
    const seen = this.#seen.get(incarnation);
    if (seen === undefined || seen.stillMs >= seen.ttlMs) return undefined;
    return seen.sinceMs + seen.ttlMs;
  }
}
