import { expect, it } from "vitest";
import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import { part, sampleRecord } from "../../store/rules/samples.ts";
import { createFaultyStore } from "../../support/faulty-store.ts";

it("each fault has its effect, for the given number of calls", async () => {
  const store = createFaultyStore(createMemoryStore());
  await store.acquire();
  const append = (sequence: number) =>
    store.append({ shards: [part(0, 1, { records: [sampleRecord(0, sequence)] })] });
  const last = async (): Promise<number> => (await store.head(0)).sequence;

  store.inject("fail", 1);
  await expect(append(1)).rejects.toThrow("did not keep");
  expect(await last()).toBe(0);
  expect(await append(1)).toEqual(["durable"]);

  store.inject("unknown", 1);
  await expect(append(2)).rejects.toThrow("does not say");
  expect(await last()).toBe(2);

  store.inject("slow", 1);
  const slow = append(3);
  expect(store.waiting).toBe(1);
  expect(await last()).toBe(2);
  store.release();
  expect(await slow).toEqual(["durable"]);

  store.inject("fail-reads");
  await expect(store.countEnded({ accountId: 1, shard: 0 })).rejects.toThrow("cannot read");
  await expect(store.pageEndedNames?.({ limit: 1 })).rejects.toThrow("cannot read");
  await expect(store.readVolume()).rejects.toThrow("cannot read");
  await expect(store.findEndedList({ accountId: 1, listId: -256 })).rejects.toThrow("cannot read");
  await expect(store.pageEndedLists({ accountId: 1, limit: 1 })).rejects.toThrow("cannot read");
  expect(await append(4)).toEqual(["durable"]);
  store.inject("none");
  expect(await last()).toBe(4);
});
