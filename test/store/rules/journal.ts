import { holds, refused, same } from "../../../src/conformance/checks.ts";
import type { JournalRecord } from "../../../src/model/index.ts";
import { encodeRecord } from "../../../src/wire/index.ts";
import { endedOrder, openOrder, part, sampleMark, sampleRecord, sampleRecords } from "./samples.ts";
import { all, rulesFor, type StoreRules } from "./world.ts";

/** Rules of the journal. */
export const journal: StoreRules = rulesFor()({
  async "records are returned in order, above `after`, at most `limit`"({ store }) {
    const records = sampleRecords(9, 1, 12);
    same("append", await store.append({ shards: [part(9, 1, { records })] }), ["durable"]);
    same("readRecords of 12 records", await store.readRecords({ shard: 9, ...all }), records);
    const two = await store.readRecords({ shard: 9, after: 3, limit: 2 });
    same("readRecords after 3, limit 2", two, records.slice(3, 5));
    same("readRecords after the last", await store.readRecords({ shard: 9, after: 12, limit: 5 }), []);
    same("readRecords of another shard", await store.readRecords({ shard: 8, ...all }), []);
  },

  async "I54: reading page by page returns every record once"({ store }) {
    const records = sampleRecords(9, 1, 25);
    for (const record of records) await store.append({ shards: [part(9, 1, { records: [record] })] });
    const read: unknown[] = [];
    for (let after = 0; read.length <= records.length; ) {
      const page = await store.readRecords({ shard: 9, after, limit: 7 });
      if (page.length === 0) break;
      holds(`readRecords after ${after}, limit 7`, page.length <= 7, "at most 7 records", page.length);
      for (const record of page) read.push(record);
      after = page.at(-1)?.sequence ?? after;
    }
    same("all pages of 25 records, limit 7", read, records);
  },

  async "I54: a record of 400,000 characters is returned whole, also among others and with any limit"({
    store,
  }) {
    const facts = [{ kind: "ALERT", alert: "OVERFILL", detail: "0123456789".repeat(40_000) }] as const;
    const changes = [{ orderId: -259, previous: 1, facts }];
    const [first, second, last] = [
      sampleRecord(3, 1),
      { ...sampleRecord(3, 2), changes },
      sampleRecord(3, 3),
    ];
    const records = [first, second, last];
    await store.append({ shards: [part(3, 1, { records })] });
    for (const limit of [1, 9]) {
      const read: JournalRecord[] = [];
      while (read.length < records.length) {
        const page = await store.readRecords({ shard: 3, after: read.at(-1)?.sequence ?? 0, limit });
        if (page.length === 0) break;
        for (const record of page) read.push(record);
      }
      same(`all pages of three records, limit ${limit}`, read, records);
    }
  },

  async "texts that come with the records are stored; missing ones are generated"({ store }) {
    const [record, later] = [sampleRecord(7, 1), { ...sampleRecord(7, 1), timeMs: 77 }];
    const given = { ...part(7, 1, { records: [record] }), texts: [encodeRecord(later)] };
    await store.append({ shards: [given] });
    await store.append({ shards: [part(7, 1, { records: [sampleRecord(7, 2)] })] });
    const read = await store.readRecords({ shard: 7, ...all });
    same("readRecords: the first was appended with a text", read, [later, sampleRecord(7, 2)]);
  },

  async "I54: records that do not follow the last one are fenced"({ store }) {
    const append = (from: number, to: number) =>
      store.append({ shards: [part(1, 1, { records: sampleRecords(1, from, to) })] });
    const steps = [
      [2, 3, "fenced"],
      [1, 2, "durable"],
      [1, 2, "fenced"],
      [2, 3, "fenced"],
      [4, 4, "fenced"],
      [3, 3, "durable"],
    ] as const;
    for (const [from, to, outcome] of steps)
      same(`append of records ${from} to ${to}`, await append(from, to), [outcome]);
    same("head(1)", (await store.head(1)).sequence, 3);
    same("readRecords", await store.readRecords({ shard: 1, ...all }), sampleRecords(1, 1, 3));
  },

  async "I54: records with a gap inside are fenced as a whole"({ store }) {
    const records = [sampleRecord(1, 1), sampleRecord(1, 3)];
    const outcomes = await store.append({ shards: [part(1, 1, { records })] });
    same("append of records 1 and 3", outcomes, ["fenced"]);
    same("readRecords", await store.readRecords({ shard: 1, ...all }), []);
  },

  async "I54: of two equal appends at the same time exactly one is durable"({ store }) {
    const batch = { shards: [part(1, 1, { records: sampleRecords(1, 1, 2) })] };
    const outcomes = await Promise.all([store.append(batch), store.append(batch)]);
    const durable = outcomes.flat().filter((outcome) => outcome === "durable").length;
    holds("two equal appends at once", durable === 1, "durable once and fenced once", outcomes);
    same("readRecords", await store.readRecords({ shard: 1, ...all }), sampleRecords(1, 1, 2));
  },

  async "a fenced shard writes nothing while the others of the batch are written"({ store }) {
    const shards = [
      part(1, 1, { records: [sampleRecord(1, 1)], ended: [endedOrder({ orderId: -257 })] }),
      part(2, 9, { records: [sampleRecord(2, 1)], ended: [endedOrder({ orderId: -258 })] }),
      part(3, 1, { records: [sampleRecord(3, 2)] }),
      part(4, 1, { records: sampleRecords(4, 1, 2) }),
    ];
    const outcomes = await store.append({ shards });
    same("append of four shards", outcomes, ["durable", "fenced", "fenced", "durable"]);
    const heads = await Promise.all([1, 2, 3, 4].map((shard) => store.head(shard)));
    const sequences = heads.map(({ sequence }) => sequence);
    same("heads of the four shards", sequences, [1, 0, 0, 2]);
    const stored = await store.pageEnded({ accountId: 1, afterOrderId: 0, newestFirst: false, limit: 9 });
    same("pageEnded", stored, [endedOrder({ orderId: -257 })]);
  },

  async "I03 I50: a batch that breaks a rule is refused completely"({ store }) {
    const twice = [
      endedOrder({ orderId: -512, clientOrderId: "a" }),
      endedOrder({ orderId: -768, clientOrderId: "a" }),
    ];
    const records = [sampleRecord(0, 1)];
    const shards = [
      part(5, 1, { records: [sampleRecord(5, 1)] }),
      part(0, 1, { records, ended: twice, marks: [sampleMark()] }),
    ];
    await refused("append of two parents with one client id", () => store.append({ shards }));
    const open = part(0, 1, { records, ended: [openOrder({ orderId: -512 })] });
    await refused("append of an open parent as ended", () => store.append({ shards: [open] }));
    const foreign = part(6, 1, { records });
    await refused("append of a record of shard 0 to shard 6", () => store.append({ shards: [foreign] }));
    const foreignMark = part(6, 1, { marks: [sampleMark()] });
    await refused("append of a mark of shard 0 to shard 6", () => store.append({ shards: [foreignMark] }));
    same("head(5)", (await store.head(5)).sequence, 0);
    same("head(0)", (await store.head(0)).sequence, 0);
    same("countEnded", await store.countEnded({ accountId: 1, shard: 0 }), { count: 0, sequence: 0 });
    same("readMarks()", await store.readMarks(), []);
  },

  async "an empty batch has no effect, and a part without records needs only the epoch"({ store }) {
    same("append of an empty batch", await store.append({ shards: [] }), []);
    const ended = [endedOrder({ orderId: -256 })];
    const shards = [part(0, 1, { ended }), part(1, 2)];
    same("append of parts without records", await store.append({ shards }), ["durable", "fenced"]);
    same("countEnded", await store.countEnded({ accountId: 1, shard: 0 }), { count: 1, sequence: 0 });
  },

  async "an append that resolved is read by every handle"({ store, open }) {
    const other = await open();
    await other.head(0);
    const records = sampleRecords(0, 1, 2);
    const ended = [endedOrder({ orderId: -256 })];
    await store.append({ shards: [part(0, 1, { records, ended, marks: [sampleMark()] })] });
    same("head(0) of another handle", await other.head(0), { shard: 0, epoch: 1, sequence: 2 });
    same("readRecords of another handle", await other.readRecords({ shard: 0, ...all }), records);
    same("findEnded of another handle", await other.findEnded({ accountId: 1, orderId: -256 }), ended[0]);
    same("readMarks of another handle", await other.readMarks(), [sampleMark()]);
  },

  async "reads are independent of the written objects, and cannot be changed through them"({ store }) {
    const given = sampleRecord(0, 1);
    const record = { ...given, changes: given.changes.map((change) => ({ ...change })) };
    await store.append({ shards: [part(0, 1, { records: [record] })] });
    for (const change of record.changes) change.orderId = -1;
    const [read] = await store.readRecords({ shard: 0, ...all });
    same("readRecords after the appended object was changed", read, given);
    (read?.changes as unknown[] | undefined)?.splice(0);
    same("readRecords after its first answer was changed", await store.readRecords({ shard: 0, ...all }), [
      given,
    ]);
  },
});
