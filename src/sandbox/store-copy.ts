import { beginPostgresCopy } from "../adapters/postgres/internal.ts";
import { verifySqliteStore } from "../adapters/sqlite/index.ts";
import { requireSqliteAtRest, withSqliteStorage } from "../adapters/sqlite/internal.ts";
import { copyRows } from "../store/internal.ts";

/** Where a store is copied from and to, and who is told of the progress of which step. */
export type StoreCopyOptions = Readonly<{
  from: Readonly<{ path: string }>;
  to: Readonly<{ url: string; schema?: string }>;
  onProgress: (step: string, done: number, all: number) => void;
}>;

/** What was copied. */
export type CopiedRows = Readonly<Record<"records" | "endedOrders" | "endedLists" | "rejections", number>>;

/**
 * Copies a SQLite store that no process has open into an empty schema of a Postgres database, reads the copy back, and
 * compares. Only then can the copy be opened as a store. The source stays as it is, and no other process can open it
 * meanwhile. Resolves to what both contain. Rejects with an Error for the operator if the source is in use, damaged or a
 * backup, the target cannot be used or is not empty, or the two differ; a copy that was begun is never opened as a store
 * then.
 */
export async function copyStore({ from, to, onProgress }: StoreCopyOptions): Promise<CopiedRows> {
  // Before the verification, which reads every row, and would read those of a backup.
  await requireSqliteAtRest(from);
  const { whole, problemTexts, stored } = await verifySqliteStore({
    ...from,
    onProgress: (done, all) => onProgress("Verifying", done, all),
  });
  if (!whole)
    throw new Error(
      `the source is not whole (${problemTexts[0] ?? "records are missing"}): restore it from a backup, and copy that`,
    );
  const done = new Map<string, number>();
  const progress = (step: string, rows: number): void => {
    done.set(step, (done.get(step) ?? 0) + rows);
    onProgress(step, Math.min(done.get(step) ?? 0, stored), stored);
  };
  return await withSqliteStorage(from, async (source) => {
    const copy = await beginPostgresCopy(to);
    try {
      const counts = await copyRows(source, copy.storage, progress);
      await copy.finish();
      const of = (kind: string): number => counts.get(kind) ?? 0;
      return {
        ...{ records: of("log"), endedOrders: of("ended"), endedLists: of("list"), rejections: of("reject") },
      };
    } finally {
      await copy.close();
    }
  });
}
