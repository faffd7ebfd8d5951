import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import {
  MIGRATIONS,
  type Migration,
  migrate,
  schemaVersion,
} from "../../../src/adapters/sqlite/migrations.ts";
import {
  endedLegs,
  endedList,
  endedOrder,
  keepLists,
  openOrder,
  part,
  sampleMark,
  samplePrint,
  sampleRecord,
  sampleRecords,
} from "../../../src/conformance/internal.ts";
import { SHARD_COUNT } from "../../../src/model/index.ts";
import { encodeParent, encodeRecord } from "../../../src/wire/index.ts";
import { driver, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

describe("sqlite migrations", () => {
  let place: TemporaryPlace;
  beforeEach(() => {
    place = temporaryPlace();
  });
  afterEach(() => place.remove());
  const steps: readonly Migration[] = [
    { version: 1, sql: "CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (1)" },
    { version: 2, sql: "ALTER TABLE orders ADD COLUMN symbol TEXT NOT NULL DEFAULT 'BTC/USD'" },
    { version: 3, sql: "CREATE INDEX by_symbol ON orders (symbol)" },
  ];

  it("the steps are numbered from 1 without gaps", () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
  });

  it("a file of an older version gets the missing steps and keeps its rows", () => {
    const database = driver.open(":memory:");
    migrate(database, steps.slice(0, 1));
    expect(schemaVersion(database)).toBe(1);
    migrate(database, steps);
    expect(schemaVersion(database)).toBe(3);
    expect(database.prepare("SELECT * FROM orders").all()).toEqual([{ id: 1, symbol: "BTC/USD" }]);
    migrate(database, steps);
    expect(schemaVersion(database)).toBe(3);
    database.close();
  });

  it("a step that fails leaves the file at the previous version", () => {
    const database = driver.open(":memory:");
    const broken = { version: 2, sql: "CREATE TABLE more (id INTEGER); CREATE TABLE orders (id INTEGER)" };
    expect(() => migrate(database, [...steps.slice(0, 1), broken])).toThrow("already exists");
    expect(schemaVersion(database)).toBe(1);
    expect(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").pluck().get()).toBe(0);
    database.close();
  });

  it("a step never changes after its release: version 1", () => {
    const [first] = MIGRATIONS;
    const hash = createHash("sha256").update(first?.sql ?? "");
    expect(hash.digest("hex").slice(0, 16)).toBe("5fcc3619448ea7ef");
  });

  it("decision 2: the schema has as many shards as the ids encode", async () => {
    await openSqliteStore({ exclusive: false, path: place.path }).close();
    expect(readValue(place.path, "SELECT count(*) FROM shards")).toBe(SHARD_COUNT);
    expect(readValue(place.path, "SELECT max(shard) FROM shards")).toBe(SHARD_COUNT - 1);
  });
});

/** Parents as version 1 stored them: outside lists. */
const kept = [10, 20, 30].map((endedAtMs) => endedOrder({ orderId: -256 * endedAtMs, endedAtMs }));

/** Creates a file as version 1 of the schema left it: journal, mark, snapshot, ended parents and a small value. */
function writeVersionOne(path: string): void {
  mkdirSync(dirname(path));
  const database = driver.open(path);
  database.pragma("journal_mode = WAL");
  database.pragma("application_id = 0x6d6f7264");
  migrate(database, MIGRATIONS.slice(0, 1));
  const mark = sampleMark();
  const run = (sql: string, ...values: readonly unknown[]): void => void database.prepare(sql).run(...values);
  database.transaction(() => {
    for (const record of sampleRecords(3, 1, 4)) {
      run(
        "INSERT INTO journal (shard, sequence, record) VALUES (3, ?, ?)",
        record.sequence,
        encodeRecord(record),
      );
    }
    run("UPDATE shards SET epoch = 5, sequence = iif(shard = 3, 4, 0)");
    run("UPDATE state SET value = 5 WHERE name = 'owner'");
    run("INSERT INTO marks VALUES ('BTC/USD', 'bid', 1, ?, ?)", mark.price, mark.timeMs);
    run("INSERT INTO snapshots (shard, sequence, counter, parents, complete) VALUES (3, 2, 9, 1, 1)");
    run("INSERT INTO snapshot_parts VALUES (1, 0, ?)", encodeParent(openOrder({ orderId: -259 })));
    for (const order of kept) {
      const { orderId, intent, ended } = order;
      run(
        "INSERT INTO ended VALUES (?, 1, ?, 0, ?, ?)",
        orderId,
        intent.clientOrderId,
        ended?.atMs,
        encodeParent(order),
      );
    }
    run("INSERT INTO key_values VALUES ('clock', '7')");
  })();
  expect(schemaVersion(database)).toBe(1);
  database.close();
}

describe("a file of schema version 1", () => {
  let place: TemporaryPlace;
  let store: SqliteStore;
  beforeEach(() => {
    place = temporaryPlace();
    writeVersionOne(place.path);
    store = openSqliteStore({ exclusive: false, path: place.path });
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });

  it("I01 I53: keeps all its content", async () => {
    expect(readValue(place.path, "PRAGMA user_version")).toBe(MIGRATIONS.length);
    expect((await store.acquire())[3]).toEqual({ shard: 3, epoch: 6, sequence: 4 });
    expect(await store.readRecords({ shard: 3, after: 0, limit: 9 })).toEqual(sampleRecords(3, 1, 4));
    const parents = [openOrder({ orderId: -259 })];
    expect(await store.readSnapshot(3)).toEqual({ shard: 3, sequence: 2, counter: 9, parents });
    // A mark of before stands for every shard.
    const marks = Array.from({ length: 256 }, (_, shard) => sampleMark({ shard }));
    expect(await store.readMarks()).toEqual(marks);
    expect(await store.readEnded({ shard: 0, afterOrderId: 0, limit: 9 })).toEqual(kept);
    expect(await store.keyValue.get("clock")).toBe("7");
    expect(await store.readVolume()).toEqual({ totals: [], bars: [], priceBars: [], prints: [] });
    expect(await store.pageEndedLists({ accountId: 1, limit: 9 })).toEqual([]);
    expect(await store.readQuotes()).toEqual([]);
    expect(await store.countEnded({ accountId: 1, shard: 0 })).toEqual({ count: 3, sequence: 0 });
    expect(await store.countEnded({ accountId: 2, shard: 0 })).toEqual({ count: 0, sequence: 0 });
  });

  it("continues: records, lists and volume are added, and its ended parents still expire by retention", async () => {
    await store.acquire();
    const list = endedList({ listId: -256_000, endedAtMs: 25 });
    await keepLists(store, [list], endedLegs(list));
    const shards = [part(3, 6, { records: [sampleRecord(3, 5)] })];
    expect(await store.append({ shards, prints: [samplePrint()] })).toEqual(["durable"]);
    expect((await store.readVolume()).bars).toHaveLength(1);
    expect(await store.deleteEnded({ beforeMs: 21, limit: 9 })).toBe(2);
    expect(await store.deleteEnded({ beforeMs: 26, limit: 9 })).toBe(3);
    expect(await store.readEnded({ shard: 0, afterOrderId: 0, limit: 9 })).toEqual(kept.slice(2));
  });
});

describe("decision NF: a file that was written before prices were kept", () => {
  it("keeps its volume, and the bars that contain it have unknown prices, which later prints do not change", async () => {
    const place = temporaryPlace();
    mkdirSync(dirname(place.path));
    const database = driver.open(place.path);
    database.pragma("journal_mode = WAL");
    database.pragma("application_id = 0x6d6f7264");
    migrate(database, MIGRATIONS.slice(0, 7));
    database.exec(
      "INSERT INTO volume_bars (minute_ms, symbol, quantity) VALUES (60000, 'BTC/USD', '500000')",
    );
    database.close();
    const store = openSqliteStore({ exclusive: false, path: place.path });
    await store.acquire();
    const spans = async (): Promise<readonly unknown[]> =>
      ((await store.readVolume()).priceBars ?? []).map(({ lengthMs, startMs, figures }) => [
        lengthMs,
        startMs,
        figures?.prints,
      ]);
    const unknown = [
      [300_000, 0, undefined],
      [3_600_000, 0, undefined],
      [86_400_000, 0, undefined],
    ];
    expect(await spans()).toEqual([[60_000, 60_000, undefined], ...unknown]);
    expect((await store.readVolume()).bars).toEqual([
      { symbol: "BTC/USD", minuteMs: 60_000, quantity: 500_000 },
    ]);
    const prints = [samplePrint({ timeMs: 60_001 }), samplePrint({ id: "p2", timeMs: 120_000 })];
    await store.append({ shards: [], prints });
    expect(await spans()).toEqual([[60_000, 60_000, undefined], [60_000, 120_000, 1], ...unknown]);
    await store.close();
    place.remove();
  });
});
