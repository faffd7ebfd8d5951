import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { deviceProblem, fileProblem, linksProblem } from "../../common/index.ts";
import type { Database, SqliteDriverName } from "./database.ts";
import { loadDriver } from "./driver.ts";
import { type FileKind, kindOf, markAs, refuseBackup } from "./file-kind.ts";
import { FileProblem } from "./file-problem.ts";
import { MIGRATIONS, migrate, newestVersion, schemaVersion } from "./migrations.ts";

/** Path of the file, how long a write waits for another process, in milliseconds, and the driver. */
export type DatabaseOptions = Readonly<{
  path: string;
  busyTimeoutMs: number;
  driver?: SqliteDriverName | undefined;
}>;

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
 * Creates a file, and its directory, that only its owner can read. Removes other users' permissions from an empty
 * file; one with contents may belong to another program. An existing file is not opened: when a process closes any descriptor of a file, the system releases all locks
 * that the process holds on it, and with them those of a store that is open here (decision UE).
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
  const newest = newestVersion(MIGRATIONS);
  const isEmpty =
    version === 0 && database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (kindOf(database) === undefined && !isEmpty)
    throw new FileProblem(`${name} is a database of another program: choose another path`);
  if (version > newest) {
    throw new FileProblem(
      `${name} has schema version ${version}, but this version of managed-orders supports versions up to ${newest}: update managed-orders`,
    );
  }
}

/** Throws an Error that names a file which is to be read and does not exist. */
export function requireThere(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined)
    throw new FileProblem(`${basename(path)} does not exist`);
}

/** Throws an Error that names the file if its schema is not the newest one. */
export function requireNewest(database: Database, name: string): void {
  const version = schemaVersion(database);
  const newest = newestVersion(MIGRATIONS);
  if (version === newest) return;
  const remedy =
    kindOf(database) === "backup"
      ? "restore it, which updates the new store"
      : "open it once with openSqliteStore, which updates it";
  throw new FileProblem(`${name} has schema version ${version} instead of ${newest}: ${remedy}`);
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
export function inUse(cause: unknown, name: string): Error {
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
