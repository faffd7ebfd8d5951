/// <reference lib="esnext.disposable" preserve="true" />
import { basename } from "node:path";
import {
  errorCode,
  flagOption,
  nameOption,
  numberOption,
  type OptionCheck,
  optional,
  optionsOf,
  wholeOption,
  wordOption,
} from "../../common/index.ts";
import type { AppendBatch, AppendOutcome, KeyValueStore, OrderStore } from "../../ports/index.ts";
import { telemetryOption } from "../../ports/internal.ts";
import {
  inTurns,
  limited,
  QueuedRejections,
  type StoredRateLimiter,
  type StoredRateLimiterOptions,
  StoredRateLimiters,
} from "../shared/index.ts";
import { type Acknowledged, keepAcknowledged, recordsIn, requireAcknowledged } from "./acknowledged.ts";
import { afterMs } from "./after-ms.ts";
import type { Database, SqliteDriverName } from "./database.ts";
import { DRIVER_NAMES, loadDriver } from "./driver.ts";
import { useDriver } from "./driver-in-use.ts";
import { lockFile, type Unlock } from "./file-lock.ts";
import { journalLifetime, journalOption, type SqliteJournalOptions } from "./journal-lifetime.ts";
import { keyValueTable } from "./key-value-table.ts";
import { limitTable } from "./limit-table.ts";
import { type DatabaseOptions, explained, oneFile, openDatabase, withFileName } from "./open-database.ts";
import { rejectionTable } from "./rejection-table.ts";
import type { SqliteRejectionOptions, SqliteRejections } from "./rejections.ts";
import { tablesOf } from "./tables-of.ts";
import { transactions } from "./transactions.ts";

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
   * Opens a store that lacks records which were acknowledged (its write-ahead log was lost, cut or damaged, or the file was
   * cut or replaced by an older one), and goes on without them. Default false: such a store is refused.
   */
  readonly acceptLoss?: boolean;
  /**
   * What runs SQLite. Default: better-sqlite3 if it can be loaded, else node:sqlite. Both read and write the same file,
   * but a process must not have a file open with both at once: SQLite's locks do not work between two copies of SQLite in
   * one process. A second opening in the same thread is refused.
   */
  readonly driver?: SqliteDriverName;
  readonly rejections?: SqliteRejectionOptions;
  readonly journal?: SqliteJournalOptions;
}

const BUSY_TIMEOUT_MS = 5_000;

const storeOption: OptionCheck = optionsOf<SqliteStoreOptions>({
  path: nameOption,
  busyTimeoutMs: optional(wholeOption({ from: 0, to: 2_147_483_647 }, " of milliseconds")),
  exclusive: optional(flagOption),
  acceptLoss: optional(flagOption),
  driver: optional(wordOption(DRIVER_NAMES)),
  rejections: optional(
    optionsOf<SqliteRejectionOptions>({
      capacity: optional(wholeOption({ from: 0 })),
      retentionDays: optional(numberOption({ from: 0 })),
      perAccount: optional(wholeOption({ from: 0 })),
      telemetry: optional(telemetryOption),
    }),
  ),
  journal: optional(journalOption),
});

/**
 * Opens an order store in a SQLite file, and creates file and directory if they are missing. Every append is one
 * transaction, which is on disk when the append resolves (write-ahead log, synchronous=FULL). An append blocks the
 * thread for about a millisecond. The last caller of `acquire` owns the shards, in whatever process it runs (I60).
 * A file of 4 kB beside it, `<path>.acknowledged`, says how many records were acknowledged: after every append, and so also
 * when the process dies at once; on the disk at most a quarter of a second later, as a power failure may show. Without that
 * file, a store opens as one of which nothing is known.
 * Needs the package better-sqlite3 12 or Node.js 22.13; `driver` chooses between them. Throws an Error that says what to
 * do if neither can be loaded, a TypeError or RangeError that names an option that is missing, unknown or wrong, and an
 * Error that names the file if it belongs to another program, is a backup, has a newer version, is damaged, is not
 * accessible, is in use, is open in this process with another driver, or ends before what was acknowledged.
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
  const file = openFile({ path, busyTimeoutMs, driver }, { exclusive, acceptLoss });
  try {
    return storeIn(file, { ...options, path, driver });
  } catch (error) {
    // A table is missing. Without this, the file would stay locked for as long as the process runs.
    file.database.close();
    file.release();
    throw errorCode(error).startsWith("SQLITE_") ? explained(error, basename(path)) : error;
  }
}

/** An open file, what was acknowledged of it, and what ends its use and its lock. */
type OpenFile = Readonly<{ database: Database; acknowledged: Acknowledged; release: () => void }>;

function storeIn(
  { database, acknowledged, release }: OpenFile,
  { path, driver, ...options }: SqliteStoreOptions & Readonly<{ driver: SqliteDriverName }>,
): SqliteStore {
  const tables = tablesOf(database);
  const { journal, marks, volume, quotes, snapshots, ended, endedLists } = tables;
  const { acquire, append, readRecords, countEnded, deleteMarks, deleteEnded, deleteVolume } = transactions(
    database,
    tables,
  );
  const values = keyValueTable(database);
  const rejections = new QueuedRejections(rejectionTable(database), options.rejections ?? {});
  const guarded = async <T>(run: () => T): Promise<T> => {
    if (!database.open) throw new Error("the store is closed");
    try {
      return run();
    } catch (error) {
      throw withFileName(error, basename(path));
    }
  };
  const limiters = new StoredRateLimiters(limitTable(database, guarded), afterMs);
  const close = async (): Promise<void> => {
    await rejections.flush();
    await limiters.close();
    database.close();
    release();
  };
  return {
    acquire: () => guarded(acquire),
    head: (shard) => guarded(() => journal.head(shard)),
    append: (batch) =>
      guarded(() => {
        const outcomes = append(batch);
        acknowledged.add(durableRecords(batch, outcomes));
        return outcomes;
      }),
    fence: (round) => guarded(() => journal.fence(round)),
    readRecords: (range) => guarded(() => readRecords(limited(range))),
    readSnapshot: (shard, reading) => inTurns(snapshots.read(shard, reading), guarded),
    writeSnapshot: (snapshot, writing) => inTurns(snapshots.write(snapshot), guarded, writing),
    readMarks: (shards) => guarded(() => marks.read(shards)),
    readQuotes: () => guarded(quotes.read),
    deleteMarks: (old) => guarded(() => deleteMarks(old)),
    findEnded: (key) => guarded(() => ended.find(key)),
    pageEnded: (page) => guarded(() => ended.page(limited(page))),
    countEnded: (whose) => guarded(() => countEnded(whose)),
    readEnded: (range) => guarded(() => ended.ofShard(limited(range))),
    pageEndedNames: (page) => guarded(() => ended.names(limited(page))),
    findEndedList: (key) => guarded(() => endedLists.find(key)),
    pageEndedLists: (page) => guarded(() => endedLists.page(limited(page))),
    deleteEnded: (range) => guarded(() => deleteEnded(limited(range))),
    ...journalLifetime({ database, tables, guarded }, options.journal),
    readVolume: (reading) => inTurns(volume.read(reading), guarded),
    deleteVolume: (cutoff, deleting) => inTurns(deleteVolume(cutoff), guarded, deleting),
    close,
    [Symbol.asyncDispose]: close,
    rejections,
    openRateLimiter: (limits) => limiters.open(limits),
    driver,
    keyValue: {
      get: (key) => guarded(() => values.get(key)),
      set: (key, value) => guarded(() => values.set(key, value)),
    },
  };
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
    const acknowledged = keepAcknowledged(path, recordsIn(database));
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

/** Number of records of a batch that are now durable. */
const durableRecords = ({ shards }: AppendBatch, outcomes: readonly AppendOutcome[]): number =>
  shards.reduce((sum, { records }, at) => sum + (outcomes[at] === "durable" ? records.length : 0), 0);
