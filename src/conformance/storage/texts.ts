import type { Entry, Storage } from "../../ports/index.ts";
import { same } from "../suite/index.ts";
import { EVERYTHING, part, rangeOf, type StorageRule, type StorageRules, walk, write } from "./world.ts";

const get: StorageRule = {
  name: "get returns one value per key in the order of the keys, undefined for one that is not there",
  remedy:
    "Place each row that was found at its key. The database returns them in its own order and leaves others out.",
  async check({ storage }) {
    same("get of no keys", await storage.get([]), []);
    same("get of an empty storage", await storage.get(["a"]), [undefined]);
    await write(storage, [
      ["a", "1"],
      ["ab", "2"],
      ["b", "3"],
    ]);
    same("get of seven keys", await storage.get(["b", "none", "a", "A", "ab", "a ", "b"]), [
      ...["3", undefined, "1", undefined, "2", undefined, "3"],
    ]);
  },
};

/** The characters of keys: space to `~`. */
const CHARACTERS = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));

const keys: StorageRule = {
  name: "a key may have every character from space to `~`, and is found by exactly its own",
  remedy: "Pass keys as parameters, not as parts of a statement or a pattern, and do not trim or fold them.",
  async check({ storage }) {
    const odd = [
      "it's",
      'a "b"',
      "a\\b",
      "a%b",
      "a_b",
      "$(a)",
      "%61",
      "../a",
      "a/b",
      "--",
      "a;b",
      "NULL",
      "__proto__",
    ];
    const all = [...CHARACTERS, ...CHARACTERS.map((one) => `a${one}b${one}`), ...odd, CHARACTERS.join("")];
    const entries = all.toSorted((a, b) => (a < b ? -1 : 1)).map((key): Entry => [key, `value of ${key}`]);
    await write(storage, entries);
    same("all entries", await walk(storage, EVERYTHING, entries.length), entries);
    same(
      "get of all keys",
      await storage.get(all),
      all.map((key) => `value of ${key}`),
    );
    const deletes = all.filter((_, n) => n % 2 === 0);
    same("commit of the deletes of every second key", await storage.commit([part({ deletes })]), [true]);
    const left = all.map((key, n) => (n % 2 === 0 ? undefined : `value of ${key}`));
    same("get of all keys after it", await storage.get(all), left);
  },
};

const longKeys: StorageRule = {
  name: "keys of 1,000 characters that differ in the last one are different keys",
  remedy: "Store the key whole; an index over a prefix of it is not enough.",
  async check({ storage }) {
    const entries = ["", "a", "b", "c"].map(
      (last): Entry => [`${"k".repeat(999)}${last}`, `ends in ${last}`],
    );
    await write(storage, entries);
    same(
      "get of the keys",
      await storage.get(entries.map(([key]) => key)),
      entries.map(([, value]) => value),
    );
    same("range over them", await rangeOf(storage, { from: "k", before: "l", limit: 9 }), entries);
  },
};

/** Writes values, each by its own commit, and reads them by get, by range and by a condition. */
async function retains(storage: Storage, values: Readonly<Record<string, string>>): Promise<void> {
  const entries = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const entry of entries) await write(storage, [entry]);
  for (const [name, value] of entries) {
    same(`get of the value "${name}"`, await storage.get([name]), [value]);
    const met = part({ conditions: [[name, value]], puts: [[name, value]] });
    same(`commit on the condition of the value "${name}"`, await storage.commit([met]), [true]);
    const unmet = part({ conditions: [[name, `${value}x`]], puts: [[name, "wrong"]] });
    same(`commit on a longer value than "${name}" has`, await storage.commit([unmet]), [false]);
  }
  same("all entries", await walk(storage, EVERYTHING, entries.length), entries);
}

const emptyText: StorageRule = {
  name: "the empty text is a value: its key is there",
  remedy: "Distinguish the empty text from no row, and from null.",
  async check({ storage }) {
    await retains(storage, { empty: "", space: " ", zero: "0" });
    const absent = part({ conditions: [["empty", undefined]], puts: [["empty", "wrong"]] });
    same("commit on the condition that its key is absent", await storage.commit([absent]), [false]);
  },
};

const controls = Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1)).join("");

const unicode: StorageRule = {
  name: "a value may have every character of Unicode except 0, and comes back unchanged",
  remedy:
    "Store UTF-8 without normalisation, and do not change line ends. In JSON, escape what must be escaped.",
  async check({ storage }) {
    await retains(storage, {
      controls: `${controls}\u007f\u0080\u009f`,
      latin: "é ü ß ÿ Ā",
      composed: "\u00e9 and e\u0301",
      ends: "a\r\nb\nc\rd\u2028e\u2029f\u0085",
      mark: "\ufeffa\ufeff",
      wide: "漢字 한국어 العربية עברית ไทย",
      emoji: "😀 👩‍👩‍👧‍👦 🇪🇺 \u{1f3f4}\u{e0067}\u{e007f}",
      borders: "\ud7ff\ue000\uffff\ufffe\ufffd\u{10000}\u{10ffff}",
      quotes: `it's "quoted" \\ \\\\ \\n \\u0041 $1 $$ ? %s`,
      json: '{"a":[1,null,"\\u0000"]}',
      number: "007.10",
      word: "null",
      spaces: "  a \t\n ",
    });
  },
};

const MEGABYTE = 1_048_576;

const megabyte: StorageRule = {
  name: "a value of a megabyte comes back whole",
  remedy: "Choose a type without a limit, such as `text`, and do not cut.",
  async check({ storage }) {
    await retains(storage, {
      large: Array.from({ length: MEGABYTE / 16 }, (_, n) => String(n).padStart(15, ".")).join(" "),
      wide: "漢".repeat(MEGABYTE / 3),
      emoji: `a${"😀".repeat(MEGABYTE / 4)}`,
    });
  },
};

/** Rules of keys and values. */
export const texts: StorageRules = {
  name: "keys and values",
  rules: [get, keys, longKeys, emptyText, unicode, megabyte],
};
