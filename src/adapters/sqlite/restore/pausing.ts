import type { JournalRecord, ParentOrder } from "../../../model/index.ts";
import { inTurns, nextTurn } from "../../shared/index.ts";
import type { Database } from "../database.ts";
import type { Progress } from "../progress.ts";
import { headsOf } from "../stored-heads.ts";
import type { Tables } from "../tables.ts";
import { foldShard } from "./shard-fold.ts";

/**
 * More orders than a shard accepts, and more children than an order sends, between a backup and its restore: each needs
 * a record of its own on disk, and 2^32 records of one shard would take more than a terabyte (decision VE).
 */
const LOST = 2 ** 32;

/** Number of records that one transaction adds. */
const RECORDS_PER_STEP = 512;

type Parts = Readonly<{ database: Database; tables: Tables }>;

/** Raises the id counters of all shards beyond every id that was given after the backup. */
export async function raiseCounters({ database, tables }: Parts): Promise<void> {
  for (const { shard } of headsOf(database)) {
    if (tables.snapshots.raiseCounter(shard, LOST)) continue;
    const snapshot = { shard, sequence: 0, counter: LOST, parents: [] };
    await inTurns(tables.snapshots.write(snapshot));
  }
}

/** Pauses every open order until a person says what happened after the backup. Returns their number. */
export async function pauseOrders({ database, tables }: Parts, onProgress: Progress): Promise<number> {
  const { immediate: append } = database.transaction((shard: number, records: readonly JournalRecord[]) => {
    const { epoch } = tables.journal.head(shard);
    const outcome = tables.journal.append({ shard, epoch, round: 0, records, ended: [] });
    if (outcome !== "durable") throw new Error(`shard ${shard} cannot be written`);
    tables.journal.index();
  });
  let paused = 0;
  const heads = headsOf(database);
  for (const [done, { shard, sequence }] of heads.entries()) {
    onProgress(done, heads.length);
    const { parents } = await foldShard(tables, { shard, sequence });
    const open = [...parents.values()].filter(({ ended }) => ended === undefined);
    const [last] = sequence === 0 ? [] : tables.journal.read({ shard, after: sequence - 1, limit: 1 });
    for (let from = 0; from < open.length; from += RECORDS_PER_STEP) {
      const place = { shard, sequence: sequence + from, timeMs: last?.timeMs ?? 0 };
      append(shard, open.slice(from, from + RECORDS_PER_STEP).map(pausedIn(place)));
      await nextTurn();
    }
    paused += open.length;
  }
  return paused;
}

/** Returns what makes the record that pauses an order. Every order gets its own, so that it can leave alone. */
function pausedIn({ shard, sequence, timeMs }: Pick<JournalRecord, "shard" | "sequence" | "timeMs">) {
  return ({ orderId, lastSequence, attempts }: ParentOrder, index: number): JournalRecord => ({
    shard,
    sequence: sequence + index + 1,
    timeMs,
    cause: { kind: "OPERATOR", by: "restore", why: "the store was restored from a backup" },
    changes: [{ orderId, previous: lastSequence, facts: [{ kind: "RESTORED", attempts: attempts + LOST }] }],
  });
}
