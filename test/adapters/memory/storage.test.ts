import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryKeys,
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
      const keys = createMemoryKeys();
      return { open: () => createMemoryStorage({ keys, clock: CLOCK }), remove: () => {} };
    },
  },
);

testStorage(
  { describe, it },
  {
    name: "memory without a clock and keys",
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

  it("an object that only looks like keys is refused", () => {
    expect(() => createMemoryStorage({ keys: { kind: "memory-keys" } })).toThrow(TypeError);
  });
});
