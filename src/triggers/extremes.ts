import { partitionPoint } from "../common/index.ts";
import type { Price } from "../decimal/index.ts";
import type { MarketSide } from "../model/index.ts";
import { extreme } from "./extreme.ts";

/** A price at a position. */
export type Placed = Readonly<{ position: number; price: Price }>;

/**
 * Prices by position of which none later is at least as extreme: the extremes of all suffixes, so that a binary search
 * finds a reference.
 */
export class Extremes<Mark extends Placed> {
  readonly #side: MarketSide;
  readonly #standing: Mark[] = [];

  constructor(side: MarketSide) {
    this.#side = side;
  }

  /** The newest mark. */
  get last(): Mark | undefined {
    return this.#standing[this.#standing.length - 1];
  }

  /** Adds a mark after all others. Removes those that it outdoes, and calls a function for each. */
  append(mark: Mark, outdone?: (mark: Mark) => void): void {
    let { last } = this;
    while (last !== undefined && extreme(this.#side, [mark.price, last.price]) === mark.price) {
      this.#standing.pop();
      outdone?.(last);
      last = this.last;
    }
    this.#standing.push(mark);
  }

  /** Returns the extreme of all marks from `position` on; `undefined` when there are none. */
  referenceFrom(position: number): Price | undefined {
    return this.#standing[this.#firstFrom(position)]?.price;
  }

  /** Returns the marks from `position` on, by position. */
  from(position: number): readonly Mark[] {
    return this.#standing.slice(this.#firstFrom(position));
  }

  /** Removes and returns at most `limit` marks before `position`, by position. */
  removeBefore(position: number, limit: number = Number.POSITIVE_INFINITY): readonly Mark[] {
    return this.#standing.splice(0, Math.min(this.#firstFrom(position), limit));
  }

  #firstFrom(position: number): number {
    return partitionPoint(this.#standing, (mark) => mark.position < position);
  }
}
