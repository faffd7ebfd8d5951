import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/adapters/sqlite/file.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { MIGRATIONS } from "../../../src/adapters/sqlite/schema.ts";
import { part, sampleRecords } from "../../store/rules/samples.ts";
import { executeOn, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

describe("sqlite file", () => {
  let place: TemporaryPlace;
  beforeEach(() => {
    place = temporaryPlace();
  });
  afterEach(() => place.remove());
  const open = () => openSqliteStore({ path: place.path });
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it("is created with its directory, accessible to the owner only", async () => {
    const store = open();
    await store.acquire();
    expect(modeOf(dirname(place.path))).toBe("700");
    expect(["", "-wal", "-shm"].map((suffix) => modeOf(place.path + suffix))).toEqual(["600", "600", "600"]);
    await store.close();
  });

  it("an existing directory keeps its mode; an existing file becomes private", async () => {
    mkdirSync(dirname(place.path), { mode: 0o755 });
    await open().close();
    chmodSync(place.path, 0o640);
    await open().close();
    expect([modeOf(dirname(place.path)), modeOf(place.path)]).toEqual(["755", "600"]);
  });

  it("I01: every commit is on disk when it returns: write-ahead log and synchronous=FULL", () => {
    const database = openDatabase({ path: place.path, busyTimeoutMs: 7 });
    const setting = (name: string): unknown => database.pragma(name, { simple: true });
    expect(["journal_mode", "synchronous", "busy_timeout"].map(setting)).toEqual(["wal", 2, 7]);
    database.close();
  });

  it("has a mark that distinguishes it from the files of other programs", async () => {
    await open().close();
    expect(readValue(place.path, "PRAGMA application_id")).toBe(0x6d6f7264);
  });

  it("of a newer version is refused by name and left unchanged", async () => {
    await open().close();
    executeOn(place.path, "PRAGMA user_version = 99");
    expect(open).toThrow(
      `orders.db has schema version 99, but this version of managed-orders supports versions up to ${MIGRATIONS.length}: update managed-orders`,
    );
    expect(readValue(place.path, "PRAGMA user_version")).toBe(99);
  });

  it("of another program is refused by name and left unchanged", () => {
    mkdirSync(dirname(place.path));
    executeOn(place.path, "CREATE TABLE theirs (value TEXT)");
    const before = readFileSync(place.path);
    expect(open).toThrow("orders.db is a database of another program");
    expect(readFileSync(place.path).equals(before)).toBe(true);
  });

  it("that is not a database is refused by name and left unchanged", () => {
    mkdirSync(dirname(place.path));
    writeFileSync(place.path, "symbol,price\n".repeat(200));
    expect(open).toThrow("orders.db is not a SQLite database");
    expect(readFileSync(place.path, "utf8")).toBe("symbol,price\n".repeat(200));
  });

  it.each([
    ["a database of another program", (path: string) => executeOn(path, "CREATE TABLE theirs (value TEXT)")],
    ["no database", (path: string) => writeFileSync(path, "symbol,price\n".repeat(200))],
  ])("that is %s keeps its permissions, as other users may need it", (_what, write) => {
    mkdirSync(dirname(place.path));
    write(place.path);
    writeFileSync(`${place.path}.lock`, "theirs");
    for (const path of [place.path, `${place.path}.lock`]) chmodSync(path, 0o664);
    expect(open).toThrow("orders.db is");
    expect(() => openSqliteStore({ path: place.path, exclusive: true })).toThrow("orders.db is");
    expect([place.path, `${place.path}.lock`].map(modeOf)).toEqual(["664", "664"]);
  });

  it("becomes private with what SQLite keeps beside it, also if that is there already", async () => {
    const store = open();
    const all = ["", "-wal", "-shm"].map((suffix) => place.path + suffix);
    for (const path of all) chmodSync(path, 0o644);
    await openSqliteStore({ path: place.path, exclusive: false }).close();
    expect(all.map(modeOf)).toEqual(["600", "600", "600"]);
    await store.close();
  });

  it("that is damaged is refused by name when it is opened or when the damage is read", async () => {
    const store = open();
    await store.acquire();
    await store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 500) })] });
    await store.close();
    truncateSync(place.path, 8_192);
    const read = async () => {
      const damaged = open();
      try {
        return await damaged.readRecords({ shard: 0, after: 0, limit: 1 });
      } finally {
        await damaged.close();
      }
    };
    await expect(read()).rejects.toThrow(/damaged|malformed/);
  });

  it("I72: an error names only the last part of a path that cannot be opened", () => {
    mkdirSync(place.path, { recursive: true });
    const reported = { message: "orders.db cannot be opened (EISDIR): it is a directory", code: "EISDIR" };
    expect(open).toThrow(expect.objectContaining(reported));
  });

  it("a device, pipe or socket is refused before anything is done to it, as its permissions are needed", async () => {
    mkdirSync(dirname(place.path), { recursive: true });
    const server = createServer().listen(place.path);
    await once(server, "listening");
    const { mode } = statSync(place.path);
    const reported = {
      message: "orders.db is no file but a device, pipe or socket: choose another path",
      code: "STORE_FILE",
    };
    expect(open).toThrow(expect.objectContaining(reported));
    expect(statSync(place.path).mode).toBe(mode);
    server.close();
  });

  it("a path is never read as a URI or as an in-memory name", async () => {
    for (const path of [`${place.directory}/:memory:`, `${place.directory}/file:x?mode=memory`]) {
      await openSqliteStore({ path }).close();
      expect(statSync(path).size).toBeGreaterThan(0);
    }
  });
});
