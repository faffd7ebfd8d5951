import { recordKey } from "../../../store/internal.ts";
import { decodeRecord } from "../../../wire/index.ts";
import { withChecksum } from "../../checksums/index.ts";
import { nextTurn } from "../../shared/index.ts";
import { type ArchivedRecord, readArchive } from "../archive/index.ts";
import type { Database } from "../database.ts";
import { FileProblem } from "../file-problem.ts";
import type { Progress } from "../progress.ts";
import { codeOf } from "../storage-codes.ts";

/** Number of records that one transaction puts back. */
const RECORDS_PER_STEP = 512;

/**
 * Puts records of an archive back into the journal, up to a position, at the positions that they had. Rejects with an
 * Error that names a line that is damaged, or that is not of this journal.
 */
export async function restoreArchive(
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
  const there = database
    .prepare<[position: number], string>("SELECT value FROM journal WHERE position = ?")
    .pluck();
  const insert = database.prepare<[position: number, code: string, value: string]>(
    "INSERT INTO journal (position, code, value) VALUES (?, ?, ?)",
  );
  const index = database.prepare<[code: string, position: number]>(
    "INSERT OR IGNORE INTO journal_index (code, position) VALUES (?, ?)",
  );
  const { immediate } = database.transaction(
    (records: readonly (ArchivedRecord & Readonly<{ name: string }>)[]) => {
      for (const { text, position, name } of records) {
        const { shard, sequence } = decodeRecord(text);
        const key = recordKey(shard, sequence);
        const [code = "", value] = [codeOf(key), withChecksum(key, text)];
        const stored = there.get(position);
        if (stored === value) continue;
        if (stored !== undefined || index.run(code, position).changes !== 1)
          throw new FileProblem(`${name}: record ${sequence} of shard ${shard} is not of this journal`);
        insert.run(position, code, value);
      }
    },
  );
  return immediate;
}

/** Throws an Error if a record is missing up to a position. */
export function requireComplete(database: Database, at: number): void {
  // Every position has had a record. Counted by shard, the records that are missing right before the position would not
  // be missed: a shard would seem to end before them.
  const count = database
    .prepare<[until: number], number>("SELECT count(*) FROM journal WHERE position <= ?")
    .pluck();
  const missing = at - (count.get(at) ?? 0);
  if (missing > 0)
    throw new FileProblem(`the archive lacks ${missing} records up to the journal position ${at}`);
}
