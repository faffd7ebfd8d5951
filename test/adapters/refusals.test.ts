import { afterEach, describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import {
  endedList,
  endedOrder,
  keepLists,
  openOrder,
  part,
  samplePrint,
  sampleRecord,
} from "../store/rules/samples.ts";
import { type TemporaryPlace, temporaryPlace } from "./sqlite/temporary-place.ts";

const places: TemporaryPlace[] = [];
const stores: OrderStore[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const place of places.splice(0)) place.remove();
});

function sqlite(): OrderStore {
  const place = temporaryPlace();
  places.push(place);
  return openSqliteStore({ path: place.path });
}

describe.each([
  ["memory", createMemoryStore],
  ["sqlite", sqlite],
] as const)("the errors of the %s store name the invariant", (_, create) => {
  const opened = (): OrderStore => {
    const store = create();
    stores.push(store);
    return store;
  };

  it("I03, I50, I53 and I54 in the text of the error", async () => {
    const store = opened();
    await store.acquire();
    const records = [sampleRecord(0, 1)];
    const append = (rest: Partial<Parameters<typeof part>[2]>, shard = 0) =>
      store.append({ shards: [part(shard, 1, rest)] });
    const twice = [-512, -768].map((orderId) => endedOrder({ orderId, clientOrderId: "a" }));
    await expect(append({ ended: twice })).rejects.toThrow("I03");
    const lists = [-256, -2_560].map((listId) => endedList({ listId, listClientOrderId: "a" }));
    await expect(keepLists(store, lists)).rejects.toThrow("I03");
    await expect(append({ ended: [openOrder({ orderId: -512 })] })).rejects.toThrow("I50");
    await expect(append({ records }, 6)).rejects.toThrow("I54");
    const snapshot = { shard: 0, sequence: 1, counter: 1, parents: [] };
    await expect(store.writeSnapshot(snapshot)).rejects.toThrow("I53");
  });

  it("I60 for a handle that does not own the market journal", async () => {
    const store = opened();
    await expect(store.append({ shards: [], prints: [samplePrint()] })).rejects.toThrow("I60");
    await expect(store.deleteVolume({ beforeMs: 1 })).rejects.toThrow("I60");
  });

  it("a RangeError for a shard or a limit that does not exist", async () => {
    const store = opened();
    await expect(store.head(256)).rejects.toThrow(RangeError);
    await expect(store.fence({ shard: -1, epoch: 1, round: 1 })).rejects.toThrow(RangeError);
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      await expect(store.readRecords({ shard: 0, after: 0, limit })).rejects.toThrow(RangeError);
      await expect(store.pageEndedNames?.({ limit })).rejects.toThrow(RangeError);
      await expect(store.deleteEnded({ beforeMs: 9, limit })).rejects.toThrow(RangeError);
    }
  });

  it("I71: a closed store says that it is closed", async () => {
    const store = opened();
    await store.close();
    await expect(store.readMarks()).rejects.toThrow("the store is closed");
  });
});
