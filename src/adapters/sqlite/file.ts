import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { deviceProblem, errorCode, fileProblem, linksProblem } from "../../common/index.ts";
import { type Database, type Driver, loadDriver, type SqliteDriverName, useDriver } from "./database.ts";
import { type FileKind, kindOf, markAs, migrate, NEWEST_VERSION, schemaVersion } from "./schema.ts";

/** A problem with a file or directory of a store whose message is already meant for the host. */
export class FileProblem extends Error {
  readonly code = "STORE_FILE";
}

/** Where a store is, and the driver to open it with. */
export type ReadingOptions = Readonly<{ path: string; driver?: SqliteDriverName | undefined }>;

/** The same, and how long a write waits for another process, in milliseconds. */
export type DatabaseOptions = ReadingOptions & Readonly<{ busyTimeoutMs: number }>;

/**
 * Opens or creates the database file with the newest schema, a write-ahead log and full durability. A new directory is
 * readable only by its owner (mode 0700), and so is the file (0600), which loses other users' permissions once it is known
 * to be a store. Opened as a backup, it becomes one.
 * Throws an Error that names the file if it belongs to another program, is a backup and not opened as one, has a newer
 * version, is damaged or is not accessible.
 */
export function openDatabase(options: DatabaseOptions, kind: FileKind = "store"): Database {
  const driver = loadDriver(options.driver);
  // Resolve the path first, so that the driver never reads it as a URI or as the name of an in-memory database.
  const path = resolve(options.path);
  const name = basename(path);
  let database: Database | undefined;
  try {
    createFile(path);
    database = driver.open(path, { timeoutMs: options.busyTimeoutMs });
    refuseOthers(database, name);
    if (kind === "store") refuseBackup(database, name);
    for (const part of [path, ...besideOf(path)]) restrictAccess(part);
    configure(database, name);
    markAs(database, kind);
    migrate(database);
    return database;
  } catch (error) {
    database?.close();
    throw explained(error, name);
  }
}

/**
 * Creates a file, and its directory, that only its owner can read. Removes other users' permissions from an empty file; one
 * with contents may belong to another program. An existing file is not opened: when a process closes any descriptor of a
 * file, the system releases all locks that the process holds on it, and with them those of a store that is open here.
 */
export function createFile(path: string): Stats {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const found = statSync(path, { throwIfNoEntry: false });
  const problem = deviceProblem(basename(path), found);
  if (problem !== undefined) throw new FileProblem(problem);
  if (found?.isFile()) accessSync(path, constants.R_OK | constants.W_OK);
  else closeSync(openSync(path, "a", 0o600));
  if (found === undefined || found.size === 0) restrictAccess(path);
  return statSync(path);
}

/** Files that SQLite keeps beside a database. */
const besideOf = (path: string): readonly string[] => [`${path}-wal`, `${path}-shm`];

/** Permission bits of all users but the owner. */
const OTHERS = 0o077;

/**
 * Creates the file if it is missing, and returns its real path. Links are resolved, so that every opening under another
 * name finds the same lock. Throws an Error that names the file if it has a second hard link, because hard links cannot
 * be resolved. The one that a crash at the end of a restore leaves is removed.
 */
export function oneFile(path: string): string {
  const name = basename(path);
  try {
    const { nlink, ino } = createFile(resolve(path));
    const isAlone = nlink === 1 || (nlink === 2 && removedPart(resolve(path), ino));
    if (!isAlone) throw new FileProblem(linksProblem(name));
    return realpathSync(resolve(path));
  } catch (error) {
    throw explained(error, name);
  }
}

/** The name that a copy of a store has until it is complete. For a moment, the complete copy has both names. */
export const partOf = (path: string): string => `${path}.part`;

function removedPart(path: string, ino: number): boolean {
  const part = partOf(path);
  if (statSync(part, { throwIfNoEntry: false })?.ino !== ino) return false;
  rmSync(part, { force: true });
  return true;
}

function restrictAccess(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) !== 0) chmodSync(path, 0o600);
}

/** Checks the file before anything is written, so that a file of another program stays unchanged. */
export function refuseOthers(database: Database, name: string): void {
  const version = schemaVersion(database);
  const isEmpty =
    version === 0 && database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (kindOf(database) === undefined && !isEmpty)
    throw new FileProblem(`${name} is a database of another program: choose another path`);
  if (version > NEWEST_VERSION) {
    throw new FileProblem(
      `${name} has schema version ${version}, but this version of managed-orders supports versions up to ${NEWEST_VERSION}: update managed-orders`,
    );
  }
}

/** Throws an Error that names the file if it is a backup. */
function refuseBackup(database: Database, name: string): void {
  if (kindOf(database) !== "backup") return;
  throw new FileProblem(
    `${name} is a backup, and orders that are open in it may have been executed since: make a new store of it with managed-orders restore or restoreSqliteStore`,
  );
}

/** Throws an Error that names a file which is to be read and does not exist. */
export function requireThere(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new FileProblem(`${basename(path)} does not exist`);
}

/** Throws an Error that names the file if its schema is not the newest one. */
function requireNewest(database: Database, name: string): void {
  const version = schemaVersion(database);
  if (version === NEWEST_VERSION) return;
  const remedy =
    kindOf(database) === "backup"
      ? "restore it, which updates the new store"
      : "open it once with openSqliteStore, which updates it";
  throw new FileProblem(`${name} has schema version ${version} instead of ${NEWEST_VERSION}: ${remedy}`);
}

function configure(database: Database, name: string): void {
  const mode = database.pragma("journal_mode = WAL", { simple: true });
  if (mode !== "wal")
    throw new FileProblem(
      `${name} is on a file system where SQLite cannot keep a write-ahead log: choose another path`,
    );
  database.pragma("synchronous = FULL");
}

/** Returns the error for a file that another process has open. */
function inUse(cause: unknown, name: string): Error {
  const message = `${name} is in use by another process: end that process, or choose another path`;
  return Object.assign(new Error(message, { cause }), { code: "EBUSY" });
}

/** Converts SQLite's error about a corrupt page to an error that names the file. Returns any other error unchanged. */
export function withFileName(error: unknown, name: string): unknown {
  return codeOf(error).startsWith("SQLITE_CORRUPT") ? explained(error, name) : error;
}

/** Returns an error that names the file and has the code of its cause. */
export function explained(error: unknown, name: string): Error {
  if (error instanceof FileProblem) return error;
  const code = codeOf(error);
  return Object.assign(new Error(messageOf(code, name), { cause: error }), { code });
}

function messageOf(code: string, name: string): string {
  if (code === "SQLITE_NOTADB") return `${name} is not a SQLite database: choose another path`;
  if (code.startsWith("SQLITE_CORRUPT")) return `${name} is damaged: restore it from a backup`;
  const why = fileProblem(code);
  return `${name} cannot be opened (${code})${why === undefined ? "" : `: ${why}`}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/**
 * Runs work on the contents of a store or a backup at one moment, through a connection that only reads. Other connections
 * go on reading and writing meanwhile; the write-ahead log grows until the work is done. With `alone`, no other connection
 * may have the store open, and none can open it meanwhile. Nothing of it changes. Rejects with an Error that names the
 * file if it is not a store of this version or cannot be read and, with `alone`, if it is a backup, or in use (code EBUSY).
 */
export async function atOneMoment<T>(
  options: ReadingOptions,
  work: (database: Database) => Promise<T>,
  { alone }: Readonly<{ alone: boolean }> = { alone: false },
): Promise<T> {
  const name = basename(options.path);
  const { database, release } = openToRead(options, name, alone);
  try {
    return await work(database);
  } catch (error) {
    throw withFileName(error, name);
  } finally {
    release();
  }
}

function openToRead({ path, driver }: ReadingOptions, name: string, alone: boolean): Connection {
  const loaded = loadDriver(driver);
  let connection: Connection | undefined;
  try {
    requireThere(path);
    connection = connect(loaded, path, alone ? { timeoutMs: 0 } : { readonly: true });
    const { database } = connection;
    // Every connection to a file with a write-ahead log holds a shared lock on it for as long as it is open.
    if (alone) database.pragma("locking_mode = EXCLUSIVE");
    refuseOthers(database, name);
    if (alone) refuseBackup(database, name);
    requireNewest(database, name);
    database.exec("BEGIN");
    // A transaction sees the moment of its first read.
    database.prepare("SELECT 1 FROM heads").get();
    return connection;
  } catch (error) {
    connection?.release();
    throw alone && errorCode(error) === "SQLITE_BUSY" ? inUse(error, name) : explained(error, name);
  }
}

/** A connection to a file, and what closes it and ends the use of its driver. */
type Connection = Readonly<{ database: Database; release: () => void }>;

/**
 * Opens a file that others may have open in this process too. Throws an Error that names the file if they use another
 * driver, or if it cannot be opened.
 */
export function connect(driver: Driver, path: string, options: Parameters<Driver["open"]>[1]): Connection {
  const name = basename(path);
  const real = realpathSync(path);
  const endUse = useDriver(real, driver.name, name);
  try {
    const database = driver.open(real, options);
    return {
      database,
      release() {
        database.close();
        endUse();
      },
    };
  } catch (error) {
    endUse();
    throw explained(error, name);
  }
}

/** Releases a lock. */
export type Unlock = () => void;

/** Locks a file as {@link lockFile} does, through a file beside it that is removed when the lock is released. */
export function lockFileOnce(options: DatabaseOptions): Unlock {
  const unlock = lockFile(options);
  return () => {
    // While it is locked: removed later, it could be one that somebody else has locked meanwhile.
    rmSync(lockOf(options.path), { force: true });
    unlock();
  };
}

/**
 * Locks a file exclusively for this opening, through an empty file beside it. Waits up to `busyTimeoutMs` for another holder.
 * The system releases the lock with the process, however it dies, so that nothing needs cleaning up. Throws an Error
 * that names the file: with the code EBUSY if another holder has it, else with the code of the failure.
 */
export function lockFile({ path, busyTimeoutMs, driver: name }: DatabaseOptions): Unlock {
  const driver = loadDriver(name);
  const beside = lockOf(path);
  let lock: Database | undefined;
  try {
    const ino = createLock(beside);
    lock = driver.open(beside, { timeoutMs: busyTimeoutMs });
    // The lock file is never written, so a journal file on disk would only be left behind.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    if (statSync(beside, { throwIfNoEntry: false })?.ino !== ino) throw removedLock();
  } catch (cause) {
    lock?.close();
    throw (errorCode(cause) === "SQLITE_BUSY" ? inUse : explained)(cause, basename(path));
  }
  return () => void lock?.close();
}

/** Creates the lock file if it is missing. Returns its number in the file system. */
function createLock(path: string): number {
  try {
    return createFile(path).ino;
  } catch (cause) {
    // Its directory was created first, so it was there a moment ago.
    if (errorCode(cause) === "ENOENT" && existsSync(dirname(path))) throw removedLock();
    throw cause;
  }
}

const lockOf = (path: string): string => `${resolve(path)}.lock`;

/** The holder has removed the file before this lock was got: whoever comes next locks another file. */
const removedLock = (): Error => Object.assign(new Error("the lock was removed"), { code: "SQLITE_BUSY" });
