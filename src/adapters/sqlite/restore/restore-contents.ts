import { basename } from "node:path";
import type { SqliteDriverName } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import type { Progress } from "../progress.ts";
import { renewStoreId } from "../store-id.ts";
import { tablesOf } from "../tables-of.ts";
import { pauseOrders, raiseCounters } from "./pausing.ts";
import { lastPosition, requirePosition, requireReached, targetsAt } from "./restore-position.ts";
import { putBack, requireComplete } from "./restored-archive.ts";
import { rewind } from "./rewinding.ts";

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
    const tables = tablesOf(database);
    const { journal } = tables;
    database.transaction(() => journal.indexAll()).immediate();
    const { at = lastPosition(database), archive } = work;
    const from = basename(work.from);
    requireReached(database, { at, from });
    if (archive !== undefined) {
      await putBack(database, archive, { until: at, onProgress: work.puttingBack });
      requireComplete(database, { at, ends: targetsAt(database, at) });
    }
    if (work.at !== undefined) {
      await requirePosition(database, journal, { at, from });
      await rewind({ database, tables }, targetsAt(database, at));
    }
    renewStoreId(database);
    database.exec(
      "UPDATE shards SET epoch = epoch + 1; UPDATE state SET value = value + 1 WHERE name = 'owner'",
    );
    await raiseCounters({ database, tables });
    return work.pause ? await pauseOrders({ database, tables }, work.pausing) : 0;
  } finally {
    database.close();
  }
}
