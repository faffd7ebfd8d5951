import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryDisk,
  createMemoryStore,
} from "../../../src/adapters/memory/index.ts";
import { testOrderStore } from "../../store/rules/index.ts";
import { part, sampleRecord, sampleRecords } from "../../store/rules/samples.ts";

const CLOCK = createManualClock({ startMs: 1_000 });

testOrderStore(
  { describe, it },
  {
    name: "memory",
    supports: { leases: true, pageEndedNames: true, priceBars: true, progress: true, pruneEnded: true },
    createPlace() {
      const disk = createMemoryDisk();
      return {
        open: () => createMemoryStore({ disk, clock: CLOCK, journal: { prune: true } }),
        remove: () => {},
      };
    },
  },
);

describe("memory disk", () => {
  it("without the option, no record leaves: the store has no pruneEnded", () => {
    expect("pruneEnded" in createMemoryStore()).toBe(false);
  });

  it("two stores without a disk share nothing", async () => {
    const [first, second] = [createMemoryStore(), createMemoryStore()];
    await first.acquire();
    await first.append({ shards: [part(0, 1, { records: [sampleRecord(0, 1)] })] });
    expect((await second.acquire())[0]).toEqual({ shard: 0, epoch: 1, sequence: 0 });
  });

  it("the content of a disk outlives a store that was never closed", async () => {
    const disk = createMemoryDisk();
    const crashed = createMemoryStore({ disk });
    await crashed.acquire();
    await crashed.append({ shards: [part(0, 1, { records: [sampleRecord(0, 1)] })] });
    const next = createMemoryStore({ disk });
    expect((await next.acquire())[0]).toEqual({ shard: 0, epoch: 2, sequence: 1 });
    expect(await next.readRecords({ shard: 0, after: 0, limit: 9 })).toEqual([sampleRecord(0, 1)]);
  });

  it("150,000 records of one shard in one batch are stored", async () => {
    const store = createMemoryStore();
    await store.acquire();
    const records = sampleRecords(9, 1, 150_000);
    expect(await store.append({ shards: [part(9, 1, { records })] })).toEqual(["durable"]);
    expect(await store.readRecords({ shard: 9, after: 149_999, limit: 9 })).toEqual(records.slice(-1));
  });

  it("an object that only looks like a disk is refused", () => {
    expect(() => createMemoryStore({ disk: { kind: "memory-disk" } })).toThrow(TypeError);
  });

  it("small values are kept on the disk", async () => {
    const disk = createMemoryDisk();
    await createMemoryStore({ disk }).keyValue.set("clock", "5");
    expect(await createMemoryStore({ disk }).keyValue.get("clock")).toBe("5");
    expect(await createMemoryStore().keyValue.get("clock")).toBeUndefined();
  });
});
