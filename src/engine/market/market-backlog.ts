import type { MarketMark, PricedPrint } from "../../model/index.ts";
import { MarkHistory } from "../../triggers/index.ts";

/** What an append adds besides records: extremes that trailing orders rest on, and executed volume. */
export type MarketFacts = Readonly<{ marks: readonly MarketMark[]; prints: readonly PricedPrint[] }>;

/**
 * Marks of a failed append, kept for the next one. The store keeps marks by position, so that a retry adds nothing. A mark
 * that a later one reaches is dropped, because no reference can need it. Prints of a failed append are in the tape.
 */
export class MarketBacklog {
  #marks: readonly MarketMark[] = [];

  get isEmpty(): boolean {
    return this.#marks.length === 0;
  }

  /** Returns whether marks of a shard are kept. */
  has(shard: number): boolean {
    return this.#marks.some((mark) => mark.shard === shard);
  }

  /** Keeps marks that the store did not keep, after those that are kept already. */
  put(marks: readonly MarketMark[]): void {
    this.#marks = needed([...this.#marks, ...marks]);
  }

  /** Drops the marks of a shard. */
  evict(shard: number): void {
    this.#marks = this.#marks.filter((mark) => mark.shard !== shard);
  }

  /** Removes and returns the kept marks, followed by those that came since. */
  take(since: readonly MarketMark[]): readonly MarketMark[] {
    const before = this.#marks;
    this.#marks = [];
    return before.length === 0 ? since : [...before, ...since];
  }
}

/** Returns the marks without those that a later one of the same shard, market and side reaches. */
function needed(marks: readonly MarketMark[]): readonly MarketMark[] {
  if (marks.length < 2) return marks;
  const history = new MarkHistory();
  for (const mark of marks) history.add(mark);
  const outdone = new Set<MarketMark>();
  for (const { shard, symbol, side } of marks) {
    for (const mark of history.obsolete({ shard, symbol, side, oldestPosition: 0 })) outdone.add(mark);
  }
  return marks.filter((mark) => !outdone.has(mark));
}
