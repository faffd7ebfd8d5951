/** Meaning of the system's or SQLite's code for a file, by prefix of the code. */
const PROBLEMS: readonly (readonly [code: string, problem: string])[] = [
  ["EROFS", "its file system is read-only"],
  ["SQLITE_READONLY", "it is read-only"],
  ["EACCES", "this user may not write there"],
  ["EPERM", "this user may not write there"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk is full"],
  ["SQLITE_FULL", "the disk is full"],
  ["EFBIG", "the file has reached the maximum size"],
  ["SQLITE_IOERR", "writing to the disk fails"],
  ["ENOENT", "its directory is missing and cannot be created"],
  ["EISDIR", "it is a directory"],
  ["SQLITE_CANTOPEN", "its files cannot be created or opened"],
];

/** What is at a path. */
type Found = Readonly<{ isFile: () => boolean; isDirectory: () => boolean }>;

/**
 * Returns why a path cannot be that of a store's file if a device, pipe or socket is there. Other programs need a device as it
 * is, and opening a pipe waits for its other end, so ask before anything is done to it.
 */
export function deviceProblem(name: string, found: Found | undefined): string | undefined {
  if (found === undefined || found.isFile() || found.isDirectory()) return undefined;
  return `${name} is no file but a device, pipe or socket: choose another path`;
}

/** Returns why a file with a second hard link cannot be used: another process could open it under that name. */
export const linksProblem = (name: string): string =>
  `${name} has more than one hard link: remove all of its names except one`;

/** Returns why a file cannot be used, in words, by the code of the error. Returns undefined for any other code. */
export function fileProblem(code: string): string | undefined {
  return PROBLEMS.find(([known]) => code.startsWith(known))?.[1];
}
