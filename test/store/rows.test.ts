import { describe, expect, it } from "vitest";
import { createMemoryStorage } from "../../src/adapters/memory/index.ts";
import type { CommitPart, Storage } from "../../src/ports/index.ts";
import { openStore } from "../../src/store/index.ts";
import { type Plan, Rows } from "../../src/store/rows.ts";
import { part, sampleRecords } from "./rules/samples.ts";

/** Adds one to the number of a key. */
const counting = (key: string): Plan => ({
  reads: [key],
  change: (valueAt) => ({ puts: [[key, String(Number.parseInt(valueAt(key) ?? "0", 10) + 1)]] }),
});

/** A storage whose next commit is lost: it rejects, and what it was asked to write can be written later. */
function lossy(): Readonly<{
  storage: Storage;
  lose: () => void;
  arrive: () => Promise<readonly boolean[]>;
}> {
  const sound = createMemoryStorage();
  let lost: readonly CommitPart[] | undefined;
  let isNext = false;
  const storage: Storage = {
    ...sound,
    async commit(parts) {
      if (!isNext) return await sound.commit(parts);
      isNext = false;
      lost = parts;
      throw new Error("no answer");
    },
  };
  return {
    storage,
    lose: () => {
      isNext = true;
    },
    arrive: () => sound.commit(lost ?? []),
  };
}

describe("transactions on rows", () => {
  it("of many writers at once, in one handle and in others, none is lost", async () => {
    const storage = createMemoryStorage();
    const handles = [new Rows(storage), new Rows(storage), new Rows(storage)];
    const work = handles.flatMap((rows) => Array.from({ length: 20 }, () => rows.write(counting("count"))));
    expect(new Set(await Promise.all(work))).toEqual(new Set([true]));
    expect(await storage.get(["count"])).toEqual(["60"]);
  });

  it("two plans of one commit that write the same key come one after the other", async () => {
    const storage = createMemoryStorage();
    expect(await new Rows(storage).commit([counting("a"), counting("b"), counting("a")])).toEqual([
      true,
      true,
      true,
    ]);
    expect(await storage.get(["a", "b"])).toEqual(["2", "1"]);
  });

  it("a plan is refused only by values that were just read", async () => {
    const storage = createMemoryStorage();
    const rows = new Rows(storage);
    await rows.write(counting("a"));
    await new Rows(storage).write(counting("a"));
    const second: Plan = {
      reads: ["a"],
      change: (valueAt) => (valueAt("a") === "2" ? { puts: [["b", "1"]] } : undefined),
    };
    expect(await rows.write(second)).toBe(true);
  });

  it("a plan that others overtake for ever ends with an error", async () => {
    const storage = createMemoryStorage();
    const rows = new Rows({ ...storage, commit: async (parts) => parts.map(() => false) });
    await expect(rows.write(counting("a"))).rejects.toThrow("other writers were first 100 times");
  });
});

describe("an append whose outcome is unknown", () => {
  it("I60: is left out when it arrives after a fence", async () => {
    const { storage, lose, arrive } = lossy();
    const store = openStore(storage);
    await store.acquire();
    lose();
    const batch = { shards: [part(0, 1, { records: sampleRecords(0, 1, 2) })] };
    await expect(store.append(batch)).rejects.toThrow("no answer");
    await store.fence({ shard: 0, epoch: 1, round: 1 });
    expect(await arrive()).toEqual([false]);
    expect((await store.head(0)).sequence).toBe(0);
  });

  it("I60: is over before a fence of a storage whose outcomes are never in doubt", async () => {
    const sound = createMemoryStorage();
    let arrive = (): void => undefined;
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let isHeld = false;
    const storage: Storage = {
      ...sound,
      isSettled: true,
      async commit(parts) {
        if (isHeld)
          await new Promise<void>((resolve) => {
            arrive = resolve;
            begun();
          });
        return await sound.commit(parts);
      },
    };
    const store = openStore(storage);
    await store.acquire();
    isHeld = true;
    const under = store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 1) })] });
    await hasBegun;
    let isFenced = false;
    const fence = store.fence({ shard: 0, epoch: 1, round: 1 }).then(() => {
      isFenced = true;
    });
    for (let turns = 0; turns < 9; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(isFenced).toBe(false);
    arrive();
    await fence;
    expect([(await store.head(0)).sequence, await under]).toEqual([1, ["durable"]]);
  });

  it("I54: is found when it arrives before the next one, which is fenced, and never makes a record double", async () => {
    const { storage, lose, arrive } = lossy();
    const store = openStore(storage);
    await store.acquire();
    lose();
    const batch = { shards: [part(0, 1, { records: sampleRecords(0, 1, 2) })] };
    await expect(store.append(batch)).rejects.toThrow("no answer");
    expect(await arrive()).toEqual([true]);
    expect(await store.append(batch)).toEqual(["fenced"]);
    expect(await store.append({ shards: [part(0, 1, { records: sampleRecords(0, 3, 3) })] })).toEqual([
      "durable",
    ]);
    expect(await arrive()).toEqual([false]);
    expect(await store.readRecords({ shard: 0, after: 0, limit: 9 })).toEqual(sampleRecords(0, 1, 3));
  });

  it("a late write of the market puts no older quote in place of a newer one", async () => {
    const { storage, lose, arrive } = lossy();
    const store = openStore(storage);
    await store.acquire();
    const quote = (timeMs: number) => ({ symbol: "BTC/USD", bid: 1, ask: 2, timeMs }) as never;
    lose();
    await expect(store.append({ shards: [], quotes: [quote(1)] })).rejects.toThrow("no answer");
    await store.append({ shards: [], quotes: [quote(2)] });
    expect(await arrive()).toEqual([false]);
    expect((await store.readQuotes()).map(({ timeMs }) => timeMs)).toEqual([2]);
  });
});
