import type { Price } from "../decimal/index.ts";
import { type Entry, highestKey, lowestKey, putInto } from "./entry.ts";
import { LeftistHeap } from "./leftist-heap.ts";
import type { LevelCondition } from "./watch.ts";

/** Levels and gates on one side of the market: two heaps, of which a quote that meets nothing sees the heads only. */
export class LevelHeaps {
  readonly #atOrAbove = new LeftistHeap<Entry>(lowestKey);
  readonly #atOrBelow = new LeftistHeap<Entry>(highestKey);

  /** Takes in an entry that waits for `condition`. */
  add(entry: Entry, condition: LevelCondition): void {
    entry.key = condition.level;
    putInto(condition.direction === "atOrAbove" ? this.#atOrAbove : this.#atOrBelow, entry);
  }

  /** Whether there is an entry whose condition the price meets. */
  hasMet(price: Price): boolean {
    return this.#meetsAbove(price) || this.#meetsBelow(price);
  }

  /**
   * Removes and returns an entry whose condition the price meets, in each direction the most crossed first, then the
   * oldest; `undefined` when there is none.
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
