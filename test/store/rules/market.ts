import { refused, same } from "../../../src/conformance/checks.ts";
import { price } from "../../../src/decimal/index.ts";
import { SHARD_COUNT, type StoredQuote } from "../../../src/model/index.ts";
import { part, QUOTE, sampleMark, sampleRecord } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

const LARGEST: StoredQuote = {
  symbol: "ETH/USD",
  bid: price("0.00000001"),
  ask: price("9999999999.99999999"),
  timeMs: Number.MAX_SAFE_INTEGER,
};

/** Rules of marks. */
export const marketJournal: StoreRules = rulesFor()({
  async "marks are returned by symbol, side, shard and position, with prices beyond the safe integers"({
    store,
  }) {
    const marks = [
      sampleMark({ position: 10 }),
      sampleMark({ symbol: "ETH/USD", position: 1 }),
      sampleMark({ side: "ask", position: 3, price: price("9999999999.99999999") }),
      sampleMark({ position: 2 }),
      sampleMark({ shard: 10, position: 1 }),
      sampleMark({ shard: 9, position: 4 }),
    ] as const;
    const shards = [0, 9, 10].map((shard) => {
      return part(shard, 1, { marks: marks.filter((mark) => mark.shard === shard) });
    });
    await store.append({ shards });
    const expected = [marks[2], marks[3], marks[0], marks[5], marks[4], marks[1]];
    same("readMarks() of six marks", await store.readMarks(), expected);
  },

  async "all marks and all last quotes are returned, however many they are"({ store }) {
    const marks = Array.from({ length: 3_000 }, (_, n) => sampleMark({ position: n + 1 }));
    const symbols = marks.slice(0, 600).map((_, n) => `S${1_000 + n}/USD`);
    const quotes = symbols.map((symbol) => ({ ...QUOTE, symbol }));
    await store.append({ shards: [part(0, 1, { marks })], quotes });
    same("readMarks() of 3000 marks", await store.readMarks(), marks);
    same("readMarks([0]) of 3000 marks", await store.readMarks([0]), marks);
    same("readQuotes() of 600 markets", await store.readQuotes(), quotes);
  },

  async "marks of some shards are those of these shards alone, and none of no shard"({ store }) {
    const marks = [0, 3, 9].map((shard) => sampleMark({ shard }));
    const [first, , last] = marks;
    await store.append({ shards: marks.map((mark) => part(mark.shard, 1, { marks: [mark] })) });
    same("readMarks() of shards 9, 0 and 5", await store.readMarks([9, 0, 5]), [first, last]);
    same("readMarks() of shards without marks", await store.readMarks([5, SHARD_COUNT]), []);
    same("readMarks() of no shard", await store.readMarks([]), []);
    same("readMarks() of all shards", await store.readMarks(), marks);
  },

  async "a mark with a position that exists in its shard replaces it"({ store }) {
    const other = sampleMark({ shard: 3 });
    await store.append({ shards: [part(0, 1, { marks: [sampleMark()] }), part(3, 1, { marks: [other] })] });
    const again = sampleMark({ price: price("7425"), timeMs: 2_000 });
    await store.append({ shards: [part(0, 1, { marks: [again] })] });
    same("readMarks() after a mark was written twice", await store.readMarks(), [again, other]);
  },

  async "marks of other markets and of the other side with the same position stay, beside new ones and dropped ones"({
    store,
  }) {
    const [ask, bid] = [sampleMark({ side: "ask" }), sampleMark()];
    const other = sampleMark({ symbol: "ETH/USD", price: price("8") });
    for (const mark of [bid, other, ask]) await store.append({ shards: [part(0, 1, { marks: [mark] })] });
    same("readMarks() of three marks with one position", await store.readMarks(), [ask, bid, other]);
    await store.deleteMarks([bid]);
    same("readMarks() after deleteMarks of one of them", await store.readMarks(), [ask, other]);
  },

  async "dropped marks are gone, the others stay"({ store }) {
    const marks = [1, 2, 3].map((position) => sampleMark({ position }));
    const other = sampleMark({ shard: 3 });
    await store.append({ shards: [part(0, 1, { marks }), part(3, 1, { marks: [other] })] });
    await store.deleteMarks(marks.slice(0, 2));
    same("readMarks() after deleteMarks of two", await store.readMarks(), [...marks.slice(2), other]);
  },

  async "I60 I31: an earlier owner neither adds nor drops marks"({ store, open }) {
    await store.append({ shards: [part(0, 1, { marks: [sampleMark()] })] });
    const later = await open();
    await later.acquire();
    const marks = [sampleMark({ price: price("1") })];
    const alone = { shards: [part(0, 1, { marks })] };
    same("append of marks alone by an earlier owner", await store.append(alone), ["fenced"]);
    await store.deleteMarks([sampleMark()]);
    const batch = { shards: [part(0, 1, { records: [sampleRecord(0, 1)], marks })] };
    same("append of records and marks by an earlier owner", await store.append(batch), ["fenced"]);
    same("readMarks()", await later.readMarks(), [sampleMark()]);
  },

  async "I60: marks of an earlier round of the epoch are fenced"({ store }) {
    await store.fence({ shard: 0, epoch: 1, round: 1 });
    const late = part(0, 1, { marks: [sampleMark()] });
    same("append of marks in round 0 after a fence of round 1", await store.append({ shards: [late] }), [
      "fenced",
    ]);
    const now = part(0, 1, { round: 1, marks: [sampleMark({ position: 2 })] });
    same("append of marks in round 1", await store.append({ shards: [now] }), ["durable"]);
    same("readMarks()", await store.readMarks(), [sampleMark({ position: 2 })]);
  },
});

/** Rules of the last quotes of markets. */
export const lastQuotes: StoreRules = rulesFor()({
  async "I16: the last quote of each market is stored, by symbol, at both ends of every range"({ store }) {
    same("readQuotes() of an empty store", await store.readQuotes(), []);
    await store.append({ shards: [], quotes: [LARGEST, QUOTE] });
    same("readQuotes()", await store.readQuotes(), [QUOTE, LARGEST]);
    const later = { ...QUOTE, bid: price("99"), timeMs: 6 };
    await store.append({ shards: [], quotes: [QUOTE, later] });
    same("readQuotes() after two more of one market", await store.readQuotes(), [later, LARGEST]);
  },

  async "I01: quotes are written with the records and marks of their batch and outlive the handle"({
    store,
    open,
    close,
  }) {
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)], marks: [sampleMark()] })];
    await store.append({ shards, quotes: [QUOTE] });
    await close(store);
    const next = await open();
    same("readQuotes() of the next handle", await next.readQuotes(), [QUOTE]);
    same("readMarks() of the next handle", await next.readMarks(), [sampleMark()]);
  },

  async "I60: an earlier owner writes no quotes"({ store, open }) {
    const later = await open();
    await later.acquire();
    await refused("append of quotes alone by an earlier owner", () =>
      store.append({ shards: [], quotes: [QUOTE] }),
    );
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    same(
      "append of records and quotes by an earlier owner",
      await store.append({ shards, quotes: [QUOTE] }),
      ["fenced"],
    );
    same("readQuotes()", await later.readQuotes(), []);
  },
});
