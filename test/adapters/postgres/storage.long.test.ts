import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { COMMIT, sentCommit } from "../../../src/adapters/postgres/commit.ts";
import { PendingCommits } from "../../../src/adapters/postgres/storage.ts";
import { testStorage } from "../../../src/conformance/index.ts";
import type { CommitPart, Entry, KeyRange } from "../../../src/ports/index.ts";
import { type PGliteServer, startPGlite } from "./pglite-server.ts";
import { openPostgresStorage, type Places, placesOn } from "./places.ts";

let server: PGliteServer | undefined;
let places: Places;
beforeAll(async () => {
  const url = process.env.POSTGRES_URL;
  if (url === undefined) server = await startPGlite();
  places = placesOn(url ?? server?.url ?? "");
});
afterAll(async () => {
  await places.close();
  await server?.close();
});

testStorage(
  { describe, it },
  {
    name: "postgres",
    supports: { durable: true, shared: true },
    createPlace() {
      const { options, remove } = places.create();
      return { open: () => openPostgresStorage(options), remove };
    },
  },
);

const part = (given: Partial<CommitPart>): CommitPart => ({
  conditions: [],
  puts: [],
  deletes: [],
  ...given,
});

describe("postgres storage", () => {
  const opened = async () => {
    const { options, schema, remove } = places.create();
    const storage = await openPostgresStorage(options);
    const close = async (): Promise<void> => {
      await storage.close();
      await remove();
    };
    /** Rows of both tables whose key has no value, besides those that only fill pages. */
    const empty = async () =>
      await places.execute(
        `SELECT key FROM ${schema}.entry WHERE value IS NULL AND replaced IS NULL AND octet_length(key) <= 1000
          UNION SELECT key FROM ${schema}.log WHERE value IS NULL`,
      );
    return { storage, schema, close, empty };
  };

  it("a range that contains the journal is read in the order of the keys, in pages of any size", async () => {
    const { storage, close } = await opened();
    const keys = ["a", "log", "log ", "log 000 1", "log 001 1", "log 255 9", "log!", "log~", "z"];
    await storage.commit([part({ puts: keys.map((key): Entry => [key, `value of ${key}`]) })]);
    for (let limit = 1; limit <= keys.length + 1; limit++)
      for (const reverse of [false, true]) {
        const range: KeyRange = { from: " ", before: "~", limit, reverse };
        const wanted = (reverse ? [...keys].reverse() : keys).slice(0, limit);
        const [found = []] = await storage.range([range]);
        expect(found.map(([key]) => key)).toEqual(wanted);
      }
    await close();
  });

  it("a range that is cut for its size does not go on after the cut", async () => {
    const { storage, close } = await opened();
    const large = "x".repeat(9 * 1_024 * 1_024);
    const puts: Entry[] = [
      ["a", large],
      ["b", large],
      ["c", large],
      ["log 000 1", "small"],
    ];
    for (const put of puts) await storage.commit([part({ puts: [put] })]);
    const [found = []] = await storage.range([{ from: " ", before: "~", limit: 10 }]);
    const keys = found.map(([key]) => key);
    expect(["a", "b", "c", "log 000 1"].slice(0, keys.length)).toEqual(keys);
    expect(keys.length).toBeLessThan(3);
    await close();
  });

  it("ranges of one call with unequal limits each have their own", async () => {
    const { storage, close } = await opened();
    const puts = Array.from({ length: 30 }, (_, n): Entry => [`log 000 ${100 + n}`, "record"]);
    await storage.commit([part({ puts })]);
    const limits = [1, 30, 7, 29];
    const pages = await storage.range(
      limits.map((limit) => ({ from: "log 000 ", before: "log 000!", limit })),
    );
    expect(pages.map((page) => page.length)).toEqual(limits);
    await close();
  });

  it.each([
    ["of an absent key", { conditions: [["a", undefined]] }],
    ["of an absent key of the journal", { conditions: [["log a", undefined]] }],
    ["in vain of a key", { conditions: [["a", "1"]] }],
    ["of nothing, with deletions of absent keys", { deletes: ["a", "log a"] }],
  ] as const)("a commit on the condition %s leaves no row without a value", async (_name, given) => {
    const { storage, close, empty } = await opened();
    const puts: Entry[] = [["b", "1"]];
    await storage.commit([part({ ...given, puts })]);
    await vi.waitFor(async () => expect(await empty()).toEqual([]));
    await close();
  });

  it("a row without a value, which a process has left that ended, is no entry and can be written", async () => {
    const { storage, schema, close } = await opened();
    for (const [table, key] of [
      ["entry", "a"],
      ["log", "log a"],
    ] as const) {
      const row = table === "entry" ? "(key, version) VALUES ('a', 0)" : "(key) VALUES ('log a')";
      await places.execute(`INSERT INTO ${schema}.${table} ${row}`);
      expect(await storage.get([key])).toEqual([undefined]);
      expect(await storage.range([{ from: " ", before: "~", limit: 9 }])).toEqual([
        table === "entry" ? [] : [["a", "1"]],
      ]);
      const written = part({ conditions: [[key, undefined]], puts: [[key, "1"]] });
      expect(await storage.commit([written])).toEqual([true]);
      expect(await storage.get([key])).toEqual(["1"]);
    }
    await close();
  });

  it("commits search in the index also if they are planned while the storage is empty", async () => {
    const { schema, close } = await opened();
    await places.execute(`ANALYZE ${schema}.entry`);
    const plan = await places.execute(
      `EXPLAIN SELECT e.value FROM ${schema}.entry AS e WHERE e.key = 'head 003' ORDER BY e.version DESC LIMIT 1`,
    );
    expect(plan.join()).toContain("Index Scan");
    await close();
  });

  it("a record of the journal that is written again is replaced", async () => {
    const { storage, close } = await opened();
    for (const value of ["1", "2"])
      expect(await storage.commit([part({ puts: [["log 000 1", value]] })])).toEqual([true]);
    expect(await storage.get(["log 000 1"])).toEqual(["2"]);
    await close();
  });

  it("a commit that writes nothing but records has the form for them", () => {
    const parts = [1, 2].map((shard) =>
      part({
        conditions: [
          [`head ${shard}`, "1"],
          [`log ${shard}`, undefined],
        ],
        puts: [[`log ${shard}`, "record"]],
      }),
    );
    expect(sentCommit(parts).text).toBe(COMMIT.records);
  });

  it.each([
    ["plain", { conditions: [["head", "1"]], puts: [["log 1", "record"]] }],
    ["plain", { conditions: [["log 1", undefined]], puts: [["log 1", "record"]] }],
    ["plain", { conditions: [["name", undefined]], puts: [["name", "1"]] }],
    ["plain", { conditions: [["name", "1"]], puts: [["name", "2"]] }],
    ["whole", { conditions: [["name", undefined]] }],
    ["whole", { conditions: [["log 1", "record"]] }],
    ["whole", { deletes: ["a"] }],
  ] as const)("the form %s of a commit is chosen by what it has", (form, given) => {
    expect(sentCommit([part({ puts: [["a", "1"]] }), part(given)]).text).toBe(COMMIT[form]);
  });
});

describe("commits without an answer", () => {
  const PATIENCE_MS = 50;
  const HEAD = part({ conditions: [["head", "1"]] });

  it.each([
    ["demands one of its keys, as the next append does", part({ conditions: [["head", "1"]] }), false],
    ["puts one of its keys", part({ puts: [["head", "2"]] }), true],
    ["deletes one of its keys", part({ deletes: ["head"] }), true],
    ["has other keys", part({ conditions: [["other", "1"]], puts: [["more", "1"]] }), false],
  ])("are cut after a while if a later commit %s: %#", (_name, later, isCut) => {
    vi.useFakeTimers();
    const pending = new PendingCommits(PATIENCE_MS);
    const cut = vi.fn();
    const first = pending.begin([HEAD]);
    expect(first.limitMs).toBeUndefined();
    first.cutter(cut);
    vi.advanceTimersByTime(100 * PATIENCE_MS);
    expect(cut).not.toHaveBeenCalled();
    expect(pending.begin([later]).limitMs).toBe(isCut ? PATIENCE_MS : undefined);
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(cut).toHaveBeenCalledTimes(isCut ? 1 : 0);
    vi.useRealTimers();
  });

  it("are not cut once they are answered", () => {
    vi.useFakeTimers();
    const pending = new PendingCommits(PATIENCE_MS);
    const cut = vi.fn();
    const first = pending.begin([HEAD]);
    first.cutter(cut);
    pending.begin([part({ puts: [["head", "2"]] })]);
    first.end();
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(cut).not.toHaveBeenCalled();
    vi.useRealTimers();
  });

  it("are cut after a while when the storage is closed", () => {
    vi.useFakeTimers();
    const pending = new PendingCommits(PATIENCE_MS);
    const cut = vi.fn();
    pending.begin([HEAD]).cutter(cut);
    pending.close();
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(cut).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  });
});
