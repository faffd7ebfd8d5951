import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, DRIVER_NAMES, loadDriver } from "../../../src/adapters/sqlite/database.ts";
import { codeOf, firstCode, keyOfCode } from "../../../src/adapters/sqlite/keys.ts";
import { migrate } from "../../../src/adapters/sqlite/schema.ts";
import {
  commitsIn,
  indexAll,
  type StorageFile,
  sqliteStorage,
} from "../../../src/adapters/sqlite/storage.ts";
import type { CommitPart, Entry, KeyRange, Storage } from "../../../src/ports/storage.ts";
import { seedOr } from "../../support/seed.ts";
import { type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const SEED = seedOr(20_261_201);

/** More entries of the journal than may wait for its index. */
const MANY = 9_000;

const drivers = DRIVER_NAMES.flatMap((name) => {
  try {
    return [loadDriver(name)];
  } catch {
    return []; // not in this Node.js
  }
});

const logKey = (shard: number, sequence: number): string =>
  `log ${String(shard).padStart(3, "0")} ${String(sequence).padStart(16, "0")}`;
const part = (some: Partial<CommitPart>): CommitPart => ({ conditions: [], puts: [], deletes: [], ...some });
const putting = (...puts: readonly Entry[]): CommitPart => part({ puts });
const ofShard = (shard: number): Omit<KeyRange, "limit"> => {
  const prefix = `log ${String(shard).padStart(3, "0")}`;
  return { from: `${prefix} `, before: `${prefix}!` };
};
const EVERYTHING = { from: " ", before: "\u007f" };

describe.each(drivers)("a storage in a SQLite file, with $name", (driver) => {
  let place: TemporaryPlace;
  const open: { storage: Storage; database: Database }[] = [];
  beforeEach(() => {
    place = temporaryPlace();
    mkdirSync(dirname(place.path), { recursive: true });
  });
  afterEach(async () => {
    for (const { storage } of open.splice(0)) await storage.close();
    place.remove();
  });

  const openFile = (file: StorageFile = {}): Storage & Readonly<{ database: Database }> => {
    const database = driver.open(place.path);
    database.pragma("journal_mode = WAL");
    migrate(database);
    const storage = sqliteStorage(database, file);
    open.push({ storage, database });
    return { ...storage, database };
  };
  const keysIn = async (storage: Storage, range: Partial<KeyRange> = {}): Promise<readonly string[]> =>
    ((await storage.range([{ ...EVERYTHING, limit: 99_999, ...range }]))[0] ?? []).map(([key]) => key);

  it("a part that is left out leaves the old values, with many conditions too", async () => {
    const storage = openFile();
    const keys = Array.from({ length: 20 }, (_, n) => `count ${n % 7} ${n}`);
    await storage.commit([putting(...keys.slice(0, 10).map((key) => [key, "old"] as const))]);
    const conditions = keys.map((key, n) => [key, n < 10 ? "old" : undefined] as const);
    const puts = keys.map((key) => [key, "new"] as const);
    const refused = part({ conditions: [...conditions, ["total", "1"]], puts });
    expect(await storage.commit([refused])).toEqual([false]);
    expect(await storage.get(keys)).toEqual(keys.map((_, n) => (n < 10 ? "old" : undefined)));
    expect(await storage.commit([part({ conditions, puts })])).toEqual([true]);
    expect(await storage.get(keys)).toEqual(keys.map(() => "new"));
  });

  it("a later part sees what an earlier one wrote", async () => {
    const storage = openFile();
    const answers = await storage.commit([
      putting([logKey(1, 1), "a"], ["head 001", "1"]),
      part({
        conditions: [
          [logKey(1, 1), "a"],
          ["head 001", "1"],
        ],
        puts: [["ended 1", "x"]],
      }),
    ]);
    expect(answers).toEqual([true, true]);
  });

  it("entries of the journal are read in order, those that wait for the index too, also with another connection", async () => {
    const [storage, other] = [openFile(), openFile()];
    for (let from = 1; from <= MANY; from += 1_000) {
      const numbers = Array.from({ length: 1_000 }, (_, n) => from + n);
      await storage.commit([putting(...numbers.map((n) => [logKey(n % 3, n), `record ${n}`] as const))]);
      const [last] = await other.range([{ ...ofShard(1), limit: 1, reverse: true }]);
      expect(last?.[0]?.[1]).toMatch(/^record /);
    }
    const expected = Array.from({ length: MANY }, (_, n) => n + 1).filter((n) => n % 3 === 1);
    for (const one of [storage, other]) {
      const [rising = [], falling = []] = await one.range([
        { ...ofShard(1), limit: MANY },
        { ...ofShard(1), limit: MANY, reverse: true },
      ]);
      expect(rising).toEqual(expected.map((n) => [logKey(1, n), `record ${n}`]));
      expect(falling).toEqual(rising.toReversed());
      expect(await one.get([logKey(1, 1), logKey(0, MANY), logKey(0, 1)])).toEqual([
        "record 1",
        `record ${MANY}`,
        undefined,
      ]);
    }
    const indexed = storage.database.prepare("SELECT count(*) FROM journal_index").pluck().get();
    expect(indexed).toBe(MANY); // 9,000 are more than 8,192, and were indexed with the transaction that had them
    await storage.commit([putting([logKey(1, MANY + 1), "next"])]);
    expect((await other.get([logKey(1, MANY + 1)]))[0]).toBe("next");
  });

  it("an entry of the journal can be deleted, and its position is not given again", async () => {
    const storage = openFile();
    await storage.commit([putting([logKey(1, 1), "a"], [logKey(1, 2), "b"], [logKey(1, 3), "c"])]);
    await storage.commit([part({ deletes: [logKey(1, 3), logKey(1, 1), logKey(1, 9)] })]);
    expect(await keysIn(storage)).toEqual([logKey(1, 2)]);
    await storage.commit([putting([logKey(1, 3), "again"])]);
    expect(await storage.get([logKey(1, 3)])).toEqual(["again"]);
    expect(storage.database.prepare("SELECT max(position) FROM journal").pluck().get()).toBe(4);
  });

  it("an answer is cut when its values are large, but has an entry of each range", async () => {
    const storage = openFile();
    const large = "x".repeat(1_500_000);
    const keys = ["cluster", "snap 1", "snap 2", "snap 3", "snap 4", "value 1"];
    await storage.commit([putting(...keys.map((key) => [key, large] as const), ["head 001", "1"])]);
    const [snaps, all, heads] = await storage.range([
      { from: "snap ", before: "snap!", limit: 9 },
      { ...EVERYTHING, limit: 9 },
      { from: "head ", before: "head!", limit: 9 },
    ]);
    expect(snaps?.map(([key]) => key)).toEqual(["snap 1", "snap 2", "snap 3"]);
    expect(all?.map(([key]) => key)).toEqual(["cluster"]);
    expect(heads?.map(([key]) => key)).toEqual(["head 001"]);
    const read: string[] = [];
    for (let from = " "; ; from = `${read.at(-1)} `) {
      const page = await keysIn(storage, { from });
      if (page.length === 0) break;
      read.push(...page);
    }
    expect(read).toEqual([...keys, "head 001"].sort());
  });

  it("an answer that is cut has an entry of each range of the journal, indexed or not", async () => {
    const storage = openFile();
    const large = "x".repeat(1_500_000);
    const ofShards = [1, 2, 3].map((shard) => ({ ...ofShard(shard), limit: 9 }));
    const written = [1, 2, 3].flatMap((shard) => [1, 2, 3, 4].map((n) => [logKey(shard, n), large] as const));
    await storage.commit([putting(...written)]);
    const counts = async () => (await storage.range(ofShards)).map(({ length }) => length);
    expect(await counts()).toEqual([3, 1, 1]);
    indexAll(storage.database);
    expect(await counts()).toEqual([3, 1, 1]);
  });

  it("what was written is there after reopening, and commits that wrote something are counted", async () => {
    const reported: number[] = [];
    const storage = openFile({ committed: (commits) => reported.push(commits) });
    await storage.commit([putting(["head 001", "ü€😀"])]);
    await storage.commit([part({ conditions: [["head 001", "x"]], puts: [["head 002", "y"]] })]);
    await storage.commit([putting([logKey(1, 1), ""])]);
    expect(reported).toEqual([1, 2]);
    expect(commitsIn(storage.database)).toBe(2);
    await storage.close();
    const again = openFile({ committed: (commits) => reported.push(commits) });
    expect(await again.get(["head 001", logKey(1, 1)])).toEqual(["ü€😀", ""]);
    await again.commit([putting([logKey(1, 2), "b"])]);
    expect(reported).toEqual([1, 2, 3]);
    expect(await keysIn(again)).toEqual(["head 001", logKey(1, 1), logKey(1, 2)]);
  });

  it("a transaction that finds the disk full leaves nothing, and the next one is read", async () => {
    const reported: number[] = [];
    const storage = openFile({ committed: (commits) => reported.push(commits) });
    await storage.commit([putting([logKey(1, 1), "a"])]);
    const pages = storage.database.pragma("page_count", { simple: true });
    storage.database.pragma(`max_page_count = ${pages}`);
    const large = part({
      puts: [
        ["head 001", "1"],
        [logKey(1, 2), "b"],
        [logKey(1, 3), "x".repeat(100_000)],
      ],
      // Reads the entries of this transaction, which are not there after it.
      conditions: [[logKey(1, 4), undefined]],
    });
    await expect(storage.commit([large])).rejects.toMatchObject({ code: "SQLITE_FULL" });
    expect(await keysIn(storage)).toEqual([logKey(1, 1)]);
    storage.database.pragma("max_page_count = 1073741823");
    await storage.commit([putting([logKey(2, 1), "c"], [logKey(1, 2), "d"])]);
    expect(await keysIn(storage)).toEqual([logKey(1, 1), logKey(1, 2), logKey(2, 1)]);
    expect(reported).toEqual([1, 2]);
  });

  it("a closed storage rejects", async () => {
    let released = 0;
    const storage = openFile({ release: () => released++ });
    await storage.close();
    await expect(storage.get(["a"])).rejects.toThrow("the store is closed");
    expect(released).toBe(1);
  });

  it(`answers like a sorted map (SEED=${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40 }), async (steps) => {
        const database = driver.open(":memory:");
        migrate(database);
        const storage = sqliteStorage(database);
        const model = new Map<string, string>();
        for (const step of steps) await takeStep(step, { storage, model });
        await storage.close();
      }),
      { seed: SEED, numRuns: 150 },
    );
  });
});

type Drawn = Readonly<{
  key: string;
  does: "put" | "delete" | "none";
  value: string;
  condition: "none" | "holds" | "absent";
}>;
type Step = Readonly<{ parts: readonly (readonly Drawn[])[] }> | Readonly<{ ranges: readonly KeyRange[] }>;

/** Keys of every place, some of which begin like others. */
const anyKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("cluster", "generation", "log", "log 001", "log 001 x", "head", "~", " "),
  fc
    .tuple(fc.constantFrom("head", "name", "ended", "snap", "value"), fc.integer({ min: 0, max: 5 }))
    .map(([word, n]) => `${word} ${n}`),
  fc
    .tuple(fc.constantFrom(0, 1, 999), fc.constantFrom(0, 1, 9, 10, 31, 32, 33, 1_023, 1_024, 2 ** 53 - 1))
    .map(([shard, sequence]) => logKey(shard, sequence)),
);

const anyPart: fc.Arbitrary<readonly Drawn[]> = fc.array(
  fc.record<Drawn>({
    key: anyKey,
    does: fc.constantFrom("put", "put", "delete", "none"),
    value: fc.string({ maxLength: 3, unit: "grapheme-ascii" }),
    condition: fc.constantFrom("none", "none", "holds", "holds", "absent"),
  }),
  { maxLength: 6 },
);

const anyRange: fc.Arbitrary<KeyRange> = fc.record<KeyRange>({
  from: anyKey,
  before: anyKey,
  limit: fc.integer({ min: 1, max: 9 }),
  reverse: fc.boolean(),
});

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.array(anyPart, { minLength: 1, maxLength: 3 }).map((parts): Step => ({ parts })),
  fc.array(anyRange, { minLength: 1, maxLength: 3 }).map((ranges): Step => ({ ranges })),
);

async function takeStep(
  step: Step,
  { storage, model }: Readonly<{ storage: Storage; model: Map<string, string> }>,
): Promise<void> {
  if ("ranges" in step) {
    expect(await storage.range(step.ranges)).toEqual(step.ranges.map((range) => rangeIn(model, range)));
    const keys = step.ranges.map(({ from }) => from);
    expect(await storage.get(keys)).toEqual(keys.map((key) => model.get(key)));
    return;
  }
  const written = new Set<string>();
  const parts = step.parts.map((drawn) => {
    const seen = new Set<string>();
    const own = drawn.filter(({ key }) => !written.has(key) && !seen.has(key) && seen.add(key));
    for (const { key, does } of own) if (does !== "none") written.add(key);
    return part({
      conditions: own
        .filter(({ condition }) => condition !== "none")
        .map(({ key, condition }) => [key, condition === "holds" ? model.get(key) : undefined] as const),
      // An entry of the journal is never replaced.
      puts: own
        .filter(({ key, does }) => does === "put" && !(model.has(key) && codeOf(key) !== undefined))
        .map(({ key, value }) => [key, value] as const),
      deletes: own.filter(({ does }) => does === "delete").map(({ key }) => key),
    });
  });
  const expected = parts.map((one) => commitTo(model, one));
  expect(await storage.commit(parts)).toEqual(expected);
}

function commitTo(model: Map<string, string>, { conditions, puts, deletes }: CommitPart): boolean {
  if (conditions.some(([key, value]) => model.get(key) !== value)) return false;
  for (const [key, value] of puts) model.set(key, value);
  for (const key of deletes) model.delete(key);
  return true;
}

function rangeIn(model: ReadonlyMap<string, string>, { from, before, limit, reverse }: KeyRange): Entry[] {
  const keys = [...model.keys()].filter((key) => key >= from && key < before).sort();
  if (reverse === true) keys.reverse();
  return keys.slice(0, limit).map((key) => [key, model.get(key) ?? ""] as const);
}

describe("codes of keys of the journal", () => {
  const anyLogKey = fc
    .tuple(fc.integer({ min: 0, max: 999 }), fc.maxSafeNat())
    .map(([shard, sequence]) => logKey(shard, sequence));
  const anyText = fc.oneof(
    anyLogKey,
    fc
      .tuple(anyLogKey, fc.nat({ max: 26 }), fc.string({ maxLength: 3, unit: "grapheme-ascii" }))
      .map(([key, length, end]) => key.slice(0, length) + end),
  );

  it(`have the order of the keys, and say them (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(anyLogKey, anyLogKey, (a, b) => {
        const [codeA = "", codeB = ""] = [codeOf(a), codeOf(b)];
        expect(keyOfCode(codeA)).toBe(a);
        expect(codeA < codeB).toBe(a < b);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });

  it(`the first code of any text divides the codes as the text divides the keys (SEED=${SEED})`, () => {
    fc.assert(
      fc.property(anyLogKey, anyText, (key, text) => {
        expect((codeOf(key) ?? "") < firstCode(text)).toBe(key < text);
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });
});
