import { invariant } from "../../../errors/index.ts";
import { evolveAll } from "../../../lifecycle/index.ts";
import type { JournalRecord, ParentOrder } from "../../../model/index.ts";
import { inTurns, nextTurn } from "../../shared/index.ts";
import type { Database } from "../database.ts";
import { idPages } from "../id-pages.ts";
import type { Tables } from "../tables.ts";
import type { Target } from "./restore-position.ts";
import { foldShard } from "./shard-fold.ts";

/** Number of records that one transaction deletes. */
const RECORDS_PER_STEP = 512;

type Parts = Readonly<{ database: Database; tables: Tables }>;

/**
 * Takes a store back to an earlier moment, at which the journals of its shards ended as given: the rows of ended orders
 * and lists, the journal and the snapshots. What the market did stays. All records must be indexed.
 */
export async function rewind(parts: Parts, targets: readonly Target[]): Promise<void> {
  const cut = targets.filter(({ head, sequence }) => sequence < head);
  for (const target of cut) await rewindEnded(parts, target);
  await dropOpenLists(parts);
  for (const target of cut) {
    const { parents, counter, onSnapshot } = await foldShard(parts.tables, target);
    putEndedLegs(parts, target.shard, parents.values());
    await cutJournal(parts.database, target);
    if (onSnapshot) continue;
    const { shard, sequence } = target;
    parts.database.prepare<[shard: number]>("DELETE FROM snapshots WHERE shard = ?").run(shard);
    const snapshot = { shard, sequence, counter, parents: [...parents.values()] };
    await inTurns(parts.tables.snapshots.write(snapshot));
  }
  parts.tables.snapshots.cleanUp();
  parts.database.exec(
    "UPDATE state SET value = (SELECT coalesce(max(position), 0) FROM journal) WHERE name = 'indexed'",
  );
}

/** Gives each row of a shard the state that its order had, and deletes the row if the order had not ended. */
async function rewindEnded({ database, tables }: Parts, { shard, sequence }: Target): Promise<void> {
  const { ended } = tables;
  const { immediate } = database.transaction((ids: readonly number[]) => {
    for (const id of ids) {
      const row = ended.row(id);
      if (row === undefined || row.lastSequence <= sequence) continue;
      const before = stateOf(row, recordsOfOrder(tables, { shard, order: row }), sequence);
      if (before?.ended === undefined) ended.delete(id);
      else ended.put(before, shard);
    }
  });
  const page = (after: number, limit: number): readonly number[] => ended.ids(shard, after, limit);
  for await (const ids of idPages(page)) immediate(ids);
}

/** Returns the records of an order, newest first. Throws an InvariantError I54 if one is missing. */
function* recordsOfOrder(
  { journal }: Tables,
  { shard, order }: Readonly<{ shard: number; order: ParentOrder }>,
): Generator<JournalRecord> {
  for (let sequence = order.lastSequence; sequence > 0; ) {
    const [record] = journal.read({ shard, after: sequence - 1, limit: 1 });
    const change = record?.changes.find(({ orderId }) => orderId === order.orderId);
    invariant(
      record?.sequence === sequence && change !== undefined,
      "I54",
      `record ${sequence} of shard ${shard}, of order ${order.orderId}, is missing`,
    );
    yield record;
    sequence = change.previous;
  }
}

function stateOf(
  { orderId }: ParentOrder,
  newestFirst: Iterable<JournalRecord>,
  until: number,
): ParentOrder | undefined {
  const records = [...newestFirst].filter(({ sequence }) => sequence <= until).reverse();
  let order: ParentOrder | undefined;
  for (const record of records) {
    for (const change of record.changes)
      if (change.orderId === orderId) order = evolveAll(order, change, record);
  }
  return order;
}

/** Deletes the rows of lists of which a leg has no row any more. */
async function dropOpenLists({ database, tables }: Parts): Promise<void> {
  const { ended, endedLists } = tables;
  const { immediate } = database.transaction((ids: readonly number[]) => {
    for (const id of ids) {
      const legs = endedLists.row(id)?.legs ?? [];
      if (!legs.every((leg) => ended.has(leg))) endedLists.delete(id);
    }
  });
  for await (const ids of idPages(endedLists.ids)) immediate(ids);
}

/** A leg that ended before its list has a row, also if the row has left with the list since. */
function putEndedLegs({ database, tables }: Parts, shard: number, parents: Iterable<ParentOrder>): void {
  const { ended } = tables;
  const { immediate } = database.transaction(() => {
    for (const parent of parents)
      if (parent.ended !== undefined && !ended.has(parent.orderId)) ended.put(parent, shard);
  });
  immediate();
}

/** Deletes the records of a shard after its new end. */
async function cutJournal(database: Database, { shard, head, sequence }: Target): Promise<void> {
  const rows = database.prepare<[shard: number, after: number]>(
    `DELETE FROM journal WHERE position IN
     (SELECT position FROM journal_index WHERE shard = ? AND sequence > ?)`,
  );
  const places = database.prepare<[shard: number, after: number]>(
    "DELETE FROM journal_index WHERE shard = ? AND sequence > ?",
  );
  const end = database.prepare<[number, number, number, number]>(
    `UPDATE shards SET sequence = ?, forgotten = min(forgotten, ?), leftover = min(leftover, ?)
     WHERE shard = ?`,
  );
  const { immediate } = database.transaction((after: number) => {
    rows.run(shard, after);
    places.run(shard, after);
    end.run(after, after, after, shard);
  });
  // From the end, so that the head always names the last record.
  for (let after = head; after > sequence; await nextTurn()) {
    after = Math.max(sequence, after - RECORDS_PER_STEP);
    immediate(after);
  }
}
