import { describe, expect, it } from "vitest";
import {
  createMemoryDisk,
  createMemoryKeyValueStore,
  createMemoryStore,
} from "../../../src/adapters/memory/index.ts";
import { part, sampleRecord } from "../../support/store-samples.ts";
import { storeSuite } from "../../support/store-suite.ts";

storeSuite("memory", () => {
  const disk = createMemoryDisk();
  return { open: () => createMemoryStore({ disk }), remove: () => {} };
});

describe("memory disk", () => {
  it("two stores without a disk share nothing", async () => {
    const [first, second] = [createMemoryStore(), createMemoryStore()];
    await first.acquire();
    await first.append({ shards: [part(0, 1, { records: [sampleRecord(0, 1)] })], marks: [] });
    expect((await second.acquire())[0]).toEqual({ shard: 0, epoch: 1, sequence: 0 });
  });

  it("what is on a disk outlives a store that was never closed", async () => {
    const disk = createMemoryDisk();
    const crashed = createMemoryStore({ disk });
    await crashed.acquire();
    await crashed.append({ shards: [part(0, 1, { records: [sampleRecord(0, 1)] })], marks: [] });
    const next = createMemoryStore({ disk });
    expect((await next.acquire())[0]).toEqual({ shard: 0, epoch: 2, sequence: 1 });
    expect(await next.readRecords({ shard: 0, after: 0, limit: 9 })).toEqual([sampleRecord(0, 1)]);
  });

  it("an object that only looks like a disk is refused", () => {
    expect(() => createMemoryStore({ disk: { kind: "memory-disk" } })).toThrow(TypeError);
  });

  it("small values are kept on the disk", async () => {
    const disk = createMemoryDisk();
    await createMemoryKeyValueStore({ disk }).set("clock", "5");
    expect(await createMemoryKeyValueStore({ disk }).get("clock")).toBe("5");
    expect(await createMemoryKeyValueStore().get("clock")).toBeUndefined();
  });
});
