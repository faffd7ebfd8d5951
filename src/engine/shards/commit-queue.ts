import type { PendingRecord } from "../core/live-order.ts";
import type { Shard } from "./shard.ts";

/**
 * Records that one append holds at most: few enough that storing them and acting on them fits into a turn of the event
 * loop beside other work.
 */
const MOST_RECORDS = 256;

/** The records of one shard in one append. */
export type ShardPart = Readonly<{ shard: Shard; pending: readonly PendingRecord[] }>;

/** The shards with records that are decided and not handed to the store yet. */
export class CommitQueue {
  readonly #shards: Set<Shard> = new Set();

  add(shard: Shard): void {
    this.#shards.add(shard);
  }

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  /** Whether more is decided than the next append can hold. */
  get isBehind(): boolean {
    let waiting = 0;
    for (const shard of this.#shards) waiting += shard.pendingCount;
    return waiting >= MOST_RECORDS;
  }

  /** Takes the oldest records, as many as an append holds. */
  take(): readonly ShardPart[] {
    const parts: ShardPart[] = [];
    const before = this.#oldestDecision() + MOST_RECORDS;
    for (const shard of this.#shards) {
      const pending = shard.takePending(before);
      if (pending.length > 0) parts.push({ shard, pending });
      if (shard.pendingCount === 0) this.#shards.delete(shard);
    }
    return parts;
  }

  /** Decisions are numbered without gaps, and what is older than this one is with the store already. */
  #oldestDecision(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const shard of this.#shards) oldest = Math.min(oldest, shard.oldestPending ?? oldest);
    return oldest;
  }
}
