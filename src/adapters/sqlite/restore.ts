import { basename } from "node:path";
import type { ShardHead } from "../../ports/index.ts";
import { RestoredStore, type RewindTarget, recordKey, storeOn } from "../../store/internal.ts";
import { decodeRecord } from "../../wire/index.ts";
import { checked, withChecksum } from "../checksums/index.ts";
import { nextTurn } from "../shared/index.ts";
import { type ArchivedRecord, readArchive } from "./archive.ts";
import type { Database, SqliteDriverName } from "./database.ts";
import { FileProblem, openDatabase } from "./file.ts";
import { codeOf, sequenceOfCode } from "./keys.ts";
import { renewStoreId } from "./schema.ts";
import { countsOf, indexAll, lastPosition, sqliteStorage } from "./storage.ts";

/** Is told what is done of some work, and of all. */
export type Progress = (done: number, all: number) => void;

/**
 * What to make of the copy of a backup, see `SqliteRestoreOptions`. `from` is the path of the backup. `puttingBack` and
 * `pausing` are called with what is done of that step, and of all.
 */
type RestoreWork = Readonly<{
  from: string;
  at: number | undefined;
  archive: string | undefined;
  pause: boolean;
  driver: SqliteDriverName | undefined;
  puttingBack: Progress;
  pausing: Progress;
}>;

/**
 * Makes the copy of a backup a store of its own, in the state of a journal position. Returns how many orders are paused.
 * The copy is useless if this fails.
 */
export async function restoreContents(path: string, work: RestoreWork): Promise<number> {
  const database = openDatabase({ path, busyTimeoutMs: 0, driver: work.driver }, "backup");
  try {
    // The copy gets its name when it is complete and on disk. Until then, nothing needs to survive a crash.
    database.pragma("synchronous = OFF");
    database.transaction(() => indexAll(database)).immediate();
    const storage = checked(sqliteStorage(database), "file");
    const store = new RestoredStore(storage);
    const { at = lastPosition(database), archive } = work;
    const from = basename(work.from);
    requireReached(database, { at, from });
    if (archive !== undefined) {
      await restoreArchive(database, archive, { until: at, onProgress: work.puttingBack });
      requireComplete(database, at);
      await store.complete();
    }
    if (work.at !== undefined) {
      await requirePosition(database, store, { at, from });
      await store.rewind(targetsAt(database, { heads: await store.heads(), at }));
      endAt(database, lastPosition(database));
    }
    renewStoreId(database);
    // A new epoch, as of a new owner.
    await storeOn(storage, {}).acquire();
    await store.raiseCounters();
    return work.pause ? await store.pauseOrders(work.pausing) : 0;
  } finally {
    database.close();
  }
}

/** Lets the journal go on after a position: every position has a record. */
function endAt(database: Database, position: number): void {
  const counts = countsOf(database);
  counts.write({ ...counts.read(), position, indexed: position });
}

const codeAt = (shard: number, sequence: number): string => codeOf(recordKey(shard, sequence)) ?? "";

/** Finds where the journals of all shards end at a position. All records must be indexed. */
function targetsAt(
  database: Database,
  { heads, at }: Readonly<{ heads: readonly ShardHead[]; at: number }>,
): readonly RewindTarget[] {
  const next = database
    .prepare<[from: string, to: string], [code: string, position: number]>(
      "SELECT code, position FROM journal_index WHERE code >= ? AND code <= ? ORDER BY code LIMIT 1",
    )
    .raw();
  /** Positions rise with the sequence: halves the range until one record is left. */
  const endOf = ({ shard, sequence: head }: ShardHead): number => {
    let [end, from, to] = [0, 1, head];
    while (from <= to) {
      const middle = Math.floor((from + to) / 2);
      const [code, position = 0] = next.get(codeAt(shard, middle), codeAt(shard, to)) ?? [];
      if (code !== undefined && position <= at) {
        end = sequenceOfCode(code);
        from = end + 1;
      } else to = middle - 1;
    }
    return end;
  };
  return heads.map((head) => ({ shard: head.shard, sequence: endOf(head) }));
}

/**
 * Returns the earliest position whose state the records of the store produce: an order of which a record has left must
 * have ended by then. All records must be indexed.
 */
async function earliestPosition(database: Database, store: RestoredStore): Promise<number> {
  const positionOf = database
    .prepare<[code: string], number>("SELECT position FROM journal_index WHERE code = ?")
    .pluck();
  let earliest = 0;
  for (const { shard, sequence, forgotten = 0 } of await store.heads()) {
    if (forgotten === 0) continue;
    const place = (at: number): number | undefined => positionOf.get(codeAt(shard, at));
    const left = new Set<number>();
    let last = forgotten;
    // The last record that has left, or that belongs to an order of which another one has left.
    for await (const record of store.records(shard, forgotten, sequence)) {
      for (const { orderId, previous } of record.changes) {
        if (previous > 0 && previous <= forgotten && place(previous) === undefined) left.add(orderId);
        if (left.has(orderId)) last = record.sequence;
      }
    }
    earliest = Math.max(earliest, place(last + 1) ?? 0);
  }
  return earliest;
}

/** Throws an Error that names the backup if it ends before the position. */
function requireReached(database: Database, { at, from }: Readonly<{ at: number; from: string }>): void {
  const last = lastPosition(database);
  if (at > last) throw new FileProblem(`${from} ends at the journal position ${last}, before ${at}`);
}

/** Throws an Error that names the backup unless its records produce the state at the position. */
async function requirePosition(
  database: Database,
  store: RestoredStore,
  { at, from }: Readonly<{ at: number; from: string }>,
): Promise<void> {
  const earliest = await earliestPosition(database, store);
  if (at >= earliest) return;
  throw new FileProblem(
    `${from} cannot be restored at the journal position ${at}, because records of that time have left the store: the earliest possible position is ${earliest}; for an earlier one, name the archive`,
  );
}

/** Number of records that one transaction puts back. */
const RECORDS_PER_STEP = 512;

/**
 * Puts records of an archive back into the journal, up to a position, at the positions that they had. Rejects with an
 * Error that names a line that is damaged, or that is not of this journal.
 */
async function restoreArchive(
  database: Database,
  folder: string,
  { until, onProgress }: Readonly<{ until: number; onProgress: Progress }>,
): Promise<void> {
  const put = putting(database);
  let waiting: (ArchivedRecord & Readonly<{ name: string }>)[] = [];
  for await (const { file, line, record, problem } of readArchive(folder)) {
    const name = `${file}, line ${line}`;
    if (record === undefined) throw new FileProblem(`${name}: ${problem}`);
    if (record.position <= until) waiting.push({ ...record, name });
    if (waiting.length < RECORDS_PER_STEP) continue;
    put(waiting);
    waiting = [];
    onProgress(Math.min(record.position, until), until);
    await nextTurn();
  }
  put(waiting);
}

function putting(
  database: Database,
): (records: readonly (ArchivedRecord & Readonly<{ name: string }>)[]) => void {
  const there = database
    .prepare<[position: number], string>("SELECT value FROM journal WHERE position = ?")
    .pluck();
  const insert = database.prepare<[position: number, code: string, value: string]>(
    "INSERT INTO journal (position, code, value) VALUES (?, ?, ?)",
  );
  const index = database.prepare<[code: string, position: number]>(
    "INSERT OR IGNORE INTO journal_index (code, position) VALUES (?, ?)",
  );
  const { immediate } = database.transaction(
    (records: readonly (ArchivedRecord & Readonly<{ name: string }>)[]) => {
      for (const { text, position, name } of records) {
        const { shard, sequence } = decodeRecord(text);
        const key = recordKey(shard, sequence);
        const [code = "", value] = [codeOf(key), withChecksum(key, text)];
        const stored = there.get(position);
        if (stored === value) continue;
        if (stored !== undefined || index.run(code, position).changes !== 1)
          throw new FileProblem(`${name}: record ${sequence} of shard ${shard} is not of this journal`);
        insert.run(position, code, value);
      }
    },
  );
  return immediate;
}

/** Throws an Error if a record is missing up to a position. */
function requireComplete(database: Database, at: number): void {
  // Every position has had a record. Counted by shard, the records that are missing right before the position would not
  // be missed: a shard would seem to end before them.
  const count = database
    .prepare<[until: number], number>("SELECT count(*) FROM journal WHERE position <= ?")
    .pluck();
  const missing = at - (count.get(at) ?? 0);
  if (missing > 0)
    throw new FileProblem(`the archive lacks ${missing} records up to the journal position ${at}`);
}
