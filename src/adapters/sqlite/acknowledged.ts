import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { errorCode } from "../../common/index.ts";
import { afterMs } from "../../store/internal.ts";
import { loadDriver, type SqliteDriverName } from "./database.ts";
import { connect, explained, FileProblem, type ReadingOptions, refuseOthers } from "./file.ts";
import { kindOf, schemaVersion } from "./schema.ts";
import { commitsIn } from "./storage.ts";

/** Size of the file. It never grows, so that a full disk does not stop it. */
const FILE_BYTES = 4096;

/** The two places of the file that are written in turn: one that was cut off in the middle leaves the other. */
const SLOT_BYTES = FILE_BYTES / 2;

const WORDS = "managed-orders acknowledged";
const SLOT = /^managed-orders acknowledged ([0-9]{1,16}) ([0-9]{1,10})\n/;

/** How long the disk may be behind the file, which the system keeps when only the process dies. */
const SYNC_AFTER_MS = 250;

/** Path of the file beside a store that says how many of its transactions were acknowledged. */
const acknowledgedFileOf = (path: string): string => `${path}.acknowledged`;

/** Returns the number of transactions that were acknowledged to users of a store; undefined if no file says so. */
function readAcknowledged(path: string): number | undefined {
  let file: number | undefined;
  try {
    file = openSync(acknowledgedFileOf(path), "r");
    const bytes = Buffer.alloc(FILE_BYTES);
    const length = readSync(file, bytes, 0, FILE_BYTES, 0);
    const totals: number[] = [0, SLOT_BYTES].flatMap((at) => totalIn(bytes.toString("latin1", at, length)));
    return totals.sort((a, b) => b - a)[0];
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function totalIn(text: string): readonly number[] {
  const [, total = "", checksum = ""] = SLOT.exec(text) ?? [];
  return total !== "" && checksum === String(crc32(`${WORDS} ${total}`)) ? [Number.parseInt(total, 10)] : [];
}

/**
 * Says what a store lacks of the transactions that were acknowledged; undefined if it lacks nothing. Reads only, so that what is
 * left of the write-ahead log stays for a repair. The number of those that were acknowledged is read first: a process that
 * has the store open goes on meanwhile. Throws an Error that names the file if it cannot be read.
 */
export function missingOf({ path, driver }: ReadingOptions): string | undefined {
  const acknowledged = readAcknowledged(path) ?? 0;
  const commits = acknowledged === 0 ? 0 : storedCommits(path, driver);
  if (commits >= acknowledged) return undefined;
  const name = basename(path);
  return `${name} ends after ${commits} transactions, but ${acknowledged} were acknowledged: the last ${acknowledged - commits} are missing. Its write-ahead log (${name}-wal) was lost, cut or damaged, or the file was cut or replaced by an older one`;
}

/** Throws an Error that names the file, what is missing and how to go on, if a store ends before what was acknowledged. */
export function requireAcknowledged(options: ReadingOptions): void {
  const missing = missingOf(options);
  if (missing !== undefined)
    throw new FileProblem(
      `${missing}. Move it away and restore a backup, or go on without them: with acceptLoss: true, or by removing ${basename(acknowledgedFileOf(options.path))}`,
    );
}

function storedCommits(path: string, driver: SqliteDriverName | undefined): number {
  // SQLite would delete the write-ahead log of an empty file.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return 0;
  const name = basename(path);
  const { database, release } = connect(loadDriver(driver), path, { readonly: true });
  try {
    refuseOthers(database, name);
    const hasTables = kindOf(database) !== undefined && schemaVersion(database) > 0;
    return hasTables ? commitsIn(database) : 0;
  } catch (error) {
    throw explained(error, name);
  } finally {
    release();
  }
}

/** Removes the file of a store, so that the next opening begins a new one. */
export const removeAcknowledged = (path: string): void => rmSync(acknowledgedFileOf(path), { force: true });

/** Opens the file beside a store and writes how many transactions are there now. */
export function openAcknowledged(path: string, commits: number): Acknowledged {
  // Not truncated: until the new number is written, the old one stands.
  const flags = constants.O_RDWR | constants.O_CREAT;
  return new Acknowledged(openSync(acknowledgedFileOf(path), flags, 0o600), commits);
}

/** Notes beside a store how many transactions it had when the last one was acknowledged. */
export class Acknowledged {
  /** Its descriptor, which belongs to the whole process: the thread of a store writes to that of the main thread. */
  readonly file: number;
  readonly #bytes = Buffer.alloc(SLOT_BYTES, "\n");
  #total: number;
  #slot = 0;
  #stopWaiting: (() => void) | undefined;
  #isClosed = false;

  constructor(file: number, total: number) {
    this.file = file;
    this.#total = total;
    // Both, because an accepted loss leaves a greater number in either.
    this.#write();
    this.#write();
    fdatasyncSync(file);
  }

  /** Notes that so many transactions are durable. Call it after a commit and before anyone is told. */
  note(commits: number): void {
    if (this.#isClosed) return;
    this.#total = commits;
    this.#write();
    this.#stopWaiting ??= afterMs(SYNC_AFTER_MS, () => {
      this.#stopWaiting = undefined;
      fdatasync(this.file, () => undefined);
    });
  }

  /** Brings the file to the disk and closes it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopWaiting?.();
    try {
      fdatasyncSync(this.file);
    } finally {
      closeSync(this.file);
    }
  }

  /** What cannot be written is written with the next append: the file may be behind, never ahead. */
  #write(): void {
    const text = `${WORDS} ${this.#total}`;
    this.#bytes.write(`${text} ${crc32(text)}\n`, 0, "latin1");
    try {
      writeSync(this.file, this.#bytes, 0, SLOT_BYTES, this.#slot);
    } catch {
      return;
    }
    this.#slot = this.#slot === 0 ? SLOT_BYTES : 0;
  }
}
