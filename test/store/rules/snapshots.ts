import { holds, refused, same } from "../../../src/conformance/checks.ts";
import type { OrderStore, ShardSnapshot } from "../../../src/ports/index.ts";
import { openOrder, part, sampleRecord, sampleRecords } from "./samples.ts";
import { all, rulesFor, type StoreRules } from "./world.ts";

/** More parents than a store handles in one part. */
const MANY = 2_000;
/** Parents whose reading takes a while too, so that it meets the writing of others. */
const SEVERAL = 600;
/** How often a short call may be answered after a long one that began before it. */
const ATTEMPTS = 5;

function snapshotOf(sequence: number, orders: number): ShardSnapshot {
  const parents = Array.from({ length: orders }, (_, n) => openOrder({ orderId: -256 * (n + 1) }));
  return { shard: 0, sequence, counter: orders + 5, parents };
}

const write = (store: OrderStore, sequence: number, orders: number): Promise<void> =>
  store.writeSnapshot(snapshotOf(sequence, orders));

/** Gives shard 0 nine records. */
async function nineRecords(store: OrderStore): Promise<void> {
  await store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 9) })] });
}

/**
 * Returns when a short call is answered that is made during a long one. A server may answer two connections in any order, so
 * one of several attempts is enough.
 */
async function headDuring(store: OrderStore, work: () => Promise<unknown>): Promise<"during" | "after"> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let isOver = false;
    const working = work().finally(() => {
      isOver = true;
    });
    await store.head(0);
    const isInTime = !isOver;
    await working;
    if (isInTime) return "during";
  }
  return "after";
}

/** Rules of snapshots. */
export const snapshots: StoreRules = {
  ...rulesFor()({
    async "a snapshot of any size is returned completely, in its order"({ store }) {
      await nineRecords(store);
      for (const orders of [0, 1, 128, 129, 600]) {
        await write(store, 4, orders);
        same(`readSnapshot of ${orders} parents`, await store.readSnapshot(0), snapshotOf(4, orders));
      }
      same("readSnapshot of another shard", await store.readSnapshot(1), undefined);
    },

    async "a later one replaces it, an earlier one does not"({ store }) {
      await nineRecords(store);
      await write(store, 4, 3);
      await write(store, 6, 2);
      await write(store, 5, 9);
      same("readSnapshot after 4, 6 and a late 5", await store.readSnapshot(0), snapshotOf(6, 2));
      await write(store, 6, 400);
      same("readSnapshot after another of 6", await store.readSnapshot(0), snapshotOf(6, 400));
    },

    async "one that began before a later one and ends after it does not replace it"({ store, open }) {
      const later = await open();
      await nineRecords(store);
      // The store may refuse it, because another handle has taken the shard over.
      const writing = write(store, 5, MANY).catch(() => undefined);
      await later.acquire();
      await write(later, 6, 1);
      await writing;
      const read = await later.readSnapshot(0);
      same("readSnapshot after a long one of 5 and a short one of 6", read, snapshotOf(6, 1));
    },

    async "every shard has a snapshot of its own, also of equal sequences, and keeps it when another shard gets one"({
      store,
    }) {
      const of = (shard: number, sequence: number): ShardSnapshot => {
        const { counter, parents } = snapshotOf(sequence, 3 - shard);
        const own = parents.map((parent) => ({ ...parent, orderId: parent.orderId - shard }));
        return { shard, sequence, counter, parents: own };
      };
      const shards = [0, 1, 2];
      await store.append({
        shards: shards.map((shard) => part(shard, 1, { records: sampleRecords(shard, 1, 9) })),
      });
      for (const shard of shards) await store.writeSnapshot(of(shard, 4));
      await store.writeSnapshot(of(1, 7));
      for (const shard of shards)
        same(`readSnapshot(${shard})`, await store.readSnapshot(shard), of(shard, shard === 1 ? 7 : 4));
    },

    async "a snapshot is never half visible while it is replaced"({ store, open }) {
      await nineRecords(store);
      await write(store, 4, SEVERAL);
      const reader = await open();
      let isWritten = false;
      const writing = write(store, 9, MANY).finally(() => {
        isWritten = true;
      });
      for (let reads = 0; reads < 50 && !isWritten; reads++) {
        const read = await reader.readSnapshot(0);
        const whole = read?.sequence === 4 ? snapshotOf(4, SEVERAL) : snapshotOf(9, MANY);
        same("readSnapshot while another is written", read, whole);
      }
      await writing;
      same("readSnapshot after that", await reader.readSnapshot(0), snapshotOf(9, MANY));
    },

    async "I53: one that is ahead of its journal is refused"({ store }) {
      await nineRecords(store);
      await refused("writeSnapshot of sequence 10 with 9 records", () => write(store, 10, 1));
      same("readSnapshot", await store.readSnapshot(0), undefined);
    },

    async "the journal stays complete: a replay from empty stays possible"({ store }) {
      await nineRecords(store);
      await write(store, 9, 2);
      same(
        "readRecords after a snapshot",
        await store.readRecords({ shard: 0, ...all }),
        sampleRecords(0, 1, 9),
      );
    },

    async "appends continue while one is written, and it is as of the time of the request"({ store }) {
      await nineRecords(store);
      const writing = write(store, 9, 400);
      const tenth = { shards: [part(0, 1, { records: [sampleRecord(0, 10)] })] };
      same("append while a snapshot is written", await store.append(tenth), ["durable"]);
      await writing;
      same("readSnapshot", await store.readSnapshot(0), snapshotOf(9, 400));
    },
  }),
  ...rulesFor({ progress: true })({
    async "a long one lets other work run while it is written and read"({ store }) {
      await nineRecords(store);
      const written = await headDuring(store, () => write(store, 9, MANY));
      same("head(0) is answered while 2000 parents are written", written, "during");
      const read = await headDuring(store, () => store.readSnapshot(0));
      same("head(0) is answered while 2000 parents are read", read, "during");
    },

    async "a long one reports progress after each part"({ store }) {
      await nineRecords(store);
      const received = { writing: 0, reading: 0 };
      await store.writeSnapshot(snapshotOf(4, MANY), () => received.writing++);
      await store.readSnapshot(0, () => received.reading++);
      holds(
        "writeSnapshot of 2000 parents",
        received.writing > 1,
        "more than one call of `writing`",
        received.writing,
      );
      holds(
        "readSnapshot of 2000 parents",
        received.reading > 1,
        "more than one call of `reading`",
        received.reading,
      );
    },
  }),
  ...rulesFor({ progress: false })({
    async "a store without progress never reports any"({ store }) {
      await nineRecords(store);
      let received = 0;
      await store.writeSnapshot(snapshotOf(4, MANY), () => void received++);
      await store.readSnapshot(0, () => void received++);
      await store.readVolume(() => void received++);
      await store.deleteVolume({ beforeMs: 1 }, () => void received++);
      same("calls of `writing`, `reading` and `deleting`", received, 0);
    },
  }),
};
