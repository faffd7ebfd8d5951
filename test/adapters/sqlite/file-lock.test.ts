import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { driver, executeOn, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

describe("a store that is opened exclusively", () => {
  let place: TemporaryPlace;
  const open = () => openSqliteStore({ path: place.path, exclusive: true, busyTimeoutMs: 1 });
  beforeEach(() => {
    place = temporaryPlace();
  });
  afterEach(() => place.remove());

  it("I60: is refused to a second process, which does not disturb the first", async () => {
    const first = open();
    const [head] = await first.acquire();
    expect(open).toThrow("is in use by another process");
    expect(open).toThrow(expect.objectContaining({ code: "EBUSY" }));
    expect(await first.head(0)).toEqual(head);
    await first.close();
  });

  it("is free again once the first process has closed it", async () => {
    await open().close();
    const second = open();
    expect(await second.acquire()).toHaveLength(256);
    await second.close();
  });

  it("does not exclude an engine that asks for no lock: it may take the shards over", async () => {
    const first = open();
    const other = openSqliteStore({ path: place.path, exclusive: false });
    expect(await other.acquire()).toHaveLength(256);
    await Promise.all([first.close(), other.close()]);
  });

  it("leaves nothing but an empty lock file beside it while it is locked", async () => {
    const held = open();
    expect(readdirSync(dirname(place.path)).filter((name) => name.includes("lock"))).toEqual([
      "orders.db.lock",
    ]);
    await held.close();
  });

  it.skipIf(process.platform !== "linux")(
    "keeps its locks of the system when the same process opens the file again",
    async () => {
      const first = open();
      const files = ["", "-shm", ".lock"].map((suffix) => `:${statSync(place.path + suffix).ino} `);
      // The system may name a lock twice while other processes change theirs.
      const locks = (): readonly string[] => {
        const lines = readFileSync("/proc/locks", "utf8").split("\n");
        const own = lines.filter((line) => files.some((file) => line.includes(file)));
        return [...new Set(own.map((line) => line.replace(/^\d+: /, "")))].sort();
      };
      const held = locks();
      expect(held).toHaveLength(files.length);
      expect(open).toThrow("is in use by another process");
      expect(locks()).toEqual(held);
      const second = openSqliteStore({ path: place.path, exclusive: false });
      expect(locks()).toEqual(expect.arrayContaining([...held]));
      await second.close();
      expect(locks()).toEqual(held);
      await first.close();
    },
  );

  it("is free again after an opening that failed because a table is missing", async () => {
    await open().close();
    executeOn(place.path, "ALTER TABLE short RENAME TO other");
    expect(open).toThrow("orders.db cannot be opened (SQLITE_ERROR)");
    executeOn(place.path, "ALTER TABLE other RENAME TO short");
    await open().close();
  });

  it("I01: is free as soon as the process that locked it was killed, and leaves only an empty file", async () => {
    const Database = {
      "better-sqlite3": 'require("better-sqlite3")',
      "node:sqlite": 'require("node:sqlite").DatabaseSync',
    };
    const held = `const lock = new (${Database[driver.name]})(process.argv[1]);
      lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE"); console.log("held"); setInterval(() => undefined, 1000);`;
    await open().close();
    const child = spawn(process.execPath, ["-e", held, `${place.path}.lock`]);
    await once(child.stdout, "data");
    expect(open).toThrow("is in use");
    child.kill("SIGKILL");
    await once(child, "exit");
    await open().close();
    expect(readdirSync(dirname(place.path)).filter((name) => name.includes("lock"))).toHaveLength(1);
    expect(statSync(`${place.path}.lock`).size).toBe(0);
  });
});
