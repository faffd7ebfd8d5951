import type { Price } from "../decimal/index.ts";
import { type Entry, highestKey, lowestKey } from "./entry.ts";
import { PairingHeap } from "./pairing-heap.ts";
import type { LevelCondition } from "./watch.ts";

/** Levels and gates on one side of the market: two heaps, of which a quote that meets nothing sees the heads only. */
export class LevelHeaps {
  readonly #rise = new PairingHeap<Entry>(lowestKey);
  readonly #fall = new PairingHeap<Entry>(highestKey);

  /** Takes in an entry that waits for `condition`. */
  add(entry: Entry, condition: LevelCondition): void {
    entry.key = condition.level;
    this.#heapOf(condition).insert(entry);
  }

  /** Removes an entry that was added with `condition`. */
  remove(entry: Entry, condition: LevelCondition): void {
    this.#heapOf(condition).remove(entry);
  }

  /** Removes and returns an entry whose condition the price meets; `undefined` when there is none. */
  takeMet(price: Price): Entry | undefined {
    const rising = this.#rise.head;
    if (rising !== undefined && rising.key <= price) return this.#rise.pop();
    const falling = this.#fall.head;
    if (falling !== undefined && falling.key >= price) return this.#fall.pop();
    return undefined;
  }

  #heapOf(condition: LevelCondition): PairingHeap<Entry> {
    return condition.direction === "rise" ? this.#rise : this.#fall;
  }
}
