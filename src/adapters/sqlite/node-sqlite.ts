import {
  type BackupOptions,
  type BackupProgress,
  type Changes,
  type Database,
  type Driver,
  type OpenOptions,
  PAGES_PER_STEP,
  type Statement,
  TIMEOUT_MS,
  type Transaction,
} from "./database.ts";
import { namedError } from "./sqlite-error.ts";

/** The part of node:sqlite that is used here, as of Node.js 22.13. A member that came later is optional. */
type Module = Readonly<{
  DatabaseSync: new (path: string, options: Readonly<{ readOnly: boolean }>) => NativeDatabase;
  backup?: (
    database: NativeDatabase,
    path: string,
    options: Readonly<{ rate: number; progress: (left: BackupProgress) => void }>,
  ) => Promise<number>;
}>;

type NativeDatabase = Readonly<{
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
}>;

type NativeStatement = Readonly<{
  run(...parameters: readonly unknown[]): Changes;
  get(...parameters: readonly unknown[]): object | undefined;
  all(...parameters: readonly unknown[]): object[];
  iterate(...parameters: readonly unknown[]): Iterable<object>;
  setReturnArrays?: (isArrays: boolean) => void;
}>;

/**
 * The settings with which better-sqlite3 compiles SQLite, where those of Node.js differ: a cache of 16 MB, triggers on
 * rows that a REPLACE removes, and a schema that may call only harmless functions.
 */
const SETTINGS = "PRAGMA cache_size = -16000; PRAGMA recursive_triggers = ON; PRAGMA trusted_schema = OFF;";

/** Loads node:sqlite. Throws if this version of Node.js does not have it, or has it only behind a flag. */
export function nodeSqlite(load: (name: string) => unknown): Driver {
  const module = load("node:sqlite") as Module;
  return {
    name: "node:sqlite",
    open: (path, { readonly = false, timeoutMs = TIMEOUT_MS }: OpenOptions = {}) =>
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

  async backup(
    path: string,
    { pagesPerStep = PAGES_PER_STEP, progress = () => undefined }: BackupOptions = {},
  ): Promise<void> {
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

  run(...parameters: Parameters): Changes {
    return named(() => this.#native.run(...parameters));
  }

  get(...parameters: Parameters): Row | undefined {
    const row = named(() => this.#native.get(...parameters));
    return row === undefined ? undefined : (this.#rowOf(row) as Row);
  }

  all(...parameters: Parameters): Row[] {
    return named(() => this.#native.all(...parameters)).map(this.#rowOf) as Row[];
  }

  *iterate(...parameters: Parameters): Generator<Row, void> {
    const rows = named(() => this.#native.iterate(...parameters)[Symbol.iterator]());
    const next = (): IteratorResult<object> => named(() => rows.next());
    try {
      for (let row = next(); row.done !== true; row = next()) yield this.#rowOf(row.value) as Row;
    } finally {
      // After an error the statement would stay open: later writes would fail, and the write-ahead log would only grow.
      rows.return?.();
    }
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
