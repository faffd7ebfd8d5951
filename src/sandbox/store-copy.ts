import { beginPostgresCopy, type PostgresCopy } from "../adapters/postgres/internal.ts";
import type { StoreContents } from "../adapters/shared/index.ts";
import { verifySqliteStore } from "../adapters/sqlite/index.ts";
import { requireSqliteAtRest, withSqliteContents } from "../adapters/sqlite/internal.ts";
import { type ContentsDigest, digestOf } from "./contents-digest.ts";

/** Where a store is copied from and to, and who is told of the progress of which step. */
export type StoreCopyOptions = Readonly<{
  from: Readonly<{ path: string }>;
  to: Readonly<{ url: string; schema?: string }>;
  onProgress: (step: string, done: number, all: number) => void;
}>;

/**
 * Copies a SQLite store that no process has open into an empty schema of a Postgres database, reads the copy back, and
 * compares. Only then can the copy be opened as a store. The source stays as it is, and no other process can open it
 * meanwhile. Resolves to what both contain. Rejects with an Error for the operator if the source is in use, damaged or a
 * backup, the target cannot be used or is not empty, or the two differ; a copy that was begun is never opened as a store
 * then.
 */
export async function copyStore({ from, to, onProgress }: StoreCopyOptions): Promise<ContentsDigest> {
  // Before the verification, which reads every row, and would read those of a backup.
  await requireSqliteAtRest(from);
  const { whole, problemTexts } = await verifySqliteStore({
    ...from,
    onProgress: (done, all) => onProgress("Verifying", done, all),
  });
  if (!whole)
    throw new Error(
      `the source is not whole (${problemTexts[0] ?? "records are missing"}): restore it from a backup, and copy that`,
    );
  return await withSqliteContents(from, async (source) => {
    const copy = await beginPostgresCopy(to);
    try {
      return await fill(copy, source, onProgress);
    } finally {
      await copy.close();
    }
  });
}

async function fill(
  copy: PostgresCopy,
  source: StoreContents,
  onProgress: StoreCopyOptions["onProgress"],
): Promise<ContentsDigest> {
  const all = source.heads.reduce((sum, { sequence, forgotten = 0 }) => sum + sequence - forgotten, 0);
  const counted = (step: string): ((rows: number) => void) => {
    let done = 0;
    return (rows) => {
      done += rows;
      onProgress(step, Math.min(done, all), all);
    };
  };
  const before = await digestOf(source, counted("Reading"));
  await copy.write(source, counted("Copying"));
  const after = await digestOf(await copy.contents(), counted("Comparing"));
  if (after.digest !== before.digest)
    throw new Error(
      `the copy differs from its source (${after.records} of ${before.records} records, ${after.endedOrders} of ${before.endedOrders} ended orders) and was not made a store: remove its schema, and copy again`,
    );
  await copy.finish();
  return after;
}
