import { refused, same } from "../../../src/conformance/checks.ts";
import { SHARD_COUNT } from "../../../src/model/index.ts";
import { endedOrder, part, sampleMark, sampleRecord, sampleRecords } from "./samples.ts";
import { all, rulesFor, type StoreRules } from "./world.ts";

/** Rules of the ownership of shards. */
export const ownership: StoreRules = rulesFor()({
  async "acquire takes every shard over and returns all heads; each epoch rises by one"({ store }) {
    await store.append({ shards: [part(7, 1, { records: sampleRecords(7, 1, 2) })] });
    const heads = await store.acquire();
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => ({
      ...{ shard, epoch: 2, sequence: shard === 7 ? 2 : 0 },
    }));
    same("acquire(), the second one, with two records in shard 7", heads, shards);
    same("head(7)", await store.head(7), { shard: 7, epoch: 2, sequence: 2 });
  },

  async "I60: an append with an old epoch is fenced and writes nothing"({ store, open }) {
    const later = await open();
    await later.acquire();
    const ended = [endedOrder({ orderId: -256 })];
    const added = { records: [sampleRecord(0, 1)], ended, marks: [sampleMark()] };
    const batch = { shards: [part(0, 1, added)] };
    same("append with epoch 1 after another acquire", await store.append(batch), ["fenced"]);
    same("head(0)", await later.head(0), { shard: 0, epoch: 2, sequence: 0 });
    same("readRecords of shard 0", await later.readRecords({ shard: 0, ...all }), []);
    same("findEnded", await later.findEnded({ accountId: 1, orderId: -256 }), undefined);
    same("readMarks()", await later.readMarks(), []);
  },

  async "I60: of two handles on one store only the later one appends, and the earlier one can detect it"({
    store,
    open,
  }) {
    const later = await open();
    await later.acquire();
    const records = [sampleRecord(3, 1)];
    same("append of the earlier handle", await store.append({ shards: [part(3, 1, { records })] }), [
      "fenced",
    ]);
    same("append of the later handle", await later.append({ shards: [part(3, 2, { records })] }), [
      "durable",
    ]);
    same("head(3) of the earlier handle", (await store.head(3)).epoch, 2);
    same("readRecords of the earlier handle", await store.readRecords({ shard: 3, ...all }), records);
  },

  async "I60: a shard without an owner accepts nothing"({ elsewhere }) {
    const store = await elsewhere();
    const records = [sampleRecord(0, 1)];
    for (const epoch of [0, 1, 2]) {
      const outcomes = await store.append({ shards: [part(0, epoch, { records })] });
      same(`append with epoch ${epoch} before any acquire`, outcomes, ["fenced"]);
    }
    same("head(0) before any acquire", await store.head(0), { shard: 0, epoch: 0, sequence: 0 });
  },

  async "a shard that does not exist is refused"({ store }) {
    await refused(`head(${SHARD_COUNT})`, () => store.head(SHARD_COUNT));
    await refused("readRecords of shard -1", () => store.readRecords({ shard: -1, ...all }));
    await refused("readSnapshot(256)", () => store.readSnapshot(SHARD_COUNT));
    const records = [sampleRecord(SHARD_COUNT, 1)];
    const shards = [part(SHARD_COUNT, 1, { records })];
    await refused("append to shard 256", () => store.append({ shards }));
    const round = { shard: SHARD_COUNT, epoch: 1, round: 1 };
    await refused("fence of shard 256", () => store.fence(round));
  },
});
