import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLmdbStorage } from "../../../src/adapters/lmdb/index.ts";
import { createSystemClock } from "../../../src/adapters/node/index.ts";
import { testStorage } from "../../../src/conformance/index.ts";

testStorage(
  { describe, it },
  {
    name: "LMDB",
    supports: { durable: true, shared: true },
    createPlace() {
      const folder = mkdtempSync(join(tmpdir(), "managed-orders-lmdb-"));
      return {
        open: () => openLmdbStorage({ path: join(folder, "orders.lmdb"), clock: createSystemClock() }),
        remove: () => rmSync(folder, { recursive: true }),
      };
    },
  },
);

const temporaryPath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-lmdb-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "made", "orders.lmdb");
};

describe("storage in LMDB", () => {
  it("a commit that fails in the middle writes nothing, and spares the others that are written with it", async () => {
    const storage = openLmdbStorage({ path: temporaryPath() });
    const commitOf = (keys: readonly string[]) =>
      storage.commit([{ conditions: [], puts: keys.map((key) => [key, "1"]), deletes: [] }]);
    // Longer than LMDB takes.
    const tooLong = "k".repeat(5_000);
    const ended = await Promise.allSettled([commitOf(["a"]), commitOf(["b", tooLong]), commitOf(["c"])]);
    expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await storage.get(["a", "b", "c"])).toEqual(["1", undefined, "1"]);
    await storage.close();
  });

  it("only the owner can read a new file, in a new directory", async () => {
    const path = temporaryPath();
    const storage = openLmdbStorage({ path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    await storage.close();
  });

  it("a page ends after some megabytes", async () => {
    const storage = openLmdbStorage({ path: temporaryPath() });
    const puts = Array.from({ length: 12 }, (_, n) => [`key ${n}`, "v".repeat(1_000_000)] as const);
    await storage.commit([{ conditions: [], puts, deletes: [] }]);
    const [page = []] = await storage.range([{ from: "key ", before: "key ~", limit: 100 }]);
    expect(page.length).toBeGreaterThan(4);
    expect(page.length).toBeLessThan(12);
    await storage.close();
  });
});
