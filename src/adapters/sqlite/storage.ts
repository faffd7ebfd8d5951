import { invariant } from "../../errors/index.ts";
import type { CommitPart, Entry, KeyRange, Storage } from "../../ports/index.ts";
import type { Database } from "./database.ts";
import { withFileName } from "./file.ts";
import {
  type Budget,
  codeOf,
  firstCode,
  type KeyTable,
  keyOfCode,
  keyTable,
  liesWithin,
  merged,
  type Place,
  placeOf,
  type ReadRange,
  rangeReader,
  shardOfCode,
  taken,
} from "./keys.ts";

/** Number of characters of values after which a read is cut. */
const READ_CHARACTERS: number = 4 * 2 ** 20;

/** What belongs to an open file. */
export type StorageFile = Readonly<{
  /** Name of the file in errors. */
  name?: string;
  /** Called inside a transaction with its answers, the moment before it becomes durable or is left out. */
  decided?: (answers: readonly boolean[]) => void;
  /** Called when a transaction is durable, before anyone is told, with the number of all since the file was created. */
  committed?: (commits: number) => void;
  /** Called when the database is closed. */
  release?: () => void;
}>;

/**
 * Makes a storage of an open database with the schema of MIGRATIONS. Each transaction blocks the thread until it is
 * on disk.
 */
export function sqliteStorage(
  database: Database,
  { name = "the store", decided, committed = () => undefined, release = () => undefined }: StorageFile = {},
): Storage {
  const { write, get, range } = transactionsOf(database, decided);
  const guarded = <T>(run: () => T): T => {
    if (!database.open) throw new Error("the store is closed");
    try {
      return run();
    } catch (error) {
      throw withFileName(error, name);
    }
  };
  return {
    isSettled: true,
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

/** Returns the number of transactions of a file that wrote something, which never falls. Each raises it by one. */
export const commitsIn = (database: Database): number => countsOf(database).read().commits;

function transactionsOf(database: Database, decided: StorageFile["decided"]) {
  const counts = countsOf(database);
  const long = keyTable(database, "long");
  const journal = journalKeys(database, long);
  const places: Places = {
    journal,
    heads: keyTable(database, "heads"),
    short: keyTable(database, "short"),
    long,
  };
  const tableOf: TableOf = (key) => places[placeOf(key)];
  const { immediate: write } = database.transaction((parts: readonly CommitPart[]) => {
    const now: Counts = counts.read();
    journal.begin(now);
    const answers = parts.map((part) => writePart(tableOf, part));
    journal.end();
    decided?.(answers);
    const isWritten = answers.includes(true);
    if (!isWritten) return { answers, commits: 0 };
    now.commits += 1;
    counts.write(now);
    return { answers, commits: now.commits };
  });
  // Transactions, so that all values are of one moment.
  const get = database.transaction((keys: readonly string[]) => {
    journal.begin(counts.read());
    return keys.map((key) => tableOf(key).get(key));
  });
  const readerOf = rangeReaders(places);
  const range = database.transaction((ranges: readonly KeyRange[]) => {
    journal.begin(counts.read());
    const budget: Budget = { characters: READ_CHARACTERS };
    return ranges.map((one) => readerOf(one)(one, budget));
  });
  return {
    write(parts: readonly CommitPart[]) {
      try {
        return write(parts);
      } catch (error) {
        journal.prune();
        throw error;
      }
    },
    get,
    range,
  };
}

/** Returns what chooses the reader of a range: of the place of its keys, or of all places if they have several first words. */
function rangeReaders(places: Places): (range: KeyRange) => ReadRange {
  // The reader of the journal reads the long ones too.
  const all = merged([places.journal.range, places.heads.range, places.short.range]);
  return (range) => {
    const word = range.from.indexOf(" ") + 1;
    return word > 0 && liesWithin(range, word) ? places[placeOf(range.from)].range : all;
  };
}

type Places = Readonly<Record<Place, KeyTable>>;
type TableOf = (key: string) => KeyTable;

/** Writes a part, or nothing if one of its conditions does not hold. */
function writePart(tableOf: TableOf, { conditions, puts, deletes }: CommitPart): boolean {
  for (const [key, old] of conditions) if (tableOf(key).get(key) !== old) return false;
  for (const [key, value] of puts) tableOf(key).put(key, value);
  for (const key of deletes) tableOf(key).delete(key);
  return true;
}

/** Number of entries of the journal that may wait for its index. */
const INDEX_EVERY = 8_192;

/**
 * What a file says of itself: the number of transactions that wrote something, and the last positions that an entry of the
 * journal got and that the index of the journal contains.
 */
type Counts = { commits: number; position: number; indexed: number };

/** The counts are in the table of heads, whose pages every append writes anyway. No key of a storage is empty. */
export function countsOf(database: Database): Readonly<{ read(): Counts; write(counts: Counts): void }> {
  const read = database.prepare<[], string>("SELECT value FROM heads WHERE key = ''").pluck();
  const write = database.prepare<[value: string]>("UPDATE heads SET value = ? WHERE key = ''");
  return {
    read() {
      const numbers = (read.get() ?? "").split(" ").map((text) => Number.parseInt(text, 10));
      const [commits = 0, position = 0, indexed = 0] = numbers;
      return { commits, position, indexed };
    },
    write: ({ commits, position, indexed }) => void write.run(`${commits} ${position} ${indexed}`),
  };
}

const FILL =
  "INSERT INTO journal_index (code, position) SELECT code, position FROM journal WHERE position > ? ORDER BY code";

/** Brings the index of the journal up to date. Call it inside a transaction. */
export function indexAll(database: Database): void {
  const counts = countsOf(database);
  const { commits, position, indexed } = counts.read();
  if (indexed === position) return;
  database.prepare<[after: number]>(FILL).run(indexed);
  counts.write({ commits, position, indexed: position });
}

/** Returns the position of the last record of the journal, 0 for none. */
export function lastPosition(database: Database): number {
  return database.prepare<[], number | null>("SELECT max(position) FROM journal").pluck().get() ?? 0;
}

/** Throws an InvariantError I54 if the journal does not end where the file says. */
export function requireEnd(database: Database): void {
  const [last, { position }] = [lastPosition(database), countsOf(database).read()];
  invariant(last === position, "I54", `the journal ends at position ${last} instead of ${position}`);
}

/** The journal, in order of arrival. */
type JournalKeys = KeyTable &
  Readonly<{
    /** Begins a transaction with the counts of the file, which it raises. */
    begin(counts: Counts): void;
    /** Brings the index up to date if enough entries wait for it. */
    end(): void;
    /** Call it when a transaction was rolled back. */
    prune(): void;
  }>;

function statementsOf(database: Database) {
  const fill = database.prepare<[after: number]>(FILL);
  const valueAt = database
    .prepare<[position: number], string>("SELECT value FROM journal WHERE position = ?")
    .pluck();
  const positionOf = database
    .prepare<[code: string], number>("SELECT position FROM journal_index WHERE code = ?")
    .pluck();
  const remove = database.prepare<[position: number]>("DELETE FROM journal WHERE position = ?");
  const removeIndex = database.prepare<[code: string]>("DELETE FROM journal_index WHERE code = ?");
  return { fill, valueAt, positionOf, remove, removeIndex };
}

/** Prepares the statements for the journal. A key that has no code is in `others`. */
function journalKeys(database: Database, others: KeyTable): JournalKeys {
  const { add, flush, prune } = adding(database);
  const waiting = waitingCodes(database, flush);
  const { fill, valueAt, positionOf, remove, removeIndex } = statementsOf(database);
  let counts: Counts = { commits: 0, position: 0, indexed: 0 };
  const index = (): void => {
    flush();
    if (counts.indexed === counts.position) return;
    fill.run(counts.indexed);
    counts.indexed = counts.position;
  };
  const get = (key: string): string | undefined => {
    const code = codeOf(key);
    if (code === undefined) return others.get(key);
    const position =
      waiting.of(counts, code).get(code) ?? (waiting.isNew(code) ? undefined : positionOf.get(code));
    if (position === undefined) return undefined;
    flush();
    return valueAt.get(position);
  };
  const put = (key: string, value: string): void => {
    const code = codeOf(key);
    if (code === undefined) return others.put(key, value);
    counts.position += 1;
    waiting.add(counts.position, code);
    add(counts.position, code, value);
  };
  return {
    begin(now) {
      counts = now;
    },
    end() {
      if (counts.position - counts.indexed >= INDEX_EVERY) index();
      else flush();
    },
    prune() {
      waiting.prune();
      prune();
    },
    get,
    put,
    delete(key) {
      const code = codeOf(key);
      if (code === undefined) return others.delete(key);
      index();
      const position = positionOf.get(code);
      if (position === undefined) return;
      remove.run(position);
      removeIndex.run(code);
    },
    range: merged([
      indexedReader(database),
      (range, budget) => {
        const ends = { from: firstCode(range.from), before: firstCode(range.before) };
        const positions = waiting.among(counts, ends);
        return taken(
          waitingEntries({ ...range, ...ends }, positions, (at) => valueAt.get(at) ?? ""),
          budget,
        );
      },
      others.range,
    ]),
  };
}

/** Number of entries that one statement adds: it takes three quarters of the time of so many statements. */
const ROWS = 16;

type Added = [position: number, code: string, value: string];

/** Collects entries, and adds many with one statement. */
function adding(database: Database) {
  const sql = "INSERT INTO journal (position, code, value) VALUES (?, ?, ?)";
  const one = database.prepare<Added>(sql);
  const many = database.prepare<(number | string)[]>(sql + ", (?, ?, ?)".repeat(ROWS - 1));
  const rows: (number | string)[] = new Array<string>(3 * ROWS).fill("");
  let length = 0;
  return {
    add(position: number, code: string, value: string): void {
      rows[length++] = position;
      rows[length++] = code;
      rows[length++] = value;
      if (length < rows.length) return;
      // Always as many: their number does not grow with anything.
      Reflect.apply(many.run, many, rows);
      length = 0;
    },
    flush(): void {
      for (let at = 0; at < length; at += 3) {
        const [position, code, value] = rows.slice(at, at + 3) as Added;
        one.run(position, code, value);
      }
      length = 0;
    },
    prune(): void {
      length = 0;
    },
  };
}

function indexedReader(database: Database): ReadRange {
  const read = rangeReader(
    database,
    (
      order,
    ) => `SELECT place.code, value FROM journal_index AS place JOIN journal ON journal.position = place.position
      WHERE place.code >= ? AND place.code < ? ORDER BY place.code ${order} LIMIT ?`,
  );
  return (range, budget) => {
    const codes = { ...range, from: firstCode(range.from), before: firstCode(range.before) };
    return read(codes, budget).map(([code, value]) => [keyOfCode(code), value]);
  };
}

/** Positions of entries, by their codes. */
type Positions = ReadonlyMap<string, number>;

/** Reads entries that wait for the index. The range is one of codes. */
function* waitingEntries(
  { from, before, limit, reverse = false }: KeyRange,
  positions: Positions,
  valueAt: (position: number) => string,
): Generator<Entry> {
  const codes = [...positions.keys()].filter((code) => code >= from && code < before).sort();
  if (reverse) codes.reverse();
  for (const code of codes.slice(0, limit)) yield [keyOfCode(code), valueAt(positions.get(code) ?? 0)];
}

const NONE: Positions = new Map();

/**
 * Remembers which entries wait for the index, by shard: no read scans all of them. `flush` is called before the table is
 * read.
 */
function waitingCodes(database: Database, flush: () => void) {
  const added = database
    .prepare<[after: number], [code: string, position: number]>(
      "SELECT code, position FROM journal WHERE position > ?",
    )
    .raw();
  const highest = database
    .prepare<[from: string, before: string], string | null>(
      "SELECT max(code) FROM journal_index WHERE code >= ? AND code < ?",
    )
    .pluck();
  const byShard = new Map<string, Map<string, number>>();
  /** The highest code of shards: a new record needs no search. */
  const last = new Map<string, string>();
  let [indexed, seen] = [0, 0];
  const prune = (): void => {
    byShard.clear();
    last.clear();
    [indexed, seen] = [0, 0];
  };
  const note = (position: number, code: string): void => {
    const shard = shardOfCode(code);
    const codes = byShard.get(shard);
    if (codes === undefined) byShard.set(shard, new Map([[code, position]]));
    else codes.set(code, position);
    if (code > (last.get(shard) ?? code)) last.set(shard, code);
  };
  const lastOf = (shard: string): string => {
    let code = last.get(shard);
    if (code !== undefined) return code;
    code = highest.get(shard, `${shard}~`) ?? "";
    for (const one of byShard.get(shard)?.keys() ?? []) if (one > code) code = one;
    last.set(shard, code);
    return code;
  };
  const bringUpTo = (counts: Counts): void => {
    if (counts.indexed !== indexed) {
      prune();
      seen = indexed = counts.indexed;
    }
    if (seen === counts.position) return;
    flush();
    for (const [code, position] of added.all(seen)) note(position, code);
    seen = counts.position;
  };
  return {
    prune,
    /** Notes the next entry, if all before it are known. */
    add(position: number, code: string): void {
      if (seen !== position - 1) return;
      note(position, code);
      seen = position;
    },
    /** Returns whether a code is above all of its shard. Call `of` before. */
    isNew: (code: string): boolean => code > lastOf(shardOfCode(code)),
    of(counts: Counts, code: string): Positions {
      bringUpTo(counts);
      return byShard.get(shardOfCode(code)) ?? NONE;
    },
    among(counts: Counts, { from, before }: Readonly<{ from: string; before: string }>): Positions {
      bringUpTo(counts);
      const shards = [...byShard].filter(
        ([shard]) => shard >= shardOfCode(from) && shard <= shardOfCode(before),
      );
      return shards.length === 1
        ? (shards[0]?.[1] ?? NONE)
        : new Map(shards.flatMap(([, codes]) => [...codes]));
    },
  };
}
