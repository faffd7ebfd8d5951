import { compare, type Price } from "../decimal/index.ts";
import type { MarketMark, MarketSide } from "../model/index.ts";
import { extreme } from "./extreme.ts";

/**
 * The marks of one instrument and side. A mark stands while no later one is at least as extreme. The standing marks,
 * by position, are the extremes of all suffixes, so a binary search finds a reference.
 */
export class MarkTrack {
  readonly #side: MarketSide;
  #standing: MarketMark[] = [];
  #dominated: MarketMark[] = [];

  constructor(side: MarketSide) {
    this.#side = side;
  }

  /** The newest mark. */
  get last(): MarketMark | undefined {
    return this.#standing.at(-1);
  }

  /** Adds a mark. One with a known position replaces the known mark. */
  add(mark: MarketMark): void {
    const last = this.last;
    if (last === undefined || mark.position > last.position) this.#append(mark);
    else this.#insert(mark);
  }

  /** Returns the extreme of all marks from `position` on; `undefined` when there are none. */
  referenceFrom(position: number): Price | undefined {
    return this.#standing[this.#firstFrom(position)]?.price;
  }

  /**
   * Removes and returns at most `limit` marks that no reference from `oldestPosition` on can need. The newest mark
   * always stays.
   */
  obsolete(
    oldestPosition: number | undefined,
    limit: number = Number.POSITIVE_INFINITY,
  ): readonly MarketMark[] {
    const newest = Math.max(this.#standing.length - 1, 0);
    const needed = oldestPosition === undefined ? newest : Math.min(this.#firstFrom(oldestPosition), newest);
    const dominated = this.#dominated.splice(0, limit);
    const standing = this.#standing.splice(0, Math.min(needed, limit - dominated.length));
    return [...dominated, ...standing].sort(byPosition);
  }

  #append(mark: MarketMark): void {
    let last = this.last;
    while (last !== undefined && extreme(this.#side, [mark.price, last.price]) === mark.price) {
      this.#dominated.push(last);
      this.#standing.pop();
      last = this.last;
    }
    this.#standing.push(mark);
  }

  /** Adds a mark out of order, or one that replaces another. This is rare, so everything is rebuilt. */
  #insert(mark: MarketMark): void {
    const others = [...this.#dominated, ...this.#standing].filter(
      (known) => known.position !== mark.position,
    );
    this.#dominated = [];
    this.#standing = [];
    for (const each of [...others, mark].sort(byPosition)) this.#append(each);
  }

  #firstFrom(position: number): number {
    let low = 0;
    let high = this.#standing.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const mark = this.#standing[middle];
      if (mark !== undefined && mark.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function byPosition(a: MarketMark, b: MarketMark): number {
  return compare(a.position, b.position);
}
