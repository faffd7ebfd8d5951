import { spawnSync } from "node:child_process";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  openSqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from "../../../src/adapters/sqlite/index.ts";
import { createRandom } from "../../../src/common/random.ts";
import { testStorage } from "../../../src/conformance/index.ts";
import type { CommitPart, Storage } from "../../../src/ports/index.ts";
import { storeOn } from "../../../src/store/internal.ts";
import { testOrderStore } from "../../store/rules/index.ts";
import { sampleRecords, part as shardPart } from "../../store/rules/samples.ts";
import { seedOr } from "../../support/seed.ts";
import { driver, executeOn, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";
import { adapter, mortalWriter, openThreaded, writer } from "./threaded.ts";

const SEED = seedOr(20_261_201);

testStorage(
  { describe, it },
  {
    name: "SQLite, in a thread",
    supports: { durable: true, shared: false },
    createPlace() {
      const { path, remove } = temporaryPlace();
      return { open: () => openThreaded(path), remove };
    },
  },
);

testOrderStore(
  { describe, it },
  {
    name: "sqlite, in a thread",
    supports: { leases: false, pageEndedNames: true, priceBars: true, progress: true, pruneEnded: true },
    createPlace() {
      const { path, remove } = temporaryPlace();
      let storage: Storage | undefined;
      let handles = 0;
      return {
        // The handles of one place share a thread: a file has no second one.
        open() {
          storage ??= openThreaded(path);
          const shared = storage;
          handles++;
          const close = async (): Promise<void> => {
            if (--handles > 0) return;
            storage = undefined;
            await shared.close();
          };
          return storeOn({ ...shared, close }, { journal: { prune: true } });
        },
        remove,
      };
    },
  },
);

const part = (some: Partial<CommitPart>): CommitPart => ({ conditions: [], puts: [], deletes: [], ...some });
const putting = (key: string, value: string): CommitPart => part({ puts: [[key, value]] });
/** Is left out. */
const refused = part({ conditions: [["value none", "x"]], puts: [["value refused", "x"]] });

let place: TemporaryPlace;
const open: { close(): Promise<void> }[] = [];
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of open.splice(0)) await one.close();
  place.remove();
});

const openStorage = (program?: URL, busyTimeoutMs?: number): Storage => {
  const storage = openThreaded(place.path, program, busyTimeoutMs);
  open.push(storage);
  return storage;
};
const openStore = (options: Partial<SqliteStoreOptions> = {}): SqliteStore => {
  const store = openSqliteStore({ path: place.path, thread: true, threadProgram: writer, ...options });
  open.push(store);
  return store;
};

/** Returns the thread of the next message that is sent to one. */
function nextThread(): () => Worker {
  const posting = vi.spyOn(Worker.prototype, "postMessage");
  return () => posting.mock.contexts[0] as Worker;
}

describe("a transaction in a thread", () => {
  it("is seen by every read after its answer, and is counted as acknowledged by then", async () => {
    const storage = openStorage();
    for (let n = 1; n <= 20; n++) {
      expect(await storage.commit([putting("value a", `${n}`), refused])).toEqual([true, false]);
      expect(await storage.get(["value a"])).toEqual([`${n}`]);
      expect(readFileSync(`${place.path}.acknowledged`, "latin1")).toContain(`acknowledged ${n} `);
    }
  });

  it("sees those that were requested before, and is over before those that were requested later", async () => {
    const storage = openStorage();
    const over: number[] = [];
    const commits = Array.from({ length: 50 }, async (_, n) => {
      const before = n === 0 ? undefined : `${n - 1}`;
      const conditions = [["value n", before] as const];
      const [isWritten] = await storage.commit([part({ conditions, puts: [["value n", `${n}`]] })]);
      over.push(n);
      return isWritten;
    });
    expect(await Promise.all(commits)).toEqual(Array.from({ length: 50 }, () => true));
    expect(over).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it("that fails rejects with the code of SQLite and the text of today, and the next one is written", async () => {
    const storage = openStorage(undefined, 1);
    await storage.commit([putting("value a", "1")]);
    const other = driver.open(place.path);
    other.exec("BEGIN IMMEDIATE");
    const failed = storage.commit([putting("value a", "2")]);
    await expect(failed).rejects.toMatchObject({
      ...{ name: "SqliteError", code: "SQLITE_BUSY", message: "database is locked" },
    });
    await expect(failed).rejects.toBeInstanceOf(Error);
    expect(await storage.get(["value a"])).toEqual(["1"]);
    other.exec("COMMIT");
    other.close();
    expect(await storage.commit([putting("value a", "2")])).toEqual([true]);
  });

  it("on a damaged file rejects with a text that names it", async () => {
    const large = openStorage();
    for (let n = 0; n < 9; n++) await large.commit([putting(`value ${n}`, "x".repeat(50_000))]);
    await open.pop()?.close();
    const storage = openStorage();
    truncateSync(place.path, 20 * 4_096);
    await expect(storage.commit([putting("value 8", "y".repeat(50_000))])).rejects.toMatchObject({
      message: "orders.db is damaged: restore it from a backup",
      code: expect.stringMatching(/^SQLITE_CORRUPT/),
    });
  });

  it("what cannot be sent to the thread rejects, and the next one is written", async () => {
    const storage = openStorage();
    await expect(storage.commit([part({ puts: [["value a", (() => 1) as never]] })])).rejects.toThrow(
      "cloned",
    );
    expect(await storage.commit([putting("value a", "1")])).toEqual([true]);
  });

  it("a store that is closed writes what was requested before, and refuses what comes later", async () => {
    const storage = openThreaded(place.path);
    const under = Array.from({ length: 9 }, (_, n) => storage.commit([putting(`value ${n}`, "1")]));
    const closed = storage.close();
    const late = storage.commit([putting("value late", "1")]);
    await expect(late).rejects.toThrow("the store is closed");
    await closed;
    expect(await Promise.all(under)).toEqual(under.map(() => [true]));
    const again = openStorage();
    expect(await again.get(["value 8", "value late"])).toEqual(["1", undefined]);
  });
});

describe("a thread that ends", () => {
  const ended = /^the store's thread has ended: close the store/;

  it("after a transaction became durable: it is answered as written, with the parts that were left out", async () => {
    const storage = openStorage(mortalWriter(place.directory, "durable"));
    await storage.commit([putting("value a", "1")]);
    const [under, behind] = [
      storage.commit([putting("value b", "mortal"), refused, putting("value c", "1")]),
      storage.commit([putting("value d", "1")]),
    ];
    await expect(behind).rejects.toThrow(ended);
    expect(await under).toEqual([true, false, true]);
    expect(await storage.get(["value b", "value refused", "value d"])).toEqual([
      "mortal",
      undefined,
      undefined,
    ]);
    expect(readFileSync(`${place.path}.acknowledged`, "latin1")).toContain("acknowledged 2 ");
    await expect(storage.commit([putting("value e", "1")])).rejects.toThrow(ended);
  });

  it("before a transaction became durable: it rejects and was not written, and the store can be opened again", async () => {
    const storage = openStorage(mortalWriter(place.directory, "leaves out"));
    await storage.commit([putting("value a", "1")]);
    await expect(storage.commit([putting("value b", "mortal"), refused])).rejects.toThrow(ended);
    expect(await storage.get(["value a", "value b"])).toEqual(["1", undefined]);
    await open.pop()?.close();
    const again = openStorage();
    expect(await again.commit([putting("value b", "2")])).toEqual([true]);
  });

  it("whose program fails: the cause is in the text", async () => {
    const storage = openStorage(new URL("data:text/javascript,throw new Error('no such driver')"));
    await expect(storage.commit([putting("value a", "1")])).rejects.toThrow(
      "the store's thread has ended (no such driver): close the store and open it again",
    );
  });

  it(`I60: terminated at random, every outcome is decided, and those of the file are as answered (SEED=${SEED})`, async () => {
    const random = createRandom(SEED);
    for (let round = 0; round < 10; round++) {
      const threadOf = nextThread();
      const storage = openThreaded(place.path);
      const key = (lane: number, n: number): string => `value ${round} ${lane} ${n}`;
      const told = new Map<string, boolean>();
      const run = async (lane: number): Promise<void> => {
        for (let n = 0; ; n++) {
          const [written, rejected] = [key(lane, n), (): void => void told.set(key(lane, n), false)];
          const answers = await storage
            .commit([putting(written, "x".repeat(2_000)), refused])
            .catch(rejected);
          if (answers === undefined) return;
          expect(answers).toEqual([true, false]);
          told.set(written, true);
        }
      };
      const lanes = Promise.all([1, 2, 3].map(run));
      while (told.size < 3 + random.below(20)) await new Promise((resolve) => setImmediate(resolve));
      for (let turns = random.below(40); turns > 0; turns--)
        await new Promise((resolve) => setImmediate(resolve));
      void threadOf().terminate();
      await lanes;
      const keys = [...told.keys()];
      const stored = (await storage.get(keys)).map((value) => value !== undefined);
      expect(stored).toEqual([...told.values()]);
      await storage.close();
      vi.restoreAllMocks();
    }
  });

  it("leaves the store open for reading, and the file locked", async () => {
    const threadOf = nextThread();
    const store = openStore();
    await store.acquire();
    await threadOf().terminate();
    await expect(
      store.append({ shards: [shardPart(0, 1, { records: sampleRecords(0, 1, 1) })] }),
    ).rejects.toThrow(ended);
    expect((await store.head(0)).sequence).toBe(0);
    expect(otherProcess()).toBe("SQLITE_BUSY");
    await store.close();
    open.pop();
    expect(otherProcess()).toBe("");
  });
});

/** Returns the code with which another process fails to get the file for itself, nothing if it gets it. */
function otherProcess(): string {
  const program = `const database = new (require("better-sqlite3"))(process.argv[1], { timeout: 0 });
    try {
      database.pragma("locking_mode = EXCLUSIVE");
      database.exec("BEGIN IMMEDIATE");
    } catch ({ code }) {
      process.stdout.write(code);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", program, place.path], { encoding: "utf8" });
  return stdout + stderr;
}

describe("a store with a thread", () => {
  it.skipIf(driver.name !== "better-sqlite3")(
    "I60: keeps the locks of the file whatever connections to it open and close in either thread",
    async () => {
      const store = openStore();
      await store.acquire();
      expect(otherProcess()).toBe("SQLITE_BUSY");
      expect(readValue(place.path, "SELECT count(*) FROM heads")).toBeGreaterThan(0);
      executeOn(place.path, "UPDATE state SET value = value");
      await store.keyValue.set("a", "1");
      expect(otherProcess()).toBe("SQLITE_BUSY");
      expect(() => openSqliteStore({ path: place.path, busyTimeoutMs: 1 })).toThrow("is in use");
    },
  );

  it("does not keep the process alive while it rests, but while a transaction is under way", () => {
    const child = `${place.directory}/child.mjs`;
    writeFileSync(
      child,
      `import { openSqliteStore } from ${JSON.stringify(adapter.href)};
      const threadProgram = new URL(${JSON.stringify(writer.href)});
      const store = openSqliteStore({ path: ${JSON.stringify(place.path)}, thread: true, threadProgram });
      store.keyValue.set("a", "1").then(() => console.log("written"));`,
    );
    expect(spawnSync(process.execPath, [child], { encoding: "utf8" })).toMatchObject({
      ...{ stdout: "written\n", stderr: "", status: 0 },
    });
  });

  it("needs its program, and the file for itself", () => {
    const lost = { path: place.path, thread: true };
    expect(() => openSqliteStore(lost)).toThrow("set the option threadProgram to its URL");
    expect(() => openSqliteStore({ ...lost, threadProgram: writer, exclusive: false })).toThrow(
      "openSqliteStore.thread must be false if exclusive is false",
    );
  });
});
