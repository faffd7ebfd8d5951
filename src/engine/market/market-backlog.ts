import type { CountedPrint, MarketMark } from "../../model/index.ts";
import { MarkHistory } from "../../triggers/index.ts";

/** What the market journal keeps: extremes that trailing orders rest on, and executed volume. */
export type MarketFacts = Readonly<{ marks: readonly MarketMark[]; prints: readonly CountedPrint[] }>;

const NO_FACTS: MarketFacts = { marks: [], prints: [] };

/**
 * What an append that failed held of the market, for the next one. Marks are kept by position and prints by id, so that
 * a retry adds nothing. Of the marks those stay that some reference may need: a mark that a later one reaches is none.
 * The tape bounds the prints, all of which stay: a total that lost one would be wrong for ever.
 */
export class MarketBacklog {
  #kept: MarketFacts = NO_FACTS;

  get isEmpty(): boolean {
    return isEmpty(this.#kept);
  }

  /** An append failed. */
  put({ marks, prints }: MarketFacts): void {
    this.#kept = { marks: needed(marks), prints };
  }

  /** What waits, and what came since. */
  take(since: MarketFacts): MarketFacts {
    const before = this.#kept;
    this.#kept = NO_FACTS;
    if (isEmpty(before)) return since;
    return { marks: [...before.marks, ...since.marks], prints: [...before.prints, ...since.prints] };
  }

  /** Lets go of what waits: the market journal is not ours any more. */
  drop(): void {
    this.#kept = NO_FACTS;
  }
}

/** Whether there is nothing to keep. */
export const isEmpty = ({ marks, prints }: MarketFacts): boolean => marks.length === 0 && prints.length === 0;

/** The marks without those that a later one of the same market and side reaches. */
function needed(marks: readonly MarketMark[]): readonly MarketMark[] {
  if (marks.length < 2) return marks;
  const history = new MarkHistory();
  for (const mark of marks) history.add(mark);
  const passed = new Set<MarketMark>();
  for (const { symbol, side } of marks) {
    for (const mark of history.obsolete({ symbol, side, oldestPosition: 0 })) passed.add(mark);
  }
  return marks.filter((mark) => !passed.has(mark));
}
