import { chmodSync, existsSync, linkSync, realpathSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import {
  errorCode,
  fileProblem,
  functionOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wordOption,
} from "../../common/index.ts";
import type { ShardHead } from "../../ports/index.ts";
import { RestoredStore } from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import { removeAcknowledged } from "./acknowledged.ts";
import { type BackupOptions, DRIVER_NAMES, loadDriver, type SqliteDriverName } from "./database.ts";
import { atOneMoment, createFile, FileProblem, lockFileOnce, partOf } from "./file.ts";
import { type FileKind, markAs } from "./schema.ts";
import { commitsIn, lastPosition, sqliteStorage } from "./storage.ts";

/** What to copy and where to, and who is told of the progress. */
export interface SqliteBackupOptions {
  readonly path: string;
  /** Path of the backup. It must not exist. Its directory is created with mode 0700 if it is missing. */
  readonly to: string;
  readonly driver?: SqliteDriverName;
  /** Called between steps with the number of pages copied so far, and of all. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Contents of a backup or of a restored store. */
export interface SqliteCopy {
  /** Number of records since the journal began. */
  readonly records: number;
  /** The position of the journal: that of its last record, 0 for an empty one. */
  readonly position: number;
  /** The heads of all shards with records. */
  readonly shards: readonly ShardHead[];
  /** Size of the file. */
  readonly bytes: number;
  /** Whether records have left the store: they are in the archive, if there is one, and not in this file. */
  readonly forgets: boolean;
}

/** Number of pages, of 4 kB each, that one step copies: some milliseconds. */
const PAGES_PER_STEP = 256;

/** Checks the name of a driver. */
export const driverOption: OptionCheck = optionalOption(wordOption(DRIVER_NAMES));

const backupOption: OptionCheck = optionsOf<SqliteBackupOptions>({
  path: nameOption,
  to: nameOption,
  driver: driverOption,
  onProgress: optionalOption(functionOption("is told of the progress")),
});

/**
 * Copies a store as it is at one moment, while a process has it open and writes. The copy is one file that only its owner
 * can read. It has its name only when it is complete and on disk. It is marked as a backup, which no engine can open, and
 * so is the copy of a backup: make a store of it with {@link restoreSqliteStore}. The archive of the journal is not part of
 * it: copy its directory afterwards. Rejects with an Error that names the file if the store cannot be read, the copy cannot
 * be written or exists already, and with a TypeError or RangeError that names an option that is missing, unknown or wrong.
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

/** Makes a copy under another name, and gives it its own name when it is on disk. Never replaces a file. */
export async function published(
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
    removeAcknowledged(path);
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

/** Throws an Error that names a file which exists. */
export function refuseExisting(path: string): void {
  if (existsSync(path))
    throw Object.assign(new Error(`${basename(path)} exists already: choose another path, or move it away`), {
      code: "EEXIST",
    });
}

/** Brings a file or the names in a directory to the disk, without blocking the thread. */
async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

/** Takes a copy out of the mode in which a second file belongs to it, and marks it. */
export function oneFileCopy(path: string, kind: FileKind, driver: SqliteDriverName | undefined): void {
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
export async function contentsOf(path: string, driver: SqliteDriverName | undefined): Promise<Contents> {
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
