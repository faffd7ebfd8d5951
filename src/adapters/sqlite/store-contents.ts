import type { Storage } from "../../ports/index.ts";
import { atRest, type ReadingOptions } from "./reading.ts";
import { sqliteStorage } from "./storage.ts";

/**
 * Reads the rows of a store which no process has open, with their checksums. Other processes cannot open it meanwhile.
 * Nothing of it changes. Rejects with an Error that names the file if it is in use (code EBUSY), is a backup, is not a store
 * of this version or cannot be read, and like the work.
 */
export async function withSqliteStorage<T>(
  options: ReadingOptions,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  return await atRest(options, async (database) => await work(sqliteStorage(database)));
}

/** Rejects as {@link withSqliteStorage} does before it reads any rows. */
export async function requireSqliteAtRest(options: ReadingOptions): Promise<void> {
  await atRest(options, async () => undefined);
}
