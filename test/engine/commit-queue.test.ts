import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { Fifo } from "../../src/engine/core/fifo.ts";
import type { PendingRecord, Waiter } from "../../src/engine/core/live-order.ts";
import { CommitQueue, type ShardPart, settlingOrder } from "../../src/engine/shards/commit-queue.ts";
import { EndedCounts } from "../../src/engine/shards/ended.ts";
import { Undecided } from "../../src/engine/shards/pending-records.ts";
import type { Shard } from "../../src/engine/shards/shard.ts";
import { OrderError } from "../../src/errors/index.ts";
import type { JournalRecord } from "../../src/model/index.ts";
import type { EndedCount, OrderStore } from "../../src/ports/index.ts";
import { oco } from "../../src/requests/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import { sampleRecord } from "../store/rules/samples.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

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

describe("records of a shard that was held", () => {
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

/** An undecided record 5, and what its caller is told if the journal ends with `last`. */
function subject(): Readonly<{ undecided: Undecided; reportedOf: (last: number) => string }> {
  const undecided = new Undecided();
  const record = sampleRecord(0, 5);
  let reported = "nothing";
  const waiter: Waiter = {
    resolve: () => {
      reported = "kept";
    },
    reject: (error) => {
      reported = error instanceof OrderError ? error.reason : String(error);
    },
  };
  undecided.add(
    {
      record,
      text: encodeRecord(record),
      decision: 0,
      decidedAtMs: 0,
      steps: [],
      list: undefined,
      waiters: [waiter],
    },
    true,
  );
  const reportedOf = (last: number): string => {
    undecided.answer({ refusal: undefined, last, found: () => undefined });
    return reported;
  };
  return { undecided, reportedOf };
}

/** What the caller of record 5 is told if the journal ends with `last` and a reading has shown these. */
function reportedOf(last: number, ...shown: readonly JournalRecord[]): string {
  const { undecided, reportedOf: answer } = subject();
  const show = undecided.reading();
  for (const record of shown) show(record);
  return answer(last);
}

describe("I01, I02: what the caller of a record is told whose append failed", () => {
  it("success if the same record is in its place", () => {
    expect(reportedOf(6, sampleRecord(0, 4), sampleRecord(0, 5), sampleRecord(0, 6))).toBe("kept");
  });

  it("not stored if the journal ends before it", () => {
    expect(reportedOf(4, sampleRecord(0, 4))).toBe("DISCONNECTED");
  });

  it("not stored if another record is in its place: one place holds one record", () => {
    const other = sampleRecord(0, 5);
    expect(reportedOf(5, { ...other, timeMs: other.timeMs + 1 })).toBe("DISCONNECTED");
  });

  it("unknown if its place is under a snapshot and is not read", () => {
    expect(reportedOf(9, sampleRecord(0, 8), sampleRecord(0, 9))).toBe("UNEXPECTED_RESPONSE");
  });

  it("evidence of an earlier reading does not count", () => {
    const { undecided, reportedOf: answer } = subject();
    undecided.reading()(sampleRecord(0, 5));
    undecided.reading();
    expect(answer(5)).toBe("UNEXPECTED_RESPONSE");
  });
});

const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 9, afterOrderId: 0 };

/** A store whose answers a test gives. */
function heldStore() {
  const waiting: { resolve: (answer: EndedCount) => void; reject: (error: Error) => void }[] = [];
  const ask = (): Promise<EndedCount> => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  return { waiting, ask };
}

describe("the number of ended parents of an account", () => {
  it("is asked for once, also by callers at the same time, and later endings are added", async () => {
    const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
    const both = Promise.all([counts.of(1, ask), counts.of(1, ask)]);
    // The first of these is in the answer, which was made after it.
    counts.ended(1, 7);
    counts.ended(1, 9);
    counts.ended(2, 9);
    expect(waiting).toHaveLength(1);
    waiting[0]?.resolve({ count: 5, sequence: 8 });
    expect(await both).toEqual([
      { count: 5, sequence: 8 },
      { count: 6, sequence: 9 },
    ]);
    counts.ended(1, 8);
    expect(await counts.of(1, ask)).toEqual({ count: 6, sequence: 9 });
  });

  it("two parents that end in one record, such as legs of a list, are two", async () => {
    const counts = new EndedCounts();
    await counts.of(1, async () => ({ count: 0, sequence: 3 }));
    counts.ended(1, 4);
    counts.ended(1, 4);
    expect(await counts.of(1, heldStore().ask)).toEqual({ count: 2, sequence: 4 });
  });

  it("I71: a store that fails fails every caller, and is asked again by the next one", async () => {
    const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
    const both = Promise.allSettled([counts.of(1, ask), counts.of(1, ask)]);
    waiting[0]?.reject(new Error("no database"));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = counts.of(1, ask);
    waiting[1]?.resolve({ count: 1, sequence: 1 });
    expect(await again).toEqual({ count: 1, sequence: 1 });
  });

  it("an answer from before a reload of the shard, or from the time of a deletion, is not kept", async () => {
    for (const happen of ["clear", "rowsLeave"] as const) {
      const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
      const [first, second] = [counts.of(1, ask), counts.of(1, ask)];
      counts[happen]();
      waiting[0]?.resolve({ count: 5, sequence: 8 });
      expect(await first).toEqual({ count: 5, sequence: 8 });
      await Promise.resolve();
      waiting[1]?.resolve({ count: 4, sequence: 8 });
      expect(await second).toEqual({ count: 4, sequence: 8 });
      expect(waiting).toHaveLength(2);
    }
  });

  it("while rows are deleted, every caller asks for itself, and nothing is kept", async () => {
    const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
    counts.rowsLeave();
    const both = Promise.all([counts.of(1, ask), counts.of(1, ask)]);
    for (const { resolve } of waiting) resolve({ count: 5, sequence: 8 });
    await both;
    expect(waiting).toHaveLength(2);
    counts.rowsStay();
    void counts.of(1, ask);
    expect(waiting).toHaveLength(3);
  });

  it("is kept for a bounded number of accounts", async () => {
    const counts = new EndedCounts();
    let requested = 0;
    const ask = async (): Promise<EndedCount> => ({ count: ++requested, sequence: 1 });
    for (let accountId = 0; accountId < 300; accountId++) await counts.of(accountId, ask);
    await counts.of(299, ask);
    expect(requested).toBe(300);
    await counts.of(0, ask);
    expect(requested).toBe(301);
  });
});

describe("pages ask the store for the number once", () => {
  /** A world that counts the questions, and whose deletions of rows a test can fail. */
  async function countedWorld(): Promise<
    Readonly<{ world: World; requested: () => number; fail: () => void }>
  > {
    let [requested, fails] = [0, false];
    const counted = (store: OrderStore): OrderStore => ({
      ...store,
      countEnded(whose) {
        requested++;
        return store.countEnded(whose);
      },
      deleteEnded: async (range) => {
        if (fails) throw new Error("the answer was lost");
        return await store.deleteEnded(range);
      },
    });
    const world = await createWorld({
      settings: { retentionDays: 1 },
      store(disk) {
        // Without this method the engine deletes by `deleteEnded`.
        const { pruneEnded: _none, ...store } = createMemoryStore({ disk });
        return counted(store);
      },
    });
    const fail = (): void => {
      fails = true;
    };
    return { world, requested: () => requested, fail };
  }
  const totalOf = async (world: World): Promise<number> => (await world.engine.page(PAGE)).total;

  it("I70: however many pages are read, orders end, lists end and a restart comes", async () => {
    const { world, requested } = await countedWorld();
    const orders = [];
    for (let n = 0; n < 6; n++) orders.push(await world.place({ price: "50" }));
    expect(await totalOf(world)).toBe(6);
    for (const order of orders.slice(0, 4)) {
      await world.cancel(order);
      expect(await totalOf(world)).toBe(6);
    }
    const list = oco({
      ...{ symbol: SYMBOL, side: "SELL", quantity: "1", listClientOrderId: "both" },
      takeProfit: { type: "LIMIT", price: "500" },
      stopLoss: { type: "STOP_MARKET", stopPrice: "60" },
    });
    await world.quote("99", "100");
    const { listId } = (await world.engine.placeList({ accountId: 1, list })).list;
    expect(await totalOf(world)).toBe(8);
    await world.engine.cancelList({ accountId: 1, listId });
    expect(await totalOf(world)).toBe(8);
    expect(requested()).toBe(1);
  });

  it("I70: after the hour in which rows were deleted it is asked for again, and after a deletion that failed always", async () => {
    const { world, requested, fail } = await countedWorld();
    await world.cancel(await world.place({ price: "50" }));
    expect([await totalOf(world), requested()]).toEqual([1, 1]);
    await world.pass(25 * 3_600_000);
    expect([await totalOf(world), await totalOf(world), requested()]).toEqual([0, 0, 2]);
    fail();
    await world.pass(3_600_000);
    expect([await totalOf(world), await totalOf(world), requested()]).toEqual([0, 0, 4]);
  });
});
