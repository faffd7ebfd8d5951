import { basename } from "node:path";
import { RestoredStore, storeOn } from "../../../store/internal.ts";
import { checked } from "../../checksums/index.ts";
import type { Database, SqliteDriverName } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import type { Progress } from "../progress.ts";
import { sqliteStorage } from "../storage.ts";
import { countsOf, indexAll } from "../storage-journal.ts";
import { renewStoreId } from "../store-id.ts";
import { lastPosition, requirePosition, requireReached, targetsAt } from "./restore-position.ts";
import { requireComplete, restoreArchive } from "./restored-archive.ts";

/**
 * What to make of the copy of a backup, see `SqliteRestoreOptions`. `from` is the path of the backup. `puttingBack` and
 * `pausing` are called with what is done of that step, and of all.
 */
export type RestoreWork = Readonly<{
  from: string;
  at: number | undefined;
  archive: string | undefined;
  pause: boolean;
  driver: SqliteDriverName | undefined;
  puttingBack: Progress;
  pausing: Progress;
}>;

/**
 * Makes the copy of a backup a store of its own, in the state of a journal position. Returns how many orders are paused.
 * The copy is useless if this fails.
 */
export async function restoreContents(path: string, work: RestoreWork): Promise<number> {
  const database = openDatabase({ path, busyTimeoutMs: 0, driver: work.driver }, "backup");
  try {
    // The copy gets its name when it is complete and on disk. Until then, nothing needs to survive a crash.
    database.pragma("synchronous = OFF");
    database.transaction(() => indexAll(database)).immediate();
    const storage = checked(sqliteStorage(database), "file");
    const store = new RestoredStore(storage);
    const { at = lastPosition(database), archive } = work;
    const from = basename(work.from);
    requireReached(database, { at, from });
    if (archive !== undefined) {
      await restoreArchive(database, archive, { until: at, onProgress: work.puttingBack });
      requireComplete(database, at);
      await store.complete();
    }
    if (work.at !== undefined) {
      await requirePosition(database, store, { at, from });
      await store.rewind(targetsAt(database, { heads: await store.heads(), at }));
      endAt(database, lastPosition(database));
    }
    renewStoreId(database);
    // A new epoch, as of a new owner.
    await storeOn(storage, {}).acquire();
    await store.raiseCounters();
    return work.pause ? await store.pauseOrders(work.pausing) : 0;
  } finally {
    database.close();
  }
}

/** Lets the journal go on after a position: every position has a record. */
function endAt(database: Database, position: number): void {
  const counts = countsOf(database);
  counts.write({ ...counts.read(), position, indexed: position });
}
