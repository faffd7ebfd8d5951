import { compare, type Price } from "../decimal/index.ts";
import type { MarketMark, MarketSide } from "../model/index.ts";
import { Extremes } from "./extremes.ts";

/** The durable marks of one shard on one side of an instrument's market. */
export class MarkTrack {
  readonly #side: MarketSide;
  #standing: Extremes<MarketMark>;
  /** Marks that a later one outdoes. */
  #outdone: MarketMark[] = [];

  constructor(side: MarketSide) {
    this.#side = side;
    this.#standing = new Extremes(side);
  }

  /** Adds a mark. One with a known position replaces the known mark. */
  add(mark: MarketMark): void {
    const { last } = this.#standing;
    if (last === undefined || mark.position > last.position) this.#append(mark);
    else this.#insert(mark);
  }

  /** The highest position; `undefined` without marks. The newest mark always stands. */
  get lastPosition(): number | undefined {
    return this.#standing.last?.position;
  }

  /** Returns the extreme of all marks from `position` on; `undefined` when there are none. */
  referenceFrom(position: number): Price | undefined {
    return this.#standing.referenceFrom(position);
  }

  /** Removes and returns, by position, at most `limit` marks that no reference from `oldestPosition` on can need. */
  obsolete(oldestPosition: number, limit: number = Number.POSITIVE_INFINITY): readonly MarketMark[] {
    const outdone = this.#outdone.splice(0, limit);
    const standing = this.#standing.removeBefore(oldestPosition, limit - outdone.length);
    return [...outdone, ...standing].sort(byPosition);
  }

  #append(mark: MarketMark): void {
    this.#standing.append(mark, (outdone) => this.#outdone.push(outdone));
  }

  /** Adds a mark out of order, or one that replaces another. This is rare, so everything is rebuilt. */
  #insert(mark: MarketMark): void {
    const others = [...this.#outdone, ...this.#standing.from(0)].filter(
      (known) => known.position !== mark.position,
    );
    this.#outdone = [];
    this.#standing = new Extremes(this.#side);
    for (const each of [...others, mark].sort(byPosition)) this.#append(each);
  }
}

function byPosition(a: MarketMark, b: MarketMark): number {
  return compare(a.position, b.position);
}
