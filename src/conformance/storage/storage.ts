import type { Entry, Storage } from "../../ports/index.ts";
import { refused, same } from "../checks.ts";
import { declareSuite, type TestFramework } from "../suite.ts";
import { pages, ranges } from "./ranges.ts";
import { concurrency, transactions } from "./transactions.ts";
import {
  createStorageWorld,
  digits,
  EVERYTHING,
  part,
  rangeOf,
  type StorageRules,
  type StorageSubject,
  storageSubject,
  walk,
  write,
} from "./world.ts";

/** The characters of keys: space to `~`. */
const CHARACTERS = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));

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

const controls = Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1)).join("");

const MEGABYTE = 1_048_576;

/** Rules of keys and values. */
const texts: StorageRules = {
  "get returns one value per key in the order of the keys, undefined for one that is not there": {
    remedy:
      "Place each row that was found at its key. The database returns them in its own order and leaves others out.",
    async check({ storage }) {
      same("get of no keys", await storage.get([]), []);
      same("get of an empty storage", await storage.get(["a"]), [undefined]);
      await write(storage, Object.entries({ a: "1", ab: "2", b: "3" }));
      same("get of seven keys", await storage.get(["b", "none", "a", "A", "ab", "a ", "b"]), [
        ...["3", undefined, "1", undefined, "2", undefined, "3"],
      ]);
    },
  },
  "a key may have every character from space to `~`, and is found by exactly its own": {
    remedy:
      "Pass keys as parameters, not as parts of a statement or a pattern, and do not trim or fold them.",
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
  },
  "keys of 1,000 characters that differ in the last one are different keys": {
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
  },
  "the empty text is a value: its key is there": {
    remedy: "Distinguish the empty text from no row, and from null.",
    async check({ storage }) {
      await retains(storage, { empty: "", space: " ", zero: "0" });
      const absent = part({ conditions: [["empty", undefined]], puts: [["empty", "wrong"]] });
      same("commit on the condition that its key is absent", await storage.commit([absent]), [false]);
    },
  },
  "a value may have every character of Unicode except 0, and comes back unchanged": {
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
  },
  "a value of a megabyte comes back whole": {
    remedy: "Choose a type without a limit, such as `text`, and do not cut.",
    async check({ storage }) {
      await retains(storage, {
        large: Array.from({ length: MEGABYTE / 16 }, (_, n) => String(n).padStart(15, ".")).join(" "),
        wide: "漢".repeat(MEGABYTE / 3),
        emoji: `a${"😀".repeat(MEGABYTE / 4)}`,
      });
    },
  },
};

/** Rules of opening and closing. */
const lifetime: StorageRules = {
  "a commit is durable when it resolves: the next handle finds its puts, replaced values and deletes": {
    remedy: "Resolve after the disk has confirmed the transaction, or declare `durable: false`.",
    where: { durable: true },
    async check({ storage, open, close }) {
      const entries = Array.from({ length: 700 }, (_, n): Entry => [`key ${digits(n, 4)}`, `value ${n} é`]);
      await write(storage, entries);
      const parts = [
        part({ puts: [["key 0001", "replaced"]], deletes: ["key 0002"] }),
        part({ conditions: [["key 0003", "other"]], deletes: ["key 0003"] }),
      ];
      same("commit", await storage.commit(parts), [true, false]);
      await write(storage, [["last", ""]]);
      await close(storage);
      const next = await open();
      const stored = entries.filter(([key]) => key !== "key 0002");
      const wanted = stored.map(([key, value]): Entry => [key, key === "key 0001" ? "replaced" : value]);
      same("all entries of the next handle", await walk(next, EVERYTHING, 701), [...wanted, ["last", ""]]);
      const again = [part({ conditions: [["last", ""]], puts: [["last", "2"]] })];
      same("commit of the next handle on a condition", await next.commit(again), [true]);
      await close(next);
      same("get of the handle after it", await (await open()).get(["last", "key 0002"]), ["2", undefined]);
    },
  },
  "what a commit that was under way when the handle was closed has answered is true for the next handle": {
    remedy: "Let `close` wait for the commits that were called before it, or reject those.",
    where: { durable: true },
    async check({ storage, open, close }) {
      const commits = Array.from({ length: 5 }, (_, n) => {
        const puts: readonly Entry[] = [[`key ${n}`, "1"]];
        return storage.commit([part({ puts })]).then(
          ([isWritten]) => (isWritten === true ? puts : []),
          () => [],
        );
      });
      await close(storage);
      const answered = (await Promise.all(commits)).flat();
      const found = await rangeOf(await open(), EVERYTHING);
      same(
        "those of the next handle that a commit answered with true",
        found.filter(([key]) => answered.some(([other]) => other === key)),
        answered,
      );
    },
  },
  "a storage that is not durable begins empty": {
    remedy: "Declare `durable: true`, so that the rules of durability are checked, or keep nothing.",
    where: { durable: false },
    async check({ storage, open, close }) {
      await write(storage, [["a", "1"]]);
      await close(storage);
      same("all entries of the next handle", await rangeOf(await open(), EVERYTHING), []);
    },
  },
  "two places share no key": {
    remedy: "Keep the keys of a place in its own file, table or object.",
    async check({ storage, elsewhere }) {
      const other = await elsewhere();
      await write(storage, [["a", "1"]]);
      same("get in another place", await other.get(["a"]), [undefined]);
      same(
        "commit there",
        await other.commit([part({ conditions: [["a", undefined]], puts: [["a", "2"]] })]),
        [true],
      );
      same("get here after it", await storage.get(["a"]), ["1"]);
    },
  },
  "every call after close is refused, and writes nothing": {
    remedy: "Note that the handle is closed, and reject with an Error.",
    async check({ storage, close }) {
      await write(storage, [["a", "1"]]);
      await close(storage);
      await refused("commit after close", () => storage.commit([part({ puts: [["a", "2"]] })]));
      await refused("get after close", () => storage.get(["a"]));
      await refused("range after close", () => storage.range([EVERYTHING]));
      const { clock } = storage;
      if (clock !== undefined) await refused("clock after close", () => storage.clock?.());
    },
  },
};

/** All rules of the storage port, by subject. */
export const storageRules: Readonly<Record<string, StorageRules>> = {
  ...{ transactions, "transactions at once": concurrency, ranges, "long ranges": pages },
  ...{ "keys and values": texts, "opening and closing": lifetime },
};

/**
 * Declares one test for each rule of the storage port. Every test uses places of its own, which it creates, closes and
 * removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type; a test
 * that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { testStorage } from "managed-orders/conformance";
 * import { createMemoryDisk, createMemoryStorage } from "managed-orders/memory";
 *
 * export const declareTests = (): void =>
 *   testStorage({ describe, it }, {
 *     name: "memory",
 *     supports: { durable: true, shared: false },
 *     createPlace() {
 *       const disk = createMemoryDisk();
 *       return { open: () => createMemoryStorage({ disk }), remove: () => {} };
 *     },
 *   });
 * ```
 */
export function testStorage(framework: TestFramework, subject: StorageSubject): void {
  storageSubject(subject, "testStorage");
  declareSuite(framework, {
    port: "storage",
    subject,
    groups: storageRules,
    open: (atEnd) => createStorageWorld(subject, atEnd),
  });
}
