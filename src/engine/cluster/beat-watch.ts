import type { NodeRow, WatchedBeat } from "../../ports/index.ts";

/** When a read was asked for and answered, by the monotonic clock. */
export type ReadTimes = Readonly<{ requestedMs: number; answeredMs: number }>;

type Observed = { beat: number; sinceMs: number; stillMs: number; ttlMs: number };

/**
 * Watches the beats of nodes. A node has failed if the same beat was read for a whole ttl: from the answer of the first
 * read to the question of the last (decision WN). The ttl is the longer one of its own and that of this node, because a
 * node relies on its lease by its own (decision YE).
 */
export class BeatWatch {
  readonly #ttlMs: number;
  readonly #observed: Map<number, Observed> = new Map();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** Starts anew, because a read failed: nobody may have been able to renew. */
  reset(): void {
    this.#observed.clear();
  }

  /**
   * Takes the rows of a read. A beat is known to have been the same only between the answer of the first read and the
   * question of this one, so that an answer that took long shortens what is known (decision YN).
   */
  observe(rows: readonly NodeRow[], { requestedMs, answeredMs }: ReadTimes): void {
    const gone = new Set(this.#observed.keys());
    for (const { incarnation, beat, ...row } of rows) {
      const ttlMs = Math.max(this.#ttlMs, row.ttlMs);
      gone.delete(incarnation);
      const last = this.#observed.get(incarnation);
      if (last?.beat === beat) last.stillMs = requestedMs - last.sinceMs;
      else this.#observed.set(incarnation, { beat, sinceMs: answeredMs, stillMs: 0, ttlMs });
    }
    for (const incarnation of gone) this.#observed.delete(incarnation);
  }

  /** Returns the beat of a node that has not changed for a whole ttl; undefined for any other node. */
  failed(incarnation: number): WatchedBeat | undefined {
    const last = this.#observed.get(incarnation);
    return last !== undefined && last.stillMs >= last.ttlMs ? { incarnation, beat: last.beat } : undefined;
  }

  /** Monotonic time from which a read can show that a node has failed; undefined if one has. */
  dueMs(incarnation: number): number | undefined {
    const last = this.#observed.get(incarnation);
    if (last === undefined || last.stillMs >= last.ttlMs) return undefined;
    return last.sinceMs + last.ttlMs;
  }
}
