import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import {
  endedList,
  endedOrder,
  openOrder,
  part,
  QUOTE,
  sampleMark,
  samplePrint,
  sampleRecords,
} from "../store/rules/samples.ts";

/** The parent of the stored snapshot. */
export const PARENT: ParentOrder = openOrder({ orderId: -259 });

/** The stored ended parent. */
export const ENDED: ParentOrder = endedOrder({ orderId: -259, accountId: 1 });

/** Takes a store over and writes a row of every kind. */
export async function fill(store: OrderStore): Promise<void> {
  await store.acquire();
  const records = sampleRecords(3, 1, 3);
  const endedLists = [endedList({ listId: -2_560 })];
  const marks = [sampleMark({ shard: 3 })];
  const shards = [part(3, 1, { records, ended: [ENDED], endedLists, marks })];
  await store.append({ shards, prints: [samplePrint()], quotes: [QUOTE] });
  await store.writeSnapshot({ shard: 3, sequence: 2, counter: 9, parents: [PARENT] });
}

type Kind = "records" | "snapshot" | "ended" | "lists" | "marks" | "quotes" | "volume";

/** Reads of the rows. */
export const READS: Readonly<Record<Kind, (store: OrderStore) => Promise<unknown>>> = {
  records: (store) => store.readRecords({ shard: 3, after: 0, limit: 9 }),
  snapshot: (store) => store.readSnapshot(3),
  ended: (store) => store.readEnded({ shard: 3, afterOrderId: 0, limit: 9 }),
  lists: (store) => store.findEndedList({ accountId: 1, listId: -2_560 }),
  marks: (store) => store.readMarks(),
  quotes: (store) => store.readQuotes(),
  volume: (store) => store.readVolume(),
};
