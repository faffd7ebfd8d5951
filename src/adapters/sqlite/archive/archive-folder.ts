import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, fileProblem } from "../../../common/index.ts";

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
