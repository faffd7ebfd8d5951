import type { CommitPart, Entry } from "../../ports/index.ts";
import { same } from "../checks.ts";
import { digits, EVERYTHING, part, rangeOf, type StorageRules, walk, write } from "./world.ts";

const entriesOf = (keys: readonly string[]): readonly Entry[] => keys.map((key) => [key, `value of ${key}`]);

/** Keys that a locale, a comparison without case, or one of numbers would order differently. */
const IN_ORDER = [
  ...[" ", " a", "!", '"', "-", "-1", "0", "007", "10", "9", "A", "A ", "A-", "AA", "A_", "Aa", "B", "Z"],
  ...[
    "_",
    "_a",
    "a",
    "a ",
    "a!",
    "aA",
    "aa",
    "a~",
    "b",
    "log 001 2",
    "log 010 1",
    "log-1",
    "z",
    "{",
    "~",
    "~ ",
  ],
];

/** Rules of one range. */
export const ranges: StorageRules = {
  "a range has the keys from `from` on, which is included, and before `before`, which is not": {
    remedy: "Select with `key >= from and key < before`. The bounds need not be keys.",
    async check({ storage }) {
      await write(storage, entriesOf(["a", "b", "c", "d"]));
      for (const reverse of [false, true]) {
        const read = async (from: string, before: string): Promise<readonly string[]> => {
          const entries = await rangeOf(storage, { from, before, limit: 9, reverse });
          return entries.map(([key]) => key).toSorted();
        };
        const way = reverse ? "falling" : "rising";
        same(`${way}, from "b" before "d"`, await read("b", "d"), ["b", "c"]);
        same(`${way}, from "a0" before "c0"`, await read("a0", "c0"), ["b", "c"]);
        same(`${way}, from "a" before "b"`, await read("a", "b"), ["a"]);
        same(`${way}, from " " before "~"`, await read(" ", "~"), ["a", "b", "c", "d"]);
      }
    },
  },
  "a range without keys is an empty list": {
    remedy:
      "Return a list for each range. Bounds that are equal or exchanged contain nothing and are no failure.",
    async check({ storage }) {
      const none = { from: "a", before: "z", limit: 9 };
      same("range of an empty storage", await storage.range([none]), [[]]);
      await write(storage, entriesOf(["a", "b", "c"]));
      for (const reverse of [false, true])
        for (const [from, before] of [
          ["b", "b"],
          ["c", "a"],
          ["d", "e"],
          ["A", "Z"],
          ["a!", "b"],
        ] as const)
          same(
            `range from ${JSON.stringify(from)} before ${JSON.stringify(before)}, reverse: ${reverse}`,
            await rangeOf(storage, { from, before, limit: 9, reverse }),
            [],
          );
    },
  },
  "the keys of a range are ordered by their bytes, and a key comes before those that begin with it": {
    remedy:
      'Compare bytes: `collate "C"` in Postgres, BINARY in SQLite, `<` in JavaScript. Do not use `localeCompare`.',
    async check({ storage }) {
      // Written in another order than they are read.
      await write(
        storage,
        entriesOf(IN_ORDER).toSorted(([a], [b]) =>
          a.length - b.length === 0 ? (a < b ? 1 : -1) : b.length - a.length,
        ),
      );
      same(
        "range over all keys",
        await rangeOf(storage, { from: " ", before: "~~", limit: 99 }),
        entriesOf(IN_ORDER),
      );
      same(
        'range from "A" before "_"',
        await rangeOf(storage, { from: "A", before: "_", limit: 99 }),
        entriesOf(IN_ORDER.filter((key) => key >= "A" && key < "_")),
      );
    },
  },
  "with `reverse`, a range falls from its last key": {
    remedy: "Order by the key, descending, before the limit is applied.",
    async check({ storage }) {
      await write(storage, entriesOf(IN_ORDER));
      const range = { from: " ", before: "~~", reverse: true };
      same("falling range over all keys", await rangeOf(storage, { ...range, limit: 99 }), [
        ...entriesOf(IN_ORDER).toReversed(),
      ]);
      same("falling range, limit 2", await rangeOf(storage, { ...range, limit: 2 }), [
        ...entriesOf(["~ ", "~"]),
      ]);
      same("rising again", await rangeOf(storage, { ...range, reverse: false, limit: 2 }), [
        ...entriesOf([" ", " a"]),
      ]);
    },
  },
  "a range has at most `limit` entries: the first ones of its order": {
    remedy: "Apply the limit to each range, after the order.",
    async check({ storage }) {
      await write(storage, entriesOf(["a", "b", "c", "d", "e"]));
      for (const limit of [1, 2, 4, 5, 6]) {
        const range = { from: "a", before: "e", limit };
        const wanted = entriesOf(["a", "b", "c", "d"]);
        same(`range of 4 keys, limit ${limit}`, await rangeOf(storage, range), wanted.slice(0, limit));
      }
    },
  },
  "several ranges in one call are answered in their order, each by its own bounds, limit and direction": {
    remedy: "Return one list per range, also for an empty one and for ranges that overlap.",
    async check({ storage }) {
      same("range of no ranges", await storage.range([]), []);
      await write(storage, entriesOf(["a", "b", "c", "d", "e"]));
      const answer = await storage.range([
        { from: "c", before: "z", limit: 2 },
        { from: "x", before: "z", limit: 9 },
        { from: "a", before: "e", limit: 3, reverse: true },
        { from: "a", before: "c", limit: 9 },
        { from: "a", before: "c", limit: 9 },
      ]);
      same("range of five ranges", answer, [
        entriesOf(["c", "d"]),
        [],
        entriesOf(["d", "c", "b"]),
        entriesOf(["a", "b"]),
        entriesOf(["a", "b"]),
      ]);
    },
  },
};

const KEYS = 2_600;

const LARGE = 12;

const SHARDS = 64;
const ROUNDS = 12;
const logKey = (shard: number, sequence: number): string => `log ${digits(shard, 3)} ${digits(sequence, 16)}`;

/** Rules of long ranges. */
export const pages: StorageRules = {
  "the pages of a long range walk over all of its keys once, in both directions": {
    remedy:
      "Each page begins at its own bounds, whatever was read before. Return a full page unless the entries are large.",
    async check({ storage }) {
      const entries = Array.from(
        { length: KEYS },
        (_, n): Entry => [`key ${digits(n * 7, 6)}`, `value ${n}`],
      );
      await write(
        storage,
        entries.filter((_, n) => n % 2 === 1),
      );
      await write(
        storage,
        entries.filter((_, n) => n % 2 === 0),
      );
      await write(storage, Object.entries({ kex: "before all", kez: "after all" }));
      for (const limit of [512, 1_000]) {
        const range = { from: "key ", before: "key ~", limit };
        same(`all pages of ${limit}`, await walk(storage, range, KEYS), entries);
        same(
          `all falling pages of ${limit}`,
          await walk(storage, { ...range, reverse: true }, KEYS),
          entries.toReversed(),
        );
      }
    },
  },
  "a page of large values may be short, but is empty only at the end of the range": {
    remedy: "Return at least one entry if there is one, however large it is.",
    async check({ storage }) {
      const entries = Array.from(
        { length: LARGE },
        (_, n): Entry => [`snap ${digits(n, 3)}`, `${n} `.repeat(200_000)],
      );
      for (const entry of entries) await write(storage, [entry]);
      const range = { from: "snap ", before: "snap ~", limit: 1_000 };
      same("all pages", await walk(storage, range, LARGE), entries);
      same(
        "all falling pages",
        await walk(storage, { ...range, reverse: true }, LARGE),
        entries.toReversed(),
      );
    },
  },
  "journals of many shards, written in turn, are read in their order, also when the oldest records are deleted":
    {
      remedy:
        "Delete the keys of the part and no others. Keys that begin with `log ` only come in rising order in their shard.",
      async check({ storage }) {
        const shards = Array.from({ length: SHARDS }, (_, n) => n * 4);
        const textOf = (shard: number, sequence: number): string => `record ${shard} ${sequence} `.repeat(30);
        for (let sequence = 1; sequence <= ROUNDS; sequence++) {
          const parts = shards.map((shard): CommitPart => {
            const head = `head ${digits(shard, 3)}`;
            const old = sequence === 1 ? undefined : String(sequence - 1);
            const record = [logKey(shard, sequence), textOf(shard, sequence)] as const;
            return part({ conditions: [[head, old]], puts: [[head, String(sequence)], record] });
          });
          same(
            `commit of round ${sequence}`,
            await storage.commit(parts),
            shards.map(() => true),
          );
        }
        const all = shards.flatMap((shard) =>
          Array.from({ length: ROUNDS }, (_, n) => ({ shard, sequence: n + 1, key: logKey(shard, n + 1) })),
        );
        const isRetained = ({ shard, sequence }: (typeof all)[number]): boolean =>
          shard % 8 !== 0 || sequence > ROUNDS / 2;
        const deletes = all.filter((one) => !isRetained(one)).map(({ key }) => key);
        same("commit of the deletes", await storage.commit([part({ deletes })]), [true]);
        const stored = all
          .filter(isRetained)
          .map(({ key, shard, sequence }): Entry => [key, textOf(shard, sequence)]);
        const range = { ...EVERYTHING, from: "log ", before: "log ~", limit: 100 };
        same("all records by pages", await walk(storage, range, all.length), stored);
        const ranges = shards.map((shard) => ({
          from: logKey(shard, 1),
          before: `log ${digits(shard, 3)} ~`,
          limit: 3,
        }));
        same(
          "the three oldest records of each shard in one call",
          await storage.range(ranges),
          ranges.map(({ from }) => stored.filter(([key]) => key.startsWith(from.slice(0, 8))).slice(0, 3)),
        );
      },
    },
};
