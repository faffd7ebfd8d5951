import type { Price } from "../decimal/index.ts";
import { type Entry, highestKey, lowestKey, putInto } from "./entry.ts";
import { LeftistHeap } from "./leftist-heap.ts";
import type { LevelCondition } from "./watch.ts";

/** Levels and gates on one side of the market, in two heaps. A quote that meets none looks only at the two heads. */
export class LevelHeaps {
  readonly #atOrAbove = new LeftistHeap<Entry>(lowestKey);
  readonly #atOrBelow = new LeftistHeap<Entry>(highestKey);

  /** Adds an entry that waits for `condition`. */
  add(entry: Entry, condition: LevelCondition): void {
    entry.key = condition.level;
    putInto(condition.direction === "atOrAbove" ? this.#atOrAbove : this.#atOrBelow, entry);
  }

  /** Returns whether the price meets the condition of an entry. */
  hasMet(price: Price): boolean {
    return this.#meetsAbove(price) || this.#meetsBelow(price);
  }

  /**
   * Removes and returns an entry whose condition the price meets; `undefined` when there is none. In each direction
   * the most crossed goes first, then the oldest.
   */
  takeMet(price: Price): Entry | undefined {
    if (this.#meetsAbove(price)) return this.#atOrAbove.pop();
    return this.#meetsBelow(price) ? this.#atOrBelow.pop() : undefined;
  }

  #meetsAbove(price: Price): boolean {
    const { head } = this.#atOrAbove;
    return head !== undefined && head.key <= price;
  }

  #meetsBelow(price: Price): boolean {
    const { head } = this.#atOrBelow;
    return head !== undefined && head.key >= price;
  }
}
