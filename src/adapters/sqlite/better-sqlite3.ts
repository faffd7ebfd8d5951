import type Sqlite from "better-sqlite3";
import {
  type BackupOptions,
  type Database,
  type Driver,
  type OpenOptions,
  PAGES_PER_STEP,
  type Statement,
  TIMEOUT_MS,
  type Transaction,
} from "./database.ts";

/** Loads better-sqlite3. Throws if the package or its native part cannot be loaded. */
export function betterSqlite3(load: (name: string) => unknown): Driver {
  const Native = load("better-sqlite3") as typeof Sqlite;
  // Only the first database loads the native part; there its error would look like an error of the file.
  new Native(":memory:").close();
  return {
    name: "better-sqlite3",
    open: (path, { readonly = false, timeoutMs = TIMEOUT_MS }: OpenOptions = {}) =>
      new BetterDatabase(new Native(path, { readonly, timeout: timeoutMs })),
  };
}

/** Passes everything on; the statements are those of better-sqlite3. */
class BetterDatabase implements Database {
  readonly #native: Sqlite.Database;

  constructor(native: Sqlite.Database) {
    this.#native = native;
  }

  get open(): boolean {
    return this.#native.open;
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    return this.#native.prepare(sql) as Statement<Parameters, Row>;
  }

  exec(sql: string): void {
    this.#native.exec(sql);
  }

  pragma(source: string, { simple = false }: Readonly<{ simple?: boolean }> = {}): unknown {
    return this.#native.pragma(source, { simple });
  }

  transaction<Parameters extends unknown[], Result>(
    run: (...parameters: Parameters) => Result,
  ): Transaction<Parameters, Result> {
    return this.#native.transaction(run);
  }

  async backup(path: string, { pagesPerStep = PAGES_PER_STEP, progress }: BackupOptions = {}): Promise<void> {
    await this.#native.backup(path, {
      progress(left) {
        // It is also called before the first step.
        if (left.remainingPages > 0 && left.remainingPages < left.totalPages) progress?.(left);
        return pagesPerStep;
      },
    });
  }

  close(): void {
    this.#native.close();
  }
}
