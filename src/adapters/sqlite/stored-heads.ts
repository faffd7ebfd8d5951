import type { ShardHead } from "../../ports/index.ts";
import type { Database } from "./database.ts";

/** The head of a shard as it is stored. */
export type StoredHead = ShardHead & Readonly<{ forgotten: number }>;

/** Reads the heads of all shards, in the order of their numbers. */
export function headsOf(database: Database): readonly StoredHead[] {
  return database
    .prepare<[], StoredHead>("SELECT shard, epoch, sequence, forgotten FROM shards ORDER BY shard")
    .all();
}

/** Returns a head as the port defines it. */
export const portHead = ({ forgotten, ...head }: StoredHead): ShardHead =>
  forgotten > 0 ? { ...head, forgotten } : head;
