import type { OrderStore } from "../ports/index.ts";
import type { Core } from "./core.ts";

/** A question to the store: a failing or silent one is an error -1001, never an empty answer (I71, decision CC). */
export async function stored<T>({ questions }: Core, question: () => Promise<T>): Promise<T> {
  return await questions.ask("store", question, (answer) => answer as T);
}

/** What a shard is fenced and read with. */
export type ShardReads = Pick<OrderStore, "fence" | "head" | "readSnapshot" | "readRecords">;

/** The same questions with a deadline; what the store itself says is wrong goes on as it is. */
export function timely({ store, questions }: Pick<Core, "store" | "questions">): ShardReads {
  return {
    fence: (round) => questions.inTime(() => store.fence(round)),
    head: (shard) => questions.inTime(() => store.head(shard)),
    readSnapshot: (shard) => questions.whileHeard((heard) => store.readSnapshot(shard, heard)),
    readRecords: (range) => questions.inTime(() => store.readRecords(range)),
  };
}
