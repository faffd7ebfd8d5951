import { decodeRecord } from "../../../wire/index.ts";
import { checksumOf } from "../../checksums/index.ts";
import { nextTurn } from "../../shared/index.ts";
import { type ArchivedRecord, readArchive } from "../archive/index.ts";
import type { Database } from "../database.ts";
import { FileProblem } from "../file-problem.ts";
import type { Progress } from "../progress.ts";
import { headsOf } from "../stored-heads.ts";

/** Number of records that one transaction puts back. */
const RECORDS_PER_STEP = 512;

/**
 * Puts records of an archive back into the journal, up to a position, at the positions that they had. Rejects with an
 * Error that names a line that is damaged, or that is not of this journal.
 */
export async function putBack(
  database: Database,
  folder: string,
  { until, onProgress }: Readonly<{ until: number; onProgress: Progress }>,
): Promise<void> {
  const put = putting(database);
  let waiting: (ArchivedRecord & Readonly<{ name: string }>)[] = [];
  for await (const { file, line, record, problem } of readArchive(folder)) {
    const name = `${file}, line ${line}`;
    if (record === undefined) throw new FileProblem(`${name}: ${problem}`);
    if (record.position <= until) waiting.push({ ...record, name });
    if (waiting.length < RECORDS_PER_STEP) continue;
    put(waiting);
    waiting = [];
    onProgress(Math.min(record.position, until), until);
    await nextTurn();
  }
  put(waiting);
}

function putting(
  database: Database,
): (records: readonly (ArchivedRecord & Readonly<{ name: string }>)[]) => void {
  const stored = database.prepare<[position: number], string>(
    "SELECT record FROM journal WHERE position = ?",
  );
  const there = stored.pluck();
  const insert = database.prepare<[number, number, number, string, number]>(
    "INSERT INTO journal (position, shard, sequence, record, checksum) VALUES (?, ?, ?, ?, ?)",
  );
  const index = database.prepare<[number, number, number]>(
    "INSERT OR IGNORE INTO journal_index (shard, sequence, position) VALUES (?, ?, ?)",
  );
  const { immediate } = database.transaction(
    (records: readonly (ArchivedRecord & Readonly<{ name: string }>)[]) => {
      for (const { text, position, name } of records) {
        const kept = there.get(position);
        const isOther = kept !== undefined && kept !== text;
        if (kept === text) continue;
        const { shard, sequence } = decodeRecord(text);
        if (isOther || index.run(shard, sequence, position).changes !== 1)
          throw new FileProblem(`${name}: record ${sequence} of shard ${shard} is not of this journal`);
        insert.run(position, shard, sequence, text, checksumOf([shard, sequence], text));
      }
    },
  );
  return immediate;
}

/**
 * Notes that no record is missing up to a position, where the journals of the shards have the given ends. Throws an Error
 * if one is. The records of orders that had left are deleted again with the next hour's, if the store forgets.
 */
export function requireComplete(
  database: Database,
  { at, ends }: Readonly<{ at: number; ends: readonly Readonly<{ shard: number; sequence: number }>[] }>,
): void {
  // Every position has had a record. Counted by shard, the records that are missing right before the position would not
  // be missed: a shard would seem to end before them.
  const count = database
    .prepare<[until: number], number>("SELECT count(*) FROM journal WHERE position <= ?")
    .pluck();
  const missing = at - (count.get(at) ?? 0);
  if (missing > 0)
    throw new FileProblem(`the archive lacks ${missing} records up to the journal position ${at}`);
  const note = database.prepare<[leftover: number, shard: number]>(
    "UPDATE shards SET forgotten = 0, leftover = max(leftover, ?) WHERE shard = ?",
  );
  const forgotten = new Set(headsOf(database).flatMap((head) => (head.forgotten > 0 ? [head.shard] : [])));
  for (const { shard, sequence } of ends) if (forgotten.has(shard)) note.run(sequence, shard);
}
