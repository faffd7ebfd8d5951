import type { WorldParts } from "../parts.ts";
import { HOUR_MS } from "../world-time.ts";

/** Number of hours in which everything that may leave has left. */
const HOURS = 3;

/**
 * Lets hours pass without faults. Every order that ended before the time of the last deletion must have left, a leg with
 * the whole list, except for those that need a record from the newest snapshot on.
 */
export async function leaveAll({
  journal,
  time,
  plan,
  disk,
  departures,
  requireThat,
}: WorldParts): Promise<void> {
  const retentionMs = plan.settings.retentionDays * 24 * HOUR_MS;
  const beforeMs = time.trueMs;
  await time.pass(retentionMs + HOURS * HOUR_MS);
  await departures?.after(time.trueMs - retentionMs, async () => undefined);
  const snapshots = new Map<number, number>();
  for (const shard of journal.heads.keys())
    snapshots.set(shard, (await disk.reader.readSnapshot(shard))?.sequence ?? 0);
  const mayLeave = (orderId: number): boolean => {
    const last = journal.sequencesOf(orderId).at(-1);
    const isBelow = last !== undefined && last.sequence < (snapshots.get(last.shard) ?? 0);
    // Engine time, in which orders end, may be a day ahead of the time by which retention deletes.
    return isBelow && (journal.find(orderId)?.endedAtMs ?? beforeMs) < beforeMs;
  };
  for (const { orderId, list, endedAtMs } of journal.orders.values()) {
    if (journal.departed.has(orderId)) continue;
    const isDue = (list?.legs ?? [orderId]).every(mayLeave);
    requireThat(
      !isDue,
      "Records leave with their orders",
      () => `order ${orderId} ended at ${endedAtMs} and has not left`,
    );
  }
}
