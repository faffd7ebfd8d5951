import type { JournalRecord } from "../../../model/index.ts";
import { nextTurn } from "../../shared/index.ts";
import type { Database } from "../database.ts";
import { FileProblem } from "../file-problem.ts";
import type { JournalTable } from "../journal-table.ts";
import { headsOf } from "../stored-heads.ts";

/** Where the journal of a shard ends at a position: at record `sequence`, 0 for none. */
export type Target = Readonly<{ shard: number; epoch: number; head: number; sequence: number }>;

/** Number of records that one step reads, which takes some milliseconds. */
const RECORDS_PER_STEP = 512;

/** Returns the position of the last record of the journal, 0 for none. */
export function lastPosition(database: Database): number {
  return database.prepare<[], number | null>("SELECT max(position) FROM journal").pluck().get() ?? 0;
}

/** Finds where the journals of all shards end at a position. All records must be indexed. */
export function targetsAt(database: Database, position: number): readonly Target[] {
  const next = database.prepare<
    [shard: number, from: number],
    Readonly<{ sequence: number; position: number }>
  >(
    `SELECT sequence, position FROM journal_index WHERE shard = ? AND sequence >= ?
     ORDER BY sequence LIMIT 1`,
  );
  /** Positions rise with the sequence: halves the range until one record is left. */
  const endOf = (shard: number, head: number): number => {
    let [end, from, to] = [0, 1, head];
    while (from <= to) {
      const row = next.get(shard, Math.floor((from + to) / 2));
      if (row !== undefined && row.sequence <= to && row.position <= position) {
        end = row.sequence;
        from = end + 1;
      } else to = Math.floor((from + to) / 2) - 1;
    }
    return end;
  };
  return headsOf(database).map(({ shard, epoch, sequence: head }) => {
    return { shard, epoch, head, sequence: endOf(shard, head) };
  });
}

/**
 * Returns the earliest position whose state the records of the store produce: an order of which a record has left must
 * have ended by then. All records must be indexed.
 */
export async function earliestPosition(database: Database, journal: JournalTable): Promise<number> {
  const positionOf = database
    .prepare<[shard: number, sequence: number], number>(
      "SELECT position FROM journal_index WHERE shard = ? AND sequence = ?",
    )
    .pluck();
  let earliest = 0;
  for (const { shard, forgotten } of headsOf(database)) {
    if (forgotten === 0) continue;
    const isThere = (sequence: number): boolean => positionOf.get(shard, sequence) !== undefined;
    const last = await lastIncomplete(recordsOf(journal, { shard, after: forgotten }), {
      forgotten,
      isThere,
    });
    earliest = Math.max(earliest, positionOf.get(shard, last + 1) ?? 0);
  }
  return earliest;
}

/** Returns the last sequence of a record that has left, or that belongs to an order of which another one has left. */
async function lastIncomplete(
  records: AsyncGenerator<JournalRecord>,
  { forgotten, isThere }: Readonly<{ forgotten: number; isThere: (sequence: number) => boolean }>,
): Promise<number> {
  const left = new Set<number>();
  let last = forgotten;
  for await (const { sequence, changes } of records) {
    for (const { orderId, previous } of changes) {
      if (previous > 0 && previous <= forgotten && !isThere(previous)) left.add(orderId);
      if (left.has(orderId)) last = sequence;
    }
  }
  return last;
}

/** Reads the records of a shard after one and up to another, in turns. */
export async function* recordsOf(
  journal: JournalTable,
  {
    shard,
    after,
    until = Number.MAX_SAFE_INTEGER,
  }: Readonly<{ shard: number; after: number; until?: number }>,
): AsyncGenerator<JournalRecord> {
  for (let last = after; last < until; ) {
    const records = journal.read({ shard, after: last, limit: Math.min(RECORDS_PER_STEP, until - last) });
    if (records.length === 0) return;
    for (const record of records) {
      if (record.sequence > until) return;
      yield record;
      last = record.sequence;
    }
    await nextTurn();
  }
}

/** Throws an Error that names the backup if it ends before the position. */
export function requireReached(
  database: Database,
  { at, from }: Readonly<{ at: number; from: string }>,
): void {
  const last = lastPosition(database);
  if (at > last) throw new FileProblem(`${from} ends at the journal position ${last}, before ${at}`);
}

/** Throws an Error that names the backup unless its records produce the state at the position. */
export async function requirePosition(
  database: Database,
  journal: JournalTable,
  { at, from }: Readonly<{ at: number; from: string }>,
): Promise<void> {
  const earliest = await earliestPosition(database, journal);
  if (at >= earliest) return;
  throw new FileProblem(
    `${from} cannot be restored at the journal position ${at}, because records of that time have left the store: the earliest possible position is ${earliest}; for an earlier one, name the archive`,
  );
}
