import type { CommitPart, KeyRange, Storage } from "../../ports/index.ts";
import type { Database } from "./database.ts";
import { withFileName } from "./open-database.ts";
import { type Counts, countsOf, journalKeys } from "./storage-journal.ts";
import {
  type Budget,
  type KeyTable,
  keyTable,
  liesWithin,
  merged,
  type Place,
  placeOf,
  type ReadRange,
} from "./storage-keys.ts";

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
 * Makes a storage of an open database with the schema of MIGRATIONS. Each transaction blocks the thread until it is
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

/** Returns the number of transactions of a file that wrote something, which never falls. */
export const commitsIn = (database: Database): number => countsOf(database).read().commits;

function transactionsOf(database: Database) {
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
