import type { CommitPart, Entry, KeyRange, Storage } from "../../ports/storage.ts";
import type { Database } from "./database.ts";
import { withFileName } from "./open-database.ts";
import { type Place, placeOf } from "./storage-schema.ts";

/**
 * Number of entries of the journal that may wait for its index. A read of such entries scans that many rows, which takes a
 * millisecond or two.
 */
const INDEX_EVERY = 8_192;

/** Number of characters of values after which a read is cut. */
const READ_CHARACTERS: number = 4 * 2 ** 20;

/** Number of characters of a key of the journal within which the keys rise with their positions: `log SSS `. */
const JOURNAL_PREFIX = 8;

/** What belongs to an open file. */
export type StorageFile = Readonly<{
  /** Name of the file in errors. */
  name?: string;
  /** Called when a transaction is durable, before anyone is told, with the number of all since the file was created. */
  committed?: (commits: number) => void;
  /** Called when the database is closed. */
  release?: () => void;
}>;

/**
 * Makes a storage of an open database with the schema of STORAGE_MIGRATIONS. Each transaction blocks the thread until it is
 * on disk.
 */
export function sqliteStorage(
  database: Database,
  { name = "the store", committed = () => undefined, release = () => undefined }: StorageFile = {},
): Storage {
  const state = stateOf(database);
  const tables = tablesOf(database, state);
  const { immediate: write } = database.transaction((parts: readonly CommitPart[]) => {
    state.read();
    const answers = parts.map((part) => writePart(tables, part));
    if (!answers.includes(true)) return { answers, commits: 0 };
    if (state.waiting() >= INDEX_EVERY) state.index();
    return { answers, commits: state.write() };
  });
  // Transactions, so that all values are of one moment.
  const get = database.transaction((keys: readonly string[]) => keys.map((key) => tables.of(key).get(key)));
  const range = database.transaction((ranges: readonly KeyRange[]) => {
    const budget = { characters: READ_CHARACTERS };
    return ranges.map((one) => tables.range(one, budget));
  });
  const guarded = <T>(run: () => T): T => {
    if (!database.open) throw new Error("the store is closed");
    try {
      return run();
    } catch (error) {
      throw withFileName(error, name);
    }
  };
  return {
    async commit(parts) {
      const { answers, commits } = guarded(() => write(parts));
      if (commits > 0) committed(commits);
      return answers;
    },
    get: async (keys) => guarded(() => get(keys)),
    range: async (ranges) => guarded(() => range(ranges)),
    async close() {
      database.close();
      release();
    },
  };
}

/** Returns the number of transactions in a file, which never falls. */
export function commitsIn(database: Database): number {
  return database.prepare<[], number>("SELECT commits FROM state").pluck().get() ?? 0;
}

/** Writes a part, or nothing if one of its conditions does not hold. */
function writePart(tables: Tables, { conditions, puts, deletes }: CommitPart): boolean {
  const left = new Map(puts);
  for (let at = 0; at < conditions.length; at++) {
    const [key, old] = conditions[at] as CommitPart["conditions"][number];
    const value = left.get(key);
    const table = tables.of(key);
    if (value === undefined ? table.get(key) === old : table.replace(key, old, value)) continue;
    for (const [replaced, before] of conditions.slice(0, at)) {
      if (left.has(replaced)) restore(tables.of(replaced), replaced, before);
    }
    return false;
  }
  for (const [key] of conditions) left.delete(key);
  for (const [key, value] of left) tables.of(key).put(key, value);
  for (const key of deletes) tables.of(key).delete(key);
  return true;
}

function restore(table: KeyTable, key: string, value: string | undefined): void {
  if (value === undefined) table.delete(key);
  else table.put(key, value);
}

/** The state of the journal as of the transaction that runs. */
type State = ReturnType<typeof stateOf>;

function stateOf(database: Database) {
  const read = database
    .prepare<[], [commits: number, position: number, indexed: number]>(
      "SELECT commits, position, indexed FROM state",
    )
    .raw();
  const write = database.prepare<[commits: number, position: number, indexed: number]>(
    "UPDATE state SET commits = ?, position = ?, indexed = ?",
  );
  const fill = database.prepare<[after: number]>(
    `INSERT OR REPLACE INTO journal_index (key, position)
     SELECT key, position FROM journal WHERE position > ? ORDER BY key`,
  );
  let [commits, position, indexed] = [0, 0, 0];
  return {
    read() {
      [commits, position, indexed] = read.get() as [number, number, number];
    },
    /** Returns the number of transactions, this one included. */
    write(): number {
      write.run(++commits, position, indexed);
      return commits;
    },
    /** Number of entries of the journal that wait for its index. */
    waiting: () => position - indexed,
    next: () => ++position,
    /** Brings the index up to date. */
    index() {
      fill.run(indexed);
      indexed = position;
    },
    indexed: () => indexed,
  };
}

/** The entries of one place. Call the methods inside a transaction. */
type KeyTable = Readonly<{
  get(key: string): string | undefined;
  put(key: string, value: string): void;
  delete(key: string): void;
  /** Puts a value if the key has the old one, or has none if that is undefined. */
  replace(key: string, old: string | undefined, value: string): boolean;
  range: ReadRange;
}>;

/** Reads a range that lies in one place. */
type ReadRange = (range: KeyRange, budget: Budget) => Entry[];

/** How many more characters an answer may have. */
type Budget = { characters: number };

type Tables = Readonly<{ of(key: string): KeyTable; range: ReadRange }>;

function tablesOf(database: Database, state: State): Tables {
  const places: Readonly<Record<Place, KeyTable>> = {
    journal: journalTable(database, state),
    short: keyTable(database, "short"),
    long: keyTable(database, "long"),
  };
  const all = rangeReader(database, [selectFrom("short"), selectFrom("long"), INDEXED, WAITING]);
  const of = (key: string): KeyTable => places[placeOf(key)];
  return {
    of,
    range(range, budget) {
      const word = range.from.indexOf(" ") + 1;
      const read = word > 0 && liesWithin(range, word) ? of(range.from).range : all;
      return read(range, budget);
    },
  };
}

function keyTable(database: Database, table: "short" | "long"): KeyTable {
  const get = database.prepare<[key: string], string>(`SELECT value FROM ${table} WHERE key = ?`).pluck();
  const put = database.prepare<[key: string, value: string]>(
    `INSERT INTO ${table} (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  const add = database.prepare<[key: string, value: string]>(
    `INSERT INTO ${table} (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING`,
  );
  const change = database.prepare<[value: string, key: string, old: string]>(
    `UPDATE ${table} SET value = ? WHERE key = ? AND value = ?`,
  );
  const remove = database.prepare<[key: string]>(`DELETE FROM ${table} WHERE key = ?`);
  return {
    get: (key) => get.get(key),
    put: (key, value) => void put.run(key, value),
    delete: (key) => void remove.run(key),
    replace: (key, old, value) =>
      (old === undefined ? add.run(key, value) : change.run(value, key, old)).changes === 1,
    range: rangeReader(database, [selectFrom(table)]),
  };
}

function journalTable(database: Database, state: State): KeyTable {
  const insert = database.prepare<[position: number, key: string, value: string]>(
    "INSERT INTO journal (position, key, value) VALUES (?, ?, ?)",
  );
  const indexed = database
    .prepare<[key: string], string>(
      "SELECT value FROM journal WHERE position = (SELECT position FROM journal_index WHERE key = ?)",
    )
    .pluck();
  const waiting = database
    .prepare<[key: string], string>(
      "SELECT value FROM journal WHERE position > (SELECT indexed FROM state) AND key = ?",
    )
    .pluck();
  const remove = database.prepare<[key: string]>(
    "DELETE FROM journal WHERE position = (SELECT position FROM journal_index WHERE key = ?)",
  );
  const removeIndex = database.prepare<[key: string]>("DELETE FROM journal_index WHERE key = ?");
  const get = (key: string): string | undefined => indexed.get(key) ?? waiting.get(key);
  const put = (key: string, value: string): void => void insert.run(state.next(), key, value);
  return {
    get,
    put,
    delete(key) {
      if (state.waiting() > 0) state.index();
      remove.run(key);
      removeIndex.run(key);
    },
    replace(key, old, value) {
      if (get(key) !== old) return false;
      put(key, value);
      return true;
    },
    range: journalReader(database),
  };
}

/**
 * Reads ranges of the journal. Within a shard, those that wait come after all that are indexed: they are looked for only if
 * there are too few of the others.
 */
function journalReader(database: Database): ReadRange {
  const indexed = rangeReader(database, [INDEXED]);
  const waiting = rangeReader(database, [WAITING]);
  const both = rangeReader(database, [INDEXED, WAITING]);
  return (range, budget) => {
    if (!liesWithin(range, JOURNAL_PREFIX)) return both(range, budget);
    const [first, second] = range.reverse === true ? [waiting, indexed] : [indexed, waiting];
    const entries = first(range, budget);
    const limit = range.limit - entries.length;
    if (limit === 0 || (entries.length > 0 && budget.characters <= 0)) return entries;
    for (const entry of second({ ...range, limit }, budget)) entries.push(entry);
    return entries;
  };
}

const selectFrom = (table: string): string =>
  `SELECT key, value FROM ${table} WHERE key >= @from AND key < @before`;

const INDEXED = `SELECT place.key AS key, value FROM journal_index AS place
  JOIN journal ON journal.position = place.position WHERE place.key >= @from AND place.key < @before`;

const WAITING = `${selectFrom("journal")} AND position > (SELECT indexed FROM state)`;

/** Prepares a read of what all of these return, in order: SQLite reads no more of each than it needs. */
function rangeReader(database: Database, selects: readonly string[]): ReadRange {
  const prepare = (order: string) =>
    database
      .prepare<[Readonly<{ from: string; before: string; limit: number }>], Entry>(
        `${selects.join(" UNION ALL ")} ORDER BY key ${order} LIMIT @limit`,
      )
      .raw();
  const [rising, falling] = [prepare("ASC"), prepare("DESC")];
  return ({ from, before, limit, reverse = false }, budget) => {
    const entries: Entry[] = [];
    for (const entry of (reverse ? falling : rising).iterate({ from, before, limit })) {
      entries.push(entry);
      budget.characters -= entry[1].length;
      if (budget.characters <= 0) break;
    }
    return entries;
  };
}

/** Returns whether all keys of a range begin like its first one, which has at least so many characters. */
function liesWithin({ from, before }: KeyRange, length: number): boolean {
  if (from.length < length) return false;
  const end = String.fromCharCode(from.charCodeAt(length - 1) + 1);
  return before <= from.slice(0, length - 1) + end;
}
