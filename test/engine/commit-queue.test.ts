import { describe, expect, it } from "vitest";
import { Fifo } from "../../src/engine/core/fifo.ts";
import type { PendingRecord } from "../../src/engine/core/live-order.ts";
import { CommitQueue, type ShardPart, settlingOrder } from "../../src/engine/shards/commit-queue.ts";
import type { Shard } from "../../src/engine/shards/shard.ts";

const recordOf = (decision: number): PendingRecord => ({ decision }) as PendingRecord;

/** A shard with records of these decisions in a queue. */
function shardIn(queue: CommitQueue, decisions: readonly number[]): Shard {
  const shard = { pending: new Fifo<PendingRecord>() } as unknown as Shard;
  for (const decision of decisions) shard.pending.push(recordOf(decision));
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
    expect(takenFrom(queue)).toEqual(range(0, 64));
  });

  it("share appends with later ones of others, however far their decisions lie apart", () => {
    const queue = new CommitQueue();
    shardIn(queue, range(0, 100, 1_000));
    shardIn(queue, range(100_001, 200));
    expect(takenFrom(queue)).toEqual([...range(0, 64, 1_000), ...range(100_001, 64)]);
    expect(takenFrom(queue)).toEqual([...range(64_000, 36, 1_000), ...range(100_065, 64)]);
  });
});

describe("an append", () => {
  it("has at most 64 records of one shard, and the new ones of others", () => {
    const queue = new CommitQueue();
    shardIn(queue, range(0, 300));
    shardIn(queue, range(300, 4));
    expect(takenFrom(queue)).toEqual([...range(0, 64), ...range(300, 4)]);
    expect(takenFrom(queue)).toEqual(range(64, 64));
  });

  it("has up to 16 records of each shard before more of any", () => {
    const queue = new CommitQueue();
    for (let shard = 0; shard < 7; shard++) shardIn(queue, range(shard * 100, 100));
    shardIn(queue, range(700, 20));
    const taken = [...queue.take().values()].map(({ length }) => length);
    expect(taken).toEqual([44, 32, 32, 32, 32, 32, 32, 20]);
  });

  it("has the oldest records, whatever their shards, if none has many", () => {
    const queue = new CommitQueue();
    for (let shard = 0; shard < 30; shard++) shardIn(queue, range(shard, 10, 30));
    expect(takenFrom(queue).toSorted((a, b) => a - b)).toEqual(range(0, 256));
  });
});

describe("durable records", () => {
  const partOf = (...decisions: readonly number[]): ShardPart => ({
    ...{ shard: {} as Shard, epoch: 1, marks: [] },
    pending: decisions.map(recordOf),
  });
  const acted = (perTurn: number, ...parts: readonly ShardPart[]): readonly number[] =>
    settlingOrder(parts, perTurn).map(({ record }) => record.decision);

  it("are acted on in the order of decisions if one turn takes them all", () => {
    expect(acted(21, partOf(...range(0, 20)), partOf(20))).toEqual(range(0, 21));
  });

  it("are acted on by shard in turn if they take several turns, and each shard keeps its order", () => {
    const [many, few] = [partOf(...range(0, 20)), partOf(20, 22)];
    expect(acted(20, many, few)).toEqual([...range(0, 16), 20, 22, ...range(16, 4)]);
  });
});
