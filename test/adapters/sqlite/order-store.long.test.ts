import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checksumOf } from "../../../src/adapters/checksums/index.ts";
import { endedListTable } from "../../../src/adapters/sqlite/ended-list-table.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { snapshotTable } from "../../../src/adapters/sqlite/snapshot-table.ts";
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
import type { ParentOrder } from "../../../src/model/index.ts";
import { encodeRecord } from "../../../src/wire/index.ts";
import { driver, executeOn, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

testOrderStore(
  { describe, it },
  {
    name: "sqlite",
    supports: { leases: false, pageEndedNames: true, priceBars: true, progress: true, forgetEnded: true },
    createPlace() {
      const { path, remove } = temporaryPlace();
      return { open: () => openSqliteStore({ exclusive: false, path, journal: { forget: true } }), remove };
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

  it("decision GU: reading an old page of lists does not visit newer lists", () => {
    const reading = driver.open(place.path, { readonly: true });
    const page = vi.spyOn(reading, "prepare");
    endedListTable(reading);
    const sql = page.mock.calls.map(([text]) => text).find((text) => text.includes("accepted_at_ms <= ?"));
    const steps = reading.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(1, 1, 2, 3) as { detail: string }[];
    reading.close();
    expect(steps.map(({ detail }) => detail)).toEqual([
      "SEARCH ended_lists USING INDEX ended_lists_of_account (account_id=? AND accepted_at_ms>? AND accepted_at_ms<?)",
    ]);
  });

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
    await store.acquire();
    expect(readValue(place.path, "SELECT count(*) FROM journal_index")).toBe(10_800);
    expect(await store.readRecords({ shard: 1, after: 5_399, limit: 5 })).toEqual([sampleRecord(1, 5_400)]);
  });

  it("decision IG: pages of names come from the index of client ids, independent of the rows", async () => {
    await keepEnded(store, [endedOrder({ orderId: -256 }), endedOrder({ orderId: -512 })]);
    executeOn(place.path, "UPDATE ended SET record = 'damaged', checksum = 1");
    expect(await store.pageEndedNames?.({ limit: 9 })).toEqual([
      { accountId: 1, clientOrderId: "c256" },
      { accountId: 1, clientOrderId: "c512" },
    ]);
    const page = `SELECT account_id, client_order_id FROM ended INDEXED BY ended_client_ids
      WHERE (account_id, client_order_id) > (1, 'a') ORDER BY account_id, client_order_id LIMIT 9`;
    const database = driver.open(place.path, { readonly: true });
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${page}`).all() as { detail: string }[];
    database.close();
    expect(plan.map(({ detail }) => detail)).toEqual([
      "SEARCH ended USING COVERING INDEX ended_client_ids ((account_id,client_order_id)>(?,?))",
    ]);
  });

  it("decision HN: a read of large records returns fewer of them, in order, and the next read continues", async () => {
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
      if (isIndexed) await store.acquire();
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
    executeOn(place.path, "DELETE FROM journal WHERE sequence = 9");
    await expect(store.readRecords({ shard: 3, after: 0, limit: 99 })).rejects.toThrow("I54");
    executeOn(place.path, "DELETE FROM journal WHERE sequence = 4");
    await expect(store.readRecords({ shard: 3, after: 2, limit: 2 })).rejects.toThrow("I54");
    expect(await store.readRecords({ shard: 3, after: 0, limit: 3 })).toHaveLength(3);
  });

  it("I53: a row that is damaged or misplaced is an error that names the place", async () => {
    await append(3, 1, 2);
    const first = encodeRecord(sampleRecord(3, 1));
    executeOn(place.path, `UPDATE journal SET checksum = ${checksumOf([3, 2], first)}, record = '${first}'`);
    await expect(store.readRecords({ shard: 3, after: 1, limit: 9 })).rejects.toThrow(
      "I53: journal record 2 of shard 3 cannot be read: it is record 1 of shard 3",
    );
    await keepEnded(store, [endedOrder({ orderId: -256 })]);
    executeOn(place.path, "UPDATE ended SET record = substr(record, 1, 40)");
    await expect(store.findEnded({ accountId: 1, orderId: -256 })).rejects.toThrow(
      "I53: parent order -256 cannot",
    );
  });

  it.each(["", "-512,", "-512,x", "-512,7e2", "-512, -768"])(
    "I53: a list whose legs are damaged to %j is an error that names the list",
    async (legs) => {
      const list = endedList({ listId: -256 });
      await keepLists(store, [list]);
      const { accountId, listClientOrderId, acceptedAtMs, endedAtMs } = list;
      const checksum = checksumOf([-256, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs]);
      executeOn(place.path, `UPDATE ended_lists SET checksum = ${checksum}, legs = '${legs}'`);
      const broken = "I53: the legs of list -256 cannot be read";
      await expect(store.findEndedList({ accountId: 1, listId: -256 })).rejects.toThrow(broken);
      await expect(store.pageEndedLists({ accountId: 1, limit: 1 })).rejects.toThrow(broken);
    },
  );

  it.each(["", "12.5", "-1", "1e3"])(
    "I16: the file does not accept a volume total such as %j",
    async (sum) => {
      await store.append({ shards: [], prints: [samplePrint()] });
      for (const change of ["volume_totals SET total", "volume_bars SET quantity"]) {
        expect(() => executeOn(place.path, `UPDATE ${change} = '${sum}'`)).toThrow("CHECK constraint failed");
      }
    },
  );

  it("a list and its legs are deleted in one transaction", async () => {
    const list = endedList({ listId: -256, endedAtMs: 10 });
    await keepLists(store, [list], endedLegs(list));
    executeOn(
      place.path,
      "CREATE TRIGGER stop BEFORE DELETE ON ended BEGIN SELECT raise(ABORT, 'no delete'); END",
    );
    await expect(store.deleteEnded({ beforeMs: 11, limit: 9 })).rejects.toThrow("no delete");
    expect(await store.findEndedList({ accountId: 1, listId: -256 })).toEqual(list);
    expect(await store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 2 });
  });

  it("decision GR: the count of an account's ended parents is stored and stays equal to the number of rows", async () => {
    const counts = "SELECT group_concat(account_id || ':' || rows) FROM ended_counts WHERE rows > 0";
    const counted =
      "SELECT group_concat(n) FROM (SELECT account_id || ':' || count(*) AS n FROM ended GROUP BY account_id)";
    const bothAre = (expected: unknown): void =>
      expect([readValue(place.path, counts), readValue(place.path, counted)]).toEqual([expected, expected]);
    const orders = [1, 2, 3, 4].map((n) =>
      endedOrder({ orderId: -256 * n, accountId: 1 + (n % 2), endedAtMs: 10 * n }),
    );
    await keepEnded(store, orders);
    bothAre("1:2,2:2");
    const list = endedList({ listId: -256_000, endedAtMs: 10 });
    await keepLists(store, [list], endedLegs(list));
    await keepEnded(store, orders.slice(2));
    bothAre("1:4,2:2");
    const taken = endedOrder({ orderId: -256 * 9, accountId: 1, clientOrderId: "c512" });
    await expect(keepEnded(store, [endedOrder({ orderId: -256 * 8 }), taken])).rejects.toThrow("I03");
    bothAre("1:4,2:2");
    expect(await store.deleteEnded({ beforeMs: 31, limit: 9 })).toBe(6);
    bothAre("1:1");
    expect(await store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 1 });
  });

  it("I53: a snapshot with a missing part is an error", async () => {
    await append(0, 1, 1);
    const parents = Array.from({ length: 200 }, (_, index) => openOrder({ orderId: -256 * (index + 1) }));
    await store.writeSnapshot({ shard: 0, sequence: 1, counter: 200, parents });
    executeOn(place.path, "DELETE FROM snapshot_parts WHERE part = 1");
    await expect(store.readSnapshot(0)).rejects.toThrow("I53: a part of the snapshot of shard 0 is missing");
  });

  it("decision HK: a snapshot that is replaced while it is read gives way to the newer one", async () => {
    await append(0, 1, 9);
    const parentsOf = (count: number): readonly ParentOrder[] =>
      Array.from({ length: count }, (_, index) => openOrder({ orderId: -256 * (index + 1) }));
    await store.writeSnapshot({ shard: 0, sequence: 4, counter: 900, parents: parentsOf(900) });
    let heard = 0;
    const replace = (): void => {
      if (++heard > 1) return;
      const database = driver.open(place.path);
      const written = snapshotTable(database).write({
        ...{ shard: 0, sequence: 9, counter: 901 },
        parents: parentsOf(600),
      });
      for (let step = written.next(); step.done !== true; step = written.next());
      database.close();
    };
    const read = await store.readSnapshot(0, replace);
    expect([read?.sequence, read?.counter, read?.parents.length]).toEqual([9, 901, 600]);
    expect(heard).toBeGreaterThan(2);
  });

  it("I71: a failing database results in an error, never in an empty answer", async () => {
    await append(0, 1, 1);
    executeOn(
      place.path,
      `DROP TABLE ended; DROP TABLE journal; DROP TABLE marks; DROP TABLE snapshots; DROP TABLE snapshot_parts;
       DROP TABLE ended_counts; DROP TABLE ended_lists; DROP TABLE prints; DROP TABLE volume_bars`,
    );
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
    expect((await store.head(0)).sequence).toBe(1);
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
  const rows = () => [
    readValue(place.path, "SELECT count(*) FROM snapshots"),
    readValue(place.path, "SELECT count(*) FROM snapshot_parts"),
  ];

  it("a replaced snapshot leaves no rows behind", async () => {
    await write(1, 700);
    await write(2, 300);
    await write(3, 10);
    expect(rows()).toEqual([1, 1]);
    await write(2, 700);
    expect(rows()).toEqual([1, 1]);
  });

  it("a snapshot is invisible until it is complete; the next owner removes an interrupted one", async () => {
    await write(1, 10);
    const interrupted = write(2, 700);
    expect((await store.readSnapshot(0))?.sequence).toBe(1);
    const later = openSqliteStore({ exclusive: false, path: place.path });
    await later.acquire();
    await expect(interrupted).rejects.toThrow(
      "a later owner of the store has dropped the unfinished snapshot",
    );
    expect((await later.readSnapshot(0))?.sequence).toBe(1);
    await later.acquire();
    expect(rows()).toEqual([1, 1]);
    await later.close();
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
