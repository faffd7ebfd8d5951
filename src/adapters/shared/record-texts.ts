import type { ShardAppend } from "../../ports/index.ts";
import { encodeRecord } from "../../wire/index.ts";

/**
 * Returns the texts of the records that a shard appends: those that its engine made, or else encodes the records here.
 */
export function textsOf({ records, texts }: ShardAppend): readonly string[] {
  return texts?.length === records.length ? texts : records.map(encodeRecord);
}
