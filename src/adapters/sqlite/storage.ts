import type { CommitPart, KeyRange, Storage } from "../../ports/storage.ts";
import type { Database } from "./database.ts";
import { withFileName } from "./open-database.ts";
import { type Counts, countsOf, journalKeys } from "./storage-journal.ts";
import { type Budget, type KeyTable, keyTable, liesWithin, merged, type ReadRange } from "./storage-keys.ts";
import { type Place, placeOf } from "./storage-schema.ts";

/** Number of characters of values after which a read is cut. */
const READ_CHARACTERS: number = 4 * 2 ** 20;

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
  const { write, get, range } = transactionsOf(database);
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

/** Returns the number of transactions of a file that wrote something, which never falls. */
export const commitsIn = (database: Database): number => countsOf(database).read().commits;

function transactionsOf(database: Database) {
  const counts = countsOf(database);
  const journal = journalKeys(database);
  const places: Places = {
    journal,
    heads: keyTable(database, "heads"),
    short: keyTable(database, "short"),
    long: keyTable(database, "long"),
  };
  const tableOf: TableOf = (key) => places[placeOf(key)];
  const { immediate: write } = database.transaction((parts: readonly CommitPart[]) => {
    const now: Counts = counts.read();
    journal.begin(now);
    const answers = parts.map((part) => writePart(tableOf, part));
    if (!answers.includes(true)) return { answers, commits: 0 };
    journal.end();
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
        journal.forget();
        throw error;
      }
    },
    get,
    range,
  };
}

/** Returns what chooses the reader of a range: of the place of its keys, or of all places if they have several first words. */
function rangeReaders(places: Places): (range: KeyRange) => ReadRange {
  const { journal, heads, short, long } = places;
  const all = merged([journal.range, heads.range, short.range, long.range]);
  // Some keys of the journal may have no code.
  const log = merged([journal.range, long.range]);
  return (range) => {
    const word = range.from.indexOf(" ") + 1;
    if (word === 0 || !liesWithin(range, word)) return all;
    return range.from.startsWith("log ") ? log : places[placeOf(range.from)].range;
  };
}

type Places = Readonly<Record<Place, KeyTable>>;
type TableOf = (key: string) => KeyTable;

/** Writes a part, or nothing if one of its conditions does not hold. */
function writePart(tableOf: TableOf, { conditions, puts, deletes }: CommitPart): boolean {
  const left = new Map(puts);
  let at = 0;
  for (const [key, old] of conditions) {
    const value = left.get(key);
    const table = tableOf(key);
    const holds = value === undefined ? table.get(key) === old : table.replace(key, old, value);
    if (!holds) {
      for (const [replaced, before] of conditions.slice(0, at)) {
        if (left.has(replaced)) restore(tableOf(replaced), replaced, before);
      }
      return false;
    }
    at += 1;
  }
  for (const [key] of conditions) left.delete(key);
  for (const [key, value] of left) tableOf(key).put(key, value);
  for (const key of deletes) tableOf(key).delete(key);
  return true;
}

function restore(table: KeyTable, key: string, value: string | undefined): void {
  if (value === undefined) table.delete(key);
  else table.put(key, value);
}
