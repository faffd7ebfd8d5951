import { holds, refused, same } from "../../../src/conformance/checks.ts";
import type { JournalRecord } from "../../../src/model/index.ts";
import { encodeRecord } from "../../../src/wire/index.ts";
import { endedOrder, openOrder, part, sampleMark, sampleRecord, sampleRecords } from "./samples.ts";
import { all, type StoreRule, type StoreRules } from "./world.ts";

const inOrder: StoreRule = {
  name: "records are returned in order, above `after`, at most `limit`",
  remedy: "Select by shard, `sequence > after`, order by sequence as a number, and apply the limit last.",
  async check({ store }) {
    const records = sampleRecords(9, 1, 12);
    same("append", await store.append({ shards: [part(9, 1, { records })] }), ["durable"]);
    same("readRecords of 12 records", await store.readRecords({ shard: 9, ...all }), records);
    const two = await store.readRecords({ shard: 9, after: 3, limit: 2 });
    same("readRecords after 3, limit 2", two, records.slice(3, 5));
    same("readRecords after the last", await store.readRecords({ shard: 9, after: 12, limit: 5 }), []);
    same("readRecords of another shard", await store.readRecords({ shard: 8, ...all }), []);
  },
};

const everyOnce: StoreRule = {
  name: "I54: reading page by page returns every record once",
  remedy:
    "Begin a page at the first sequence above `after`. A page may be short, but not empty before the last record.",
  async check({ store }) {
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
};

const large: StoreRule = {
  name: "I54: a record of 400,000 characters is returned whole, also among others and with any limit",
  remedy:
    "Store records in a column without a limit of their length. A read that is bounded by size returns at least one record: an empty page is the end of the journal.",
  async check({ store }) {
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
};

const givenTexts: StoreRule = {
  name: "decision EJ: texts that come with the records are stored; missing ones are generated",
  remedy: "Store `texts[n]` for record n if `texts` is given, otherwise `encodeRecord(record)`.",
  async check({ store }) {
    const [record, later] = [sampleRecord(7, 1), { ...sampleRecord(7, 1), timeMs: 77 }];
    const given = { ...part(7, 1, { records: [record] }), texts: [encodeRecord(later)] };
    await store.append({ shards: [given] });
    await store.append({ shards: [part(7, 1, { records: [sampleRecord(7, 2)] })] });
    const read = await store.readRecords({ shard: 7, ...all });
    same("readRecords: the first was appended with a text", read, [later, sampleRecord(7, 2)]);
  },
};

const following: StoreRule = {
  name: "I54: records that do not follow the last one are fenced",
  remedy:
    "Fence a part whose first sequence is not that of the last record plus 1: an append that comes twice, too.",
  async check({ store }) {
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
};

const gapInside: StoreRule = {
  name: "I54: records with a gap inside are fenced as a whole",
  remedy: "Compare every sequence of a part, not only the first.",
  async check({ store }) {
    const records = [sampleRecord(1, 1), sampleRecord(1, 3)];
    const outcomes = await store.append({ shards: [part(1, 1, { records })] });
    same("append of records 1 and 3", outcomes, ["fenced"]);
    same("readRecords", await store.readRecords({ shard: 1, ...all }), []);
  },
};

const doubled: StoreRule = {
  name: "I54: of two equal appends at the same time exactly one is durable",
  remedy: "Read the last sequence inside the transaction that writes, under a lock or with a unique key.",
  async check({ store }) {
    const batch = { shards: [part(1, 1, { records: sampleRecords(1, 1, 2) })] };
    const outcomes = await Promise.all([store.append(batch), store.append(batch)]);
    const durable = outcomes.flat().filter((outcome) => outcome === "durable").length;
    holds("two equal appends at once", durable === 1, "durable once and fenced once", outcomes);
    same("readRecords", await store.readRecords({ shard: 1, ...all }), sampleRecords(1, 1, 2));
  },
};

const partly: StoreRule = {
  name: "a fenced shard writes nothing while the others of the batch are written",
  remedy:
    "Leave only the fenced parts out, with their rows, and resolve to one outcome per part, in the order of `shards`.",
  async check({ store }) {
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
};

const wholeBatch: StoreRule = {
  name: "I03 I50: a batch that breaks a rule is refused completely",
  remedy:
    "Roll the whole transaction back and reject, when a client id is taken, a row has not ended, or a record or mark is of another shard.",
  async check({ store }) {
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
};

const emptyBatch: StoreRule = {
  name: "an empty batch has no effect, and a part without records needs only the epoch",
  remedy: "Resolve to no outcomes for no parts, and write the rows of a part that has no records.",
  async check({ store }) {
    same("append of an empty batch", await store.append({ shards: [] }), []);
    const ended = [endedOrder({ orderId: -256 })];
    const shards = [part(0, 1, { ended }), part(1, 2)];
    same("append of parts without records", await store.append({ shards }), ["durable", "fenced"]);
    same("countEnded", await store.countEnded({ accountId: 1, shard: 0 }), { count: 1, sequence: 0 });
  },
};

const visible: StoreRule = {
  name: "an append that resolved is read by every handle",
  remedy:
    "Resolve after the commit, and answer reads of every handle from committed state, not from a cache of the handle.",
  async check({ store, open }) {
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
};

const independent: StoreRule = {
  name: "reads are independent of the written objects, and cannot be changed through them",
  remedy: "Store texts or deep copies, and create new objects for every read.",
  async check({ store }) {
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
};

/** Rules of the journal. */
export const journal: StoreRules = {
  name: "journal",
  rules: [
    ...[inOrder, everyOnce, large, givenTexts, following, gapInside, doubled],
    ...[partly, wholeBatch, emptyBatch, visible, independent],
  ],
};
