import { describe, expect, it } from "vitest";
import type { PendingRecord } from "../../src/engine/core/live-order.ts";
import { CommitQueue } from "../../src/engine/shards/commit-queue.ts";
import { PendingQueue } from "../../src/engine/shards/pending-queue.ts";
import type { Shard } from "../../src/engine/shards/shard.ts";

const recordOf = (decision: number): PendingRecord => ({ decision }) as PendingRecord;

/** A shard with records of these decisions in a queue. */
function shardIn(queue: CommitQueue, decisions: readonly number[]): Shard {
  const shard = { pending: new PendingQueue() } as unknown as Shard;
  for (const decision of decisions) shard.pending.add(recordOf(decision));
  queue.add(shard);
  return shard;
}

const takenFrom = (queue: CommitQueue): readonly number[] =>
  [...queue.take().values()].flatMap((records) => records.map(({ decision }) => decision));

const range = (from: number, count: number, step = 1): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);

describe("decision 53: records of a shard that was held", () => {
  it("wait while it is held, and do not count; then they go first", () => {
    const queue = new CommitQueue();
    const held = shardIn(queue, range(0, 300));
    expect(queue.isBehind).toBe(true);
    queue.hold([held]);
    shardIn(queue, range(300, 4));
    expect([queue.isBehind, takenFrom(queue)]).toEqual([false, range(300, 4)]);
    expect([queue.isEmpty, takenFrom(queue)]).toEqual([true, []]);
    queue.release([held]);
    expect(takenFrom(queue)).toEqual(range(0, 256));
  });

  it("share appends with later ones of others, however far their decisions lie apart", () => {
    const queue = new CommitQueue();
    shardIn(queue, range(0, 100, 1_000));
    shardIn(queue, range(100_001, 200));
    expect(takenFrom(queue)).toEqual([...range(0, 100, 1_000), ...range(100_001, 156)]);
    expect(takenFrom(queue)).toEqual(range(100_157, 44));
  });
});
