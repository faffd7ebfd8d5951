import {
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import {
  errorCode,
  fileProblem,
  flagOption,
  functionOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
  wordOption,
} from "../../common/index.ts";
import type { ShardHead } from "../../ports/index.ts";
import { RestoredStore } from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import { forgetAcknowledged, openAcknowledged } from "./acknowledged.ts";
import { type BackupOptions, DRIVER_NAMES, loadDriver, type SqliteDriverName } from "./database.ts";
import {
  atOneMoment,
  createFile,
  explained,
  FileProblem,
  lockFile,
  lockFileOnce,
  openDatabase,
  partOf,
  refuseOthers,
  requireThere,
} from "./file.ts";
import { type Progress, restoreContents } from "./restore.ts";
import { type FileKind, kindOf, markAs } from "./schema.ts";
import { commitsIn, lastPosition, sqliteStorage } from "./storage.ts";
import { verifySqliteStore } from "./verification.ts";

/** What to copy and where to, and who is told of the progress. */
export interface SqliteBackupOptions {
  readonly path: string;
  /** Path of the backup. It must not exist. Its directory is created with mode 0700 if it is missing. */
  readonly to: string;
  readonly driver?: SqliteDriverName;
  /** Called between steps with the number of pages copied so far, and of all. */
  readonly onProgress?: (done: number, all: number) => void;
}

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
   * backup of a store that no engine has opened since, or for a copy that is only read (decision VD).
   */
  readonly pause?: boolean;
  readonly driver?: SqliteDriverName;
  /** Called between steps of the work with what is done of it, and of all. `step` is a word for a person. */
  readonly onProgress?: (step: RestoreStep, done: number, all: number) => void;
}

/** What a restore does at a time: reading every row, putting back records of the archive, pausing open orders. */
export type RestoreStep = "Verifying" | "Putting back" | "Pausing";

/** Contents of a backup or of a restored store. */
export interface SqliteCopy {
  /** Number of records since the journal began. */
  readonly records: number;
  /** The position of the journal: that of its last record, 0 for an empty one (decision VA). */
  readonly position: number;
  /** The heads of all shards with records. */
  readonly shards: readonly ShardHead[];
  /** Size of the file. */
  readonly bytes: number;
  /** Whether records have left the store: they are in the archive, if there is one, and not in this file. */
  readonly forgets: boolean;
}

/** Contents of a restored store. */
export interface SqliteRestored extends SqliteCopy {
  /** Number of open orders that are paused until a person resumes them. */
  readonly paused: number;
}

/** Number of pages, of 4 kB each, that one step copies: some milliseconds. */
const PAGES_PER_STEP = 256;

const driverOption = optionalOption(wordOption(DRIVER_NAMES));

const backupOption: OptionCheck = optionsOf<SqliteBackupOptions>({
  path: nameOption,
  to: nameOption,
  driver: driverOption,
  onProgress: optionalOption(functionOption("is told of the progress")),
});

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
 * Copies a store as it is at one moment, while a process has it open and writes. The copy is one file that only its
 * owner can read. It has its name only when it is complete and on disk. It is marked as a backup, which no engine can
 * open, and so is the copy of a backup: make a store of it with {@link restoreSqliteStore} (decision VD). The archive
 * of the journal is not part of it: copy its directory afterwards. Rejects with an Error that names the file if the
 * store cannot be read, the copy cannot be written or exists already, and with a TypeError or RangeError that names an
 * option that is missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { backupSqliteStore } from "managed-orders/sqlite";
 * const daily = async (day: string): Promise<number> => {
 *   const { records } = await backupSqliteStore({ path: "./data/orders.db", to: `./backups/${day}.db` });
 *   return records;
 * };
 * ```
 */
export async function backupSqliteStore(options: SqliteBackupOptions): Promise<SqliteCopy> {
  backupOption(options, "backupSqliteStore");
  const { driver, onProgress } = options;
  const [path, to] = [resolve(options.path), resolve(options.to)];
  return await atOneMoment({ path, driver }, async (database) => {
    const progress: BackupOptions["progress"] = ({ totalPages, remainingPages }) => {
      const isBetween = remainingPages > 0 && remainingPages < totalPages;
      if (isBetween) onProgress?.(totalPages - remainingPages, totalPages);
      return PAGES_PER_STEP;
    };
    return await published(path, to, driver, async (part) => {
      // SQLite would create it with the permissions of the umask, and it has orders long before it is complete.
      createFile(part);
      await database.backup(part, { pagesPerStep: PAGES_PER_STEP, progress });
      oneFileCopy(part, "backup", driver);
      return (await contentsOf(part, driver)).contents;
    });
  });
}

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
  const { driver, at, archive, pause = true, onProgress = () => undefined } = options;
  const verifying: Progress = (done, all) => onProgress("Verifying", done, all);
  const folder = archive === undefined ? undefined : resolve(archive);
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
      await requireWhole(part, basename(from), driver, verifying);
      const work = { from, at, archive: folder, pause, driver };
      paused = await restoreContents(part, {
        ...work,
        puttingBack: (done, all) => onProgress("Putting back", done, all),
        pausing: (done, all) => onProgress("Pausing", done, all),
      });
      oneFileCopy(part, "store", driver);
      const made = await contentsOf(part, driver);
      commits = made.commits;
      if (at !== undefined || folder !== undefined)
        await requireWhole(part, basename(from), driver, verifying);
      return made.contents;
    });
    openAcknowledged(path, commits).close();
    return { ...copy, paused };
  } finally {
    unlock();
  }
}

/** Makes a copy under another name, and gives it its own name when it is on disk. Never replaces a file. */
async function published(
  source: string,
  path: string,
  driver: SqliteDriverName | undefined,
  make: (part: string) => Promise<Omit<SqliteCopy, "bytes">>,
): Promise<SqliteCopy> {
  refuseExisting(path);
  // Left by an earlier database of that name, they would be applied to the new one.
  for (const beside of besides(path)) refuseExisting(beside);
  const part = partOf(path);
  if (existsSync(part) && realpathSync(part) === realpathSync(source))
    throw new FileProblem(
      `${basename(part)} has the name of an unfinished copy to ${basename(path)}, which is removed: choose another path`,
    );
  const unlock = lockFileOnce({ path: part, busyTimeoutMs: 0, driver });
  try {
    removeAll(part);
    const made = await make(part);
    await sync(part);
    const { size: bytes } = statSync(part);
    // Left by an earlier store of that name, it would say that this one lacks records.
    forgetAcknowledged(path);
    // A link fails if the name exists, and a rename would replace the file.
    linkSync(part, path);
    // An opening that finds both names may have removed it.
    rmSync(part, { force: true });
    await sync(dirname(path));
    return { ...made, bytes };
  } catch (cause) {
    removeAll(part);
    if (errorCode(cause) === "EEXIST") refuseExisting(path);
    throw unwritten(cause, basename(path));
  } finally {
    unlock();
  }
}

/** Returns an error that names the copy for one of SQLite about writing, which names no file, and any other unchanged. */
function unwritten(cause: unknown, name: string): unknown {
  const code = errorCode(cause);
  const why = code.startsWith("SQLITE_") && !code.endsWith("_READ") ? fileProblem(code) : undefined;
  if (why === undefined) return cause;
  return Object.assign(new Error(`${name} cannot be written (${code}): ${why}`, { cause }), { code });
}

/** The files that SQLite keeps beside a database and applies to it. */
const besides = (path: string): readonly string[] => ["-journal", "-wal", "-shm"].map((end) => path + end);

/** Removes a database. On a full disk, SQLite leaves its log beside a file that was closed. */
function removeAll(path: string): void {
  for (const left of [path, ...besides(path)]) rmSync(left, { force: true });
}

function refuseExisting(path: string): void {
  if (existsSync(path))
    throw Object.assign(new Error(`${basename(path)} exists already: choose another path, or move it away`), {
      code: "EEXIST",
    });
}

/** Throws an Error for a file whose last transactions are in a file beside it: a copy of it alone would lack them. */
function refuseLog(path: string): void {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new FileProblem(
    `${basename(path)} is a store in use, not a backup: make a backup of it and restore that`,
  );
}

/** Brings a file or the names in a directory to the disk, without blocking the thread. */
async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
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
async function requireWhole(
  path: string,
  name: string,
  driver: SqliteDriverName | undefined,
  onProgress: Progress,
): Promise<void> {
  const { whole, missing, problems, problemTexts } = await verifySqliteStore({ path, driver, onProgress });
  if (whole) return;
  const first = problemTexts[0] === undefined ? "" : `: ${problemTexts[0]}`;
  const counts = `${missing} records are missing, ${problems} problems`;
  throw damaged(name, `${counts}${first}`);
}

/** Takes a copy out of the mode in which a second file belongs to it, and marks it. */
function oneFileCopy(path: string, kind: FileKind, driver: SqliteDriverName | undefined): void {
  const database = loadDriver(driver).open(path);
  try {
    database.pragma("journal_mode = DELETE");
    markAs(database, kind);
    chmodSync(path, 0o600);
  } finally {
    database.close();
  }
}

type Contents = Readonly<{ contents: Omit<SqliteCopy, "bytes">; commits: number }>;

/** Resolves to what a copy contains, and to the number of its transactions. */
async function contentsOf(path: string, driver: SqliteDriverName | undefined): Promise<Contents> {
  const database = loadDriver(driver).open(path, { readonly: true });
  try {
    const store = new RestoredStore(checked(sqliteStorage(database), "file"));
    const shards = (await store.heads()).filter(({ sequence }) => sequence > 0);
    return {
      commits: commitsIn(database),
      contents: {
        records: shards.reduce((sum, { sequence }) => sum + sequence, 0),
        position: lastPosition(database),
        shards,
        forgets: shards.some(({ forgotten = 0 }) => forgotten > 0),
      },
    };
  } finally {
    database.close();
  }
}
