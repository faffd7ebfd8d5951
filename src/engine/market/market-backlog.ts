import type { MarketMark, PricedPrint } from "../../model/index.ts";
import { MarkHistory } from "../../triggers/index.ts";

/** What an append adds besides records: extremes that trailing orders rest on, and executed volume. */
export type MarketFacts = Readonly<{ marks: readonly MarketMark[]; prints: readonly PricedPrint[] }>;

const NO_FACTS: MarketFacts = { marks: [], prints: [] };

/**
 * Market facts of a failed append, kept for the next one. The store keeps marks by position and prints by id, so that
 * a retry adds nothing. A mark that a later one reaches is dropped, because no reference can need it. All prints
 * stay, because a total that lost one would be wrong forever; the tape bounds their number.
 */
export class MarketBacklog {
  #kept: MarketFacts = NO_FACTS;

  get isEmpty(): boolean {
    return isEmpty(this.#kept);
  }

  /** Keeps facts that the store did not keep, after those that are kept already. */
  put({ marks, prints }: MarketFacts): void {
    const { marks: before, prints: printsBefore } = this.#kept;
    this.#kept = { marks: needed([...before, ...marks]), prints: [...printsBefore, ...prints] };
  }

  /** Removes and returns the kept facts, followed by those that came since. */
  take(since: MarketFacts): MarketFacts {
    const before = this.#kept;
    this.#kept = NO_FACTS;
    if (isEmpty(before)) return since;
    return { marks: [...before.marks, ...since.marks], prints: [...before.prints, ...since.prints] };
  }

  /** Drops the kept prints: they belong to another engine. */
  drop(): void {
    this.#kept = { marks: this.#kept.marks, prints: [] };
  }
}

/** Returns whether there is nothing to keep. */
const isEmpty = ({ marks, prints }: MarketFacts): boolean => marks.length === 0 && prints.length === 0;

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
