/** How long a statement waits for another process, in milliseconds. */
export const TIMEOUT_MS = 5_000;

/** Number of pages that one step of a copy reads. */
export const PAGES_PER_STEP = 100;

/**
 * What runs SQLite: the package better-sqlite3, an optional peer dependency, or the module that Node.js has from version
 * 22.13.
 */
export type SqliteDriverName = "better-sqlite3" | "node:sqlite";

/** A way to open SQLite files. */
export type Driver = Readonly<{
  name: SqliteDriverName;
  /** Opens a file, and creates it if it is missing and not opened for reading only. */
  open(path: string, options?: OpenOptions): Database;
}>;

/** How to open a file, and how long a statement waits for another process, in milliseconds (default 5,000). */
export type OpenOptions = Readonly<{ readonly?: boolean; timeoutMs?: number }>;

/**
 * An open database, the same with both drivers. An error of SQLite has its name as `code`, such as SQLITE_BUSY or
 * SQLITE_CONSTRAINT_UNIQUE.
 */
export interface Database {
  readonly open: boolean;
  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Parameters, Row>;
  /** Runs statements that return nothing. */
  exec(sql: string): void;
  /** Runs a pragma. Returns its rows or, if `simple` is set, the first value of the first row. */
  pragma(source: string, options?: Readonly<{ simple?: boolean }>): unknown;
  /**
   * Returns a function that runs `run` in a transaction, and rolls back if it throws. The function itself begins with a
   * read; `immediate` takes the file's write lock first. Inside another transaction the function is a part of it: if
   * `run` throws, only that part is rolled back. `immediate` must not be called inside a transaction.
   */
  transaction<Parameters extends unknown[], Result>(
    run: (...parameters: Parameters) => Result,
  ): Transaction<Parameters, Result>;
  /**
   * Copies the database as of the end of the copy to another file while this connection reads and writes. Rejects if
   * the driver is node:sqlite in a version of Node.js that cannot do this.
   */
  backup(path: string, options?: BackupOptions): Promise<void>;
  close(): void;
}

/**
 * A prepared statement. Parameters are given in order, or by name in one object that has no other members. The columns
 * of a statement must have different names.
 */
export interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  run(...parameters: Parameters): Changes;
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  /** Reads row by row. The database must not be written before the last row is read or the loop is left. */
  iterate(...parameters: Parameters): Iterable<Row>;
  /** Makes the statement return only the first column of a row. */
  pluck(): this;
  /** Makes the statement return rows as arrays. */
  raw(): this;
}

/** Number of rows that a statement changed, and the key of the last row that it added. */
export type Changes = Readonly<{ changes: number; lastInsertRowid: number | bigint }>;

/** A function that runs in a transaction of its own. */
export type Transaction<Parameters extends unknown[], Result> = ((...parameters: Parameters) => Result) &
  Readonly<{ immediate: (...parameters: Parameters) => Result }>;

/** Size of a step of a copy in pages (default 100), and a listener that is called between two steps. */
export type BackupOptions = Readonly<{ pagesPerStep?: number; progress?: (left: BackupProgress) => void }>;

/** Number of pages of a copy, and of those that are not yet copied. */
export type BackupProgress = Readonly<{ totalPages: number; remainingPages: number }>;
