import { existsSync, rmSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { errorCode } from "../../common/index.ts";
import type { Database } from "./database.ts";
import { loadDriver } from "./driver.ts";
import { createFile, type DatabaseOptions, explained, inUse } from "./open-database.ts";

/** Releases a lock. */
export type Unlock = () => void;

/** Locks a file as {@link lockFile} does, through a file beside it that is removed when the lock is released. */
export function lockFileOnce(options: DatabaseOptions): Unlock {
  const unlock = lockFile(options);
  return () => {
    // While it is locked: removed later, it could be one that somebody else has locked meanwhile.
    rmSync(besideOf(options.path), { force: true });
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
  const beside = besideOf(path);
  let lock: Database | undefined;
  try {
    const ino = createLock(beside);
    lock = driver.open(beside, { timeoutMs: busyTimeoutMs });
    // The lock file is never written, so a journal file on disk would only be left behind.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
    if (statSync(beside, { throwIfNoEntry: false })?.ino !== ino) throw new RemovedLock();
  } catch (cause) {
    lock?.close();
    if (!isBusy(cause)) throw explained(cause, basename(path));
    throw inUse(cause, basename(path));
  }
  return () => void lock?.close();
}

/** Creates the lock file if it is missing. Returns its number in the file system. */
function createLock(path: string): number {
  try {
    return createFile(path).ino;
  } catch (cause) {
    // Its directory was created first, so it was there a moment ago.
    if (errorCode(cause) === "ENOENT" && existsSync(dirname(path))) throw new RemovedLock();
    throw cause;
  }
}

const besideOf = (path: string): string => `${resolve(path)}.lock`;

/** The holder has removed the file before this lock was got: whoever comes next locks another file. */
class RemovedLock extends Error {
  override readonly name = "RemovedLock";
  readonly code = "SQLITE_BUSY";
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
