import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type BackupOptions,
  DRIVER_NAMES,
  loadDriver,
  useDriver,
} from "../../../src/adapters/sqlite/database.ts";
import { canBackUp, driver, readValue, temporaryPlace } from "./temporary-place.ts";

/** Modules that can be loaded, by name. */
type Modules = Readonly<Record<string, () => unknown>>;

/** Loads these modules and no others; Node.js is of this version. */
const loaderOf =
  (modules: Modules, node = "20.19.0", requested: string[] = []) =>
  (name: string): unknown => {
    requested.push(name);
    if (name === "node:process") return { versions: { node } };
    const found = modules[name];
    if (found === undefined) throw new Error(`Cannot find module '${name}'`);
    return found();
  };

const both: Modules = { "better-sqlite3": fake, "node:sqlite": fake };

const missing = (message: string): unknown => expect.objectContaining({ message, code: "DRIVER_MISSING" });

describe("the driver of the SQLite store", () => {
  it("if neither can be loaded, one sentence names both remedies", () => {
    expect(() => loadDriver(undefined, loaderOf({}))).toThrow(
      missing(
        "The SQLite store needs the package better-sqlite3, which cannot be loaded, or node:sqlite, which this Node.js lacks: use Node.js 22.13 or later, or npm install better-sqlite3 (better-sqlite3@12 on Node.js 20)",
      ),
    );
  });

  it.each([
    [
      "better-sqlite3",
      "The SQLite store needs the package better-sqlite3, which cannot be loaded. Install it: npm install better-sqlite3 (better-sqlite3@12 on Node.js 20)",
    ],
    [
      "node:sqlite",
      "The SQLite store cannot load node:sqlite: use Node.js 22.13 or later, or the driver better-sqlite3: npm install better-sqlite3 (better-sqlite3@12 on Node.js 20)",
    ],
  ] as const)("%s, if asked for by name, is not replaced by the other one", (name, sentence) => {
    const { [name]: _, ...other } = both;
    expect(() => loadDriver(name, loaderOf(other, "24.0.0"))).toThrow(missing(sentence));
  });

  it("better-sqlite3 is the default where it can be loaded; node:sqlite is not even loaded then", () => {
    const requested: string[] = [];
    expect(loadDriver(undefined, loaderOf(both, "22.23.3", requested)).name).toBe("better-sqlite3");
    expect(requested).not.toContain("node:sqlite");
  });

  it("node:sqlite is used where better-sqlite3 is missing or its native part does not load", () => {
    const unbuilt = () =>
      function Database() {
        throw new Error("Could not locate the bindings file");
      };
    for (const better of [{}, { "better-sqlite3": unbuilt }]) {
      const load = loaderOf({ "node:sqlite": fake, ...better }, "24.0.0");
      expect(loadDriver(undefined, load).name).toBe("node:sqlite");
    }
  });

  it.each([
    ["12.11.1", "22.23.3", "better-sqlite3"],
    ["12.11.1", "24.21.0", "node:sqlite"],
    ["12.11.1", "26.10.0", "node:sqlite"],
    ["13.2.0", "24.21.0", "better-sqlite3"],
  ])("with better-sqlite3 %s in Node.js %s the default is %s", (version, node, name) => {
    const load = loaderOf({ ...both, "better-sqlite3/package.json": () => ({ version }) }, node);
    expect(loadDriver(undefined, load).name).toBe(name);
    expect(loadDriver("better-sqlite3", load).name).toBe("better-sqlite3");
  });

  it("a second driver is refused for a file that is open in the process, until it is closed", () => {
    const [first, second] = DRIVER_NAMES as readonly ["better-sqlite3", "node:sqlite"];
    const ends = [
      useDriver("/x/orders.db", first, "orders.db"),
      useDriver("/x/orders.db", first, "orders.db"),
    ];
    const open = () => useDriver("/x/orders.db", second, "orders.db");
    ends[0]?.();
    ends[0]?.();
    expect(open).toThrow(
      "orders.db is open in this process with better-sqlite3: close it before it is opened with node:sqlite",
    );
    ends[1]?.();
    open()();
  });
});

describe(`driver ${driver.name}`, () => {
  it("rows are plain objects, single values or arrays", () => {
    const database = driver.open(":memory:");
    const rows = "VALUES (1, 'a'), (2, 'b')";
    const sql = `SELECT column1 AS id, column2 AS name FROM (${rows})`;
    expect(database.prepare(sql).all()).toStrictEqual([
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ]);
    expect(database.prepare(sql).get()).toStrictEqual({ id: 1, name: "a" });
    expect(database.prepare(sql).pluck().all()).toEqual([1, 2]);
    expect(database.prepare(sql).raw().all()).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
    expect(database.prepare(`${sql} WHERE id = 3`).pluck().get()).toBeUndefined();
    database.close();
  });

  it.each(["all", "get"] as const)(
    "an integer beyond those of JavaScript, read by %s, leaves no transaction open",
    (method) => {
      const place = temporaryPlace();
      mkdirSync(dirname(place.path));
      const [one, other] = [driver.open(place.path), driver.open(place.path)];
      one.pragma("journal_mode = WAL");
      one.exec(`CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1), (${2n ** 53n + 1n})`);
      const ids = one.prepare<[], number>("SELECT id FROM t ORDER BY id DESC").pluck();
      try {
        // better-sqlite3 rounds the integer.
        expect(ids[method]()).toBeDefined();
      } catch (error) {
        expect(error).toMatchObject({ code: "SQLITE_CORRUPT" });
      }
      other.exec("INSERT INTO t VALUES (2)");
      one.exec("INSERT INTO t VALUES (3)");
      expect(one.pragma("wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
      for (const database of [one, other]) database.close();
      place.remove();
    },
  );

  it.each([
    ["SQLITE_CONSTRAINT_UNIQUE", "INSERT INTO t VALUES (2, 1)"],
    ["SQLITE_CONSTRAINT_PRIMARYKEY", "INSERT INTO t VALUES (1, 2)"],
    ["SQLITE_CONSTRAINT_CHECK", "INSERT INTO t VALUES (3, -1)"],
    ["SQLITE_CONSTRAINT_DATATYPE", "INSERT INTO t VALUES (3, 'x')"],
    ["SQLITE_ERROR", "INSERT INTO nowhere VALUES (1)"],
  ])("a failure is an error with the code %s", (code, sql) => {
    const database = driver.open(":memory:");
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER UNIQUE CHECK (n > 0)) STRICT");
    database.exec("INSERT INTO t VALUES (1, 1)");
    expect(() => database.exec(sql)).toThrow(expect.objectContaining({ name: "SqliteError", code }));
    database.close();
  });

  it("a transaction that fails leaves nothing, also if SQLite has rolled it back already", () => {
    const database = driver.open(":memory:");
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)");
    const fail = database.transaction((sql: string) => {
      database.exec("INSERT INTO t VALUES (1)");
      database.exec(sql);
      throw new Error("the caller fails");
    });
    expect(() => fail.immediate("INSERT INTO t VALUES (2)")).toThrow("the caller fails");
    expect(() => fail("INSERT OR ROLLBACK INTO t VALUES (1)")).toThrow("UNIQUE constraint failed");
    expect(database.prepare("SELECT count(*) FROM t").pluck().get()).toBe(0);
    expect(database.transaction((one: number) => one + 1)(1)).toBe(2);
    database.close();
  });

  it("an integer is stored exactly up to 64 bits, from a bigint and as text", () => {
    const database = driver.open(":memory:");
    database.exec("CREATE TABLE t (n INTEGER) STRICT");
    const put = database.prepare<[n: bigint | number]>("INSERT INTO t VALUES (?)");
    for (const n of [2n ** 63n - 1n, -(2n ** 63n), Number.MAX_SAFE_INTEGER]) put.run(n);
    expect(database.prepare("SELECT CAST(n AS TEXT) FROM t").pluck().all()).toEqual([
      "9223372036854775807",
      "-9223372036854775808",
      "9007199254740991",
    ]);
    expect(() => put.run(2n ** 63n)).toThrow();
    database.close();
  });
});

describe(`backup with ${driver.name}`, () => {
  it("copies a database in steps while it is written, or says which Node.js can", async () => {
    const { path, directory, remove } = temporaryPlace();
    mkdirSync(dirname(path));
    const database = driver.open(path);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)");
    const put = database.prepare<[id: number, text: string]>("INSERT INTO t VALUES (?, ?)");
    for (let id = 1; id <= 50; id++) put.run(id, "x".repeat(4_000));
    const copy = join(directory, "copy.db");
    let next = 51;
    const pagesPerStep = 5;
    const progress: BackupOptions["progress"] = ({ totalPages, remainingPages }) => {
      const isBetween = remainingPages > 0 && remainingPages < totalPages;
      if (isBetween && next <= 60) put.run(next++, "late");
      return pagesPerStep;
    };
    const copying = database.backup(copy, { pagesPerStep, progress });
    if (!canBackUp) await expect(copying).rejects.toThrow("needs Node.js 22.16 or 24");
    else {
      await copying;
      expect(next).toBeGreaterThan(52);
      expect(readValue(copy, "SELECT group_concat(id) FROM t")).toMatch(/^1,2,.*,50(,|$)/);
      expect(readValue(copy, "PRAGMA integrity_check")).toBe("ok");
    }
    database.close();
    remove();
  });

  it.runIf(canBackUp)("a copy that cannot be written is an error with SQLite's code", async () => {
    const { path, directory, remove } = temporaryPlace();
    mkdirSync(dirname(path));
    const database = driver.open(path);
    database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)");
    await expect(database.backup(directory, { pagesPerStep: 100, progress: () => 100 })).rejects.toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CANTOPEN/) }),
    );
    database.close();
    remove();
  });
});

/** What better-sqlite3 and node:sqlite export, as far as loading reads it. */
function fake(): unknown {
  const Database = function Database() {
    return { close: () => undefined };
  };
  return Object.assign(Database, { DatabaseSync: Database });
}
