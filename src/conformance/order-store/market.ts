import { price } from "../../decimal/index.ts";
import type { KeptQuote } from "../../model/index.ts";
import { refused, same } from "../suite/index.ts";
import { part, sampleMark, sampleRecord } from "./samples.ts";
import type { StoreRule, StoreRules } from "./world.ts";

const QUOTE: KeptQuote = { symbol: "BTC/USD", bid: price("100"), ask: price("101"), timeMs: 5 };
const LARGEST: KeptQuote = {
  symbol: "ETH/USD",
  bid: price("0.00000001"),
  ask: price("9999999999.99999999"),
  timeMs: Number.MAX_SAFE_INTEGER,
};

const sorted: StoreRule = {
  name: "marks are returned by symbol, side and position, with prices beyond the safe integers",
  remedy:
    "Order positions as numbers, not as texts. Return a price as `Price.parse` creates it: a number up to 2^53 - 1, a bigint above.",
  async check({ store }) {
    const marks = [
      sampleMark({ position: 10 }),
      sampleMark({ symbol: "ETH/USD", position: 1 }),
      sampleMark({ side: "ask", position: 3, price: price("9999999999.99999999") }),
      sampleMark({ position: 2 }),
    ] as const;
    await store.append({ shards: [], marks });
    same("readMarks() of four marks", await store.readMarks(), [marks[2], marks[3], marks[0], marks[1]]);
  },
};

const replaced: StoreRule = {
  name: "a mark with a position that exists replaces it",
  remedy: "Make symbol, side and position the key of a mark, and let a second write replace the first.",
  async check({ store }) {
    await store.append({ shards: [], marks: [sampleMark()] });
    const again = sampleMark({ price: price("7425"), timeMs: 2_000 });
    await store.append({ shards: [], marks: [again] });
    same("readMarks() after a mark was written twice", await store.readMarks(), [again]);
  },
};

const dropped: StoreRule = {
  name: "dropped marks are gone, the others stay",
  remedy: "Delete by symbol, side and position.",
  async check({ store }) {
    const marks = [1, 2, 3].map((position) => sampleMark({ position }));
    await store.append({ shards: [], marks });
    await store.deleteMarks(marks.slice(0, 2));
    same("readMarks() after deleteMarks of two", await store.readMarks(), marks.slice(2));
  },
};

const earlierOwner: StoreRule = {
  name: "I60 I31: an earlier owner neither adds nor drops marks",
  remedy:
    "Let only the handle of the latest `acquire` write the market journal. Reject a batch without shards; leave the marks of other batches out.",
  async check({ store, open }) {
    await store.append({ shards: [], marks: [sampleMark()] });
    const later = await open();
    await later.acquire();
    const stale = sampleMark({ price: price("1") });
    await refused("append of marks alone by an earlier owner", () =>
      store.append({ shards: [], marks: [stale] }),
    );
    await refused("deleteMarks by an earlier owner", () => store.deleteMarks([sampleMark()]));
    const batch = { shards: [part(0, 1, { records: [sampleRecord(0, 1)] })], marks: [stale] };
    same("append of records and marks by an earlier owner", await store.append(batch), ["fenced"]);
    same("readMarks()", await later.readMarks(), [sampleMark()]);
  },
};

const lastQuote: StoreRule = {
  name: "I16, decision BR: the last quote of each market is stored, by symbol, at both ends of every range",
  remedy:
    "Make the symbol the key of a quote, let the later quote of a batch win, and keep prices and times exact.",
  async check({ store }) {
    same("readQuotes() of an empty store", await store.readQuotes(), []);
    await store.append({ shards: [], marks: [], quotes: [LARGEST, QUOTE] });
    same("readQuotes()", await store.readQuotes(), [QUOTE, LARGEST]);
    const later = { ...QUOTE, bid: price("99"), timeMs: 6 };
    await store.append({ shards: [], marks: [], quotes: [QUOTE, later] });
    same("readQuotes() after two more of one market", await store.readQuotes(), [later, LARGEST]);
  },
};

const outlive: StoreRule = {
  name: "I01: quotes are written with the records and marks of their batch and outlive the handle",
  remedy: "Write quotes in the transaction of the batch.",
  async check({ store, open, close }) {
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    await store.append({ shards, marks: [sampleMark()], quotes: [QUOTE] });
    await close(store);
    const next = await open();
    same("readQuotes() of the next handle", await next.readQuotes(), [QUOTE]);
    same("readMarks() of the next handle", await next.readMarks(), [sampleMark()]);
  },
};

const staleQuotes: StoreRule = {
  name: "I60: an earlier owner writes no quotes",
  remedy: "Let only the handle of the latest `acquire` write quotes.",
  async check({ store, open }) {
    const later = await open();
    await later.acquire();
    await refused("append of quotes alone by an earlier owner", () =>
      store.append({ shards: [], marks: [], quotes: [QUOTE] }),
    );
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    same(
      "append of records and quotes by an earlier owner",
      await store.append({ shards, marks: [], quotes: [QUOTE] }),
      ["fenced"],
    );
    same("readQuotes()", await later.readQuotes(), []);
  },
};

/** Rules of the market journal. */
export const marketJournal: StoreRules = {
  name: "market journal",
  rules: [sorted, replaced, dropped, earlierOwner],
};

/** Rules of the last quotes of markets. */
export const lastQuotes: StoreRules = { name: "last quotes", rules: [lastQuote, outlive, staleQuotes] };
