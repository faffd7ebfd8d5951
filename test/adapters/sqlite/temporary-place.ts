import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withChecksum } from "../../../src/adapters/checksums/index.ts";
import { type Database, type Driver, loadDriver } from "../../../src/adapters/sqlite/database.ts";
import { codeOf, keyOfCode, placeOf } from "../../../src/adapters/sqlite/keys.ts";
import { indexAll } from "../../../src/adapters/sqlite/storage.ts";

/**
 * The driver of the stores under test, for tests that inspect or damage a file: another one would remove their locks.
 */
export const driver: Driver = loadDriver();

/** Node.js 22.13 to 22.15 cannot copy an open database. */
export const canBackUp: boolean =
  driver.name === "better-sqlite3" || "backup" in createRequire(import.meta.url)(driver.name);

/** A separate directory for one test. */
export type TemporaryPlace = Readonly<{ directory: string; path: string; remove: () => void }>;

/** Creates the directory; `path` names a database file in it that does not exist yet. */
export function temporaryPlace(): TemporaryPlace {
  const directory = mkdtempSync(join(tmpdir(), "managed-orders-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  return { directory, path: join(directory, "data", "orders.db"), remove };
}

/** Runs SQL on a file through a separate connection. */
export function executeOn(path: string, sql: string): void {
  const database = driver.open(path);
  database.exec(sql);
  database.close();
}

/** Returns the single value that a query on a file selects. */
export function readValue(path: string, sql: string): unknown {
  const database = driver.open(path, { readonly: true });
  const value = database.prepare(sql).pluck().get();
  database.close();
  return value;
}

/** Which table and column have a key, and how it stands there. */
function placeIn(key: string): readonly [table: string, column: string, name: string] {
  const table = placeOf(key);
  return table === "journal" ? [table, "code", codeOf(key) ?? ""] : [table, "key", key];
}

function withFile<T>(path: string, work: (database: Database) => T): T {
  const database = driver.open(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Returns the value of a row of a file without its checksum, undefined if it has none. */
export const rowIn = (path: string, key: string): string | undefined =>
  withFile(path, (database) => {
    const [table, column, name] = placeIn(key);
    const read = database.prepare<[string], string>(`SELECT value FROM ${table} WHERE ${column} = ?`);
    return read.pluck().get(name)?.slice(8);
  });

/** Returns the rows of a kind, such as `log`, in a file, without their checksums. */
export const rowsIn = (path: string, kind: string): readonly (readonly [key: string, value: string])[] =>
  withFile(path, (database) => {
    const table = placeOf(`${kind} `);
    const sql =
      table === "journal"
        ? "SELECT code, value FROM journal ORDER BY position"
        : `SELECT key, value FROM ${table} WHERE key >= '${kind} ' AND key < '${kind}!' ORDER BY key`;
    const rows = database.prepare<[], [key: string, value: string]>(sql).raw().all();
    return rows.map(([key, value]) => [table === "journal" ? keyOfCode(key) : key, value.slice(8)]);
  });

/** Returns the number of rows of a kind, such as `ended`, in a file. */
export const countIn = (path: string, kind: string): number => rowsIn(path, kind).length;

/** Changes the value of a row of a file, and leaves its checksum. Throws if the row is missing or stays as it is. */
export const damageRow = (path: string, key: string, change: (value: string) => string): void =>
  withFile(path, (database) => {
    const [table, column, name] = placeIn(key);
    const read = database.prepare<[string], string>(`SELECT value FROM ${table} WHERE ${column} = ?`);
    const stored = read.pluck().get(name);
    if (stored === undefined) throw new Error(`the file has no row "${key}"`);
    const value = stored.slice(0, 8) + change(stored.slice(8));
    if (value === stored) throw new Error(`the row "${key}" stays as it is`);
    database.prepare(`UPDATE ${table} SET value = ? WHERE ${column} = ?`).run(value, name);
  });

/** Writes rows to a file with their checksums; those without a value are deleted, from the journal alone if they are records. */
export const writeRows = (path: string, rows: readonly (readonly [key: string, value?: string])[]): void =>
  withFile(path, (database) => {
    for (const [key, value] of rows) {
      const [table, column, name] = placeIn(key);
      if (value === undefined) database.prepare(`DELETE FROM ${table} WHERE ${column} = ?`).run(name);
      else if (table === "journal")
        database.prepare("UPDATE journal SET value = ? WHERE code = ?").run(withChecksum(key, value), name);
      else
        database
          .prepare(`INSERT OR REPLACE INTO ${table} (key, value) VALUES (?, ?)`)
          .run(key, withChecksum(key, value));
    }
  });

/** The key of a record. */
export const recordKey = (shard: number, sequence: number): string =>
  `log ${String(shard).padStart(3, "0")} ${String(sequence).padStart(16, "0")}`;

/** Brings the index of the journal up to date, as an append does from time to time. */
export const indexJournal = (path: string): void =>
  withFile(path, (database) => database.transaction(() => indexAll(database)).immediate());
