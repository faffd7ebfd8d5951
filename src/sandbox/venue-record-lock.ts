import { lockFile, oneFile, type Unlock } from "../adapters/sqlite/internal.ts";

/** The record of a paper venue, under its real path, that no other process can open. */
export type LockedRecord = Readonly<{ path: string; unlock: Unlock }>;

/** Time in milliseconds within which a process that is ending must leave the record. */
const LEAVING_MS = 1_000;

/**
 * Creates the record of a paper venue if it is missing, and locks it. Two venues that write one record would each execute
 * children that the other knows. Throws an Error for the operator that names the file if another process has it.
 */
export function lockRecord(path: string): LockedRecord {
  const real = oneFile(path);
  return { path: real, unlock: lockFile({ path: real, busyTimeoutMs: LEAVING_MS }) };
}
