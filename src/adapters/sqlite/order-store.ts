/// <reference lib="esnext.disposable" preserve="true" />

import { basename } from "node:path";
import {
  errorCode,
  flagOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
  wordOption,
} from "../../common/index.ts";
import type { KeyValueStore, OrderStore, Storage } from "../../ports/index.ts";
import type { StoredRejectionOptions, StoredRejections } from "../../store/index.ts";
import { storeOn, storeOptions } from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import type { StoredRateLimiter, StoredRateLimiterOptions } from "../shared/index.ts";
import { programOption } from "../threads/index.ts";
import { type Acknowledged, openAcknowledged, requireAcknowledged } from "./acknowledged.ts";
import { type Database, DRIVER_NAMES, loadDriver, type SqliteDriverName, useDriver } from "./database.ts";
import {
  atOneMoment,
  type DatabaseOptions,
  explained,
  lockFile,
  oneFile,
  openDatabase,
  type ReadingOptions,
  type Unlock,
} from "./file.ts";
import { journalLifetime, journalOption, type SqliteJournalOptions } from "./journal-lifetime.ts";
import { commitsIn, requireEnd, sqliteStorage } from "./storage.ts";
import { inThread, StoreThread, writerProgram } from "./store-thread.ts";

/** Rejections that survive a restart of the process. */
export type SqliteRejections = StoredRejections;

/** Options for retained rejections. */
export type SqliteRejectionOptions = StoredRejectionOptions;

/**
 * An order store in a SQLite file. The same file holds small values of the host and retained rejections. An engine
 * closes its store; `await using` closes one that has no engine.
 */
export interface SqliteStore extends OrderStore, AsyncDisposable {
  readonly keyValue: KeyValueStore;
  readonly rejections: SqliteRejections;
  /**
   * Opens a rate limiter that begins with the orders of the day and the bans in the file. It writes bans at once and
   * orders once a second, and neither in the turn of a request; closing the store writes the rest. Rejects if the file
   * cannot be read, and with a TypeError or RangeError that names an option that is missing, unknown or wrong.
   */
  openRateLimiter(options: StoredRateLimiterOptions): Promise<StoredRateLimiter>;
  /** The driver that runs SQLite for this store. */
  readonly driver: SqliteDriverName;
}

/** Path of the file, how long to wait for another process (default 5,000 ms), driver, and options for rejections. */
export interface SqliteStoreOptions {
  readonly path: string;
  readonly busyTimeoutMs?: number;
  /**
   * Whether the file belongs to this opening alone: another one is refused as long as it lasts, in this process and in
   * others. Default true. With false, whoever opens the file and acquires its shards ends the engine that runs on it.
   * Commands that only read (backup, verify, copy) go on beside an engine either way.
   */
  readonly exclusive?: boolean;
  /**
   * Opens a store that lacks transactions which were acknowledged (its write-ahead log was lost, cut or damaged, or the file was
   * cut or replaced by an older one), and goes on without them. Default false: such a store is refused.
   */
  readonly acceptLoss?: boolean;
  /**
   * What runs SQLite. Default: better-sqlite3 if it can be loaded, else node:sqlite. Both read and write the same file,
   * but a process must not have a file open with both at once: SQLite's locks do not work between two copies of SQLite in
   * one process. A second opening in the same thread is refused.
   */
  readonly driver?: SqliteDriverName;
  /**
   * Whether transactions run in a thread of their own, so that this one goes on while they are written and the disk syncs.
   * Default false. It pays off with many placements per second and a core more; starting the thread takes some tens of
   * milliseconds. Requires `exclusive`, because only the one writer of a file can tell what became of a transaction if the thread
   * ends. If it does, the store goes on reading, and refuses what it would write (code STORE_THREAD).
   */
  readonly thread?: boolean;
  /**
   * The program of that thread; default the package's own. Set it if you bundle the package into one file, to a bundle of
   * `managed-orders/dist/adapters/sqlite/store-writer.js`.
   */
  readonly threadProgram?: URL;
  readonly rejections?: SqliteRejectionOptions;
  readonly journal?: SqliteJournalOptions;
}

const BUSY_TIMEOUT_MS = 5_000;

const storeOption: OptionCheck = optionsOf<SqliteStoreOptions>({
  path: nameOption,
  busyTimeoutMs: optionalOption(wholeOption({ from: 0, to: 2_147_483_647 }, " of milliseconds")),
  exclusive: optionalOption(flagOption),
  acceptLoss: optionalOption(flagOption),
  driver: optionalOption(wordOption(DRIVER_NAMES)),
  thread: optionalOption(flagOption),
  threadProgram: optionalOption(programOption),
  rejections: storeOptions.rejections,
  journal: optionalOption(journalOption),
});

/**
 * Opens an order store in a SQLite file, and creates file and directory if they are missing. Every append is one
 * transaction, which is on disk when the append resolves (write-ahead log, synchronous=FULL). An append blocks the
 * thread for about a millisecond, unless `thread` is set. The last caller of `acquire` owns the shards, in whatever process it runs (I60).
 * A file of 4 kB beside it, `<path>.acknowledged`, says how many transactions were acknowledged: after every one, and so
 * also when the process dies at once; on the disk at most a quarter of a second later, as a power failure may show. Without
 * that file, a store opens as one of which nothing is known.
 * Needs the package better-sqlite3 12 or Node.js 22.13; `driver` chooses between them. Throws an Error that says what to
 * do if neither can be loaded, a TypeError or RangeError that names an option that is missing, unknown or wrong, and an
 * Error that names the file if it belongs to another program, is a backup, has a newer version, is damaged, is not
 * accessible, is in use, is open in this process with another driver, or ends before what was acknowledged; also if it
 * cannot have the thread that `thread` asks for.
 *
 * @example
 * ```ts
 * import { openSqliteStore } from "managed-orders/sqlite";
 * await using store = openSqliteStore({ path: "./data/orders.db" });
 * const heads = await store.acquire();
 * console.log(heads.length); // 256
 * ```
 */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  storeOption(options, "openSqliteStore");
  const { busyTimeoutMs = BUSY_TIMEOUT_MS, exclusive = true, acceptLoss = false } = options;
  const { name: driver } = loadDriver(options.driver);
  const path = oneFile(options.path);
  const program = programFor(options);
  const opened = { path, busyTimeoutMs, driver };
  const file = openFile(opened, { exclusive, acceptLoss });
  try {
    return storeIn(file, options, { ...opened, program });
  } catch (error) {
    // A table is missing. Without this, the file would stay locked for as long as the process runs.
    file.database.close();
    file.release();
    throw errorCode(error).startsWith("SQLITE_") ? explained(error, basename(path)) : error;
  }
}

/** An open file, what was acknowledged of it, and what ends its use and its lock. */
type OpenFile = Readonly<{ database: Database; acknowledged: Acknowledged; release: () => void }>;

/** Returns the URL of the program for the thread of a store, undefined for one that has none. */
function programFor({
  thread = false,
  threadProgram,
  exclusive = true,
}: SqliteStoreOptions): URL | undefined {
  if (!thread) return undefined;
  if (!exclusive)
    throw new Error(
      "openSqliteStore.thread must be false if exclusive is false: others may write to the file",
    );
  const program = threadProgram ?? writerProgram();
  if (program !== undefined) return program;
  throw new Error("the program of the store's thread was not found: set the option threadProgram to its URL");
}

function storeIn(
  file: OpenFile,
  { rejections, journal }: SqliteStoreOptions,
  { program, ...opened }: DatabaseOptions & Readonly<{ driver: SqliteDriverName; program: URL | undefined }>,
): SqliteStore {
  const { database, acknowledged, release } = file;
  const committed = (commits: number): void => acknowledged.note(commits);
  const here = checked(sqliteStorage(database, { name: basename(opened.path), committed, release }), "file");
  // All that writes takes turns with the thread. All others that have the file open, such as a backup, only read.
  const lifetime = journalLifetime(database, journal, (work) =>
    thread === undefined ? work() : thread.alone(work),
  );
  // Last: an opening that fails leaves no thread.
  const thread = program === undefined ? undefined : new StoreThread(program, opened, file);
  const storage = thread === undefined ? here : inThread(here, thread);
  const options = {
    ...(rejections !== undefined && { rejections }),
    journal: { prune: lifetime !== undefined },
  };
  const store = storeOn(storage, options, lifetime?.retain);
  const whole: OrderStore = {
    ...store,
    async acquire() {
      const heads = await store.acquire();
      // Both numbers of one moment.
      database.transaction(requireEnd)(database);
      return heads;
    },
  };
  return { ...store, acquire: whole.acquire, ...lifetime?.methodsOf(whole), driver: opened.driver };
}

/**
 * Opens the file, under a lock if it is opened exclusively. The lock comes first, so that a file in use is not read and
 * its schema is not changed.
 */
function openFile(
  options: DatabaseOptions & Readonly<{ driver: SqliteDriverName }>,
  { exclusive, acceptLoss }: Readonly<{ exclusive: boolean; acceptLoss: boolean }>,
): OpenFile {
  const { path, driver } = options;
  const endUse = useDriver(path, driver, basename(path));
  let unlock: Unlock = () => undefined;
  let database: Database | undefined;
  try {
    if (exclusive) unlock = lockFile(options);
    if (!acceptLoss) requireAcknowledged(options);
    database = openDatabase(options);
    const acknowledged = openAcknowledged(path, commitsIn(database));
    return {
      database,
      acknowledged,
      release() {
        acknowledged.close();
        unlock();
        endUse();
      },
    };
  } catch (error) {
    database?.close();
    unlock();
    endUse();
    throw error;
  }
}

/**
 * Reads the rows of a store which no process has open, with their checksums. Other processes cannot open it meanwhile.
 * Nothing of it changes. Rejects with an Error that names the file if it is in use (code EBUSY), is a backup, is not a store
 * of this version or cannot be read, and like the work.
 */
export async function withSqliteStorage<T>(
  options: ReadingOptions,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  return await atOneMoment(options, async (database) => await work(sqliteStorage(database)), { alone: true });
}

/** Rejects as {@link withSqliteStorage} does before it reads any rows. */
export async function requireSqliteAtRest(options: ReadingOptions): Promise<void> {
  await atOneMoment(options, async () => undefined, { alone: true });
}
