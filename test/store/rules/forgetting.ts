import { holds, refused, same } from "../../../src/conformance/checks.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import {
  endedLegs,
  endedList,
  endedOrder,
  openOrder,
  part,
  recordsOfOrders,
  sampleRecord,
} from "./samples.ts";
import { all, rulesFor, type StoreRules } from "./world.ts";

const BEFORE_MS = 10_000;
const FIRST = 256;
const [A, B, C, D, E, F] = [-FIRST, -2 * FIRST, -3 * FIRST, -4 * FIRST, -5 * FIRST, -6 * FIRST];
const LIST = endedList({ listId: -9 * FIRST, legs: [D, E] });

const where = { pruneEnded: true };

const forget = async (store: OrderStore, goesOn: () => boolean = () => true): Promise<void> =>
  await store.pruneEnded?.({ beforeMs: BEFORE_MS }, goesOn);

/** Returns the sequences of the records that are left of shard 0. */
async function left(store: OrderStore): Promise<readonly number[]> {
  const records: number[] = [];
  for (let after = 0; ; ) {
    const page = await store.readRecords({ shard: 0, after, limit: all.limit });
    if (page.length === 0) return records;
    for (const { sequence } of page) records.push(sequence);
    after = page.at(-1)?.sequence ?? after;
  }
}

const rowsOf = async (store: OrderStore): Promise<readonly number[]> =>
  (await store.readEnded({ shard: 0, afterOrderId: 0, limit: all.limit })).map(({ orderId }) => orderId);

const endedAt = (orderId: number, lastSequence: number, endedAtMs = 1_000): ParentOrder => ({
  ...endedOrder({ orderId, endedAtMs }),
  lastSequence,
});

/** Writes a snapshot of shard 0 with one open parent. */
async function snapshotAt(store: OrderStore, sequence: number): Promise<void> {
  await store.writeSnapshot({ shard: 0, sequence, counter: 9, parents: [openOrder({ orderId: B })] });
}

/**
 * Fills shard 0 with eleven records. A has ended, B is open, C ended at the time of the deletion, D and E are the legs of
 * a list that has ended, and F ended with the last record.
 */
async function fill(store: OrderStore): Promise<void> {
  const changes = [[A], [B], [C], [D, E], [A], [C], [D], [B], [D, E], [F], [F]];
  const { records, last } = recordsOfOrders(0, changes);
  const at = (orderId: number): number => last.get(orderId) ?? 0;
  const legs = endedLegs(LIST).map((leg) => ({ ...leg, lastSequence: at(leg.orderId) }));
  const ended = [endedAt(A, at(A)), endedAt(C, at(C), BEFORE_MS), ...legs, endedAt(F, at(F))];
  const { epoch } = await store.head(0);
  await store.append({ shards: [part(0, epoch, { records, ended, endedLists: [LIST] })] });
}

const MANY = 900;

/** Fills shard 0 with so many ended orders that they cannot leave in one short step; each has two records. */
async function fillMany(store: OrderStore): Promise<void> {
  const ids = Array.from({ length: MANY }, (_, n) => -FIRST * (n + 10));
  const { records, last } = recordsOfOrders(0, [...ids.map((id) => [id]), ...ids.map((id) => [id]), [B]]);
  const ended = ids.map((orderId) => endedAt(orderId, last.get(orderId) ?? 0));
  await store.append({ shards: [part(0, 1, { records, ended })] });
  await snapshotAt(store, records.length);
}

/** Rules of deleting ended orders together with their records. */
export const forgetting: StoreRules = {
  ...rulesFor(where)({
    async "a store that forgets has the method"({ store }) {
      const { pruneEnded } = store;
      holds("typeof pruneEnded", typeof pruneEnded === "function", "function", pruneEnded);
    },

    async "orders that ended before the time leave with all their records, lists with all their legs"({
      store,
    }) {
      await fill(store);
      await snapshotAt(store, 11);
      await forget(store);
      same("the rows that are left", await rowsOf(store), [C, F]);
      same("the records that are left", await left(store), [2, 3, 6, 8, 10, 11]);
      const { sequence, forgotten } = await store.head(0);
      same("sequence and forgotten of the head", { sequence, forgotten }, { sequence: 11, forgotten: 9 });
      same("pageEndedLists", await store.pageEndedLists({ accountId: 1, limit: 9 }), []);
      same("countEnded", (await store.countEnded({ accountId: 1, shard: 0 })).count, 2);
    },

    async "records from the newest snapshot on stay, with the orders that they end, and so does all without a snapshot"({
      store,
    }) {
      await fill(store);
      await forget(store);
      same("the records without a snapshot", (await left(store)).length, 11);
      await snapshotAt(store, 7);
      await forget(store);
      same("the rows after a snapshot at 7", await rowsOf(store), [C, D, E, F]);
      same("the records after a snapshot at 7", await left(store), [2, 3, 4, 6, 7, 8, 9, 10, 11]);
      await snapshotAt(store, 11);
      await forget(store);
      same("the rows after a snapshot at 11", await rowsOf(store), [C, F]);
      same("the records after a snapshot at 11", await left(store), [2, 3, 6, 8, 10, 11]);
    },

    async "a leg that has ended stays with its records as long as its list"({ store }) {
      const { records } = recordsOfOrders(0, [[D, E], [D], [B]]);
      const [leg] = endedLegs(LIST).map((order) => ({ ...order, lastSequence: 2 }));
      const ended = leg === undefined ? [] : [leg];
      await store.append({ shards: [part(0, 1, { records, ended })] });
      await snapshotAt(store, 3);
      await forget(store);
      same("findEnded of the leg", await store.findEnded({ accountId: 1, orderId: D }), leg);
      same("the records that are left", await left(store), [1, 2, 3]);
    },

    async "an order that a late fill changed after its end leaves with that record too"({ store }) {
      const { records } = recordsOfOrders(0, [[A], [A], [B], [A], [B]]);
      const [before, after] = [records.slice(0, 2), records.slice(2)];
      await store.append({ shards: [part(0, 1, { records: before, ended: [endedAt(A, 2)] })] });
      await store.append({ shards: [part(0, 1, { records: after, ended: [endedAt(A, 4)] })] });
      await snapshotAt(store, 5);
      await forget(store);
      same("the records that are left", await left(store), [3, 5]);
    },

    async "I54: for the next handle the head is unchanged, `forgotten` is the highest sequence that left, and records follow the last one"({
      store,
      open,
      close,
    }) {
      const { records } = recordsOfOrders(0, [[B], [A], [A], [B]]);
      await store.append({ shards: [part(0, 1, { records, ended: [endedAt(A, 3)] })] });
      await snapshotAt(store, 4);
      await forget(store);
      await close(store);
      const next = await open();
      const [head] = await next.acquire();
      same("acquire of the next handle", head, { shard: 0, epoch: 2, sequence: 4, forgotten: 3 });
      same("head of the next handle", await next.head(0), head);
      const follower = { shards: [part(0, 2, { records: [sampleRecord(0, 5)] })] };
      same("append of record 5", await next.append(follower), ["durable"]);
      same("the records of the next handle", await left(next), [1, 4, 5]);
    },

    async "I60: after another handle has called acquire, it rejects and deletes nothing"({ store, open }) {
      await fill(store);
      await snapshotAt(store, 11);
      const later = await open();
      await later.acquire();
      await refused("pruneEnded of a handle that was replaced", () => forget(store));
      same("the records that are left", (await left(later)).length, 11);
      same("the rows that are left", (await rowsOf(later)).length, 5);
    },

    async "a deletion that ends early leaves each order whole, and a later one goes on"({ store }) {
      await fillMany(store);
      await forget(store, () => false);
      const rows = (await rowsOf(store)).length;
      same("records for each row that is left, and one", (await left(store)).length, 2 * rows + 1);
      await forget(store);
      same("the records after a later deletion", await left(store), [2 * MANY + 1]);
    },
  }),
  ...rulesFor({ ...where, progress: true })({
    async "many orders leave in short steps, between which other calls run and `goesOn` can end the work"({
      store,
    }) {
      await fillMany(store);
      await forget(store, () => false);
      const rows = (await rowsOf(store)).length;
      holds(`rows after the first of several steps, of ${MANY}`, rows > 0, "some are left", rows);
      const done: string[] = [];
      let received = 0;
      const forgetting = forget(store, () => ++received > 0).then(() => done.push("forgotten"));
      await store.append({ shards: [part(1, 1, { records: [sampleRecord(1, 1)] })] });
      done.push("appended");
      await forgetting;
      same(`append while ${rows} orders leave`, done, ["appended", "forgotten"]);
      holds(`pruneEnded of ${rows} orders`, received > 0, "calls of `goesOn`", received);
    },
  }),
  ...rulesFor({ pruneEnded: false })({
    async "a store that does not forget has no such method"({ store }) {
      same("the method pruneEnded", store.pruneEnded, undefined);
    },
  }),
};
