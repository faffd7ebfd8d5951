import { createRequire } from "node:module";
import type Sqlite from "better-sqlite3";

/** How long a statement waits for another process, in milliseconds. */
const TIMEOUT_MS = 5_000;

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
type OpenOptions = Readonly<{ readonly?: boolean; timeoutMs?: number }>;

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
   * the driver is node:sqlite in a version of Node.js that cannot do this. better-sqlite3 calls `progress` before the first
   * step too, and takes the size of a step from it.
   */
  backup(path: string, options: BackupOptions): Promise<unknown>;
  close(): void;
}

/**
 * A prepared statement. Parameters are given in order, or by name in one object that has no other members. The columns
 * of a statement must have different names.
 */
interface Statement<Parameters extends unknown[] = unknown[], Row = unknown> {
  run(...parameters: Parameters): Readonly<{ changes: number }>;
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  /** Makes the statement return only the first column of a row. */
  pluck(): this;
  /** Makes the statement return rows as arrays. */
  raw(): this;
}

/** A function that runs in a transaction of its own. */
type Transaction<Parameters extends unknown[], Result> = ((...parameters: Parameters) => Result) &
  Readonly<{ immediate: (...parameters: Parameters) => Result }>;

/** Size of a step of a copy in pages, and a listener that is called between two steps and may return another size. */
export type BackupOptions = Readonly<{
  pagesPerStep: number;
  progress: (left: Readonly<{ totalPages: number; remainingPages: number }>) => number;
}>;

type Load = (name: string) => unknown;

const INSTALL = "npm install better-sqlite3 (better-sqlite3@12 on Node.js 20)";

const LOADERS: Readonly<Record<SqliteDriverName, (load: Load) => Driver>> = {
  "better-sqlite3": betterSqlite3,
  "node:sqlite": nodeSqlite,
};

/** All drivers. */
export const DRIVER_NAMES: readonly SqliteDriverName[] = ["better-sqlite3", "node:sqlite"];

const MISSING: Readonly<Record<SqliteDriverName | "any", string>> = {
  "better-sqlite3": `The SQLite store needs the package better-sqlite3, which cannot be loaded. Install it: ${INSTALL}`,
  "node:sqlite": `The SQLite store cannot load node:sqlite: use Node.js 22.13 or later, or the driver better-sqlite3: ${INSTALL}`,
  any: `The SQLite store needs the package better-sqlite3, which cannot be loaded, or node:sqlite, which this Node.js lacks: use Node.js 22.13 or later, or ${INSTALL}`,
};

/** The first version of better-sqlite3 that cannot abort the process in Node.js 24, and that version of Node.js. */
const SAFE_MAJOR = 13;
const ABORTS_FROM_NODE = 24;

/**
 * Loads a driver; without a name, better-sqlite3 if it can be loaded, else node:sqlite. In Node.js 24 and later, a
 * better-sqlite3 before version 13 comes last: compiled with the headers of Node.js 24.19 or later, it aborts the process
 * when a statement is collected (nodejs/node#65446). Throws an Error that names what to install if the driver is missing,
 * was built for another Node.js, or cannot be used for another reason.
 */
export function loadDriver(name?: SqliteDriverName, load: Load = createRequire(LOADED_FROM)): Driver {
  const failures: unknown[] = [];
  const all = name === undefined ? DRIVER_NAMES : [name];
  for (const each of name === undefined && mayAbort(load) ? all.toReversed() : all) {
    try {
      return LOADERS[each](load);
    } catch (error) {
      failures.push(error);
    }
  }
  throw Object.assign(new Error(MISSING[name ?? "any"], { cause: failures[0] }), { code: "DRIVER_MISSING" });
}

function mayAbort(load: Load): boolean {
  const { versions } = load("node:process") as Readonly<{ versions: Readonly<{ node: string }> }>;
  if (Number.parseInt(versions.node, 10) < ABORTS_FROM_NODE) return false;
  try {
    const { version } = load("better-sqlite3/package.json") as Readonly<{ version: string }>;
    return Number.parseInt(version, 10) < SAFE_MAJOR;
  } catch {
    return false; // not installed
  }
}

/**
 * The file from which drivers are loaded. A thread loads its driver from there too: another copy of SQLite would not see the
 * locks of this one. The built package also contains this file as CommonJS, which has no `import.meta`.
 */
export const LOADED_FROM: string = typeof __filename === "string" ? __filename : import.meta.url;

/** Ends a use. */
type EndUse = () => void;

const uses = new Map<string, { driver: SqliteDriverName; openings: number }>();

/**
 * Notes that this thread opens a file with a driver, until the returned function is called. Throws an Error that names
 * the file if it is open with the other driver. The system keeps the locks of a file by process, and closing a file
 * releases all of them: two copies of SQLite in one process, as the drivers are, do not see each other's locks and remove
 * them.
 */
export function useDriver(path: string, driver: SqliteDriverName, name: string): EndUse {
  const use = uses.get(path) ?? { driver, openings: 0 };
  if (use.driver !== driver) {
    throw new Error(
      `${name} is open in this process with ${use.driver}: close it before it is opened with ${driver}`,
    );
  }
  use.openings++;
  uses.set(path, use);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--use.openings === 0) uses.delete(path);
  };
}

/** Loads better-sqlite3. Throws if the package or its native part cannot be loaded. */
function betterSqlite3(load: (name: string) => unknown): Driver {
  const Native = load("better-sqlite3") as typeof Sqlite;
  // Only the first database loads the native part; there its error would look like an error of the file.
  new Native(":memory:").close();
  return {
    name: "better-sqlite3",
    open: (path, { readonly = false, timeoutMs = TIMEOUT_MS } = {}) =>
      new Native(path, { readonly, timeout: timeoutMs }) as unknown as Database,
  };
}

/** The part of node:sqlite that is used here, as of Node.js 22.13. A member that came later is optional. */
type Module = Readonly<{
  DatabaseSync: new (path: string, options: Readonly<{ readOnly: boolean }>) => NativeDatabase;
  backup?: (
    database: NativeDatabase,
    path: string,
    options: Readonly<{ rate: number }> & Pick<BackupOptions, "progress">,
  ) => Promise<number>;
}>;

type NativeDatabase = Readonly<{
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
}>;

type NativeStatement = Readonly<{
  run(...parameters: readonly unknown[]): Readonly<{ changes: number }>;
  get(...parameters: readonly unknown[]): object | undefined;
  all(...parameters: readonly unknown[]): object[];
  setReturnArrays?: (isArrays: boolean) => void;
}>;

/**
 * The settings with which better-sqlite3 compiles SQLite, where those of Node.js differ: a cache of 16 MB, triggers on
 * rows that a REPLACE removes, and a schema that may call only harmless functions.
 */
const SETTINGS = "PRAGMA cache_size = -16000; PRAGMA recursive_triggers = ON; PRAGMA trusted_schema = OFF;";

/** Loads node:sqlite. Throws if this version of Node.js does not have it, or has it only behind a flag. */
function nodeSqlite(load: (name: string) => unknown): Driver {
  const module = load("node:sqlite") as Module;
  return {
    name: "node:sqlite",
    open: (path, { readonly = false, timeoutMs = TIMEOUT_MS } = {}) =>
      named(() => {
        const native = new module.DatabaseSync(path, { readOnly: readonly });
        try {
          // The option for the timeout came later than the module.
          native.exec(`PRAGMA busy_timeout = ${timeoutMs}; ${SETTINGS}`);
        } catch (error) {
          native.close();
          throw error;
        }
        return new NodeDatabase(native, module);
      }),
  };
}

/** Runs a call of node:sqlite, and names the result if it fails. */
function named<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw namedError(error);
  }
}

/** A database of node:sqlite with the behaviour of better-sqlite3. */
class NodeDatabase implements Database {
  readonly #native: NativeDatabase;
  readonly #module: Module;
  /** Begin and end of transactions; prepared once, because every append needs them. */
  readonly #own: Brackets;
  readonly #part: Brackets;
  #open = true;

  constructor(native: NativeDatabase, module: Module) {
    this.#native = native;
    this.#module = module;
    this.#own = this.#brackets("BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"]);
    this.#part = this.#brackets("SAVEPOINT part", "RELEASE part", ["ROLLBACK TO part", "RELEASE part"]);
  }

  #brackets(begin: string, commit: string, rollback: readonly string[]): Brackets {
    const prepared = (sql: string): Statement<[]> => this.prepare<[]>(sql);
    return { begin: prepared(begin), commit: prepared(commit), rollback: rollback.map(prepared) };
  }

  get open(): boolean {
    return this.#open;
  }

  prepare<Parameters extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    return new NodeStatement(named(() => this.#native.prepare(sql)));
  }

  exec(sql: string): void {
    named(() => this.#native.exec(sql));
  }

  pragma(source: string, { simple = false }: Readonly<{ simple?: boolean }> = {}): unknown {
    const statement = this.prepare(`PRAGMA ${source}`);
    return simple ? statement.pluck().get() : statement.all();
  }

  transaction<Parameters extends unknown[], Result>(
    run: (...parameters: Parameters) => Result,
  ): Transaction<Parameters, Result> {
    const between =
      ({ begin, commit, rollback }: Brackets) =>
      (...parameters: Parameters): Result => {
        begin.run();
        try {
          const result = run(...parameters);
          commit.run();
          return result;
        } catch (error) {
          undo(rollback);
          throw error;
        }
      };
    // A savepoint begins a transaction, or is a part of the one that is open.
    return Object.assign(between(this.#part), { immediate: between(this.#own) });
  }

  async backup(path: string, { pagesPerStep, progress }: BackupOptions): Promise<void> {
    const { backup } = this.#module;
    if (backup === undefined) {
      throw new Error(
        "A copy of an open store with node:sqlite needs Node.js 22.16 or 24: update Node.js, or install better-sqlite3",
      );
    }
    try {
      await backup(this.#native, path, { rate: pagesPerStep, progress });
    } catch (error) {
      throw namedError(error);
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#native.close();
  }
}

/** The statements around a transaction, or around a part of one. */
type Brackets = Readonly<{ begin: Statement<[]>; commit: Statement<[]>; rollback: readonly Statement<[]>[] }>;

/** Rolls back, unless SQLite has already done so, as it does when the disk is full. */
function undo(rollback: Brackets["rollback"]): void {
  try {
    for (const statement of rollback) statement.run();
  } catch (error) {
    const isOver = error instanceof Error && "code" in error && error.code === "SQLITE_ERROR";
    if (!isOver) throw error;
  }
}

class NodeStatement<Parameters extends unknown[], Row> implements Statement<Parameters, Row> {
  readonly #native: NativeStatement;
  /** Converts what node:sqlite returns; its objects have no prototype, unlike those of better-sqlite3. */
  #rowOf: (row: object) => unknown = (row) => ({ ...row });

  constructor(native: NativeStatement) {
    this.#native = native;
  }

  run(...parameters: Parameters): Readonly<{ changes: number }> {
    return named(() => this.#native.run(...parameters));
  }

  get(...parameters: Parameters): Row | undefined {
    const row = named(() => this.#native.get(...parameters));
    return row === undefined ? undefined : (this.#rowOf(row) as Row);
  }

  all(...parameters: Parameters): Row[] {
    return named(() => this.#native.all(...parameters)).map(this.#rowOf) as Row[];
  }

  pluck(): this {
    const values = this.#asArrays();
    this.#rowOf = (row) => values(row)[0];
    return this;
  }

  raw(): this {
    this.#rowOf = this.#asArrays();
    return this;
  }

  /** Returns the conversion of a row to an array. Node.js 22.13 to 22.15 cannot return arrays. */
  #asArrays(): (row: object) => unknown[] {
    if (this.#native.setReturnArrays === undefined) return Object.values;
    this.#native.setReturnArrays(true);
    return (row) => row as unknown[];
  }
}

/** The names of SQLite's results, by number. */
const PRIMARY = (
  "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL " +
  "EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING"
).split(" ");

/** The names of the kinds of a result, by its name; the first has the number 1. */
const EXTENDED: Readonly<Record<string, readonly string[]>> = {
  ERROR: "MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE".split(" "),
  ABORT: ["", "ROLLBACK"],
  BUSY: "RECOVERY SNAPSHOT TIMEOUT".split(" "),
  LOCKED: "SHAREDCACHE VTAB".split(" "),
  READONLY: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY".split(" "),
  IOERR: (
    "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS " +
    "CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH " +
    "VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE"
  ).split(" "),
  CORRUPT: "VTAB SEQUENCE INDEX".split(" "),
  CANTOPEN: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK".split(" "),
  CONSTRAINT:
    "CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE".split(
      " ",
    ),
  AUTH: ["USER"],
};

/** Number of bits of a result that say what it is; those above say of which kind. */
const PRIMARY_BITS = 8;

/** Returns an error of node:sqlite with the name of its result as `code`, such as SQLITE_BUSY. */
const sqliteError = (cause: Error, code: string): Error =>
  Object.assign(new Error(cause.message, { cause }), { name: "SqliteError", code });

/** Returns the name of a result by its number; of an unknown kind of a result, the name of the result. */
export function resultName(result: number): string {
  const primary = PRIMARY[result & (2 ** PRIMARY_BITS - 1)] ?? `UNKNOWN_${result}`;
  const kind = EXTENDED[primary]?.[(result >> PRIMARY_BITS) - 1] ?? "";
  return `SQLITE_${primary}${kind === "" ? "" : `_${kind}`}`;
}

/**
 * Returns an error of node:sqlite in the form in which better-sqlite3 has it: with the name of the result as `code`. An
 * integer beyond those of JavaScript becomes SQLITE_CORRUPT, because the store reads columns that may have one as text.
 * Returns any other error unchanged.
 */
export function namedError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "ERR_OUT_OF_RANGE") return sqliteError(error, "SQLITE_CORRUPT");
  if (error.code !== "ERR_SQLITE_ERROR" || !("errcode" in error) || typeof error.errcode !== "number")
    return error;
  return sqliteError(error, resultName(error.errcode));
}
