import type { PendingRecord } from "../core/live-order.ts";

/** The records of one shard that are decided and not handed to the store yet, oldest first. */
export class PendingQueue {
  #records: PendingRecord[] = [];

  get size(): number {
    return this.#records.length;
  }

  /** Number of the oldest decision. */
  get oldest(): number | undefined {
    return this.#records[0]?.decision;
  }

  some(has: (record: PendingRecord) => boolean): boolean {
    return this.#records.some(has);
  }

  add(record: PendingRecord): void {
    this.#records.push(record);
  }

  /** Removes and returns the oldest records, at most `most` of them, of decisions before `before`. */
  take(
    before: number = Number.POSITIVE_INFINITY,
    most: number = Number.POSITIVE_INFINITY,
  ): readonly PendingRecord[] {
    const first = this.#records.findIndex(({ decision }, index) => decision >= before || index >= most);
    const taken = first < 0 ? this.#records : this.#records.slice(0, first);
    this.#records = first < 0 ? [] : this.#records.slice(first);
    return taken;
  }

  clear(): void {
    this.#records = [];
  }
}
