import { basename, resolve } from "node:path";
import { loadDriver } from "./driver.ts";
import { createFile } from "./open-database.ts";

/** Ends a lock. */
export type Unlock = () => void;

/**
 * Locks a file for this opening of it alone, through an empty file beside it; waits for another holder up to `waitMs`.
 * The system ends the lock with the process, however that dies, so that nothing is left to clean up.
 * Throws an Error with the code EBUSY that names the file when another holder has it.
 */
export function lockFile({ path, waitMs }: Readonly<{ path: string; waitMs: number }>): Unlock {
  const Driver = loadDriver();
  const beside = `${resolve(path)}.lock`;
  createFile(beside);
  const lock = new Driver(beside, { timeout: waitMs });
  try {
    // Nothing is ever written: a journal on disk would only be left behind.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    throw Object.assign(new Error(`${basename(path)} is in use by another process`, { cause }), {
      code: "EBUSY",
    });
  }
  return () => void lock.close();
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
