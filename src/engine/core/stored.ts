import { type ParentOrder, shardOfId } from "../../model/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import type { Core } from "./core.ts";

/** Asks the store. A store that fails or stays silent is an error -1001, never an empty answer (I71). */
export async function stored<T>({ questions }: Core, question: () => Promise<T>): Promise<T> {
  return await questions.query("store", question, (answer) => answer as T);
}

/** Resolves to an ended parent by its id alone. Its row contains its account. */
export async function readEndedOrder(
  read: OrderStore["readEnded"],
  orderId: number,
): Promise<ParentOrder | undefined> {
  const [ended] = await read({ shard: shardOfId(orderId), afterOrderId: orderId + 1, limit: 1 });
  return ended?.orderId === orderId ? ended : undefined;
}

/** Store methods that fence and read a shard. */
export type ShardReads = Pick<OrderStore, "fence" | "head" | "readSnapshot" | "readRecords">;

/** Store methods that open and verify an engine, besides reading its shards. */
export type WholeReads = Pick<
  OrderStore,
  | "acquire"
  | "head"
  | "readMarks"
  | "readVolume"
  | "readQuotes"
  | "readEnded"
  | "readSnapshot"
  | "readRecords"
>;

/** Store methods that keep the store small. */
export type Upkeep = Pick<
  OrderStore,
  "writeSnapshot" | "deleteMarks" | "deleteEnded" | "pruneEnded" | "deleteVolume"
>;

type StoreQueries = Pick<Core, "store" | "questions">;

/**
 * Wraps the store's methods with a deadline (`hostTimeoutMs`). The deadline starts anew whenever a long answer reports
 * progress. Errors of the store itself pass through unchanged.
 */
export function timely({ store, questions }: StoreQueries): ShardReads & WholeReads & Upkeep {
  const pruneEnded: OrderStore["pruneEnded"] = (range, goesOn) =>
    questions.whileProgressing(async (progressed) => {
      await store.pruneEnded?.(range, () => {
        progressed();
        return goesOn();
      });
    });
  return {
    ...(store.pruneEnded !== undefined && { pruneEnded }),
    fence: (round) => questions.inTime(() => store.fence(round)),
    head: (shard) => questions.inTime(() => store.head(shard)),
    readSnapshot: (shard) =>
      questions.whileProgressing((progressed) => store.readSnapshot(shard, progressed)),
    readRecords: (range) => questions.inTime(() => store.readRecords(range)),
    acquire: () => questions.inTime(() => store.acquire()),
    readMarks: (shards) => questions.inTime(() => store.readMarks(shards)),
    readVolume: () => questions.whileProgressing((progressed) => store.readVolume(progressed)),
    readQuotes: () => questions.inTime(() => store.readQuotes()),
    readEnded: (range) => questions.inTime(() => store.readEnded(range)),
    writeSnapshot: (snapshot) =>
      questions.whileProgressing((progressed) => store.writeSnapshot(snapshot, progressed)),
    deleteMarks: (marks) => questions.inTime(() => store.deleteMarks(marks)),
    deleteEnded: (range) => questions.inTime(() => store.deleteEnded(range)),
    deleteVolume: (range) =>
      questions.whileProgressing((progressed) => store.deleteVolume(range, progressed)),
  };
}
