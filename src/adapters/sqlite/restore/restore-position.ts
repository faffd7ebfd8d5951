import { invariant } from "../../../errors/index.ts";
import type { ShardHead } from "../../../ports/index.ts";
import { type RestoredStore, type RewindTarget, recordKey } from "../../../store/internal.ts";
import type { Database } from "../database.ts";
import { FileProblem } from "../file-problem.ts";
import { codeOf, sequenceOfCode } from "../storage-codes.ts";
import { countsOf } from "../storage-journal.ts";

/** Returns the position of the last record of the journal, 0 for none. */
export function lastPosition(database: Database): number {
  return database.prepare<[], number | null>("SELECT max(position) FROM journal").pluck().get() ?? 0;
}

/** Throws an InvariantError I54 if the journal does not end where the file says. */
export function requireEnd(database: Database): void {
  const [last, { position }] = [lastPosition(database), countsOf(database).read()];
  invariant(last === position, "I54", `the journal ends at position ${last} instead of ${position}`);
}

const codeAt = (shard: number, sequence: number): string => codeOf(recordKey(shard, sequence)) ?? "";

/** Finds where the journals of all shards end at a position. All records must be indexed. */
export function targetsAt(
  database: Database,
  { heads, at }: Readonly<{ heads: readonly ShardHead[]; at: number }>,
): readonly RewindTarget[] {
  const next = database
    .prepare<[from: string, to: string], [code: string, position: number]>(
      "SELECT code, position FROM journal_index WHERE code >= ? AND code <= ? ORDER BY code LIMIT 1",
    )
    .raw();
  /** Positions rise with the sequence: halves the range until one record is left. */
  const endOf = ({ shard, sequence: head }: ShardHead): number => {
    let [end, from, to] = [0, 1, head];
    while (from <= to) {
      const middle = Math.floor((from + to) / 2);
      const [code, position = 0] = next.get(codeAt(shard, middle), codeAt(shard, to)) ?? [];
      if (code !== undefined && position <= at) {
        end = sequenceOfCode(code);
        from = end + 1;
      } else to = middle - 1;
    }
    return end;
  };
  return heads.map((head) => ({ shard: head.shard, sequence: endOf(head) }));
}

/**
 * Returns the earliest position whose state the records of the store produce: an order of which a record has left must
 * have ended by then. All records must be indexed.
 */
export async function earliestPosition(database: Database, store: RestoredStore): Promise<number> {
  const positionOf = database
    .prepare<[code: string], number>("SELECT position FROM journal_index WHERE code = ?")
    .pluck();
  let earliest = 0;
  for (const { shard, sequence, forgotten = 0 } of await store.heads()) {
    if (forgotten === 0) continue;
    const place = (at: number): number | undefined => positionOf.get(codeAt(shard, at));
    const left = new Set<number>();
    let last = forgotten;
    // The last record that has left, or that belongs to an order of which another one has left.
    for await (const record of store.records(shard, forgotten, sequence)) {
      for (const { orderId, previous } of record.changes) {
        if (previous > 0 && previous <= forgotten && place(previous) === undefined) left.add(orderId);
        if (left.has(orderId)) last = record.sequence;
      }
    }
    earliest = Math.max(earliest, place(last + 1) ?? 0);
  }
  return earliest;
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
  store: RestoredStore,
  { at, from }: Readonly<{ at: number; from: string }>,
): Promise<void> {
  const earliest = await earliestPosition(database, store);
  if (at >= earliest) return;
  throw new FileProblem(
    `${from} cannot be restored at the journal position ${at}, because records of that time have left the store: the earliest possible position is ${earliest}; for an earlier one, name the archive`,
  );
}
