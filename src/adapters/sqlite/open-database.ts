import { closeSync, mkdirSync, openSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { type Database, loadDriver } from "./driver.ts";
import { MIGRATIONS, migrate, newestVersion, schemaVersion } from "./migrations.ts";

/** Marks a file as one of this store ("mord" in ASCII). */
const APPLICATION_ID = 0x6d6f7264;

/** Where the file is, and how long a write waits for another process, in milliseconds. */
export type DatabaseOptions = Readonly<{ path: string; busyTimeoutMs: number }>;

/**
 * Opens or creates the database file with the newest schema, write-ahead log and full durability. A new directory is
 * readable by its owner only (mode 0700), and so is a new file (0600).
 * Throws an Error that names the file when it is of another program, of a newer version, damaged or not accessible.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const Driver = loadDriver();
  // Resolved first, so that the driver never reads the text as a URI or as its name for a database in memory.
  const path = resolve(options.path);
  const name = basename(path);
  let database: Database | undefined;
  try {
    createFile(path);
    database = new Driver(path, { timeout: options.busyTimeoutMs });
    refuseOthers(database, name);
    configure(database, name);
    migrate(database);
    return database;
  } catch (error) {
    database?.close();
    throw explained(error, name);
  }
}

/** Creates a file, and its directory, that only its owner may read; leaves what is there as it is. */
export function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** Looks before anything is written, so that a file of somebody else stays as it is. */
function refuseOthers(database: Database, name: string): void {
  const version = schemaVersion(database);
  const newest = newestVersion(MIGRATIONS);
  const application = database.pragma("application_id", { simple: true });
  const isEmpty =
    version === 0 && database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (application !== APPLICATION_ID && !isEmpty)
    throw new FileProblem(`${name} is a database of another program`);
  if (version > newest) {
    throw new FileProblem(
      `${name} has schema version ${version} and this version of managed-orders knows ${newest}: update managed-orders`,
    );
  }
}

function configure(database: Database, name: string): void {
  const mode = database.pragma("journal_mode = WAL", { simple: true });
  if (mode !== "wal") throw new FileProblem(`${name} lies where SQLite cannot keep a write-ahead log`);
  database.pragma("synchronous = FULL");
  database.pragma(`application_id = ${APPLICATION_ID}`);
}

/** What SQLite says of a broken page, as an error that names the file; any other error as it is. */
export function withFileName(error: unknown, name: string): unknown {
  return codeOf(error).startsWith("SQLITE_CORRUPT") ? explained(error, name) : error;
}

/** An error whose message is for the host already. */
class FileProblem extends Error {}

/** An error that names the file and bears the code of its cause. */
export function explained(error: unknown, name: string): Error {
  if (error instanceof FileProblem) return error;
  const code = codeOf(error);
  return Object.assign(new Error(messageOf(code, name), { cause: error }), { code });
}

function messageOf(code: string, name: string): string {
  if (code === "SQLITE_NOTADB") return `${name} is no SQLite database`;
  if (code.startsWith("SQLITE_CORRUPT")) return `${name} is damaged: restore it from a backup`;
  return `${name} cannot be opened (${code})`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
