import { nextTurn } from "../common/index.ts";
import type { Entry, Storage } from "../ports/index.ts";

/** Comes after every key. */
const END = "\u007f";

/** Rows that one transaction writes. */
const ROWS_PER_STEP = 512;

/** Reads every row of a storage, page by page, in the order of the keys. */
export async function* allRows(storage: Storage): AsyncGenerator<readonly Entry[]> {
  for (let from = " "; ; ) {
    const [page = []] = await storage.range([{ from, before: END, limit: ROWS_PER_STEP }]);
    const last = page.at(-1)?.[0];
    if (last === undefined) return;
    yield page;
    from = `${last} `;
    await nextTurn();
  }
}

/** Nodes and owners belong to the storage in which they live. */
const isCopied = ([key]: Entry): boolean => key !== "cluster";

/**
 * Copies every row of a store to an empty storage, and reads it back. Both are as their drivers have them: checksums of rows
 * are copied too. Nothing else may use them meanwhile. Resolves to the numbers of rows by kind, such as `log`. Rejects with
 * an Error if the target is not empty, or has other rows afterwards.
 */
export async function copyRows(
  from: Storage,
  to: Storage,
  progress: (step: "Copying" | "Comparing", rows: number) => void,
): Promise<ReadonlyMap<string, number>> {
  const [[first] = []] = await to.range([{ from: " ", before: END, limit: 1 }]);
  if (first !== undefined) throw new Error("the target of a copy is not empty");
  const counts = new Map<string, number>();
  for await (const page of allRows(from)) {
    const puts = page.filter(isCopied);
    for (const [key] of puts) {
      const [kind = ""] = key.split(" ", 1);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    await to.commit([{ conditions: puts.map(([key]) => [key, undefined]), puts, deletes: [] }]);
    progress("Copying", page.length);
  }
  await requireEqual(from, to, (rows) => progress("Comparing", rows));
  return counts;
}

async function requireEqual(from: Storage, to: Storage, progress: (rows: number) => void): Promise<void> {
  for await (const page of allRows(from)) {
    const rows = page.filter(isCopied);
    const values = await to.get(rows.map(([key]) => key));
    const other = rows.find(([, value], place) => values[place] !== value);
    if (other !== undefined) throw new Error(`the copy has another row "${other[0]}" than its source`);
    progress(page.length);
  }
}
