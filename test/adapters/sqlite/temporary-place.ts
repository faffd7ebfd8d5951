import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Driver } from "../../../src/adapters/sqlite/database.ts";
import { loadDriver } from "../../../src/adapters/sqlite/driver.ts";

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
