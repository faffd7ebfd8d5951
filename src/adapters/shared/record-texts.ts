import type { ShardAppend } from "../../ports/index.ts";
import { encodeRecord } from "../../wire/index.ts";

/** The texts of what a shard adds: those that its engine made of the records, else made here. */
export function textsOf({ records, texts }: ShardAppend): readonly string[] {
  return texts?.length === records.length ? texts : records.map(encodeRecord);
}
