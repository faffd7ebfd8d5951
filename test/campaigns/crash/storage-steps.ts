import { openJsonlStorage } from "../../../examples/jsonl-store/jsonl-storage.ts";
import { openLmdbStorage } from "../../../src/adapters/lmdb/index.ts";
import type { Storage } from "../../../src/ports/index.ts";

/** Opens a storage that keeps its keys in a file, by the name of its driver. */
export async function openDriver(driver: string, path: string): Promise<Storage> {
  if (driver === "lmdb") return openLmdbStorage({ path });
  if (driver === "jsonl") return await openJsonlStorage(path);
  throw new Error(`no driver is called ${driver}`);
}

/** Counters that are raised at once, each with records. */
export const LANES = 4;
/** Records of a step. */
export const RECORDS = 12;
/** Newest steps whose records are kept. */
export const STEPS_KEPT = 8;

export const headKey = (lane: number): string => `head ${lane}`;
export const logKey = (lane: number, step: number, record: number): string =>
  `log ${lane} ${String(step).padStart(16, "0")} ${String(record).padStart(2, "0")}`;

/** Returns the text of a record, which says where it belongs. Some are as long as snapshots. */
export const textOf = (lane: number, step: number, record: number): string =>
  `${lane} ${step} ${record} é `.repeat(step % 16 === 0 && record === 0 ? 10_000 : 50);
