import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lineOf } from "../../../src/adapters/sqlite/archive.ts";
import { lockFile, lockFileOnce } from "../../../src/adapters/sqlite/file.ts";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  type SqliteStore,
  verifySqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { endedKey } from "../../../src/store/ended.ts";
import { encodeRecord } from "../../../src/wire/index.ts";
import { endedOrder, part, sampleRecord, sampleRecords } from "../../store/rules/samples.ts";
import {
  canBackUp,
  damageRow,
  driver,
  executeOn,
  readValue,
  type TemporaryPlace,
  temporaryPlace,
} from "./temporary-place.ts";

let place: TemporaryPlace;
let [to, restored] = ["", ""];
beforeEach(() => {
  place = temporaryPlace();
  to = join(place.directory, "backup.db");
  restored = join(place.directory, "restored", "orders.db");
});
afterEach(() => place.remove());

/** Opens the store with some records in two shards. */
async function filled(records = 20): Promise<SqliteStore> {
  const store = openSqliteStore({ exclusive: false, path: place.path });
  const heads = await store.acquire();
  const { epoch = 0 } = heads[0] ?? {};
  const shards = [3, 9].map((shard) => part(shard, epoch, { records: sampleRecords(shard, 1, records) }));
  await store.append({ shards });
  return store;
}

describe.runIf(canBackUp)("a backup", () => {
  it("is the store at one moment, while appends go on; nothing is seen under its name before it is complete", async () => {
    const store = await filled(3_000);
    let appended = 3_000;
    let steps = 0;
    const copy = await backupSqliteStore({
      path: place.path,
      to,
      onProgress(done, all) {
        steps++;
        expect(done).toBeLessThanOrEqual(all);
        expect(existsSync(to)).toBe(false);
        expect(statSync(`${to}.part`).mode & 0o777).toBe(0o600);
        const records = [sampleRecord(3, ++appended)];
        void store.append({ shards: [part(3, 1, { records })] });
      },
    });
    expect(steps).toBeGreaterThan(0);
    expect(copy).toMatchObject({ records: 6_000, forgets: false, bytes: statSync(to).size });
    expect(copy.shards).toEqual([
      { shard: 3, epoch: 1, sequence: 3_000 },
      { shard: 9, epoch: 1, sequence: 3_000 },
    ]);
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.directory).sort()).toEqual(["backup.db", "data"]);
    expect(await verifySqliteStore({ path: to })).toMatchObject({
      whole: true,
      records: 6_000,
      stored: 6_000,
    });
    expect((await store.head(3)).sequence).toBe(appended);
    await store.close();
  });

  it.runIf(driver.name === "better-sqlite3").each(["SQLITE_FULL", "SQLITE_IOERR_WRITE"])(
    "names the copy if it cannot be written (%s)",
    async (code) => {
      const store = await filled();
      const { prototype } = createRequire(import.meta.url)("better-sqlite3") as typeof Sqlite;
      const failed = Object.assign(new Error("database or disk is full"), { code });
      const failing = vi.spyOn(prototype, "backup").mockRejectedValue(failed);
      await expect(backupSqliteStore({ path: place.path, to })).rejects.toMatchObject({
        ...{ code, message: expect.stringMatching(/^backup.db cannot be written \(SQLITE_\w+\): /) },
      });
      failing.mockRestore();
      expect(readdirSync(place.directory)).toEqual(["data"]);
      await store.close();
    },
  );

  it.runIf(driver.name === "better-sqlite3")(
    "a restore that fails leaves nothing, also if SQLite cannot empty its log at the end",
    async () => {
      await (await filled()).close();
      await backupSqliteStore({ path: place.path, to });
      const Database = createRequire(import.meta.url)("better-sqlite3") as typeof Sqlite;
      const { exec } = Database.prototype;
      const failed = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
      let reader: Sqlite.Database | undefined;
      const failing = vi.spyOn(Database.prototype, "exec").mockImplementation(function (
        this: Sqlite.Database,
        sql,
      ) {
        if (!sql.includes("UPDATE state")) return exec.call(this, sql);
        // As on a full disk, the log stays when the file is closed.
        reader = new Database(`${restored}.part`);
        reader.prepare("SELECT 1 FROM heads").get();
        throw failed;
      });
      await expect(restoreSqliteStore({ from: to, path: restored })).rejects.toMatchObject({
        code: "SQLITE_FULL",
      });
      failing.mockRestore();
      reader?.close();
      expect(readdirSync(dirname(restored))).toEqual(["orders.db.lock"]);
    },
  );

  it("is made once if several are begun for one path at once; the others are refused, and nothing else is left", async () => {
    const store = await filled();
    const begun = [1, 2, 3].map(() => backupSqliteStore({ path: place.path, to }));
    const ends = await Promise.allSettled(begun);
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    for (const end of ends)
      if (end.status === "rejected")
        expect(end.reason).toMatchObject({ code: expect.stringMatching(/^(EBUSY|EEXIST)$/) });
    expect(await verifySqliteStore({ path: to })).toMatchObject({ whole: true, records: 40 });
    expect(readdirSync(place.directory).filter((name) => name.includes("part"))).toEqual([]);
    await store.close();
  });

  describe.runIf(driver.name === "better-sqlite3")("has one writer, also at the end of another one", () => {
    const part = () => ({ path: `${to}.part`, busyTimeoutMs: 0 });

    it("whose lock is taken as soon as it is released", async () => {
      const store = await filled();
      const { prototype } = createRequire(import.meta.url)("better-sqlite3") as typeof Sqlite;
      const { close } = prototype;
      const taken: (() => void)[] = [];
      const closing = vi.spyOn(prototype, "close").mockImplementation(function (this: Sqlite.Database) {
        const closed = close.call(this);
        if (this.name.endsWith(".part.lock") && taken.length === 0) taken.push(lockFile(part()));
        return closed;
      });
      await backupSqliteStore({ path: place.path, to });
      expect(taken).toHaveLength(1);
      expect(() => lockFile(part())).toThrow(expect.objectContaining({ code: "EBUSY" }));
      closing.mockRestore();
      for (const unlock of taken) unlock();
      await store.close();
    });

    it("whose lock is removed while another one waits for it", () => {
      const { prototype } = createRequire(import.meta.url)("better-sqlite3") as typeof Sqlite;
      const { pragma } = prototype;
      const first = lockFileOnce(part());
      let third = (): void => undefined;
      const locking = vi.spyOn(prototype, "pragma").mockImplementationOnce(function (
        this: Sqlite.Database,
        source,
        options,
      ) {
        first();
        third = lockFile(part());
        return pragma.call(this, source, options);
      });
      expect(() => lockFile(part())).toThrow(expect.objectContaining({ code: "EBUSY" }));
      locking.mockRestore();
      third();
    });
  });

  it("replaces no file, and needs a store", async () => {
    const store = await filled();
    writeFileSync(to, "mine");
    await expect(backupSqliteStore({ path: place.path, to })).rejects.toThrow("backup.db exists already");
    expect(readFileSync(to, "utf8")).toBe("mine");
    const missing = join(place.directory, "no.db");
    const isMissing = "no.db does not exist";
    await expect(backupSqliteStore({ path: missing, to: `${to}2` })).rejects.toThrow(isMissing);
    await expect(restoreSqliteStore({ from: missing, path: restored })).rejects.toThrow(isMissing);
    await expect(verifySqliteStore({ path: missing })).rejects.toThrow(isMissing);
    await expect(verifySqliteStore({ path: place.path, archive: missing })).rejects.toThrow(
      /^the archive .*no.db cannot be read \(ENOENT\): it does not exist$/,
    );
    expect(existsSync(missing)).toBe(false);
    await expect(backupSqliteStore({ path: to, to: `${to}2` })).rejects.toThrow(
      "backup.db is not a SQLite database",
    );
    await store.close();
  });
});

describe.runIf(canBackUp)("a restored store", () => {
  it("I60: has everything, in a later epoch", async () => {
    const store = await filled();
    await backupSqliteStore({ path: place.path, to });
    await store.close();
    const idOf = (path: string) => readValue(path, "SELECT value FROM state WHERE name = 'id'");
    const copy = await restoreSqliteStore({ from: to, path: restored });
    expect(copy).toMatchObject({ records: 40, shards: [{ shard: 3, epoch: 2, sequence: 20 }, { shard: 9 }] });
    expect(idOf(to)).toBe(idOf(place.path));
    expect(idOf(restored), "another store").not.toBe(idOf(to));
    const next = openSqliteStore({ path: restored });
    expect((await next.acquire())[3]).toEqual({ shard: 3, epoch: 3, sequence: 20 });
    expect(await next.readRecords({ shard: 9, after: 0, limit: 99 })).toHaveLength(20);
    await next.close();
  });

  it("replaces no store, and is not made of a damaged backup, of another file, or of a store in use", async () => {
    const store = await filled(2_000);
    await expect(restoreSqliteStore({ from: place.path, path: restored })).rejects.toThrow(
      "is a store in use",
    );
    await backupSqliteStore({ path: place.path, to });
    await expect(restoreSqliteStore({ from: to, path: place.path })).rejects.toThrow(
      "orders.db exists already",
    );
    await store.close();
    const bytes = readFileSync(to);
    bytes.fill(7, 4_096 * 20, 4_096 * 60);
    writeFileSync(`${to}.bad`, bytes);
    await expect(restoreSqliteStore({ from: `${to}.bad`, path: restored })).rejects.toThrow("damaged");
    expect(existsSync(restored)).toBe(false);
    mkdirSync(join(place.directory, "other"), { recursive: true });
    writeFileSync(`${to}.text`, "not a store at all".repeat(1_000));
    await expect(restoreSqliteStore({ from: `${to}.text`, path: restored })).rejects.toThrow();
    expect(existsSync(restored)).toBe(false);
  });
});

describe.runIf(canBackUp)("a file that an earlier database of the same name has left", () => {
  it.each(["-journal", "-wal", "-shm"])(
    "%s keeps a copy from being made, because SQLite would apply it to the copy",
    async (end) => {
      await (await filled()).close();
      const refused = new RegExp(`db${end} exists already`);
      writeFileSync(`${to}${end}`, "left");
      await expect(backupSqliteStore({ path: place.path, to })).rejects.toThrow(refused);
      expect(existsSync(to)).toBe(false);
      rmSync(`${to}${end}`);
      await backupSqliteStore({ path: place.path, to });
      mkdirSync(dirname(restored));
      writeFileSync(`${restored}${end}`, "left");
      await expect(restoreSqliteStore({ from: to, path: restored })).rejects.toThrow(refused);
      expect(existsSync(restored)).toBe(false);
    },
  );
});

describe("verifySqliteStore", () => {
  const archive = () => join(place.directory, "archive");
  async function forgetful(): Promise<SqliteStore> {
    const store = openSqliteStore({
      exclusive: false,
      path: place.path,
      journal: { prune: true, archive: archive() },
    });
    await store.acquire();
    const orders = Array.from({ length: 30 }, (_, index) => -((index + 1) * 256 + 3));
    const records = orders.map((orderId, index) => ({
      ...sampleRecord(3, index + 1),
      changes: [{ orderId, previous: 0, facts: [] }],
    }));
    const ended = orders.map((orderId, index) => ({ ...endedOrder({ orderId }), lastSequence: index + 1 }));
    await store.append({ shards: [part(3, 1, { records, ended })] });
    await store.writeSnapshot({ shard: 3, sequence: 30, counter: 99, parents: [] });
    await store.pruneEnded?.({ beforeMs: 5_000 }, () => true);
    return store;
  }

  it("finds the whole journal in store and archive; without the archive, only what is forgotten may be missing", async () => {
    const store = await forgetful();
    const whole = await verifySqliteStore({ path: place.path, archive: archive() });
    expect(whole).toMatchObject({
      whole: true,
      records: 30,
      stored: 1,
      archived: 29,
      missing: 0,
      problems: 0,
    });
    expect(await verifySqliteStore({ path: place.path })).toMatchObject({
      whole: true,
      stored: 1,
      archived: 0,
    });
    await store.close();
  });

  it("takes records that come, and leave, while it reads; an archive that is ahead of its store is a problem", async () => {
    const store = await forgetful();
    const file = join(archive(), readdirSync(archive()).find((name) => name.startsWith("journal")) ?? "");
    const leave = (position: number): void =>
      appendFileSync(file, lineOf({ text: encodeRecord(sampleRecord(3, position)), position }));
    let next = 31;
    const onProgress = (): void => {
      if (next > 31) return;
      void store.append({ shards: [part(3, 1, { records: [sampleRecord(3, next)] })] });
      leave(next++);
    };
    const found = await verifySqliteStore({ path: place.path, archive: archive(), onProgress });
    expect(next, "a record came meanwhile").toBe(32);
    expect(found).toMatchObject({ whole: true, records: 30, archived: 29 });
    expect(await verifySqliteStore({ path: place.path, archive: archive() })).toMatchObject({ records: 31 });
    leave(32);
    leave(33);
    const ahead = await verifySqliteStore({ path: place.path, archive: archive() });
    expect(ahead).toMatchObject({ whole: false, missing: 0, problems: 1 });
    expect(ahead.problemTexts[0]).toMatch(
      /^journal-.*, line \d+: the archive goes on to the journal position 33, and the journal ends at 31$/,
    );
    await store.close();
  });

  it("names what is missing, damaged, contradictory or unknown", async () => {
    const store = await forgetful();
    const [name = ""] = readdirSync(archive());
    const file = join(archive(), name);
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [...lines.slice(0, 4), ...lines.slice(6)].join("\n"));
    const gone = await verifySqliteStore({ path: place.path, archive: archive() });
    expect(gone).toMatchObject({
      whole: false,
      missing: 2,
      missingRecords: [{ shard: 3, from: 5, to: 6 }],
    });
    writeFileSync(file, lines.join("\n").replace('"sequence":9,', '"sequence":8,'));
    const damaged = await verifySqliteStore({ path: place.path, archive: archive() });
    expect(damaged).toMatchObject({ whole: false, problems: 1, missing: 1 });
    expect(damaged.problemTexts).toEqual([
      expect.stringMatching(/^journal-1970-01-01.ndjson, line \d+: the line is damaged$/),
    ]);
    writeFileSync(file, lines.join("\n"));
    await store.append({
      shards: [
        part(3, 1, { records: [], ended: [1, 2, 3].map((n) => endedOrder({ orderId: -256 * n - 3 })) }),
      ],
    });
    const [second, third] = [-515, -771].map((orderId) => endedKey({ accountId: 1, orderId })) as [
      string,
      string,
    ];
    for (const key of [second, third])
      damageRow(place.path, key, (text) => text.replace("CANCELED", "FILLED"));
    const rows = await verifySqliteStore({ path: place.path, archive: archive() });
    expect(rows.problemTexts, "a damaged row does not hide the next one").toEqual([
      expect.stringContaining(`the row "${second}" cannot be read`),
      expect.stringContaining(`the row "${third}" cannot be read`),
      "the number of ended orders of account 1 is wrong by -2",
    ]);
    for (const key of [second, third])
      damageRow(place.path, key, (text) => text.replace("FILLED", "CANCELED"));
    executeOn(place.path, "UPDATE journal SET value = replace(value, 'PLACE', 'CANCEL')");
    const changed = await verifySqliteStore({ path: place.path, archive: archive() });
    expect(changed).toMatchObject({ whole: false, problems: 1, missing: 1 });
    await store.close();
  });
});
