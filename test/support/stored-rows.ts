import type { MemoryDisk } from "../../src/adapters/memory/index.ts";
import { contentsOf } from "../../src/adapters/memory/storage.ts";
import type { Entry } from "../../src/ports/index.ts";
import { recordKey } from "../../src/store/journal.ts";
import { under } from "../../src/store/keys.ts";

/** Returns the rows of a kind on a disk, such as those that begin with `log 007`. */
export const storedRows = (disk: MemoryDisk, kind: string): readonly Entry[] =>
  contentsOf(disk).keys.range({ ...under(kind), limit: Number.POSITIVE_INFINITY });

/** Deletes the rows of a kind, as a fault would. */
export function loseRows(disk: MemoryDisk, kind: string): void {
  for (const [key] of storedRows(disk, kind)) contentsOf(disk).keys.delete(key);
}

/** Deletes a record, as a fault would. */
export function loseRow(disk: MemoryDisk, shard: number, sequence: number): void {
  contentsOf(disk).keys.delete(recordKey(shard, sequence));
}

/** Changes the values of the rows of a kind. */
export function rewriteRows(disk: MemoryDisk, kind: string, change: (text: string) => string): void {
  for (const [key, text] of storedRows(disk, kind)) contentsOf(disk).keys.set(key, change(text));
}
