import { chmodSync, constants, mkdirSync, statSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import {
  errorCode,
  flagOption,
  functionOption,
  nameOption,
  nextTurn,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
} from "../../common/index.ts";
import type { ShardHead } from "../../ports/index.ts";
import { RestoredStore, type RewindTarget, recordKey, storeOn } from "../../store/internal.ts";
import { decodeRecord } from "../../wire/index.ts";
import { checked, withChecksum } from "../checksums/index.ts";
import { openAcknowledged } from "./acknowledged.ts";
import { type ArchivedRecord, readArchive } from "./archive.ts";
import {
  contentsOf,
  driverOption,
  oneFileCopy,
  published,
  refuseExisting,
  type SqliteCopy,
} from "./backup.ts";
import { type Database, loadDriver, type SqliteDriverName } from "./database.ts";
import { explained, FileProblem, lockFile, openDatabase, refuseOthers, requireThere } from "./file.ts";
import { codeOf, sequenceOfCode } from "./keys.ts";
import { kindOf, renewStoreId } from "./schema.ts";
import { countsOf, indexAll, lastPosition, sqliteStorage } from "./storage.ts";
import { verifySqliteStore } from "./verification.ts";

/** What to restore and where to. */
export interface SqliteRestoreOptions {
  /** Path of the backup. It stays unchanged. */
  readonly from: string;
  /** Path of the store. It must not exist. */
  readonly path: string;
  /** Position of the journal whose state the store gets. Default: the end of the backup. */
  readonly at?: number;
  /**
   * Directory of the archive of the journal. All its records up to the position are put back into the store. Without it, a
   * position of which records have left is refused.
   */
  readonly archive?: string;
  /**
   * Whether open orders are paused until `engine.resumeOrder` (default true). False lets them go on at once: only for a
   * backup of a store that no engine has opened since, or for a copy that is only read.
   */
  readonly pause?: boolean;
  readonly driver?: SqliteDriverName;
  /** Called between steps of the work with what is done of it, and of all. `step` is a word for a person. */
  readonly onProgress?: (step: RestoreStep, done: number, all: number) => void;
}

/** What a restore does at a time: reading every row, putting back records of the archive, pausing open orders. */
export type RestoreStep = "Verifying" | "Putting back" | "Pausing";

/** Contents of a restored store. */
export interface SqliteRestored extends SqliteCopy {
  /** Number of open orders that are paused until a person resumes them. */
  readonly paused: number;
}

const restoreOption: OptionCheck = optionsOf<SqliteRestoreOptions>({
  from: nameOption,
  path: nameOption,
  at: optionalOption(wholeOption({ from: 0 })),
  archive: optionalOption(nameOption),
  pause: optionalOption(flagOption),
  driver: driverOption,
  onProgress: optionalOption(functionOption("is told of the progress")),
});

/**
 * Makes a store of a backup, as it was at the end of the backup or at an earlier position of its journal. Reads every row
 * first, as {@link verifySqliteStore} does. Raises the epoch of every shard, and the ids of new orders beyond all that were
 * given after the backup. Open orders send nothing until `engine.resumeOrder`. The store has its name only when it is
 * complete and on disk. Rejects with an Error that names the file if the backup is damaged or not one of this version, if
 * the state at the position cannot be built, if the store exists already or is open in another process, and with a
 * TypeError or RangeError that names an option that is missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { restoreSqliteStore } from "managed-orders/sqlite";
 * const fromBackup = async (day: string): Promise<number> => {
 *   const { records } = await restoreSqliteStore({ from: `./backups/${day}.db`, path: "./data/orders.db" });
 *   return records;
 * };
 * ```
 */
export async function restoreSqliteStore(options: SqliteRestoreOptions): Promise<SqliteRestored> {
  restoreOption(options, "restoreSqliteStore");
  const { driver, at, archive } = options;
  let [paused, commits] = [0, 0];
  const [from, path] = [resolve(options.from), resolve(options.path)];
  requireThere(from);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  refuseExisting(path);
  const unlock = lockFile({ path, busyTimeoutMs: 0, driver });
  try {
    const copy = await published(from, path, driver, async (part) => {
      refuseLog(from);
      await copyFile(from, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      chmodSync(part, 0o600);
      requireSound(part, basename(from), driver);
      // Opened once by itself, because it may have an earlier schema.
      openDatabase({ path: part, busyTimeoutMs: 0, driver }, "backup").close();
      oneFileCopy(part, "backup", driver);
      await requireWhole(part, options);
      paused = await restoreContents(part, options);
      oneFileCopy(part, "store", driver);
      const made = await contentsOf(part, driver);
      commits = made.commits;
      if (at !== undefined || archive !== undefined) await requireWhole(part, options);
      return made.contents;
    });
    openAcknowledged(path, commits).close();
    return { ...copy, paused };
  } finally {
    unlock();
  }
}

/** Throws an Error for a file whose last transactions are in a file beside it: a copy of it alone would lack them. */
function refuseLog(path: string): void {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new FileProblem(
    `${basename(path)} is a store in use, not a backup: make a backup of it and restore that`,
  );
}

/** Throws an Error that names the backup if it is empty, as one of a full disk is, or SQLite finds a page out of order. */
function requireSound(path: string, name: string, driver: SqliteDriverName | undefined): void {
  try {
    const database = loadDriver(driver).open(path);
    try {
      refuseOthers(database, name);
      if (kindOf(database) === undefined) throw damaged(name, "it is empty");
      const found = database.pragma("quick_check(1)", { simple: true });
      if (found !== "ok") throw damaged(name, String(found));
    } finally {
      database.close();
    }
  } catch (error) {
    throw errorCode(error).startsWith("SQLITE_") ? explained(error, name) : error;
  }
}

const damaged = (name: string, what: string): Error => new FileProblem(`${name} is damaged: ${what}`);

/** Throws an Error that names the backup unless every row of its copy can be read and no record is missing. */
async function requireWhole(path: string, options: SqliteRestoreOptions): Promise<void> {
  const { driver } = options;
  const onProgress = progressOf(options, "Verifying");
  const { whole, missing, problems, problemTexts } = await verifySqliteStore({ path, driver, onProgress });
  if (whole) return;
  const first = problemTexts[0] === undefined ? "" : `: ${problemTexts[0]}`;
  const counts = `${missing} records are missing, ${problems} problems`;
  throw damaged(basename(options.from), `${counts}${first}`);
}

type Progress = (done: number, all: number) => void;

const progressOf =
  ({ onProgress }: SqliteRestoreOptions, step: RestoreStep): Progress =>
  (done, all) =>
    onProgress?.(step, done, all);

/**
 * Makes the copy of a backup a store of its own, in the state of a journal position. Returns how many orders are paused.
 * The copy is useless if this fails.
 */
async function restoreContents(path: string, options: SqliteRestoreOptions): Promise<number> {
  const { archive, pause = true, driver } = options;
  const database = openDatabase({ path, busyTimeoutMs: 0, driver }, "backup");
  try {
    // The copy gets its name when it is complete and on disk. Until then, nothing needs to survive a crash.
    database.pragma("synchronous = OFF");
    database.transaction(() => indexAll(database)).immediate();
    const storage = checked(sqliteStorage(database), "file");
    const store = new RestoredStore(storage);
    const { at = lastPosition(database) } = options;
    const from = basename(options.from);
    requireReached(database, { at, from });
    if (archive !== undefined) {
      const onProgress = progressOf(options, "Putting back");
      await restoreArchive(database, resolve(archive), { until: at, onProgress });
      requireComplete(database, at);
      await store.complete();
    }
    if (options.at !== undefined) {
      await requirePosition(database, store, { at, from });
      await store.rewind(targetsAt(database, { heads: await store.heads(), at }));
      endAt(database, lastPosition(database));
    }
    renewStoreId(database);
    // A new epoch, as of a new owner.
    await storeOn(storage, {}).acquire();
    await store.raiseCounters();
    return pause ? await store.pauseOrders(progressOf(options, "Pausing")) : 0;
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
