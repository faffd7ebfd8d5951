import { copyFileSync, cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  type SqliteStore,
  verifySqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { part, sampleRecords } from "../../store/rules/samples.ts";
import { canBackUp, executeOn, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

let place: TemporaryPlace;
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(() => place.remove());

const append = (store: SqliteStore, from: number, to: number, epoch = 1) =>
  store.append({ shards: [part(3, epoch, { records: sampleRecords(3, from, to) })] });

/**
 * Leaves the files of a store as they are when its process is killed after some appends, and returns the path. Taking the
 * store over is a transaction too.
 */
async function killedAfter(appends: number, name = "killed"): Promise<string> {
  const store = openSqliteStore({ path: place.path });
  await store.acquire();
  for (let sequence = 1; sequence <= appends; sequence++) await append(store, sequence, sequence);
  const image = join(place.directory, name);
  cpSync(dirname(place.path), image, { recursive: true });
  await store.close();
  return join(image, "orders.db");
}

describe("a file belongs to one process", () => {
  it("a script that opens the file of a running engine is refused, and the engine goes on", async () => {
    const engine = openSqliteStore({ path: place.path });
    await engine.acquire();
    const script = () => openSqliteStore({ path: place.path, busyTimeoutMs: 0 });
    expect(script).toThrow("orders.db is in use by another process");
    expect(await append(engine, 1, 1)).toEqual(["durable"]);
    const { whole, records } = await verifySqliteStore({ path: place.path });
    expect([whole, records]).toEqual([true, 1]);
    await engine.close();
    await script().close();
  });

  it("unless the setting says otherwise", async () => {
    const options = { path: place.path, exclusive: false, busyTimeoutMs: 0 };
    const [first, second] = [openSqliteStore(options), openSqliteStore(options)];
    await Promise.all([first.close(), second.close()]);
  });
});

describe("a store that ends before what it has acknowledged", () => {
  const LOSSES: readonly (readonly [string, (path: string) => void])[] = [
    ["its log was deleted", (path) => rmSync(`${path}-wal`)],
    ["its log was cut", (path) => truncateSync(`${path}-wal`, Math.floor(statSync(`${path}-wal`).size / 2))],
    [
      "its log was damaged",
      (path) => {
        const bytes = readFileSync(`${path}-wal`);
        bytes[bytes.length - 2000] = (bytes[bytes.length - 2000] ?? 0) ^ 1;
        writeFileSync(`${path}-wal`, bytes);
      },
    ],
    ["it was cut to nothing", (path) => truncateSync(path, 0)],
    [
      "it was cut to nothing, with its log",
      (path) => {
        truncateSync(path, 0);
        rmSync(`${path}-wal`);
      },
    ],
    ["it was removed", (path) => rmSync(path)],
  ];

  it.each(LOSSES)(
    "is refused when %s: the error names what is missing and how to go on",
    async (_how, lose) => {
      const path = await killedAfter(5);
      lose(path);
      const open = () => openSqliteStore({ path });
      for (const _again of [1, 2]) {
        expect(open).toThrow(
          /orders[.]db ends after [0-5] transactions, but 6 were acknowledged: the last [1-6] are missing/,
        );
        expect(open).toThrow(
          "restore a backup, or go on without them: with acceptLoss: true, or by removing orders.db.acknowledged",
        );
      }
    },
  );

  it.each(LOSSES)("verify says the same when %s", async (_how, lose) => {
    const path = await killedAfter(5);
    lose(path);
    const found = await verifySqliteStore({ path }).then(
      ({ whole, problemTexts }) => `${whole} ${problemTexts.join()}`,
      String,
    );
    expect(found).toMatch(/ends after [0-5] transactions, but 6 were acknowledged/);
    expect(found).not.toContain("true");
  });

  it.each(LOSSES)("opens with acceptLoss when %s, and from then on as any other", async (_how, lose) => {
    const path = await killedAfter(5);
    lose(path);
    const store = openSqliteStore({ path, acceptLoss: true });
    const heads = await store.acquire();
    const { epoch = 0, sequence = 0 } = heads[3] ?? {};
    expect(sequence).toBeLessThan(5);
    expect(await append(store, sequence + 1, sequence + 1, epoch)).toEqual(["durable"]);
    await store.close();
    await openSqliteStore({ path }).close();
    expect((await verifySqliteStore({ path })).whole).toBe(true);
  });

  it("is refused when an older file has its place", async () => {
    const older = await killedAfter(2);
    await openSqliteStore({ path: older }).close();
    const store = openSqliteStore({ path: place.path });
    await store.acquire();
    await append(store, 3, 6, 2);
    await store.close();
    copyFileSync(older, place.path);
    expect(() => openSqliteStore({ path: place.path })).toThrow(
      "ends after 3 transactions, but 5 were acknowledged",
    );
  });

  it("leaves what is left of its log, for a repair", async () => {
    const path = await killedAfter(5);
    truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 100);
    const before = readFileSync(`${path}-wal`);
    expect(() => openSqliteStore({ path })).toThrow("are missing");
    expect(readFileSync(`${path}-wal`).equals(before)).toBe(true);
  });
});

describe("what was acknowledged", () => {
  it("is there after every kill: the store opens with each record, again and again", async () => {
    let path = place.path;
    for (let kill = 1; kill <= 10; kill++) {
      const store = openSqliteStore({ path });
      const { epoch = 0, sequence = 0 } = (await store.acquire())[3] ?? {};
      expect(sequence).toBe(kill - 1);
      await append(store, kill, kill, epoch);
      const image = join(place.directory, `killed-${kill}`);
      cpSync(dirname(path), image, { recursive: true });
      await store.close();
      path = join(image, "orders.db");
    }
  });

  it("a write that was cut off in the middle leaves the number before it", async () => {
    const path = await killedAfter(5);
    const file = `${path}.acknowledged`;
    const whole = readFileSync(file);
    expect(whole).toHaveLength(4096);
    for (const slot of [0, 2048]) {
      const torn = Buffer.from(whole);
      torn.fill("7", slot + 25, slot + 40);
      writeFileSync(file, torn);
      const at = join(place.directory, `torn-${slot}`);
      cpSync(dirname(path), at, { recursive: true });
      rmSync(join(at, "orders.db-wal"));
      expect(() => openSqliteStore({ path: join(at, "orders.db") })).toThrow(/but [56] were acknowledged/);
    }
  });

  it("counts transactions that are durable, and no others", async () => {
    const store = openSqliteStore({ path: place.path });
    await store.acquire();
    await append(store, 1, 3);
    expect(await append(store, 9, 9)).toEqual(["fenced"]);
    await store.close();
    expect(readFileSync(`${place.path}.acknowledged`, "latin1")).toMatch(/^managed-orders acknowledged 2 /m);
  });

  it("is unknown of a store that was moved without its file, which opens and begins a new one", async () => {
    const path = await killedAfter(5);
    rmSync(`${path}.acknowledged`);
    await openSqliteStore({ path }).close();
    executeOn(path, "UPDATE heads SET value = '5 5 0' WHERE key = ''");
    expect(() => openSqliteStore({ path })).toThrow("ends after 5 transactions, but 6 were acknowledged");
  });

  it.skipIf(!canBackUp)("is that of the backup after a restore, whatever an earlier store left", async () => {
    const path = await killedAfter(5);
    const backup = join(place.directory, "backup.db");
    await backupSqliteStore({ path, to: backup });
    const store = openSqliteStore({ path });
    const { epoch = 0 } = (await store.acquire())[3] ?? {};
    await append(store, 6, 9, epoch);
    await store.close();
    rmSync(path);
    const { records } = await restoreSqliteStore({ from: backup, path, pause: false });
    expect(records).toBe(5);
    await openSqliteStore({ path }).close();
    const counts = String(readValue(path, "SELECT value FROM heads WHERE key = ''"));
    const commits = Number.parseInt(counts, 10);
    executeOn(path, `UPDATE heads SET value = '${commits - 1} 5 5' WHERE key = ''`);
    expect(() => openSqliteStore({ path })).toThrow(
      `ends after ${commits - 1} transactions, but ${commits} were acknowledged`,
    );
  });
});
