import { describe, expect, it } from "vitest";
import { loadDriver, wholeIn } from "../../../src/adapters/postgres/connection.ts";
import { Database, Pool } from "../../../src/adapters/postgres/database.ts";
import { openPostgresStore } from "../../../src/adapters/postgres/index.ts";
import { databaseOf, durabilityProblems } from "../../../src/adapters/postgres/opening.ts";
import { storeIn } from "../../../src/adapters/postgres/order-store.ts";
import { explained, UnknownOutcome } from "../../../src/adapters/postgres/postgres-error.ts";
import { PostgresStorage } from "../../../src/adapters/postgres/storage.ts";
import type { CommitPart } from "../../../src/ports/index.ts";
import { Owned } from "../../../src/store/internal.ts";
import { type Answer, FakeServer, serverError } from "./fake-driver.ts";

const PASSWORD = "hunter2";

/** An append as a store sends it. */
const APPEND: readonly CommitPart[] = [
  {
    conditions: [
      ["head 003", "1 0"],
      ["log 003 1", undefined],
    ],
    puts: [["log 003 1", "record"]],
    deletes: [],
  },
];
const FENCE: readonly CommitPart[] = [
  { conditions: [["head 003", "1 0"]], puts: [["head 003", "1 1"]], deletes: [] },
];

function open(bounds: Partial<ConstructorParameters<typeof Pool>[0]> = {}) {
  const server = new FakeServer();
  const pool = new Pool({
    ...{ driver: server.driver, url: `postgres://a:${PASSWORD}@b/c`, connectTimeoutMs: 1_000 },
    ...{ connections: 4, waiting: 2, answerTimeoutMs: 1_000, ...bounds },
  });
  const database = new Database(pool, { database: "database c on b", schema: "orders" });
  const answerTimeoutMs = bounds.answerTimeoutMs ?? 5;
  const storage = new PostgresStorage(database, { answerTimeoutMs, elsewhere: false });
  return { server, database, storage };
}

/** Answers as a server without any entry, at the time 1,000. */
const answerOfNone = (text: string): Answer => (text.includes("clock_timestamp") ? [["1000"]] : []);

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Answers the first statements in turn, and then with success. */
function inTurn(...answers: readonly Answer[]): () => Answer {
  let requested = 0;
  return () => answers[requested++] ?? [];
}

describe("an append", () => {
  it.each(["40001", "40P01", "55P03"])(
    "%s is a definite no, and the same bytes are sent again",
    async (code) => {
      const { server, storage } = open();
      const seen: unknown[] = [];
      const next = inTurn(serverError(code), serverError(code));
      server.answers((text, values) => {
        seen.push([text, values]);
        return next();
      });
      expect(await storage.commit(APPEND)).toEqual([true]);
      expect(seen).toEqual([seen[0], seen[0], seen[0]]);
      expect(server.connections).toHaveLength(1);
    },
  );

  it("it is sent a bounded number of times", async () => {
    const { server, storage } = open();
    server.answers(() => serverError("40001"));
    await expect(storage.commit(APPEND)).rejects.toThrow("40001");
    expect(server.statements).toHaveLength(5);
  });

  it.each(["08006", "57P01", "57P02", "57P03", "40003"])(
    "after %s the outcome is unknown, and nothing is sent again",
    async (code) => {
      const { server, storage } = open();
      server.answers(() => serverError(code));
      await expect(storage.commit(APPEND)).rejects.toBeInstanceOf(UnknownOutcome);
      expect([server.statements.length, server.destroyed]).toEqual([1, 1]);
    },
  );

  it.each(["26000", "42P05"])(
    "after %s, as with a pooler that does not follow prepared statements, none has a name any more",
    async (code) => {
      const { server, storage } = open();
      const next = inTurn([], serverError(code));
      server.answers(next);
      for (let append = 0; append < 3; append++) expect(await storage.commit(APPEND)).toEqual([true]);
      const named = server.names.map((name) => name !== undefined);
      expect(named).toEqual([true, true, false, false]);
    },
  );

  it("the name of a prepared statement tells its text and schema, and a rare one has none", async () => {
    const { server, storage } = open();
    server.answers(() => []);
    await storage.commit(APPEND);
    await storage.commit([{ conditions: [], puts: [], deletes: ["a"] }]);
    const [first, second] = server.names;
    expect(first).toMatch(/^managed_orders_[0-9a-f]{32}$/);
    expect(second).toBeUndefined();
  });

  it.each(["23505", "22012"])(
    "a key that has appeared beside it (%s) rolls it back, and it is sent in the form that can tell of which part",
    async (code) => {
      const { server, storage } = open();
      server.answers(inTurn(serverError(code), serverError(code), [["0", null]]));
      expect(await storage.commit(APPEND)).toEqual([false]);
      const [first, second, third] = server.statements;
      expect([first === second, second]).toEqual([false, third]);
    },
  );

  it("after a lost connection the outcome is unknown", async () => {
    const { server, storage } = open();
    server.answers(() => new Error("Connection terminated unexpectedly"));
    await expect(storage.commit(APPEND)).rejects.toBeInstanceOf(UnknownOutcome);
    expect(server.statements).toHaveLength(1);
  });

  it("a warning with the answer makes the outcome unknown, a notice does not", async () => {
    const { server, storage } = open();
    server.answers(() => []);
    server.notifies({
      severity: "WARNUNG",
      code: "01000",
      message: "canceling wait for synchronous replication",
    });
    await expect(storage.commit(APPEND)).rejects.toThrow("the server warned about a commit: canceling wait");
    server.notifies({ severity: "NOTICE", code: "00000", message: "hello" });
    expect(await storage.commit(APPEND)).toEqual([true]);
  });

  it.each(["GetNewTransactionId", "GetNewMultiXactId"])(
    "a warning of %s that numbers run out says nothing about the commit",
    async (routine) => {
      const { server, storage } = open();
      server.answers(() => []);
      const message = 'database "orders" must be vacuumed within 39999999 transactions';
      server.notifies({ severity: "WARNING", code: "01000", message, routine });
      expect(await storage.commit(APPEND)).toEqual([true]);
    },
  );

  it("it is never given up, until a fence decides; then its connection is cut", async () => {
    const { server, storage, database } = open({ answerTimeoutMs: 5 });
    server.answers((text) => (text.includes("INSERT") ? "silence" : []));
    const outcome = storage.commit(APPEND).catch((error: unknown) => error);
    await expect(database.read("SELECT 1")).resolves.toEqual([]);
    expect(server.destroyed).toBe(0);
    await expect(storage.commit(FENCE)).rejects.toThrow("the server has not answered for 5 ms");
    expect(await outcome).toBeInstanceOf(UnknownOutcome);
    expect(server.destroyed).toBe(2);
  });

  it("what is no append is given up when the server has not answered for a while", async () => {
    const { server, storage } = open({ answerTimeoutMs: 5 });
    server.answers(() => "silence");
    const snapshot = { conditions: [], puts: [["snap 003", "text"]], deletes: [] } as const;
    await expect(storage.commit([snapshot])).rejects.toThrow();
    expect([server.destroyed, server.open]).toEqual([1, 0]);
  });
});

it("a claim that is answered after a later one leaves the handle the later epoch", () => {
  const owned = new Owned();
  const head = (shard: number, epoch: number) => ({ shard, epoch, sequence: 0 });
  owned.took([head(3, 7), head(256, 5)]);
  owned.took([head(3, 6), head(256, 4), head(4, 2)]);
  expect([3, 4, 256].map((shard) => owned.epochOf(shard))).toEqual([7, 2, 5]);
});

describe("connections", () => {
  it("I71: a read without an answer is given up, and its connection is not used again", async () => {
    const { server, database } = open({ answerTimeoutMs: 5 });
    server.answers(() => "silence");
    await expect(database.read("SELECT 1")).rejects.toThrow("the server has not answered for 5 ms");
    expect([server.destroyed, server.open]).toEqual([1, 0]);
  });

  it("what is asked with a beat is given up after a ttl, and idle connections are not tried one by one", async () => {
    const { server, database } = open({ answerTimeoutMs: 60_000, connections: 8 });
    server.answers(() => "silence");
    const busy = Array.from({ length: 5 }, () => database.read("idle"));
    await turnOfTheLoop();
    server.release([["1"]]);
    await Promise.all(busy);
    expect([server.connections.length, server.destroyed]).toEqual([5, 0]);
    const nodes = storeIn(database, { answerTimeoutMs: 60_000 }).leases;
    server.answers(answerOfNone);
    await nodes.join({ name: "a", address: "", version: "", format: 1, kinds: [], ttlMs: 5 });
    server.answers(() => "silence");
    for (const requested of [
      () => nodes.renew({ incarnation: 1, state: "ready" }),
      () => nodes.nodes(),
      () => nodes.retire({ incarnation: 2, beat: 1 }),
      () => nodes.tail({ after: [], limit: 1 }),
    ])
      await expect(requested()).rejects.toThrow(/the server has not answered for 5 ms/);
    expect([server.open, server.destroyed]).toEqual([0, 8]);
  });

  it("says that its clock is another machine's only if the host has said so", async () => {
    const { server, database } = open();
    server.answers(answerOfNone);
    const beat = { incarnation: 1, state: "ready" } as const;
    const answer = { alive: false, clockMs: 1_000 };
    const leases = (elsewhere: boolean) => storeIn(database, { answerTimeoutMs: 5, elsewhere }).leases;
    expect(await leases(false).renew(beat)).toEqual(answer);
    expect(await leases(true).renew(beat)).toEqual({ ...answer, elsewhere: true });
    await database.close();
  });

  it("a takeover waits for no read", async () => {
    const { server, database } = open();
    server.answers((text) => (text === "slow" ? "silence" : answerOfNone(text)));
    const slow = [1, 2].map(() => database.read("slow"));
    let claimed: unknown;
    const claiming = storeIn(database, { answerTimeoutMs: 1_000 })
      .acquire()
      .then((heads) => {
        claimed = heads[3];
      });
    for (let turn = 0; turn < 20 && claimed === undefined; turn++) await turnOfTheLoop();
    const meanwhile = claimed;
    server.release([]);
    await Promise.all([claiming, ...slow]);
    expect(meanwhile).toEqual({ shard: 3, epoch: 1, sequence: 0 });
  });

  it("what is asked with a beat waits for a connection no longer than a ttl, and leaves the line", async () => {
    const { server, database } = open();
    const nodes = storeIn(database, { answerTimeoutMs: 1_000 }).leases;
    server.answers(answerOfNone);
    await nodes.join({ name: "a", address: "", version: "", format: 1, kinds: [], ttlMs: 5 });
    server.answers((text) => (text === "slow" ? "silence" : []));
    const slow = [1, 2].map(() => database.read("slow"));
    const next = database.read("next");
    await expect(nodes.prints({ limit: 2 })).rejects.toThrow("no connection was free for 5 ms");
    const last = database.read("last");
    server.release([]);
    await Promise.all([...slow, next, last]);
    expect(server.statements.slice(-4)).toEqual(["slow", "slow", "next", "last"]);
    await database.close();
  });

  it("reads leave two connections to appends and fences, and a bounded number waits", async () => {
    const { server, database } = open();
    server.answers((text) => (text === "slow" ? "silence" : [["1"]]));
    const slow = [1, 2, 3, 4].map(() => database.read("slow"));
    await expect(database.read("slow")).rejects.toThrow("more than 2 statements wait for a connection");
    expect(await database.write("fence", [], "first")).toEqual([["1"]]);
    expect(server.mostOpen).toBe(3);
    while (server.statements.filter((text) => text === "slow").length < 4) {
      server.release([["2"]]);
      await turnOfTheLoop();
    }
    server.release([["2"]]);
    expect(await Promise.all(slow)).toEqual([1, 2, 3, 4].map(() => [["2"]]));
  });

  it("I71: a closed store rejects what waits and what comes", async () => {
    const { server, database } = open({ connections: 3 });
    server.answers(() => "silence");
    const reads = [database.read("a"), database.read("b")].map((read) =>
      read.catch((error: Error) => error.message),
    );
    await turnOfTheLoop();
    await database.close();
    server.release([]);
    expect(await reads[1]).toContain("the store is closed");
    await expect(database.read("c")).rejects.toThrow("the store is closed");
  });

  it("a store closes also when the server does not answer the goodbye of its connections", async () => {
    const { server, database } = open({ connectTimeoutMs: 5 });
    server.answers(() => [["1"]]);
    await database.read("SELECT 1");
    server.isGone = true;
    await database.close();
    expect([server.open, server.destroyed]).toEqual([0, 1]);
  });

  it.each(["a string", "a non-empty string"])(
    "a password that is missing (%s) is told in words",
    (wanted) => {
      const place = { database: "database c on b", schema: "orders" };
      const reported = new Error(`SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be ${wanted}`);
      expect(explained(reported, place)).toMatchObject({
        code: "28P01",
        message: expect.stringMatching(/^database c on b demands a password: .* PGPASSWORD/),
      });
    },
  );

  it.each([
    ["28P01", "refuses the password"],
    ["28000", "refuses the user"],
    ["3D000", "does not exist"],
    ["42501", "the user has no rights to orders"],
    ["53300", "has no connection left"],
    ["53100", "the disk of database c on b is full"],
    ["25006", "is read-only"],
    ["55P03", "locked by another transaction, such as a backup"],
    ["ECONNREFUSED", "no server listens there"],
    ["ENOTFOUND", "the host name is unknown"],
  ])("%s in words that name the database, never the password", async (code, words) => {
    const { server, database } = open();
    const error = code.startsWith("E") ? Object.assign(new Error("connect"), { code }) : serverError(code);
    server.answers(() => error);
    const refusal: unknown = await database.read("SELECT 1").catch((reason: unknown) => reason);
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(String(refusal)).toContain("database c on b");
    expect(String(refusal)).not.toContain(PASSWORD);
  });

  it("the package pg is named if it is missing", () => {
    const load = (): never => {
      throw new Error("Cannot find module 'pg'");
    };
    expect(() => loadDriver(load)).toThrow("npm install pg");
  });
});

describe("settings of the server", () => {
  const sound = ["PostgreSQL 15.1", "150001", "on", "", "on", "on", "off", "notice", "UTF8"];
  const problemsWith = async (column: number, value: string, more: Readonly<Record<number, string>> = {}) => {
    const { server, database } = open();
    server.answers(() => [sound.map((text, index) => (index === column ? value : (more[index] ?? text)))]);
    return await durabilityProblems(database);
  };

  it.each([
    [2, "off", "synchronous_commit is off: a crash of the server loses the last orders"],
    [4, "off", "fsync is off: a crash of the machine loses orders"],
    [5, "off", "full_page_writes is off"],
    [7, "error", "client_min_messages is error"],
  ])("column %i with %s is said in words", async (column, value, words) => {
    expect(await problemsWith(column, value)).toEqual([expect.stringContaining(words)]);
  });

  it("a commit that does not wait for the standby is a problem only with a standby", async () => {
    expect(await problemsWith(2, "local")).toEqual([]);
    expect(await problemsWith(2, "local", { 3: "standby" })).toEqual([expect.stringContaining("failover")]);
    expect(await problemsWith(2, "remote_apply", { 3: "standby" })).toEqual([]);
  });

  it("a database whose encoding lacks characters is refused, because an append with one of them could never be kept", async () => {
    for (const encoding of ["UTF8", "SQL_ASCII"]) expect(await problemsWith(8, encoding)).toEqual([]);
    await expect(problemsWith(8, "LATIN1")).rejects.toMatchObject({
      code: "ENCODING",
      message: expect.stringContaining("has the encoding LATIN1"),
    });
  });

  it("an old server and a standby are refused", async () => {
    await expect(problemsWith(1, "130011")).rejects.toThrow("use Postgres 14 or later");
    await expect(problemsWith(6, "on")).rejects.toThrow("read-only");
    expect(await problemsWith(0, "CockroachDB CCL v25.4", { 1: "130000" })).toEqual([]);
  });
});

describe("options", () => {
  it.each(["2026/hunter2", "2026#hunter2", "2026?hunter2", "hun/ter2"])(
    "I72: a password that is not encoded, such as %s, is shown in no message",
    async (password) => {
      const opened = openPostgresStore({ url: `postgres://orders:${password}@127.0.0.1:1/exchange` });
      const refusal = await opened.then(() => "opened", String);
      expect(refusal).toMatch(
        /^RangeError: openPostgresStore.url must be .* write \/, \?, # and @ of a password as/,
      );
      expect(refusal).not.toMatch(/2026|hun/);
    },
  );

  it("a URL with an encoded password and parameters names its database", () => {
    const url = "postgres://orders:2026%2Fhunter2@db.local:5433/exchange?options=a@b";
    expect(databaseOf(url)).toBe("database exchange on db.local:5433");
  });

  it("an archive without forgetting is refused: no record would ever come to it", async () => {
    const options = { url: "postgres://a@127.0.0.1:9/b", journal: { archive: () => undefined } };
    await expect(openPostgresStore(options)).rejects.toThrow(
      "openPostgresStore.journal.archive needs openPostgresStore.journal.prune: true",
    );
  });
});

describe("values", () => {
  it("I16: ids and times never pass through a double", () => {
    expect(wholeIn(["-9007199254740991"], 0)).toBe(-9_007_199_254_740_991);
    for (const text of ["9007199254740993", "1.5", "1e3", ""])
      expect(() => wholeIn([text], 0)).toThrow("I53");
  });
});
