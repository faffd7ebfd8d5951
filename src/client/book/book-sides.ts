import {
  DEPTH_UPDATE,
  type DepthEvent,
  exactLevels,
  type Id,
  type LevelReply,
  ORDER_BOOK,
  object,
  type Reader,
  type ReadOf,
  whole,
} from "../../replies/index.ts";
import { compareDecimals } from "../replies/decimal-text.ts";

/** A snapshot of a book whose numbers continue with those of diffs. */
const SNAPSHOT: Omit<typeof ORDER_BOOK, "lastUpdateId"> & { readonly lastUpdateId: Id } = {
  ...ORDER_BOOK,
  lastUpdateId: whole,
  bids: exactLevels,
  asks: exactLevels,
};

/** A snapshot of a book whose levels are numbers. */
export type Snapshot = ReadOf<typeof SNAPSHOT>;

/** What a book needs of a diff. */
export type Diff = Omit<DepthEvent, "e" | "E">;

/** Reads a diff. */
export const readDepth: Reader<DepthEvent> = /* @__PURE__ */ object(DEPTH_UPDATE);

/** Reads a snapshot whose levels are numbers. */
export const readSnapshot: Reader<Snapshot> = /* @__PURE__ */ object(SNAPSHOT);

/** One side of a book, best level first. `direction` is 1 if the lowest price is the best. */
class BookSide {
  readonly #direction: 1 | -1;
  levels: readonly LevelReply[] = [];

  constructor(direction: 1 | -1) {
    this.#direction = direction;
  }

  /** Changes levels. Prices are compared as numbers, exactly. */
  change(changes: readonly LevelReply[]): void {
    const levels = [...this.levels];
    for (const change of changes) {
      const [price, quantity] = change;
      const { index, isThere } = this.#find(levels, price);
      const isGone = compareDecimals(quantity, "0") === 0;
      if (isThere) levels.splice(index, 1);
      if (!isGone) levels.splice(index, 0, change);
    }
    this.levels = levels;
  }

  #find(levels: readonly LevelReply[], price: string): Readonly<{ index: number; isThere: boolean }> {
    let [low, high] = [0, levels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const [other = "0"] = levels[middle] ?? [];
      const compared = compareDecimals(price, other) * this.#direction;
      if (compared === 0) return { index: middle, isThere: true };
      if (compared < 0) high = middle;
      else low = middle + 1;
    }
    return { index: low, isThere: false };
  }
}

/** A book from a snapshot and the diffs after it. Source: docs/websocket.md, Keep a local order book. */
export class BookSides {
  readonly #bids: BookSide = new BookSide(-1);
  readonly #asks: BookSide = new BookSide(1);
  /** Number of the last quote in the book. */
  #last: bigint;
  readonly #seriesId: string | undefined;

  constructor({ lastUpdateId, seriesId, bids, asks }: Snapshot) {
    this.#last = BigInt(lastUpdateId);
    this.#seriesId = seriesId;
    this.#bids.change(bids);
    this.#asks.change(asks);
  }

  get bids(): readonly LevelReply[] {
    return this.#bids.levels;
  }

  get asks(): readonly LevelReply[] {
    return this.#asks.levels;
  }

  get lastUpdateId(): string {
    return String(this.#last);
  }

  /**
   * Returns `next` if a diff continues the book, `old` if the book has it, and `gap` if one before it is missing or its
   * numbers are those of another node.
   */
  place({ U, u, seriesId }: Diff): "next" | "old" | "gap" {
    if (seriesId !== this.#seriesId || BigInt(U) > this.#last + 1n) return "gap";
    return BigInt(u) <= this.#last ? "old" : "next";
  }

  /** Applies a diff if it is the next one. Returns its place. */
  apply(diff: Diff): "next" | "old" | "gap" {
    const place = this.place(diff);
    if (place !== "next") return place;
    const { u, b, a } = diff;
    this.#bids.change(b);
    this.#asks.change(a);
    this.#last = BigInt(u);
    return place;
  }
}
