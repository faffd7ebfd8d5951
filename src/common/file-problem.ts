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

/** Returns why a file cannot be used, in words, by the code of the error. Returns undefined for any other code. */
export function fileProblem(code: string): string | undefined {
  return PROBLEMS.find(([known]) => code.startsWith(known))?.[1];
}
