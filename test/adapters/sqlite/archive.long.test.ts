import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ArchivedLine, lineOf, readArchive } from "../../../src/adapters/sqlite/archive.ts";
import { openSqliteStore, verifySqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { archiveWriter, closeDays } from "../../../src/adapters/sqlite/journal-lifetime.ts";
import { encodeRecord } from "../../../src/wire/index.ts";
import { endedOrder, part, sampleRecord } from "../../store/rules/samples.ts";
import { countIn, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const DAY_MS = 86_400_000;
const always = (): boolean => true;
const alone = (change: () => void): void => change();
const ID = 77;
const writerIn = (folder: string) => archiveWriter(folder, { storeId: ID, hasArchive: false });
const recordsOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    return { text: encodeRecord(sampleRecord(3, from + index)), position: 2 * (from + index) };
  });

let place: TemporaryPlace;
let folder: string;
beforeEach(() => {
  place = temporaryPlace();
  folder = join(place.directory, "archive");
});
afterEach(() => place.remove());

async function read(): Promise<readonly ArchivedLine[]> {
  const lines: ArchivedLine[] = [];
  for await (const line of readArchive(folder)) lines.push(line);
  return lines;
}
const records = async () => (await read()).map(({ record }) => record);
const files = (): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name !== "store-id")
    .sort();
const FIRST = "journal-1970-01-01.ndjson";

describe("the archive", () => {
  it("adds lines of JSON with a checksum, one file a day, readable by the owner alone", async () => {
    const writer = writerIn(folder);
    writer(recordsOf(1, 2), 0);
    writer(recordsOf(3, 3), DAY_MS);
    expect(files()).toEqual([FIRST, "journal-1970-01-02.ndjson"]);
    expect(await records()).toEqual(recordsOf(1, 3));
    const [line = ""] = readFileSync(join(folder, FIRST), "utf8").split("\n");
    const members = { position: 2, v: 1, record: { sequence: 1 } };
    expect(JSON.parse(line)).toMatchObject({ crc32: expect.any(String), ...members });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, FIRST)).mode & 0o777).toBe(0o600);
  });

  it("a directory that existed keeps its mode; its files are readable by the owner alone", () => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    writerIn(folder)(recordsOf(1, 1), 0);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it("a day that is over is compressed; one that is earlier than the newest goes to the newest", async () => {
    const writer = writerIn(folder);
    writer(recordsOf(1, 400), 0);
    writer(recordsOf(401, 401), DAY_MS);
    writer(recordsOf(402, 402), 0);
    await closeDays(folder, { alone, goesOn: always });
    expect(files()).toEqual([`${FIRST}.gz`, "journal-1970-01-02.ndjson"]);
    expect(statSync(join(folder, `${FIRST}.gz`)).mode & 0o777).toBe(0o600);
    expect(await records()).toEqual(recordsOf(1, 402));
  });

  it("a part of a line that a crash left is cut off before the next record, and is not read", async () => {
    const writer = writerIn(folder);
    writer(recordsOf(1, 2), 0);
    truncateSync(join(folder, FIRST), statSync(join(folder, FIRST)).size - 7);
    expect(await records()).toEqual(recordsOf(1, 1));
    writer(recordsOf(2, 3), 0);
    expect(await records()).toEqual(recordsOf(1, 3));
  });

  it("names file and line of a damaged line and of a damaged compressed file", async () => {
    const writer = writerIn(folder);
    writer(recordsOf(1, 900), 0);
    writer(recordsOf(901, 902), DAY_MS);
    await closeDays(folder, { alone, goesOn: always });
    const second = join(folder, "journal-1970-01-02.ndjson");
    writeFileSync(second, readFileSync(second, "utf8").replace('"sequence":901', '"sequence":911'));
    expect((await read()).at(-2)).toEqual({
      ...{ file: "journal-1970-01-02.ndjson", line: 1, problem: "the line is damaged" },
    });
    const first = join(folder, `${FIRST}.gz`);
    truncateSync(first, statSync(first).size - 40);
    const problems = (await read()).filter(({ problem }) => problem !== undefined);
    expect(problems[0]).toMatchObject({
      file: `${FIRST}.gz`,
      problem: expect.stringContaining("cannot be read"),
    });
  });

  it("compresses nothing that is damaged, that grows meanwhile, or when it is stopped", async () => {
    const writer = writerIn(folder);
    writer(recordsOf(1, 900), 0);
    writer(recordsOf(901, 901), DAY_MS);
    const both = [FIRST, "journal-1970-01-02.ndjson"];
    let requested = 0;
    await closeDays(folder, { alone, goesOn: () => ++requested !== 2 });
    expect(files()).toEqual(both);
    let changes = 0;
    const grown = (change: () => void): void => {
      if (++changes === 2) appendFileSync(join(folder, FIRST), "more");
      change();
    };
    await closeDays(folder, { alone: grown, goesOn: always });
    expect(files()).toEqual(both);
    const first = join(folder, FIRST);
    writeFileSync(first, readFileSync(first, "utf8").replace('"sequence":5,', '"sequence":6,'));
    await expect(closeDays(folder, { alone, goesOn: always })).rejects.toThrow("cannot be compressed");
    expect(files()).toEqual(both);
  });

  it("does not remove the part of a process that owns the archive meanwhile", async () => {
    const writer = writerIn(folder);
    writer(recordsOf(1, 9), 0);
    writer(recordsOf(10, 10), DAY_MS);
    let changes = 0;
    const lost = (change: () => void): void => {
      if (++changes > 1) throw new Error("another process owns the store");
      change();
    };
    await expect(closeDays(folder, { alone: lost, goesOn: always })).rejects.toMatchObject({
      cause: { message: "another process owns the store" },
    });
    expect(files()).toContain(`${FIRST}.gz.part`);
  });

  it("is read whole while days are compressed", async () => {
    const writer = writerIn(folder);
    for (const day of [0, 1, 2]) writer(recordsOf(day * 10 + 1, day * 10 + 10), day * DAY_MS);
    const found: ArchivedLine["record"][] = [];
    for await (const { record } of readArchive(folder)) {
      if (found.push(record) === 1) await closeDays(folder, { alone, goesOn: always });
    }
    expect(found).toEqual(recordsOf(1, 30));
  });

  it.each(["lines", "lines beside a compressed file"])(
    "is read whole if a day of %s is compressed before its files are opened",
    async (name) => {
      const writer = writerIn(folder);
      writer(recordsOf(1, 10), 0);
      writer(recordsOf(21, 30), DAY_MS);
      const lines = join(folder, FIRST);
      if (name !== "lines") {
        await closeDays(folder, { alone, goesOn: always });
        writeFileSync(lines, recordsOf(11, 20).map(lineOf).join(""));
      }
      const whole = join(place.directory, "whole");
      const probe = (): void => {
        copyFileSync(`${lines}.gz.part`, whole);
        throw new Error("stopped here");
      };
      await expect(closeDays(folder, { alone, goesOn: always, probe })).rejects.toThrow(FIRST);
      const expected = (await records()).map((record) => record?.position);
      const reader = readArchive(folder);
      const first = reader.next();
      renameSync(whole, `${lines}.gz`);
      rmSync(lines);
      const found: ArchivedLine[] = [(await first).value];
      for await (const line of reader) found.push(line);
      expect(found.filter(({ problem }) => problem !== undefined)).toEqual([]);
      expect(new Set(found.map(({ record }) => record?.position))).toEqual(new Set(expected));
    },
  );

  it("compresses the days after one that is damaged, whose lines stay", async () => {
    const writer = writerIn(folder);
    for (const day of [0, 1, 2]) writer(recordsOf(day * 10 + 1, day * 10 + 10), day * DAY_MS);
    const first = join(folder, FIRST);
    writeFileSync(first, readFileSync(first, "utf8").replace('"sequence":5,', '"sequence":6,'));
    await expect(closeDays(folder, { alone, goesOn: always })).rejects.toThrow(FIRST);
    expect(files()).toEqual([FIRST, "journal-1970-01-02.ndjson.gz", "journal-1970-01-03.ndjson"]);
  });

  it("reads on after a line of 40,000,000 characters, in time that grows with its length", async () => {
    writerIn(folder)(recordsOf(1, 1), 0);
    appendFileSync(join(folder, FIRST), Buffer.alloc(40_000_000));
    appendFileSync(join(folder, FIRST), "\n");
    writerIn(folder)(recordsOf(2, 2), 0);
    expect(await read()).toEqual([
      { file: FIRST, line: 1, record: recordsOf(1, 1)[0] },
      { file: FIRST, line: 2, problem: "the line is damaged" },
      { file: FIRST, line: 3, record: recordsOf(2, 2)[0] },
    ]);
  });

  it("joins lines to a compressed file of the same day, after a crash between the two", async () => {
    const writer = writerIn(folder);
    writer(recordsOf(1, 20), 0);
    const lines = readFileSync(join(folder, FIRST));
    writer(recordsOf(21, 21), DAY_MS);
    await closeDays(folder, { alone, goesOn: always });
    writeFileSync(join(folder, FIRST), lines);
    await closeDays(folder, { alone, goesOn: always });
    expect(files()).toEqual([`${FIRST}.gz`, "journal-1970-01-02.ndjson"]);
    const joined = new Set((await records()).map((record) => record?.position));
    expect(joined).toEqual(new Set(recordsOf(1, 21).map(({ position }) => position)));
    expect(
      gunzipSync(readFileSync(join(folder, `${FIRST}.gz`)))
        .toString()
        .split("\n"),
    ).toHaveLength(41);
  });
});

describe("a store with an archive", () => {
  const open = () =>
    openSqliteStore({ exclusive: false, path: place.path, journal: { prune: true, archive: folder } });
  const fill = async (store: ReturnType<typeof open>, from: number): Promise<void> => {
    const heads = await store.acquire();
    const { epoch = 0 } = heads[3] ?? {};
    const orderId = -(from * 256 + 3);
    const records = [0, 1].map((step) => ({
      ...sampleRecord(3, from + step),
      changes: [{ orderId, previous: step === 0 ? 0 : from, facts: [] }],
    }));
    const ended = [{ ...endedOrder({ orderId }), lastSequence: from + 1 }];
    await store.append({ shards: [part(3, epoch, { records, ended })] });
  };

  it("has every record that left the store, once; archive and store together are the whole journal", async () => {
    const store = open();
    for (const from of [1, 3, 5, 7]) await fill(store, from);
    await store.writeSnapshot({ shard: 3, sequence: 7, counter: 9, parents: [] });
    await store.pruneEnded?.({ beforeMs: 5_000 }, always);
    const left = (await store.readRecords({ shard: 3, after: 0, limit: 99 })).map(encodeRecord);
    expect(left).toHaveLength(2);
    const gone = (await records()).map((record) => record?.text);
    expect([...gone, ...left]).toHaveLength(8);
    expect(new Set([...gone, ...left]).size).toBe(8);
    const positions = (await records()).map((record) => record?.position);
    expect(positions.sort(), "the position of a record goes with it").toEqual([1, 2, 3, 4, 5, 6]);
    await store.close();
  });

  it("deletes nothing when the archive cannot be written, and goes on once it can", async () => {
    const store = open();
    for (const from of [1, 3, 5]) await fill(store, from);
    await store.writeSnapshot({ shard: 3, sequence: 6, counter: 9, parents: [] });
    const full = join(folder, FIRST);
    spawnSync("mkdir", [full]);
    await expect(store.pruneEnded?.({ beforeMs: 5_000 }, always)).rejects.toThrow(
      "cannot be written (EISDIR)",
    );
    expect(readValue(place.path, "SELECT count(*) FROM journal")).toBe(6);
    expect(countIn(place.path, "ended")).toBe(3);
    spawnSync("rmdir", [full]);
    await store.pruneEnded?.({ beforeMs: 5_000 }, always);
    expect(await records()).toHaveLength(4);
    await store.close();
  });

  it("is refused to a second store, whether opened later or running, and to one that it does not name", async () => {
    const store = open();
    for (const from of [1, 3, 5]) await fill(store, from);
    await store.writeSnapshot({ shard: 3, sequence: 6, counter: 9, parents: [] });
    const other = { path: join(place.directory, "other.db"), journal: { prune: true, archive: folder } };
    expect(() => openSqliteStore(other)).toThrow(`the archive ${folder} belongs to another store`);
    const owner = join(folder, "store-id");
    const id = readFileSync(owner, "utf8");
    writeFileSync(owner, "12\n");
    await expect(store.pruneEnded?.({ beforeMs: 5_000 }, always)).rejects.toThrow("belongs to another store");
    expect(readValue(place.path, "SELECT count(*) FROM journal"), "nothing was deleted").toBe(6);
    writeFileSync(owner, id);
    await store.pruneEnded?.({ beforeMs: 5_000 }, always);
    await store.close();
    await open().close();
    rmSync(owner);
    expect(open).toThrow("lacks the file store-id");
    expect(() => openSqliteStore(other)).toThrow("has records of a store that it does not name");
  });

  it("a directory that lost its file, as an unmounted volume has, is refused to a running store", async () => {
    const store = open();
    for (const from of [1, 3, 5]) await fill(store, from);
    await store.writeSnapshot({ shard: 3, sequence: 6, counter: 9, parents: [] });
    rmSync(join(folder, "store-id"));
    await expect(store.pruneEnded?.({ beforeMs: 5_000 }, always)).rejects.toThrow("is its volume mounted?");
    expect(readValue(place.path, "SELECT count(*) FROM journal"), "nothing was deleted").toBe(6);
    await store.close();
  });

  it("an empty directory is refused to a store that has an archive, and is not created for it", async () => {
    await open().close();
    rmSync(folder, { recursive: true });
    expect(open).toThrow("is its volume mounted?");
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    expect(open).toThrow("is its volume mounted?");
    expect(readdirSync(folder)).toEqual([]);
    await openSqliteStore({ exclusive: false, path: place.path, journal: { prune: true } }).close();
  });

  it("a name that appears while the directory is bound is never written over", () => {
    mkdirSync(folder);
    // Cannot be read, as before another process names the directory, and exists when the name is given.
    symlinkSync(join(place.directory, "elsewhere"), join(folder, "store-id"));
    expect(() => writerIn(folder)).toThrow("the archive");
    expect(readdirSync(place.directory)).not.toContain("elsewhere");
    expect(readdirSync(folder)).toEqual(["store-id"]);
  });

  it("no day of an archive that became another store's meanwhile is compressed", async () => {
    const probe = (point: string): void => {
      if (point === "before-archive-swap") writeFileSync(join(folder, "store-id"), "12\n");
    };
    const store = openSqliteStore({
      exclusive: false,
      path: place.path,
      journal: { prune: true, archive: folder, probe },
    });
    for (const from of [1, 3]) await fill(store, from);
    await store.writeSnapshot({ shard: 3, sequence: 4, counter: 9, parents: [] });
    await store.pruneEnded?.({ beforeMs: 5_000 }, always);
    for (const from of [5, 7]) await fill(store, from);
    await store.writeSnapshot({ shard: 3, sequence: 8, counter: 9, parents: [] });
    await expect(store.pruneEnded?.({ beforeMs: DAY_MS + 5_000 }, always)).rejects.toMatchObject({
      cause: { message: expect.stringContaining("belongs to another store") },
    });
    expect(files()).toContain(FIRST);
    await store.close();
  });

  it("TC: a record whose line is in the archive although its deletion did not commit is counted once", async () => {
    const points: string[] = [];
    const probe = (point: string): void => {
      points.push(point);
      if (point === "before-prune-commit" && points.length < 9) throw new Error("stopped here");
    };
    const journal = { prune: true, archive: folder, probe };
    const store = openSqliteStore({ exclusive: false, path: place.path, journal });
    for (const from of [1, 3, 5]) await fill(store, from);
    await store.writeSnapshot({ shard: 3, sequence: 6, counter: 9, parents: [] });
    await expect(store.pruneEnded?.({ beforeMs: 5_000 }, always)).rejects.toThrow("stopped here");
    expect(await records()).toHaveLength(4);
    const whole = { whole: true, missing: 0, records: 6 };
    const verify = () => verifySqliteStore({ path: place.path, archive: folder });
    expect(await verify()).toMatchObject({ ...whole, stored: 6, archived: 0 });
    points.push(...Array.from({ length: 9 }, String));
    await store.pruneEnded?.({ beforeMs: 5_000 }, always);
    expect(await records()).toHaveLength(8);
    expect(await verify()).toMatchObject({ ...whole, stored: 2, archived: 4 });
    await store.close();
  });

  it("an archive without forget is refused", () => {
    expect(() =>
      openSqliteStore({ exclusive: false, path: place.path, journal: { archive: folder } }),
    ).toThrow("openSqliteStore.journal.archive needs openSqliteStore.journal.prune: true");
  });
});
