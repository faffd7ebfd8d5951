import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import { endedKey } from "../../../src/store/ended.ts";
import { encodeParents, encodeRecord } from "../../../src/wire/index.ts";
import { testOrderStore } from "../../store/rules/index.ts";
import {
  endedLegs,
  endedList,
  endedOrder,
  keepEnded,
  keepLists,
  openOrder,
  part,
  sampleMark,
  samplePrint,
  sampleRecord,
  sampleRecords,
} from "../../store/rules/samples.ts";
import {
  countIn,
  executeOn,
  indexJournal,
  readValue,
  recordKey,
  rowIn,
  type TemporaryPlace,
  temporaryPlace,
  writeRows,
} from "./temporary-place.ts";

testOrderStore(
  { describe, it },
  {
    name: "sqlite",
    supports: { leases: false, pageEndedNames: true, priceBars: true, progress: true, pruneEnded: true },
    createPlace() {
      const { path, remove } = temporaryPlace();
      return { open: () => openSqliteStore({ exclusive: false, path, journal: { prune: true } }), remove };
    },
  },
);

describe("sqlite order store", () => {
  let place: TemporaryPlace;
  let store: SqliteStore;
  beforeEach(async () => {
    place = temporaryPlace();
    store = openSqliteStore({ exclusive: false, path: place.path });
    await store.acquire();
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });
  const append = (shard: number, from: number, to: number) =>
    store.append({ shards: [part(shard, 1, { records: sampleRecords(shard, from, to) })] });

  it("records read the same before, during and after their move into the index", async () => {
    for (let batch = 0; batch < 9; batch++) {
      await append(1, batch * 600 + 1, batch * 600 + 600);
      await append(2, batch * 600 + 1, batch * 600 + 600);
    }
    expect(readValue(place.path, "SELECT count(*) FROM journal_index")).toBe(8_400);
    const whole = sampleRecords(1, 1, 5_400);
    expect(await store.readRecords({ shard: 1, after: 0, limit: 10_000 })).toEqual(whole);
    expect(await store.readRecords({ shard: 1, after: 4_000, limit: 600 })).toEqual(
      whole.slice(4_000, 4_600),
    );
    expect(await store.readRecords({ shard: 2, after: 5_399, limit: 5 })).toEqual([sampleRecord(2, 5_400)]);
    indexJournal(place.path);
    expect(readValue(place.path, "SELECT count(*) FROM journal_index")).toBe(10_800);
    expect(await store.readRecords({ shard: 1, after: 5_399, limit: 5 })).toEqual([sampleRecord(1, 5_400)]);
  });

  it("pages of names come from the index of client ids, independent of the rows", async () => {
    await keepEnded(store, [endedOrder({ orderId: -256 }), endedOrder({ orderId: -512 })]);
    executeOn(place.path, "UPDATE long SET value = 'damaged'");
    expect(await store.pageEndedNames?.({ limit: 9 })).toEqual([
      { accountId: 1, clientOrderId: "c256" },
      { accountId: 1, clientOrderId: "c512" },
    ]);
  });

  it("a read of large records returns fewer of them, in order, and the next read continues", async () => {
    const records = sampleRecords(4, 1, 6).map((record) => {
      const detail = "x".repeat(1_500_000);
      return {
        ...record,
        changes: [
          {
            orderId: -4,
            previous: 0,
            facts: [{ kind: "ALERT" as const, alert: "LATE_FILL" as const, detail }],
          },
        ],
      };
    });
    await store.append({ shards: [part(4, 1, { records })] });
    for (const isIndexed of [false, true]) {
      if (isIndexed) indexJournal(place.path);
      const first = await store.readRecords({ shard: 4, after: 0, limit: 99 });
      const second = await store.readRecords({
        shard: 4,
        after: first.length,
        limit: 99,
      });
      expect([first.length, second.length]).toEqual([3, 3]);
      expect([...first, ...second]).toEqual(records);
    }
  });

  it("I54: a journal with a gap or a missing end is an error, never a shorter journal", async () => {
    await append(3, 1, 9);
    writeRows(place.path, [[recordKey(3, 9)], [recordKey(3, 4)]]);
    await store.close();
    store = openSqliteStore({ exclusive: false, path: place.path });
    await expect(store.acquire()).rejects.toThrow("I54");
    await expect(store.readRecords({ shard: 3, after: 2, limit: 2 })).rejects.toThrow("I54");
    expect(await store.readRecords({ shard: 3, after: 0, limit: 3 })).toHaveLength(3);
  });

  it("I53: a row that is damaged or misplaced is an error that names the place", async () => {
    await append(3, 1, 2);
    const first = encodeRecord(sampleRecord(3, 1));
    writeRows(place.path, [[recordKey(3, 2), first]]);
    await expect(store.readRecords({ shard: 3, after: 1, limit: 9 })).rejects.toThrow(
      "I53: journal record 2 of shard 3 cannot be read: it is record 1 of shard 3",
    );
    await keepEnded(store, [endedOrder({ orderId: -256 })]);
    const key = endedKey({ accountId: 1, orderId: -256 });
    writeRows(place.path, [[key, rowIn(place.path, key)?.slice(0, 40) ?? ""]]);
    await expect(store.findEnded({ accountId: 1, orderId: -256 })).rejects.toThrow(
      "I53: parent order -256 cannot",
    );
  });

  it("a list and its legs are deleted in one transaction", async () => {
    const list = endedList({ listId: -256, endedAtMs: 10 });
    await keepLists(store, [list], endedLegs(list));
    executeOn(
      place.path,
      "CREATE TRIGGER stop BEFORE DELETE ON long BEGIN SELECT raise(ABORT, 'no delete'); END",
    );
    await expect(store.deleteEnded({ beforeMs: 11, limit: 9 })).rejects.toThrow("no delete");
    expect(await store.findEndedList({ accountId: 1, listId: -256 })).toEqual(list);
    expect(await store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 2 });
  });

  it("the count of an account's ended parents is stored and stays equal to the number of rows", async () => {
    const bothAre = (expected: readonly number[]): void => {
      const counted = [1, 2].map((account) =>
        Number(readValue(place.path, `SELECT count(*) FROM managed_order WHERE account_id = ${account}`)),
      );
      const counts = [1, 2].map((account) =>
        Number(rowIn(place.path, `count ${String(account).padStart(16, "0")}`)),
      );
      expect([counts, counted]).toEqual([expected, expected]);
    };
    const orders = [1, 2, 3, 4].map((n) =>
      endedOrder({ orderId: -256 * n, accountId: 1 + (n % 2), endedAtMs: 10 * n }),
    );
    await keepEnded(store, orders);
    bothAre([2, 2]);
    const list = endedList({ listId: -256_000, endedAtMs: 10 });
    await keepLists(store, [list], endedLegs(list));
    await keepEnded(store, orders.slice(2));
    bothAre([4, 2]);
    const taken = endedOrder({ orderId: -256 * 9, accountId: 1, clientOrderId: "c512" });
    await expect(keepEnded(store, [endedOrder({ orderId: -256 * 8 }), taken])).rejects.toThrow("I03");
    bothAre([4, 2]);
    expect(await store.deleteEnded({ beforeMs: 31, limit: 9 })).toBe(6);
    bothAre([1, 0]);
    expect(await store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 1 });
  });

  it("I53: a snapshot with a missing part is an error", async () => {
    await append(0, 1, 1);
    const parents = Array.from({ length: 200 }, (_, index) => openOrder({ orderId: -256 * (index + 1) }));
    await store.writeSnapshot({ shard: 0, sequence: 1, counter: 200, parents });
    const [generation, part1] = [1, 1].map((number) => String(number).padStart(16, "0"));
    writeRows(place.path, [[`snap 000 ${generation} ${part1}`]]);
    await expect(store.readSnapshot(0)).rejects.toThrow("I53: a part of the snapshot of shard 0 is missing");
  });

  it("a snapshot that is replaced while it is read gives way to the newer one", async () => {
    await append(0, 1, 9);
    const parentsOf = (count: number): readonly ParentOrder[] =>
      Array.from({ length: count }, (_, index) => openOrder({ orderId: -256 * (index + 1) }));
    await store.writeSnapshot({ shard: 0, sequence: 4, counter: 900, parents: parentsOf(1_400) });
    const partKey = (generation: number, part: number): string =>
      `snap 000 ${[generation, part].map((number) => String(number).padStart(16, "0")).join(" ")}`;
    let received = 0;
    // As another process does it between two steps.
    const replace = (): void => {
      if (++received > 1) return;
      const old = Array.from({ length: 11 }, (_, part): readonly [string] => [partKey(1, part)]);
      const text = encodeParents(parentsOf(60));
      writeRows(place.path, [...old, [partKey(2, 0), text], ["snapshot 000", "9 901 2 1 60"]]);
    };
    const read = await store.readSnapshot(0, replace);
    expect([read?.sequence, read?.counter, read?.parents.length]).toEqual([9, 901, 60]);
    expect(received).toBeGreaterThan(1);
  });

  it("I71: a failing database results in an error, never in an empty answer", async () => {
    await append(0, 1, 1);
    executeOn(
      place.path,
      "DROP TABLE journal; DROP TABLE short; DROP VIEW managed_order; DROP VIEW managed_list",
    );
    executeOn(place.path, "DROP VIEW api_order_reject; DROP TABLE long");
    const calls: readonly Promise<unknown>[] = [
      store.append({ shards: [part(0, 1, { records: [sampleRecord(0, 2)] })] }),
      store.readRecords({ shard: 0, after: 0, limit: 1 }),
      store.readSnapshot(0),
      store.readMarks(),
      store.findEnded({ accountId: 1, clientOrderId: "a" }),
      store.pageEnded({ accountId: 1, afterOrderId: 0, newestFirst: false, limit: 1 }),
      store.countEnded({ accountId: 1, shard: 0 }),
      store.readEnded({ shard: 0, afterOrderId: 0, limit: 1 }),
      store.findEndedList({ accountId: 1, listClientOrderId: "a" }),
      store.pageEndedLists({ accountId: 1, limit: 1 }),
      store.deleteEnded({ beforeMs: 1, limit: 1 }),
      store.append({ shards: [], prints: [samplePrint()] }),
      store.readVolume(),
      store.deleteVolume({ beforeMs: 1 }),
    ];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => "rejected"));
    expect(rowIn(place.path, "head 000"), "nothing was written by half").toBe("1 0");
  });

  it("I60: an append fails and stores nothing while another process holds the file's lock", async () => {
    const impatient = openSqliteStore({ exclusive: false, path: place.path, busyTimeoutMs: 1 });
    const [head] = await impatient.acquire();
    const epoch = head?.epoch ?? 0;
    const { driver } = await import("./temporary-place.ts");
    const other = driver.open(place.path);
    other.exec("BEGIN IMMEDIATE");
    const batch = { shards: [part(0, epoch, { records: [sampleRecord(0, 1)] })], marks: [sampleMark()] };
    await expect(impatient.append(batch)).rejects.toThrow("database is locked");
    expect(await impatient.readRecords({ shard: 0, after: 0, limit: 9 })).toEqual([]);
    other.exec("ROLLBACK");
    other.close();
    expect(await impatient.append(batch)).toEqual(["durable"]);
    await impatient.close();
  });

  it.each(["", "a\0b", "\ufeffx \u{1f600}"])("the small value %j is read as it was set", async (value) => {
    await store.keyValue.set("any", value);
    expect(await store.keyValue.get("any")).toBe(value);
  });

  it("small values are durable in the same file", async () => {
    await store.keyValue.set("clock", "5");
    await store.keyValue.set("clock", "6");
    const again = openSqliteStore({ exclusive: false, path: place.path });
    expect(await again.keyValue.get("clock")).toBe("6");
    expect(await again.keyValue.get("other")).toBeUndefined();
    await again.close();
    await store.close();
    await expect(store.keyValue.get("clock")).rejects.toThrow("the store is closed");
  });
});

describe("sqlite snapshots", () => {
  let place: TemporaryPlace;
  let store: SqliteStore;
  const parents: readonly ParentOrder[] = Array.from({ length: 700 }, (_, index) =>
    openOrder({ orderId: -256 * (index + 1) }),
  );
  beforeEach(async () => {
    place = temporaryPlace();
    store = openSqliteStore({ exclusive: false, path: place.path });
    await store.acquire();
    await store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 9) })] });
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });
  const write = (sequence: number, count: number) =>
    store.writeSnapshot({ shard: 0, sequence, counter: 1, parents: parents.slice(0, count) });
  const rows = () => [countIn(place.path, "snapshot"), countIn(place.path, "snap")];

  it("a replaced snapshot leaves no rows behind", async () => {
    await write(1, 700);
    await write(2, 300);
    await write(3, 10);
    expect(rows()).toEqual([1, 1]);
    await write(2, 700);
    await write(4, 10);
    expect(rows()).toEqual([1, 1]);
  });

  it("a snapshot is invisible until it is complete; the next one removes an interrupted one", async () => {
    await write(1, 10);
    const other = openSqliteStore({ exclusive: false, path: place.path });
    const snapshot = { shard: 0, sequence: 2, counter: 1, parents };
    await expect(
      other.writeSnapshot(snapshot, () => {
        throw new Error("interrupted");
      }),
    ).rejects.toThrow("interrupted");
    expect((await store.readSnapshot(0))?.sequence).toBe(1);
    expect(rows()).toEqual([1, 2]);
    await write(3, 10);
    expect(rows()).toEqual([1, 1]);
    await other.close();
  });

  it("closing the store during a snapshot keeps the previous snapshot", async () => {
    await write(1, 10);
    const interrupted = write(2, 700);
    await store.close();
    await expect(interrupted).rejects.toThrow("the store is closed");
    store = openSqliteStore({ exclusive: false, path: place.path });
    expect((await store.readSnapshot(0))?.sequence).toBe(1);
  });

  it("of two simultaneous snapshots of one shard, the newer one remains", async () => {
    await Promise.all([write(5, 700), write(4, 300), write(3, 700)]);
    expect((await store.readSnapshot(0))?.sequence).toBe(5);
    expect(rows()).toEqual([1, 6]);
  });
});
