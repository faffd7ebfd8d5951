import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  verifySqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { withSqliteStorage } from "../../../src/adapters/sqlite/internal.ts";
import { part, sampleRecords } from "../../store/rules/samples.ts";
import {
  canBackUp,
  driver,
  executeOn,
  readValue,
  type TemporaryPlace,
  temporaryPlace,
} from "./temporary-place.ts";

let place: TemporaryPlace;
let [backup, restored] = ["", ""];
beforeEach(async () => {
  place = temporaryPlace();
  backup = join(place.directory, "backup.db");
  restored = join(place.directory, "restored.db");
  if (!canBackUp) return;
  const store = openSqliteStore({ path: place.path });
  await store.acquire();
  await store.append({ shards: [part(3, 1, { records: sampleRecords(3, 1, 20) })] });
  await backupSqliteStore({ path: place.path, to: backup });
  await store.close();
});
afterEach(() => place.remove());

const IS_BACKUP =
  "backup.db is a backup, and orders that are open in it may have been executed since: make a new store of it with managed-orders restore or restoreSqliteStore";
const markOf = (path: string): unknown => readValue(path, "PRAGMA application_id");

describe.runIf(canBackUp)("a backup is not a store", () => {
  it("and is refused by name when it is opened as one, and left unchanged", async () => {
    const before = readFileSync(backup);
    chmodSync(backup, 0o640);
    for (const exclusive of [false, true])
      expect(() => openSqliteStore({ path: backup, exclusive })).toThrow(
        expect.objectContaining({ code: "STORE_FILE", message: IS_BACKUP }),
      );
    await expect(withSqliteStorage({ path: backup }, async () => "read")).rejects.toThrow(IS_BACKUP);
    expect(readFileSync(backup).equals(before)).toBe(true);
    expect(statSync(backup).mode & 0o777).toBe(0o640);
    expect(await verifySqliteStore({ path: backup })).toMatchObject({ whole: true, records: 20 });
  });

  it("also in the place of the store, and however often it was copied", async () => {
    rmSync(place.path);
    copyFileSync(backup, place.path);
    expect(() => openSqliteStore({ path: place.path })).toThrow("orders.db is a backup");
    const again = join(place.directory, "again.db");
    expect(await backupSqliteStore({ path: backup, to: again })).toMatchObject({ records: 20 });
    expect(() => openSqliteStore({ path: again })).toThrow("again.db is a backup");
    await restoreSqliteStore({ from: again, path: restored });
    await openSqliteStore({ path: restored }).close();
  });

  it.each([
    ["", {}],
    [" without pauses", { pause: false }],
    [" at a position", { at: 7 }],
  ])("but what is restored from it%s is one, and its backups are restored too", async (_, options) => {
    await restoreSqliteStore({ from: backup, path: restored, ...options });
    const store = openSqliteStore({ path: restored, exclusive: true });
    const { records } = await backupSqliteStore({ path: restored, to: `${backup}2` });
    await store.close();
    expect(markOf(restored)).toBe(markOf(place.path));
    expect(markOf(`${backup}2`)).toBe(markOf(backup));
    expect(await restoreSqliteStore({ from: `${backup}2`, path: `${restored}2` })).toMatchObject({ records });
  });

  it("and a copy of a closed store that was made by other means is restored like one", async () => {
    copyFileSync(place.path, `${backup}2`);
    await restoreSqliteStore({ from: `${backup}2`, path: restored });
    await openSqliteStore({ path: restored }).close();
    expect(markOf(`${backup}2`)).toBe(markOf(place.path));
  });

  it("nor is a file that is empty restored as one", async () => {
    writeFileSync(`${backup}2`, "");
    await expect(restoreSqliteStore({ from: `${backup}2`, path: restored })).rejects.toThrow(
      "backup.db2 is damaged: it is empty",
    );
    expect(existsSync(restored)).toBe(false);
  });

  it("and is never removed as the rest of the copy that is made of it", async () => {
    const part = `${restored}.part`;
    copyFileSync(backup, part);
    const link = join(place.directory, "link.db");
    symlinkSync(part, link);
    for (const from of [part, link]) {
      await expect(restoreSqliteStore({ from, path: restored })).rejects.toThrow("choose another path");
      await expect(backupSqliteStore({ path: from, to: restored })).rejects.toThrow("choose another path");
    }
    expect(readFileSync(part).equals(readFileSync(backup))).toBe(true);
  });

  it("and says for an earlier schema that a restore updates it", async () => {
    executeOn(backup, "PRAGMA user_version = 0");
    const refused = "restore it, which updates the new store";
    await expect(verifySqliteStore({ path: backup })).rejects.toThrow(refused);
  });

  it.runIf(driver.name === "better-sqlite3")("nor is a restore that did not end", async () => {
    const Database = createRequire(import.meta.url)("better-sqlite3") as typeof Sqlite;
    const { exec } = Database.prototype;
    const found: unknown[] = [];
    const spy = vi.spyOn(Database.prototype, "exec").mockImplementation(function (
      this: Sqlite.Database,
      sql,
    ) {
      if (sql.includes("UPDATE state")) found.push(this.pragma("application_id", { simple: true }));
      return exec.call(this, sql);
    });
    mkdirSync(dirname(restored), { recursive: true });
    copyFileSync(place.path, `${backup}2`);
    await restoreSqliteStore({ from: backup, path: restored });
    await restoreSqliteStore({ from: `${backup}2`, path: `${restored}2` });
    spy.mockRestore();
    expect(found).toEqual([markOf(backup), markOf(backup)]);
  });
});
