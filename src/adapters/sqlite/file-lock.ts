import { basename, resolve } from "node:path";
import { type Database, loadDriver } from "./driver.ts";
import { createFile, explained } from "./open-database.ts";

/** Ends a lock. */
export type Unlock = () => void;

/**
 * Locks a file for this opening of it alone, through an empty file beside it; waits for another holder up to `waitMs`.
 * The system ends the lock with the process, however that dies, so that nothing is left to clean up.
 * Throws an Error that names the file: with the code EBUSY when another holder has it, else with that of what went wrong.
 */
export function lockFile({ path, waitMs }: Readonly<{ path: string; waitMs: number }>): Unlock {
  const Driver = loadDriver();
  const beside = `${resolve(path)}.lock`;
  let lock: Database | undefined;
  try {
    createFile(beside);
    lock = new Driver(beside, { timeout: waitMs });
    // Nothing is ever written: a journal on disk would only be left behind.
    lock.pragma("journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    if (!isBusy(cause)) throw explained(cause, basename(path));
    throw Object.assign(new Error(`${basename(path)} is in use by another process`, { cause }), {
      code: "EBUSY",
    });
  }
  return () => void lock?.close();
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
