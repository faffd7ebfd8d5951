import { randomUUID } from "node:crypto";
import { decodeParent, decodeRecord, encodeParent, type OrderStore } from "managed-orders/ports";
import { type Change, type Entry, entryOfBatch, markOf } from "./entries.ts";
import { JsonLog } from "./log.ts";
import { type Result, State } from "./state.ts";

/**
 * Opens an order store on one file of JSON lines. It is durable, and several handles and processes may use the file,
 * of which the last to acquire it owns it. All rows are in memory, and the file is never shortened: the store is for
 * small numbers of orders.
 */
export function openJsonlStore(path: string): OrderStore {
  const log = new JsonLog(path);
  const state = new State();
  const handle = randomUUID();
  const results = new Map<string, Result>();
  let isClosed = false;

  /** Applies what all handles have written. */
  const current = (): State => {
    if (isClosed) throw new Error("the store is closed");
    log.read((line) => {
      const entry = line as Entry;
      const result = state.apply(entry);
      if (entry.handle === handle) results.set(entry.id, result);
    });
    return state;
  };

  /** Writes an entry, and returns what it did at its place in the file. */
  const write = (change: Change): Result => {
    current();
    const id = randomUUID();
    log.write({ ...change, id, handle });
    current();
    const result = results.get(id);
    results.delete(id);
    if (result === undefined) throw new Error("the entry is not in the file");
    if (result.refused !== undefined) throw new Error(result.refused);
    return result;
  };

  const headOf = (shard: number) => {
    const { epoch, records } = current().shard(shard);
    return { shard, epoch, sequence: records.length };
  };

  return {
    async acquire() {
      write({ call: "acquire" });
      return state.shards.map((_, shard) => headOf(shard));
    },
    head: async (shard) => headOf(shard),
    async append(batch) {
      for (const { shard } of batch.shards) current().shard(shard);
      return write(entryOfBatch(batch)).outcomes ?? [];
    },
    async fence({ shard, epoch, round }) {
      current().shard(shard);
      write({ call: "fence", shard, epoch, round });
    },
    async readRecords({ shard, after, limit }) {
      const texts = current()
        .shard(shard)
        .records.slice(after, after + limitOf(limit));
      return texts.map((text, place) => decodeRecord(text, { shard, sequence: after + 1 + place }));
    },
    async readSnapshot(shard) {
      const { snapshot } = current().shard(shard);
      return snapshot && { shard, ...snapshot, parents: snapshot.parents.map((text) => decodeParent(text)) };
    },
    async writeSnapshot({ shard, sequence, counter, parents }) {
      current().shard(shard);
      write({ call: "snapshot", shard, sequence, counter, parents: parents.map(encodeParent) });
    },
    readMarks: async (shards) =>
      current()
        .market.marks()
        .filter(({ shard }) => shards?.includes(shard) !== false),
    readQuotes: async () => current().market.quotes(),
    deleteMarks: async (marks) => void write({ call: "deleteMarks", marks: marks.map(markOf) }),
    async findEnded(key) {
      const [row] = current().ended.parents(
        (one) =>
          one.accountId === key.accountId &&
          ("orderId" in key ? one.orderId === key.orderId : one.clientOrderId === key.clientOrderId),
      );
      return row && decodeParent(row.text);
    },
    async pageEnded({ accountId, afterOrderId: after, newestFirst: rising, limit }) {
      const page = { after, rising, limit: limitOf(limit) };
      const rows = current().ended.page((row) => row.accountId === accountId, page);
      return rows.map(({ text }) => decodeParent(text));
    },
    async countEnded({ accountId, shard }) {
      const count = current().ended.parents((row) => row.accountId === accountId).length;
      return { count, sequence: headOf(shard).sequence };
    },
    async readEnded({ shard, afterOrderId: after, limit }) {
      const page = { after, rising: false, limit: limitOf(limit) };
      return current()
        .ended.page((row) => row.shard === shard, page)
        .map(({ text }) => decodeParent(text));
    },
    async findEndedList(key) {
      const [list] = current().ended.lists(
        (one) =>
          one.accountId === key.accountId &&
          ("listId" in key ? one.listId === key.listId : one.listClientOrderId === key.listClientOrderId),
      );
      return list;
    },
    pageEndedLists: async (page) => current().ended.pageOfLists({ ...page, limit: limitOf(page.limit) }),
    async deleteEnded({ beforeMs, limit }) {
      return write({ call: "deleteEnded", beforeMs, limit: limitOf(limit) }).gone ?? 0;
    },
    readVolume: async () => current().market.volume(),
    deleteVolume: async (cutoff) => void write({ call: "deleteVolume", cutoff }),
    async close() {
      if (!isClosed) log.close();
      isClosed = true;
    },
  };
}

/** Returns a limit. Throws a RangeError for one that would make a page look like the last. */
function limitOf(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError("a limit is a whole number of at least 1");
  return limit;
}
