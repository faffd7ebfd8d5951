import type { CommitPart, Entry, Storage } from "../../ports/index.ts";
import { holds, same } from "../checks.ts";
import { digits, EVERYTHING, part, rangeOf, type StorageRules, stores, walk, write } from "./world.ts";

const CHECK_FIRST =
  "Check all conditions of a part before its first write, in the same transaction as the writes.";

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

const PARTS = 400;

const PUTS = 5_000;

/** Rules of a single transaction. */
export const transactions: StorageRules = {
  "a part writes all of its puts and deletes, and touches no other key": {
    remedy: "Apply every put and every delete of a part that is written, each to exactly its key.",
    async check({ storage }) {
      await write(storage, Object.entries({ a: "old", b: "old", c: "old", d: "old" }));
      const parts = [
        part({
          puts: Object.entries({ a: "new", e: "new" }),
          deletes: ["b", "d"],
        }),
      ];
      same("commit", await storage.commit(parts), [true]);
      await stores(storage, Object.entries({ a: "new", c: "old", e: "new" }));
    },
  },
  "a part of which a condition does not hold is left out whole, answered with false, and the other parts are written":
    {
      remedy: `${CHECK_FIRST} Leave out only the part of which one does not hold; the call does not reject.`,
      async check({ storage }) {
        await write(storage, Object.entries({ a: "1", b: "1", c: "1" }));
        const parts = [
          part({ conditions: [["a", "1"]], puts: [["a", "2"]] }),
          part({
            conditions: Object.entries({ b: "1", other: "1" }),
            puts: Object.entries({ b: "2", d: "2" }),
            deletes: ["c"],
          }),
          part({ puts: [["e", "2"]] }),
        ];
        same("commit, with a condition of the second part that does not hold", await storage.commit(parts), [
          ...[true, false, true],
        ]);
        await stores(storage, Object.entries({ a: "2", b: "1", c: "1", e: "2" }));
      },
    },
  "a condition holds if the key has exactly the value, or is absent where the value is undefined": {
    remedy:
      "Compare values byte by byte, neither as numbers nor by a locale. Without a row, only `undefined` fits, and with one never.",
    async check({ storage }) {
      await write(storage, Object.entries({ a: "1", empty: "" }));
      for (const [key, value, answer] of CONDITIONS) {
        const parts = [part({ conditions: [[key, value]], puts: [["seen", `${key} ${value}`]] })];
        same(`commit on the condition ${JSON.stringify([key, value])}`, await storage.commit(parts), [
          answer,
        ]);
      }
      same("get of what the last condition that holds has written", await storage.get(["seen"]), [
        "none undefined",
      ]);
    },
  },
  "a put on the condition that its key is absent is written once, and again after the key was deleted": {
    remedy: "Check the condition against what earlier transactions have left, deletes among them.",
    async check({ storage }) {
      const once = part({ conditions: [["name", undefined]], puts: [["name", "1"]] });
      same("the first commit", await storage.commit([once]), [true]);
      same("the second commit", await storage.commit([once]), [false]);
      same("commit of a delete", await storage.commit([part({ deletes: ["name"] })]), [true]);
      same("the commit after the delete", await storage.commit([once]), [true]);
    },
  },
  "a put replaces the value that its key has": {
    remedy: "Insert the row or update it (upsert).",
    async check({ storage }) {
      for (const value of ["first", "a longer second value", "3", ""]) await write(storage, [["a", value]]);
      await write(storage, [["b", "1"]]);
      await write(storage, [["a", "last"]]);
      await stores(storage, Object.entries({ a: "last", b: "1" }));
    },
  },
  "a delete of an absent key is no failure and changes nothing": {
    remedy: "Answer true, however many rows were deleted.",
    async check({ storage }) {
      await write(storage, [["ab", "1"]]);
      const parts = [part({ deletes: ["a", "abc", "zz"], puts: [["b", "1"]] })];
      same("commit of deletes of absent keys", await storage.commit(parts), [true]);
      await stores(storage, Object.entries({ ab: "1", b: "1" }));
    },
  },
  "a transaction without parts has no answers, and a part without writes says whether its conditions hold": {
    remedy: "Return one answer per part in every case, also if there is nothing to write.",
    async check({ storage }) {
      same("commit of no parts", await storage.commit([]), []);
      const parts = [part({}), part({ conditions: [["a", "1"]] }), part({ conditions: [["a", undefined]] })];
      same("commit of parts without writes", await storage.commit(parts), [true, false, true]);
    },
  },
  "400 parts in one transaction have 400 answers in their order, each for its own conditions": {
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
  },
  "a transaction of 5,000 puts and one of 5,000 deletes are written whole": {
    remedy: "Divide the statements if the database limits their length, but not the transaction.",
    async check({ storage }) {
      const puts = Array.from({ length: PUTS }, (_, n): Entry => [`key ${digits(n, 5)}`, `${n} `.repeat(60)]);
      await write(storage, puts);
      same("all entries", await walk(storage, EVERYTHING, PUTS), puts);
      const deletes = puts.slice(1).map(([key]) => key);
      same("commit of the deletes", await storage.commit([part({ deletes })]), [true]);
      same("all entries after the deletes", await rangeOf(storage, EVERYTHING), puts.slice(0, 1));
    },
  },
};

const SERIAL =
  "Let transactions that touch the same keys run one after the other: isolation level serializable, a lock, or one writer.";

/** Commits at once, on one condition, from handles in turn. Exactly one is written, and all of it. */
async function race(handles: readonly [Storage, ...Storage[]], key: string): Promise<void> {
  const values = Array.from({ length: 6 }, (_, n) => `value ${n}`);
  const answers = await Promise.all(
    values.map((value, n) => {
      const storage = handles[n % handles.length] as Storage;
      const puts = [[key, value] as const, [`${key} too`, value] as const];
      return storage.commit([part({ conditions: [[key, undefined]], puts })]);
    }),
  );
  const written = values.filter((_, n) => answers[n]?.[0] === true);
  holds("commits at once on one condition", written.length === 1, "exactly one true", answers);
  for (const handle of handles)
    same("get of what it wrote", await handle.get([key, `${key} too`]), [written[0], written[0]]);
}

const ATTEMPTS = 1_000;

/** Raises the counter by one and notes it, however many attempts that takes. */
async function increment(storage: Storage, note: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [now] = await storage.get(["counter"]);
    const next = Number.parseInt(now ?? "0", 10) + 1;
    const [isWritten] = await storage.commit([
      part({
        conditions: [["counter", now]],
        puts: [
          ["counter", String(next)],
          [`log ${digits(next, 6)}`, note],
        ],
      }),
    ]);
    if (isWritten === true) return;
  }
  holds("commit on the value that was read", false, `a success in ${ATTEMPTS} attempts`, "none");
}

const WORKERS = 8;
const STEPS = 8;

/** Counts on several handles at once, and checks that no step is lost and each has a place of its own in the order. */
async function count(handles: readonly [Storage, ...Storage[]]): Promise<void> {
  const works = Array.from({ length: WORKERS }, async (_, worker) => {
    const storage = handles[worker % handles.length] as Storage;
    for (let step = 0; step < STEPS; step++) await increment(storage, `${worker} ${step}`);
  });
  await Promise.all(works);
  const total = WORKERS * STEPS;
  const [storage] = handles;
  same("get of the counter", await storage.get(["counter"]), [String(total)]);
  const log = await walk(storage, { from: "log ", before: "log ~", limit: 50 }, total);
  same("number of notes", log.length, total);
  for (let worker = 0; worker < WORKERS; worker++) {
    const own = log.map(([, note]) => note).filter((note) => note.startsWith(`${worker} `));
    same(
      `the notes of worker ${worker} in the order of the counter`,
      own,
      Array.from({ length: STEPS }, (_, step) => `${worker} ${step}`),
    );
  }
}

const APART_MS = 60_000;

/** Rules of transactions at once. */
export const concurrency: StorageRules = {
  "of commits at once with one condition that the first changes, exactly one is written": {
    remedy: SERIAL,
    async check({ storage }) {
      for (const key of ["a", "b", "c"]) await race([storage], key);
    },
  },
  "transactions have one order: a counter that many raise at once by conditions loses no step": {
    remedy: SERIAL,
    async check({ storage }) {
      await count([storage]);
    },
  },
  "of commits at once without conditions, the values of one remain, not a mixture": {
    remedy: `${SERIAL} Write the puts of one transaction together.`,
    async check({ storage }) {
      const keys = Array.from({ length: 20 }, (_, n) => `key ${n}`);
      // Each in an order of its own, so that writing one by one does not come out even.
      const commits = Array.from({ length: 10 }, (_, n) => {
        const turned = [...keys.slice(n), ...keys.slice(0, n)];
        return storage.commit([part({ puts: turned.map((key) => [key, `value ${n}`]) })]);
      });
      for (const answer of await Promise.all(commits)) same("each commit", answer, [true]);
      const values = new Set(await storage.get(keys));
      holds("get of the 20 keys", values.size === 1 && !values.has(undefined), "one value for all", [
        ...values,
      ]);
    },
  },
  "get and range see every commit that resolved before the call": {
    remedy: "Read from the place to which commits write, not from a replica or a kept answer.",
    async check({ storage }) {
      for (let step = 1; step <= 20; step++) {
        await storage.commit([part({ puts: [["a", String(step)]] })]);
        same(`get after commit ${step}`, await storage.get(["a"]), [String(step)]);
        same(`range after commit ${step}`, await storage.range([{ from: "a", before: "b", limit: 1 }]), [
          [["a", String(step)]],
        ]);
      }
    },
  },
  "the same holds for several handles on one place": {
    remedy: `${SERIAL} What is kept in the memory of a process says nothing about the commits of others.`,
    where: { shared: true },
    async check({ storage, open }) {
      const other = await open();
      await storage.commit([part({ puts: [["seen", "1"]] })]);
      same("get of another handle after a commit", await other.get(["seen"]), ["1"]);
      await other.commit([part({ puts: [["seen", "2"]] })]);
      same("get after a commit of another handle", await storage.get(["seen"]), ["2"]);
      for (const key of ["a", "b", "c"]) await race([storage, other], key);
      await count([storage, other]);
    },
  },
  "the clock of a storage tells whole milliseconds and is the same for all handles": {
    remedy: "Ask the database for its time, and round it down to milliseconds.",
    where: { shared: true },
    async check({ storage, open }) {
      const other = await open();
      const times: number[] = [];
      for (const handle of [storage, other, storage]) {
        holds("clock", handle.clock !== undefined, "a function", handle.clock);
        const time = await handle.clock?.();
        const { nowMs = Number.NaN, elsewhere = false } = time ?? {};
        holds("clock", Number.isSafeInteger(nowMs), "`nowMs` in whole milliseconds", time);
        holds("clock", typeof elsewhere === "boolean", "`elsewhere` true or false, if it is there", time);
        times.push(nowMs);
      }
      const isNear = times.every((time) => Math.abs(time - (times[0] ?? 0)) < APART_MS);
      holds("clock of two handles in turn", isNear, "times within a minute", times);
    },
  },
  "a storage that is not shared has no clock": {
    remedy: "Declare `shared: true`, so that the rules of several handles are checked, or leave `clock` out.",
    where: { shared: false },
    async check({ storage }) {
      holds("clock", storage.clock === undefined, "undefined", storage.clock);
    },
  },
};
