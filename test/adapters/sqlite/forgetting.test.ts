import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { part, sampleRecord } from "../../store/rules/samples.ts";
import { always, BEFORE, ended, fill, idOf, recordsOf, SHARD, stored } from "../forgetting-samples.ts";
import {
  countIn,
  damageRow,
  readValue,
  recordKey,
  rowIn,
  type TemporaryPlace,
  temporaryPlace,
} from "./temporary-place.ts";

let place: TemporaryPlace;
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(() => place.remove());

const open = (forget = true): SqliteStore =>
  openSqliteStore({ exclusive: false, path: place.path, journal: { prune: forget } });
const count = (kind: string): number => countIn(place.path, kind);

describe("records leave the file with the rows of their orders", () => {
  it("all records of orders and lists leave, those of open orders and the record of the snapshot stay", async () => {
    const store = open();
    await fill(store);
    await store.pruneEnded?.(BEFORE, always);
    // Order 2 has records 2 and 10; 12 is the record of the snapshot, of order 6.
    expect(await stored(store)).toEqual([2, 10, 12]);
    expect(readValue(place.path, "SELECT count(*) FROM journal_index")).toBe(3);
    expect(["log", "ended", "list", "name", "time", "leg", "listtime"].map(count)).toEqual([
      3, 1, 0, 1, 1, 0, 0,
    ]);
    expect(await store.head(SHARD)).toMatchObject({ sequence: 12, forgotten: 11 });
    await store.close();
  });

  it("I54: after that the store opens, appends and reads as before", async () => {
    const store = open();
    await fill(store);
    await store.pruneEnded?.(BEFORE, always);
    await store.close();
    const next = open();
    const heads = await next.acquire();
    expect(heads[SHARD]).toMatchObject({ epoch: 2, sequence: 12, forgotten: 11 });
    await next.append({ shards: [part(SHARD, 2, { records: [sampleRecord(SHARD, 13)] })] });
    expect(await stored(next)).toEqual([2, 10, 12, 13]);
    await next.close();
  });

  it("nothing leaves without a snapshot", async () => {
    const store = open();
    await store.acquire();
    const { records } = recordsOf([[1], [1], [2]]);
    await store.append({ shards: [part(SHARD, 1, { records, ended: [ended(1, 2)] })] });
    await store.pruneEnded?.(BEFORE, always);
    expect(await stored(store)).toEqual([1, 2, 3]);
    await store.close();
  });

  it("I60: a handle that another one has replaced deletes nothing", async () => {
    const store = open();
    await fill(store);
    const later = open();
    await later.acquire();
    await expect(store.pruneEnded?.(BEFORE, always)).rejects.toThrow("I60");
    expect(count("log")).toBe(12);
    await store.close();
    await later.close();
  });

  it("I53: an order with a damaged record stays and is reported; the others leave", async () => {
    const store = open();
    await fill(store);
    damageRow(place.path, recordKey(SHARD, 5), (text) => text.replace("1", "2"));
    await expect(store.pruneEnded?.(BEFORE, always)).rejects.toThrow(`row "${recordKey(SHARD, 5)}"`);
    // Order 1 has records 1, 5, 6 and 7.
    expect(await store.findEnded({ accountId: 1, orderId: idOf(3) })).toBeUndefined();
    expect(count("ended")).toBe(2);
    const left = Array.from({ length: 12 }, (_, place) => place + 1).filter(
      (sequence) => rowIn(place.path, recordKey(SHARD, sequence)) !== undefined,
    );
    expect(left).toEqual([1, 2, 5, 6, 7, 10, 12]);
    await store.close();
  });

  it("a store without the option has no such method, and deletes rows alone", async () => {
    const store = open(false);
    await fill(store);
    expect(store.pruneEnded).toBeUndefined();
    await store.deleteEnded({ ...BEFORE, limit: 100 });
    expect(count("log")).toBe(12);
    await store.close();
  });
});

describe("leftovers", () => {
  it("records of rows that were deleted alone stay, also once the option is set", async () => {
    const store = open(false);
    await fill(store);
    await store.deleteEnded({ ...BEFORE, limit: 100 });
    await store.close();
    const next = open();
    await next.acquire();
    await next.pruneEnded?.(BEFORE, always);
    expect(count("log")).toBe(12);
    await next.close();
  });

  it("an order with thousands of records leaves in several transactions, oldest first; a stop between any two loses nothing", async () => {
    const store = open();
    await fill(store, 1_100);
    let stops = 0;
    for (let left = 3; stops < 40; left = 1, stops++) {
      let steps = left;
      let isOver = true;
      await store.pruneEnded?.(BEFORE, () => {
        isOver = --steps > 0;
        return isOver;
      });
      const there = await stored(store);
      const { forgotten = 0 } = await store.head(SHARD);
      expect(there, "kept orders are whole").toEqual(expect.arrayContaining([2, there.at(-3), there.at(-1)]));
      const first = there.find((sequence) => sequence > 2) ?? 0;
      expect(forgotten, "every missing record is at or below").toBeGreaterThanOrEqual(
        first > 1_100 ? 0 : first - 1,
      );
      if (isOver) break;
    }
    await store.pruneEnded?.(BEFORE, always);
    expect(await stored(store)).toHaveLength(3);
    await store.close();
  });
});
