import type { Entry } from "../../ports/index.ts";
import { same } from "../suite/index.ts";
import { rangeOf, type StorageRule, type StorageRules, write } from "./world.ts";

const entriesOf = (keys: readonly string[]): readonly Entry[] => keys.map((key) => [key, `value of ${key}`]);

const bounds: StorageRule = {
  name: "a range has the keys from `from` on, which is included, and before `before`, which is not",
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
};

const empty: StorageRule = {
  name: "a range without keys is an empty list",
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
};

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

const byBytes: StorageRule = {
  name: "the keys of a range are ordered by their bytes, and a key comes before those that begin with it",
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
};

const falling: StorageRule = {
  name: "with `reverse`, a range falls from its last key",
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
};

const limited: StorageRule = {
  name: "a range has at most `limit` entries: the first ones of its order",
  remedy: "Apply the limit to each range, after the order.",
  async check({ storage }) {
    await write(storage, entriesOf(["a", "b", "c", "d", "e"]));
    for (const limit of [1, 2, 4, 5, 6]) {
      const range = { from: "a", before: "e", limit };
      const wanted = entriesOf(["a", "b", "c", "d"]);
      same(`range of 4 keys, limit ${limit}`, await rangeOf(storage, range), wanted.slice(0, limit));
    }
  },
};

const several: StorageRule = {
  name: "several ranges in one call are answered in their order, each by its own bounds, limit and direction",
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
};

/** Rules of one range. */
export const ranges: StorageRules = {
  name: "ranges",
  rules: [bounds, empty, byBytes, falling, limited, several],
};
