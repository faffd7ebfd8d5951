import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryDisk,
  createMemoryStorage,
} from "../../../src/adapters/memory/index.ts";
import { testStorage } from "../../../src/conformance/index.ts";

const CLOCK = createManualClock({ startMs: 1_000 });

testStorage(
  { describe, it },
  {
    name: "memory",
    supports: { durable: true, shared: true },
    createPlace() {
      const disk = createMemoryDisk();
      return { open: () => createMemoryStorage({ disk, clock: CLOCK }), remove: () => {} };
    },
  },
);

testStorage(
  { describe, it },
  {
    name: "memory without a clock and a disk",
    supports: { durable: false, shared: false },
    createPlace: () => ({ open: () => createMemoryStorage(), remove: () => {} }),
  },
);

describe("storage in memory", () => {
  it("a commit is done in the turn of the call", async () => {
    const storage = createMemoryStorage();
    const written = storage.commit([{ conditions: [], puts: [["a", "1"]], deletes: [] }]);
    const read = storage.get(["a"]);
    expect(await read).toEqual(["1"]);
    expect(await written).toEqual([true]);
  });

  it("an object that only looks like a disk is refused", () => {
    expect(() => createMemoryStorage({ disk: { kind: "memory-disk" } })).toThrow(TypeError);
  });
});
