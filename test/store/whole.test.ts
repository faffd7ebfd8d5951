import { describe, expect, it } from "vitest";
import { createMemoryDisk, createMemoryStorage, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { contentsOf } from "../../src/adapters/memory/storage.ts";
import type { Entry } from "../../src/ports/index.ts";
import { allRows, copyRows, verifiedHeads, verifyRows } from "../../src/store/internal.ts";
import {
  endedLegs,
  endedList,
  endedOrder,
  openOrder,
  part,
  sampleMark,
  samplePrint,
  sampleRecords,
} from "./rules/samples.ts";

/** A disk with a row of every kind that belongs to orders and to the market. */
async function filled() {
  const disk = createMemoryDisk();
  const store = createMemoryStore({ disk, clock: { nowMs: () => 5 } });
  await store.acquire();
  const list = endedList({ listId: -256 * 9 });
  const ended = [
    endedOrder({ orderId: -256 }),
    endedOrder({ orderId: -768, accountId: 2 }),
    ...endedLegs(list),
  ];
  const shards = [
    part(0, 1, { records: sampleRecords(0, 1, 3), ended, endedLists: [list], marks: [sampleMark()] }),
  ];
  await store.append({ shards, prints: [samplePrint()] });
  await store.writeSnapshot({ shard: 0, sequence: 3, counter: 9, parents: [openOrder({ orderId: -512 })] });
  return { disk, store, storage: createMemoryStorage({ disk }), keys: contentsOf(disk).keys };
}

/** Verifies the rows of a storage. Returns its problems. */
async function problemsOf(storage: ReturnType<typeof createMemoryStorage>): Promise<readonly string[]> {
  const problems: string[] = [];
  const valueIn = ([, value]: Entry): string => value;
  const work = { storage, valueIn, problem: (text: string) => void problems.push(text) };
  const heads = await verifiedHeads(work);
  const records = new Map<string, number>();
  await verifyRows({
    ...work,
    record: ({ shard }) => void records.set(`${shard}`, (records.get(`${shard}`) ?? 0) + 1),
    progress: () => undefined,
  });
  for (const { shard, sequence, forgotten } of heads)
    if ((records.get(`${shard}`) ?? 0) < sequence - forgotten) problems.push(`shard ${shard} lacks records`);
  return problems;
}

const rowsOf = async (storage: ReturnType<typeof createMemoryStorage>): Promise<readonly Entry[]> => {
  const rows: Entry[] = [];
  for await (const page of allRows(storage)) for (const entry of page) rows.push(entry);
  return rows;
};

describe("the rows of a store", () => {
  it("a store that was only used has no problem", async () => {
    expect(await problemsOf((await filled()).storage)).toEqual([]);
  });

  it.each([
    ..."ended order name time leg count list listname listtime accepted snap".split(" "),
    "log 000 0000000000000002",
  ])("I53: a row of the kind %s that is lost is a problem", async (kind) => {
    const { storage, keys } = await filled();
    const found = (await rowsOf(storage)).filter(([key]) => `${key} `.startsWith(`${kind} `));
    expect(found.length).toBeGreaterThan(0);
    for (const [key, value] of found) {
      keys.delete(key);
      expect(await problemsOf(storage), key).not.toEqual([]);
      keys.set(key, value);
    }
    expect(await problemsOf(storage)).toEqual([]);
  });

  it.each("ended list snapshot snap mark place total bar pricebar head".split(" "))(
    "I53: a row of the kind %s that cannot be read is a problem",
    async (kind) => {
      const { storage, keys } = await filled();
      const [first] = (await rowsOf(storage)).filter(([key]) => key.startsWith(`${kind} `));
      keys.set(first?.[0] ?? "", "[");
      expect(await problemsOf(storage)).not.toEqual([]);
    },
  );
});

describe("a copy of a store", () => {
  it("has every row except nodes and owners, and its store answers alike", async () => {
    const { store, storage } = await filled();
    await store.leases?.join({ name: "a", address: "", version: "", format: 1, kinds: [], ttlMs: 9 });
    const disk = createMemoryDisk();
    const counts = await copyRows(storage, createMemoryStorage({ disk }), () => undefined);
    expect([counts.get("log"), counts.get("ended"), counts.has("cluster")]).toEqual([3, 4, false]);
    const copy = createMemoryStore({ disk });
    const page = { accountId: 1, afterOrderId: 0, newestFirst: true, limit: 9 };
    expect(await copy.pageEnded(page)).toEqual(await store.pageEnded(page));
    expect(await copy.readRecords({ shard: 0, after: 0, limit: 9 })).toEqual(
      await store.readRecords({ shard: 0, after: 0, limit: 9 }),
    );
    expect((await copy.acquire())[0]?.epoch).toBe(2);
  });

  it("is refused if its target has rows, or does not keep what it is given", async () => {
    const { storage } = await filled();
    await expect(copyRows(storage, storage, () => undefined)).rejects.toThrow("is not empty");
    const target = createMemoryStorage();
    const losing = {
      ...target,
      commit: async ([first]: Parameters<typeof target.commit>[0]) =>
        await target.commit(first ? [{ ...first, puts: first.puts.slice(1) }] : []),
    };
    await expect(copyRows(storage, losing, () => undefined)).rejects.toThrow("has another row");
  });
});
