import type { CommitPart, Entry } from "../../ports/index.ts";
import { same } from "../suite/index.ts";
import {
  digits,
  EVERYTHING,
  part,
  rangeOf,
  type StorageRule,
  type StorageRules,
  walk,
  write,
} from "./world.ts";

const CHECK_FIRST =
  "Check all conditions of a part before its first write, in the same transaction as the writes.";

const whole: StorageRule = {
  name: "a part writes all of its puts and deletes, and touches no other key",
  remedy: "Apply every put and every delete of a part that is written, each to exactly its key.",
  async check({ storage }) {
    await write(storage, [
      ["a", "old"],
      ["b", "old"],
      ["c", "old"],
      ["d", "old"],
    ]);
    const parts = [
      part({
        puts: [
          ["a", "new"],
          ["e", "new"],
        ],
        deletes: ["b", "d"],
      }),
    ];
    same("commit", await storage.commit(parts), [true]);
    same("all entries", await rangeOf(storage, EVERYTHING), [
      ["a", "new"],
      ["c", "old"],
      ["e", "new"],
    ]);
  },
};

const leftOut: StorageRule = {
  name: "a part of which a condition does not hold is left out whole, answered with false, and the other parts are written",
  remedy: `${CHECK_FIRST} Leave out only the part of which one does not hold; the call does not reject.`,
  async check({ storage }) {
    await write(storage, [
      ["a", "1"],
      ["b", "1"],
      ["c", "1"],
    ]);
    const parts = [
      part({ conditions: [["a", "1"]], puts: [["a", "2"]] }),
      part({
        conditions: [
          ["b", "1"],
          ["other", "1"],
        ],
        puts: [
          ["b", "2"],
          ["d", "2"],
        ],
        deletes: ["c"],
      }),
      part({ puts: [["e", "2"]] }),
    ];
    same("commit, with a condition of the second part that does not hold", await storage.commit(parts), [
      ...[true, false, true],
    ]);
    same("all entries", await rangeOf(storage, EVERYTHING), [
      ["a", "2"],
      ["b", "1"],
      ["c", "1"],
      ["e", "2"],
    ]);
  },
};

/** Each condition, and whether it holds where "a" has the value "1" and "empty" the empty text. */
const CONDITIONS: readonly (readonly [key: string, value: string | undefined, holds: boolean])[] = [
  ["a", "1", true],
  ["a", "2", false],
  ["a", "", false],
  ["a", "1 ", false],
  ["a", "01", false],
  ["a", undefined, false],
  ["A", "1", false],
  ["empty", "", true],
  ["empty", undefined, false],
  ["none", undefined, true],
  ["none", "", false],
  ["none", "1", false],
];

const conditions: StorageRule = {
  name: "a condition holds if the key has exactly the value, or is absent where the value is undefined",
  remedy:
    "Compare values byte by byte, neither as numbers nor by a locale. Without a row, only `undefined` fits, and with one never.",
  async check({ storage }) {
    await write(storage, [
      ["a", "1"],
      ["empty", ""],
    ]);
    for (const [key, value, answer] of CONDITIONS) {
      const parts = [part({ conditions: [[key, value]], puts: [["seen", `${key} ${value}`]] })];
      same(`commit on the condition ${JSON.stringify([key, value])}`, await storage.commit(parts), [answer]);
    }
    same("get of what the last condition that holds has written", await storage.get(["seen"]), [
      "none undefined",
    ]);
  },
};

const absent: StorageRule = {
  name: "a put on the condition that its key is absent is written once, and again after the key was deleted",
  remedy: "Check the condition against what earlier transactions have left, deletes among them.",
  async check({ storage }) {
    const once = part({ conditions: [["name", undefined]], puts: [["name", "1"]] });
    same("the first commit", await storage.commit([once]), [true]);
    same("the second commit", await storage.commit([once]), [false]);
    same("commit of a delete", await storage.commit([part({ deletes: ["name"] })]), [true]);
    same("the commit after the delete", await storage.commit([once]), [true]);
  },
};

const replaces: StorageRule = {
  name: "a put replaces the value that its key has",
  remedy: "Insert the row or update it (upsert).",
  async check({ storage }) {
    for (const value of ["first", "a longer second value", "3", ""]) await write(storage, [["a", value]]);
    await write(storage, [["b", "1"]]);
    await write(storage, [["a", "last"]]);
    same("all entries", await rangeOf(storage, EVERYTHING), [
      ["a", "last"],
      ["b", "1"],
    ]);
  },
};

const deletesAbsent: StorageRule = {
  name: "a delete of an absent key is no failure and changes nothing",
  remedy: "Answer true, however many rows were deleted.",
  async check({ storage }) {
    await write(storage, [["ab", "1"]]);
    const parts = [part({ deletes: ["a", "abc", "zz"], puts: [["b", "1"]] })];
    same("commit of deletes of absent keys", await storage.commit(parts), [true]);
    same("all entries", await rangeOf(storage, EVERYTHING), [
      ["ab", "1"],
      ["b", "1"],
    ]);
  },
};

const nothing: StorageRule = {
  name: "a transaction without parts has no answers, and a part without writes says whether its conditions hold",
  remedy: "Return one answer per part in every case, also if there is nothing to write.",
  async check({ storage }) {
    same("commit of no parts", await storage.commit([]), []);
    const parts = [part({}), part({ conditions: [["a", "1"]] }), part({ conditions: [["a", undefined]] })];
    same("commit of parts without writes", await storage.commit(parts), [true, false, true]);
  },
};

const PARTS = 400;

const manyParts: StorageRule = {
  name: "400 parts in one transaction have 400 answers in their order, each for its own conditions",
  remedy:
    "Return the answers by the place of the part, not by its key, and not only those of parts that were written.",
  async check({ storage }) {
    const heads = Array.from({ length: PARTS }, (_, n): Entry => [`head ${digits(n, 3)}`, "1"]);
    await write(storage, heads);
    const fits = (n: number): boolean => n % 7 < 4;
    const parts = heads.map(
      ([key], n): CommitPart => part({ conditions: [[key, fits(n) ? "1" : "0"]], puts: [[key, "2"]] }),
    );
    const order = parts.map((one, n) => ({ one, n })).toReversed();
    same(
      "commit of 400 parts, in falling order of their keys",
      await storage.commit(order.map(({ one }) => one)),
      order.map(({ n }) => fits(n)),
    );
    same(
      "all entries",
      await walk(storage, EVERYTHING, PARTS),
      heads.map(([key], n) => [key, fits(n) ? "2" : "1"]),
    );
  },
};

const PUTS = 5_000;

const large: StorageRule = {
  name: "a transaction of 5,000 puts and one of 5,000 deletes are written whole",
  remedy: "Divide the statements if the database limits their length, but not the transaction.",
  async check({ storage }) {
    const puts = Array.from({ length: PUTS }, (_, n): Entry => [`key ${digits(n, 5)}`, `${n} `.repeat(60)]);
    await write(storage, puts);
    same("all entries", await walk(storage, EVERYTHING, PUTS), puts);
    const deletes = puts.slice(1).map(([key]) => key);
    same("commit of the deletes", await storage.commit([part({ deletes })]), [true]);
    same("all entries after the deletes", await rangeOf(storage, EVERYTHING), puts.slice(0, 1));
  },
};

/** Rules of a single transaction. */
export const transactions: StorageRules = {
  name: "transactions",
  rules: [whole, leftOut, conditions, absent, replaces, deletesAbsent, nothing, manyParts, large],
};
