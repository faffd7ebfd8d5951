import type { MarketMark } from "../../model/index.ts";
import type { PendingRecord } from "../core/live-order.ts";
import type { Shard } from "./shard.ts";

/**
 * Most records in one append. Few enough that storing and settling them fits into a turn of the event loop beside
 * other work.
 */
const MOST_RECORDS = 256;

/** The records and marks of one shard in one append, and the epoch of the shard in it. */
export type ShardPart = Readonly<{
  shard: Shard;
  epoch: number;
  pending: readonly PendingRecord[];
  marks: readonly MarketMark[];
}>;

/** The shards with records that are decided and not handed to the store yet. Those of held shards wait and do not count. */
export class CommitQueue {
  readonly #shards: Set<Shard> = new Set();
  readonly #held: Set<Shard> = new Set();

  add(shard: Shard): void {
    if (!this.#held.has(shard)) this.#shards.add(shard);
  }

  /** Whether the records of a shard wait for an append of it that has no answer. */
  isHeld(shard: Shard): boolean {
    return this.#held.has(shard);
  }

  hold(shards: readonly Shard[]): void {
    for (const shard of shards) {
      this.#held.add(shard);
      this.#shards.delete(shard);
    }
  }

  /** Holds the shards that have such a record, and returns them. */
  holdIf(has: (record: PendingRecord) => boolean): readonly Shard[] {
    const shards = [...this.#shards].filter(({ pending }) => pending.some(has));
    this.hold(shards);
    return shards;
  }

  release(shards: readonly Shard[]): void {
    for (const shard of shards) {
      this.#held.delete(shard);
      if (shard.pending.size > 0) this.#shards.add(shard);
    }
  }

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  /** Whether more is decided than the next append can hold. */
  get isBehind(): boolean {
    let waiting = 0;
    for (const shard of this.#shards) waiting += shard.pending.size;
    return waiting >= MOST_RECORDS;
  }

  /**
   * Takes the oldest records, up to the limit of an append, by shard. Those of a shard that was held may be older by far than
   * those of the others, which must not wait for as many appends.
   */
  take(): Map<Shard, readonly PendingRecord[]> {
    const taken = new Map<Shard, readonly PendingRecord[]>();
    for (let left = MOST_RECORDS; left > 0 && this.#shards.size > 0; ) {
      const before = this.#oldestDecision() + left;
      for (const shard of this.#shards) {
        const pending = shard.pending.take(before);
        const earlier = taken.get(shard);
        left -= pending.length;
        if (pending.length > 0) taken.set(shard, earlier === undefined ? pending : [...earlier, ...pending]);
        if (shard.pending.size === 0) this.#shards.delete(shard);
      }
    }
    return taken;
  }

  /**
   * Returns the number of the oldest pending decision. Decisions are numbered without gaps, and the store was handed all
   * older ones, except for those of held shards.
   */
  #oldestDecision(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const shard of this.#shards) oldest = Math.min(oldest, shard.pending.oldest ?? oldest);
    return oldest;
  }
}
