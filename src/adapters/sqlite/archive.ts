import { randomUUID } from "node:crypto";
import {
  closeSync,
  createReadStream,
  fdatasyncSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { crc32, createGunzip } from "node:zlib";
import { errorCode, fileProblem, nextTurn } from "../../common/index.ts";
import { FileProblem } from "./file.ts";

/** A record that leaves the store: its text, and its position in the journal. */
export type ArchivedRecord = Readonly<{ text: string; position: number }>;

/**
 * A line is the text of a record, before whose members stand a checksum and the position in the journal:
 * `{"crc32":"1a2b3c4d","position":5,"v":1,"record":{...}}`.
 */
const LINE = /^\{"crc32":"([0-9a-f]{8})","position":([1-9][0-9]{0,15}),/;

/** Length of what stands before the position. */
const PREFIX_LENGTH = 20;

/** Returns the line of a record, with its line break. */
export function lineOf({ text, position }: ArchivedRecord): string {
  const rest = `"position":${position},${text.slice(1)}`;
  return `{"crc32":"${checksumOf(rest)}",${rest}\n`;
}

/** Returns the record in a line without its line break; undefined if the line is damaged. */
export function recordIn(line: string): ArchivedRecord | undefined {
  const [start = "", checksum, position = ""] = LINE.exec(line) ?? [];
  if (checksum === undefined || checksum !== checksumOf(line.slice(PREFIX_LENGTH))) return undefined;
  return { text: `{${line.slice(start.length)}`, position: Number.parseInt(position, 10) };
}

const checksumOf = (rest: string): string => crc32(rest).toString(16).padStart(8, "0");

/** Names of the files: one of each day, of lines while records are added, compressed afterwards. */
const NAME = /^journal-(\d{4}-\d{2}-\d{2})\.ndjson(\.gz)?$/;

/** Name of a compressed file that is not complete. */
const PART = /^journal-.*\.part$/;

/** The files of one day; a crash can leave both. */
export type ArchiveDay = Readonly<{ day: string; compressed?: string; lines?: string }>;

/**
 * Creates the directory with mode 0700 if it is missing, on disk. One that exists may be shared with others, so it keeps
 * its mode: only the owner can read the files in it. The path must be absolute.
 */
export function makeFolder(folder: string): void {
  try {
    const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The name of a directory is on disk when its parent is.
    for (let each = folder; first !== undefined && each.length >= first.length; each = dirname(each))
      syncFolder(dirname(each));
  } catch (cause) {
    throw archiveError(folder, "cannot be used", cause);
  }
}

/**
 * Returns the days of an archive with the paths of their files, oldest first. Throws an Error that names the directory
 * if it cannot be read.
 */
export function daysOf(folder: string): readonly ArchiveDay[] {
  const days = new Map<string, ArchiveDay>();
  for (const name of namesIn(folder)) {
    const [, day, isCompressed] = NAME.exec(name) ?? [];
    if (day === undefined) continue;
    const path = join(folder, name);
    days.set(day, { day, ...days.get(day), ...(isCompressed ? { compressed: path } : { lines: path }) });
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** Returns the paths of compressed files that a crash left incomplete. */
export function partsOf(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => PART.test(name))
    .map((name) => join(folder, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw archiveError(folder, "cannot be read", cause);
  }
}

/** Returns the path of a day's lines. */
export const linesPath = (folder: string, day: string): string => join(folder, `journal-${day}.ndjson`);

/** Makes the names in a directory durable. */
export function syncFolder(folder: string): void {
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns an error that names a file or directory of the archive and has the code of its cause. */
export function archiveError(path: string, what: string, cause: unknown): Error {
  const code = errorCode(cause);
  const why = code === "ENOENT" ? "it does not exist" : fileProblem(code);
  const message = `the archive ${path} ${what} (${code})${why === undefined ? "" : `: ${why}`}`;
  return Object.assign(new Error(message, { cause }), { code });
}

/** Name of the file that says to which store an archive belongs. */
const OWNER = "store-id";

const path = (folder: string): string => join(folder, OWNER);
const textOf = (storeId: number): string => `${storeId}\n`;

/**
 * Binds an archive to a store, if it is not bound yet. Throws an Error that names the directory if it belongs to another
 * store, or has records but does not say whose they are.
 */
export function bindArchive(folder: string, storeId: number): void {
  if (ownerOf(folder) === undefined) {
    if (daysOf(folder).length > 0)
      throw problem(folder, "has records of a store that it does not name: choose another directory");
    try {
      create(folder, textOf(storeId));
    } catch (cause) {
      throw archiveError(path(folder), "cannot be written", cause);
    }
  }
  requireBound(folder, storeId);
}

/** Throws an Error that names the directory unless the archive is bound to the store. */
export function requireBound(folder: string, storeId: number): void {
  const owner = ownerOf(folder);
  if (owner === textOf(storeId)) return;
  throw owner === undefined
    ? problem(
        folder,
        `lacks the file ${OWNER}, which the archive of this store has: is its volume mounted? To move the archive, copy all its files`,
      )
    : problem(
        folder,
        "belongs to another store: choose another directory; a restored store never continues the archive of the old one",
      );
}

function ownerOf(folder: string): string | undefined {
  try {
    return readFileSync(path(folder), "utf8");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw archiveError(path(folder), "cannot be read", cause);
  }
}

/**
 * Creates the file, complete and on disk when it has its name, so that a crash leaves no part of a text. If another
 * process creates it meanwhile, that file stays.
 */
function create(folder: string, text: string): void {
  const part = `${path(folder)}.${randomUUID()}.part`;
  try {
    const file = openSync(part, "w", 0o600);
    try {
      writeFileSync(file, text);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(part, path(folder));
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw cause;
  } finally {
    rmSync(part, { force: true });
  }
  syncFolder(folder);
}

const problem = (folder: string, what: string): Error => new FileProblem(`the archive ${folder} ${what}`);

/** Number of bytes that one call reads of the end of a file. */
const BLOCK = 65_536;

const NEWLINE = 10;

/** Returns the length of a file, and its length up to the end of its last whole line. */
export function sizesOf(path: string): Readonly<{ size: number; whole: number }> {
  const { size } = statSync(path);
  const file = openSync(path, "r");
  try {
    return { size, whole: wholeLines(file, size) };
  } finally {
    closeSync(file);
  }
}

/** Returns the length of an open file up to the end of its last whole line. */
export function wholeLines(file: number, size: number): number {
  const block = Buffer.alloc(BLOCK);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK);
    const length = readSync(file, block, 0, end - start, start);
    const at = block.subarray(0, length).lastIndexOf(NEWLINE);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

/** A line of the archive: its record, or what is wrong with it. After a `problem` with a file, none follows. */
export type ArchivedLine = Readonly<{
  file: string;
  line: number;
  record?: ArchivedRecord;
  problem?: string;
}>;

/** Number of lines after which a reader lets other work run. */
const LINES_PER_TURN = 512;

/** Number of characters of the longest line that is read; a record has at most some hundred thousand. */
const LONGEST_LINE: number = 16 * 2 ** 20;

/**
 * Reads an archive from its first day on. The end of a file that is not compressed may be a part of a line, which a
 * crash left: its record is still in the store, and it is left out. A record may come more than once: a crash leaves its
 * line although the transaction that deletes it did not commit. Throws an Error that names the directory if it cannot be
 * read.
 */
export async function* readArchive(folder: string): AsyncGenerator<ArchivedLine> {
  for (const { compressed, lines } of daysOf(folder)) {
    // Days are compressed meanwhile. The lines come first: when they are gone, the compressed file has them.
    const areGone = lines !== undefined && !(yield* readLinesIfThere(lines));
    if (compressed !== undefined) yield* readCompressed(compressed);
    else if (areGone) yield* readCompressed(`${lines}.gz`);
  }
}

/** Reads a compressed file. */
export function readCompressed(path: string): AsyncGenerator<ArchivedLine> {
  // A pipeline closes the file also when the bytes are damaged or the reader stops. The reader hears of the errors itself.
  const open = (): Readable => pipeline(createReadStream(path), createGunzip(), () => undefined);
  return linesIn(path, open);
}

/** Reads the first `bytes` of a file of lines. */
export const readLines = (path: string, bytes: number): AsyncGenerator<ArchivedLine> =>
  linesIn(path, () => firstOf(path, bytes));

/**
 * Reads the lines that a file has when the reader begins. Returns false if it does not exist. What comes after the last
 * whole line changes: a part of a line is cut off before the next record.
 */
const readLinesIfThere = (path: string): AsyncGenerator<ArchivedLine, boolean> =>
  linesIn(path, () => firstOf(path, sizesOf(path).whole), { mayBeGone: true });

const firstOf = (path: string, bytes: number): Readable | undefined =>
  bytes === 0 ? undefined : createReadStream(path, { end: bytes - 1 });

/** The file is opened when the first line is asked for, so that it is closed whatever becomes of the reader. */
async function* linesIn(
  path: string,
  open: () => Readable | undefined,
  { mayBeGone = false } = {},
): AsyncGenerator<ArchivedLine, boolean> {
  const file = basename(path);
  let line = 0;
  const rest = new LineStart();
  try {
    const bytes = open();
    bytes?.setEncoding("utf8");
    for await (const chunk of bytes ?? []) {
      const parts = String(chunk).split("\n");
      const last = parts.pop() ?? "";
      for (const part of parts) {
        const record = recordIn(rest.ended(part));
        yield { file, line: ++line, ...(record === undefined ? { problem: DAMAGED } : { record }) };
        if (line % LINES_PER_TURN === 0) await nextTurn();
      }
      rest.add(last);
    }
  } catch (error) {
    const code = errorCode(error);
    if (mayBeGone && code === "ENOENT") return false;
    yield { file, line: line + 1, problem: `the file cannot be read from here on (${code})` };
    return true;
  }
  if (!rest.isEmpty) yield { file, line: line + 1, problem: DAMAGED };
  return true;
}

/** The beginning of a line in pieces. A line without end, as damage leaves it, takes neither memory nor time. */
class LineStart {
  #pieces: string[] = [];
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Adds a piece; one beyond the longest line is left out, which damages the line. */
  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= LONGEST_LINE) this.#pieces.push(piece);
  }

  /** Returns the whole line, and begins the next one. */
  ended(piece: string): string {
    this.add(piece);
    const line = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}

const DAMAGED = "the line is damaged";
