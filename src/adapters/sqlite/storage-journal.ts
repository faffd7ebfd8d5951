import type { Entry, KeyRange } from "../../ports/storage.ts";
import type { Database } from "./database.ts";
import { type KeyTable, liesWithin, merged, rangeReader, taken } from "./storage-keys.ts";

/** Number of entries of the journal that may wait for its index. */
const INDEX_EVERY = 8_192;

/** Number of characters of a key that say whose journal it is: `log SSS `. */
const PREFIX = 8;

/**
 * What a file says of itself: the number of transactions that wrote something, and the last positions that an entry of the
 * journal got and that the index of the journal contains.
 */
export type Counts = { commits: number; position: number; indexed: number };

/** The counts are in the table of heads, whose pages every append writes anyway. No key of a storage is empty. */
export function countsOf(database: Database): Readonly<{ read(): Counts; write(counts: Counts): void }> {
  const read = database.prepare<[], string>("SELECT value FROM heads WHERE key = ''").pluck();
  const write = database.prepare<[value: string]>("UPDATE heads SET value = ? WHERE key = ''");
  return {
    read() {
      const [commits = 0, position = 0, indexed = 0] = (read.get() ?? "").split(" ").map(Number);
      return { commits, position, indexed };
    },
    write: ({ commits, position, indexed }) => void write.run(`${commits} ${position} ${indexed}`),
  };
}

/** The journal, in order of arrival. */
export type JournalKeys = KeyTable &
  Readonly<{
    /** Begins a transaction with the counts of the file, which it raises. */
    begin(counts: Counts): void;
    /** Brings the index up to date if enough entries wait for it. */
    end(): void;
  }>;

/** Prepares the statements for the journal. */
export function journalKeys(database: Database): JournalKeys {
  const insert = database.prepare<[position: number, key: string, value: string]>(
    "INSERT INTO journal (position, key, value) VALUES (?, ?, ?)",
  );
  const fill = database.prepare<[after: number]>(
    "INSERT INTO journal_index (key, position) SELECT key, position FROM journal WHERE position > ? ORDER BY key",
  );
  const valueAt = database
    .prepare<[position: number], string>("SELECT value FROM journal WHERE position = ?")
    .pluck();
  const positionOf = database
    .prepare<[key: string], number>("SELECT position FROM journal_index WHERE key = ?")
    .pluck();
  const remove = database.prepare<[position: number]>("DELETE FROM journal WHERE position = ?");
  const removeIndex = database.prepare<[key: string]>("DELETE FROM journal_index WHERE key = ?");
  const waiting = waitingKeys(database);
  let counts: Counts = { commits: 0, position: 0, indexed: 0 };
  const index = (): void => {
    if (counts.indexed === counts.position) return;
    fill.run(counts.indexed);
    counts.indexed = counts.position;
  };
  const get = (key: string): string | undefined => {
    const position = positionOf.get(key) ?? waiting.in(counts, key).get(key);
    return position === undefined ? undefined : valueAt.get(position);
  };
  const put = (key: string, value: string): void => {
    counts.position += 1;
    insert.run(counts.position, key, value);
  };
  return {
    begin(now) {
      counts = now;
    },
    end() {
      if (counts.position - counts.indexed >= INDEX_EVERY) index();
    },
    get,
    put,
    delete(key) {
      index();
      const position = positionOf.get(key);
      if (position === undefined) return;
      remove.run(position);
      removeIndex.run(key);
    },
    replace(key, old, value) {
      if (get(key) !== old) return false;
      put(key, value);
      return true;
    },
    range: merged([
      rangeReader(
        database,
        `SELECT place.key, value FROM journal_index AS place JOIN journal ON journal.position = place.position
         WHERE place.key >= ? AND place.key < ? ORDER BY place.key`,
      ),
      (range, budget) =>
        taken(entriesOf(waiting.among(counts, range), range, valueAt.get.bind(valueAt)), budget),
    ]),
  };
}

type Positions = ReadonlyMap<string, number>;

function* entriesOf(
  positions: Positions,
  { from, before, limit, reverse = false }: KeyRange,
  valueAt: (position: number) => string | undefined,
): Generator<Entry> {
  const keys = [...positions.keys()].filter((key) => key >= from && key < before).sort();
  if (reverse) keys.reverse();
  for (const key of keys.slice(0, limit)) yield [key, valueAt(positions.get(key) ?? 0) ?? ""];
}

const NONE: Positions = new Map();

/** Remembers the keys that wait for the index, by journal, so that no read scans all of them. */
function waitingKeys(database: Database): Readonly<{
  in(counts: Counts, key: string): Positions;
  among(counts: Counts, range: KeyRange): Positions;
}> {
  const added = database
    .prepare<[after: number], [key: string, position: number]>(
      "SELECT key, position FROM journal WHERE position > ?",
    )
    .raw();
  let byJournal = new Map<string, Map<string, number>>();
  let [indexed, seen] = [0, 0];
  const bringUpTo = (counts: Counts): void => {
    if (counts.indexed !== indexed || counts.position < seen) {
      byJournal = new Map();
      seen = indexed = counts.indexed;
    }
    if (seen === counts.position) return;
    for (const [key, position] of added.iterate(seen)) {
      const journal = key.slice(0, PREFIX);
      const positions = byJournal.get(journal) ?? new Map<string, number>();
      byJournal.set(journal, positions.set(key, position));
    }
    seen = counts.position;
  };
  return {
    in(counts, key) {
      bringUpTo(counts);
      return byJournal.get(key.slice(0, PREFIX)) ?? NONE;
    },
    among(counts, range) {
      bringUpTo(counts);
      if (liesWithin(range, PREFIX)) return byJournal.get(range.from.slice(0, PREFIX)) ?? NONE;
      return new Map([...byJournal.values()].flatMap((positions) => [...positions]));
    },
  };
}
