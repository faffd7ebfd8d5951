import { describe, expect, it } from "vitest";
import { Appends } from "../../../src/adapters/postgres/appends.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { loadDriver } from "../../../src/adapters/postgres/driver.ts";
import { openPostgresStore } from "../../../src/adapters/postgres/index.ts";
import { journal } from "../../../src/adapters/postgres/journal.ts";
import { leases } from "../../../src/adapters/postgres/leases.ts";
import { durabilityProblems } from "../../../src/adapters/postgres/opening.ts";
import { databaseOf } from "../../../src/adapters/postgres/options.ts";
import { Owner } from "../../../src/adapters/postgres/owner.ts";
import { Pool } from "../../../src/adapters/postgres/pool.ts";
import { explained, UnknownOutcome } from "../../../src/adapters/postgres/postgres-error.ts";
import { amountIn, asGiven, storable, wholeIn } from "../../../src/adapters/postgres/reading.ts";
import { volume } from "../../../src/adapters/postgres/volume.ts";
import { MARKET_SHARD } from "../../../src/model/index.ts";
import { endedOrder, part, QUOTE, sampleRecord } from "../../store/rules/samples.ts";
import { type Answer, FakeServer, serverError } from "./fake-driver.ts";

const PASSWORD = "hunter2";
const BATCH = { shards: [part(3, 1, { records: [sampleRecord(3, 1)] })] };

function open(bounds: Partial<ConstructorParameters<typeof Pool>[0]> = {}) {
  const server = new FakeServer();
  const pool = new Pool({
    ...{ driver: server.driver, url: `postgres://a:${PASSWORD}@b/c`, connectTimeoutMs: 1_000 },
    ...{ connections: 4, waiting: 2, answerTimeoutMs: 1_000, ...bounds },
  });
  const database = new Database(pool, { database: "database c on b", schema: "orders" });
  const owner = new Owner();
  return { server, database, owner, appends: new Appends(database, owner, 5) };
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Answers the first statements in turn, and then with success. */
function inTurn(...answers: readonly Answer[]): () => Answer {
  let asked = 0;
  return () => answers[asked++] ?? [["0", "t"]];
}

describe("an append", () => {
  it.each(["40001", "40P01", "23505", "55P03"])(
    "decision WB: %s is a definite no, and the same bytes are sent again",
    async (code) => {
      const { server, appends } = open();
      const seen: unknown[] = [];
      const next = inTurn(serverError(code), serverError(code));
      server.answers((text, values) => {
        seen.push([text, values]);
        return next();
      });
      expect(await appends.append(BATCH)).toEqual(["durable"]);
      expect(seen).toEqual([seen[0], seen[0], seen[0]]);
      expect(server.connections).toHaveLength(1);
    },
  );

  it("decision WB: it is sent a bounded number of times", async () => {
    const { server, appends } = open();
    server.answers(() => serverError("40001"));
    await expect(appends.append(BATCH)).rejects.toThrow("40001");
    expect(server.statements).toHaveLength(5);
  });

  it.each(["08006", "57P01", "57P02", "57P03", "40003"])(
    "decision WB: after %s the outcome is unknown, and nothing is sent again",
    async (code) => {
      const { server, appends } = open();
      server.answers(() => serverError(code));
      await expect(appends.append(BATCH)).rejects.toBeInstanceOf(UnknownOutcome);
      expect([server.statements.length, server.destroyed]).toEqual([1, 1]);
    },
  );

  it.each(["26000", "42P05"])(
    "decision WC: after %s, as with a pooler that does not follow prepared statements, none has a name any more",
    async (code) => {
      const { server, appends } = open();
      const next = inTurn([["0", "t"]], serverError(code));
      server.answers(next);
      for (let append = 0; append < 3; append++) expect(await appends.append(BATCH)).toEqual(["durable"]);
      const named = server.names.map((name) => name !== undefined);
      expect(named).toEqual([true, true, false, false]);
    },
  );

  it("decision WC: the name of a prepared statement tells its text and schema", async () => {
    const { server, appends } = open();
    server.answers(() => [["0", "t"]]);
    await appends.append(BATCH);
    await appends.append({
      ...BATCH,
      shards: BATCH.shards.map((one) => ({ ...one, ended: [endedOrder({ orderId: -3 })] })),
    });
    const [first, second] = server.names;
    expect(first).toMatch(/^managed_orders_[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
  });

  it("decision WB: after a lost connection the outcome is unknown", async () => {
    const { server, appends } = open();
    server.answers(() => new Error("Connection terminated unexpectedly"));
    await expect(appends.append(BATCH)).rejects.toBeInstanceOf(UnknownOutcome);
    expect(server.statements).toHaveLength(1);
  });

  it("decision WB: a warning with the answer makes the outcome unknown, a notice does not", async () => {
    const { server, appends } = open();
    server.answers(() => [["0", "t"]]);
    server.notifies({
      severity: "WARNUNG",
      code: "01000",
      message: "canceling wait for synchronous replication",
    });
    await expect(appends.append(BATCH)).rejects.toThrow("the server warned about a commit: canceling wait");
    server.notifies({ severity: "NOTICE", code: "00000", message: "hello" });
    expect(await appends.append(BATCH)).toEqual(["durable"]);
  });

  it.each(["GetNewTransactionId", "GetNewMultiXactId"])(
    "decision WB: a warning of %s that numbers run out says nothing about the commit",
    async (routine) => {
      const { server, appends } = open();
      server.answers(() => [["0", "t"]]);
      const message = 'database "orders" must be vacuumed within 39999999 transactions';
      server.notifies({ severity: "WARNING", code: "01000", message, routine });
      expect(await appends.append(BATCH)).toEqual(["durable"]);
    },
  );

  it("a client id that is taken is an InvariantError I03", async () => {
    const { server, appends } = open();
    server.answers(() => serverError("23505", { constraint: "ended_client_ids" }));
    await expect(appends.append(BATCH)).rejects.toThrow("I03: a client id of the batch");
  });

  it("decision WB: it is never given up, until a fence decides; then its connection is cut", async () => {
    const { server, appends, database, owner } = open({ answerTimeoutMs: 5 });
    server.answers((text) => (text.includes("INSERT") ? "silence" : []));
    const appending = appends.append(BATCH);
    const outcome = appending.catch((error: unknown) => error);
    await expect(database.read("SELECT 1")).resolves.toEqual([]);
    expect(server.destroyed).toBe(0);
    await journal(database, owner).fence({ shard: 3, epoch: 1, round: 1 });
    appends.fenced(3);
    expect(await outcome).toBeInstanceOf(UnknownOutcome);
    expect(server.destroyed).toBe(1);
  });

  it("I60: after an unknown write of the market journal its round is raised before the next one", async () => {
    const { server, appends, owner } = open();
    owner.take(new Map([[256, 7]]));
    const quotes = { shards: [], quotes: [QUOTE] };
    const next = inTurn(new Error("Connection terminated"), [["256"]], [["-1", "t"]]);
    server.answers(next);
    await expect(appends.append(quotes)).rejects.toBeInstanceOf(UnknownOutcome);
    expect(await appends.append(quotes)).toEqual([]);
    const kinds = server.statements.map((text) =>
      text.includes('UPDATE "orders".shard') ? "round" : "append",
    );
    expect(kinds).toEqual(["append", "round", "append"]);
    expect(owner.round).toBe(1);
  });
});

it("decision RK: a claim that is answered after a later one leaves the handle the later epoch", () => {
  const owner = new Owner();
  owner.take(
    new Map([
      [3, 7],
      [256, 5],
    ]),
  );
  owner.take(
    new Map([
      [3, 6],
      [256, 4],
      [4, 2],
    ]),
  );
  expect([3, 4, 256].map((shard) => owner.epochOf(shard))).toEqual([7, 2, 5]);
});

describe("connections", () => {
  it("I71: a read without an answer is given up, and its connection is not used again", async () => {
    const { server, database } = open({ answerTimeoutMs: 5 });
    server.answers(() => "silence");
    await expect(database.read("SELECT 1")).rejects.toThrow("the server has not answered for 5 ms");
    expect([server.destroyed, server.open]).toEqual([1, 0]);
  });

  it("decision ZI: what is asked with a beat is given up after a ttl, and idle connections are not tried one by one", async () => {
    const { server, database } = open({ answerTimeoutMs: 60_000, connections: 8 });
    server.answers(() => "silence");
    const busy = Array.from({ length: 5 }, () => database.read("idle"));
    await turnOfTheLoop();
    server.release([["1"]]);
    await Promise.all(busy);
    expect([server.connections.length, server.destroyed]).toEqual([5, 0]);
    const nodes = leases(database, new Owner());
    server.answers((text) => (text.includes("RETURNING i.last") ? [["1"]] : [["1", "1"]]));
    await nodes.join({ name: "a", address: "", version: "", format: 1, kinds: [], ttlMs: 5 });
    server.answers(() => "silence");
    for (const asked of [
      () => nodes.renew({ incarnation: 1, state: "ready" }),
      () => nodes.nodes(),
      () => nodes.bury({ incarnation: 2, beat: 1 }),
      () => nodes.tail({ after: [], limit: 1 }),
    ])
      await expect(asked()).rejects.toThrow(/the server has not answered for 5 ms/);
    expect([server.open, server.destroyed]).toEqual([0, 8]);
  });

  it("decision 52: says that its clock is another machine's only if the host has said so", async () => {
    const { server, database } = open();
    server.answers(() => [["1", "1000", null]]);
    const beat = { incarnation: 1, state: "ready" } as const;
    const said = { alive: true, clockMs: 1_000 };
    expect(await leases(database, new Owner()).renew(beat)).toEqual(said);
    expect(await leases(database, new Owner(), true).renew(beat)).toEqual({ ...said, elsewhere: true });
    await database.close();
  });

  it("decision WE: a takeover waits for no read", async () => {
    const { server, database } = open();
    server.answers((text) => (text === "slow" ? "silence" : [["3", "1", "0", "0"]]));
    const slow = [1, 2].map(() => database.read("slow"));
    let claimed: unknown;
    const claiming = leases(database, new Owner())
      .claim({ incarnation: 1, shards: [3] })
      .then((heads) => {
        claimed = heads;
      });
    for (let turn = 0; turn < 20 && claimed === undefined; turn++) await turnOfTheLoop();
    const meanwhile = claimed;
    server.release([]);
    await Promise.all([claiming, ...slow]);
    expect(meanwhile).toEqual([{ shard: 3, epoch: 1, sequence: 0 }]);
  });

  it("decision ZI: what is asked with a beat waits for a connection no longer than a ttl, and leaves the line", async () => {
    const { server, database } = open();
    const nodes = leases(database, new Owner());
    server.answers(() => [["1", "1"]]);
    await nodes.join({ name: "a", address: "", version: "", format: 1, kinds: [], ttlMs: 5 });
    server.answers((text) => (text === "slow" ? "silence" : [["1"]]));
    const slow = [1, 2].map(() => database.read("slow"));
    const next = database.read("next");
    await expect(nodes.tail({ after: [], limit: 1 })).rejects.toThrow("no connection was free for 5 ms");
    const last = database.read("last");
    server.release([]);
    await Promise.all([...slow, next, last]);
    expect(server.statements.slice(-4)).toEqual(["slow", "slow", "next", "last"]);
    await database.close();
  });

  it("decision WE: reads leave two connections to appends and fences, and a bounded number waits", async () => {
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

  it("decision WE: the sums of executed volume keep no append waiting for reads", async () => {
    const { server, database, owner, appends } = open({ connections: 3 });
    owner.take(new Map([[MARKET_SHARD, 1]]));
    let read: Promise<unknown> = Promise.resolve();
    server.answers((text) => {
      if (text === "slow") return "silence";
      if (text.includes("summed AS f WHERE")) return [["0", "0"]];
      if (text.trim().startsWith("SELECT p.symbol")) return [];
      if (text.includes("new_quotes")) return [["-1", "t"]];
      // It takes the only connection for reads when the first statement ends.
      if (server.statements.length === 1) read = database.read("slow");
      return [["1", "0"]];
    });
    const deleted = volume({ database, owner, appends }).deleteVolume({ beforeMs: 0 });
    for (let turn = 0; turn < 20; turn++) await turnOfTheLoop();
    let outcome: unknown;
    const appended = appends.append({ shards: [], quotes: [QUOTE] }).then((outcomes) => (outcome = outcomes));
    for (let turn = 0; turn < 20; turn++) await turnOfTheLoop();
    const meanwhile = outcome;
    server.release([]);
    await Promise.all([read, deleted, appended]);
    expect(meanwhile).toEqual([]);
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

  it("decision WE: a store closes also when the server does not answer the goodbye of its connections", async () => {
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
      const told = new Error(`SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be ${wanted}`);
      expect(explained(told, place)).toMatchObject({
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
  ])("decision WE: %s in words that name the database, never the password", async (code, words) => {
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
  ])("decision WD: column %i with %s is said in words", async (column, value, words) => {
    expect(await problemsWith(column, value)).toEqual([expect.stringContaining(words)]);
  });

  it("decision WD: a commit that does not wait for the standby is a problem only with a standby", async () => {
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

  it("decision XA: an archive without forgetting is refused: no record would ever come to it", async () => {
    const options = { url: "postgres://a@127.0.0.1:9/b", journal: { archive: () => undefined } };
    await expect(openPostgresStore(options)).rejects.toThrow(
      "openPostgresStore.journal.archive needs openPostgresStore.journal.forget: true",
    );
  });
});

describe("values", () => {
  it("I16: ids and amounts never pass through a double", () => {
    expect(amountIn(["999999999999999999"], 0)).toBe(999_999_999_999_999_999n);
    expect(wholeIn(["-9007199254740991"], 0)).toBe(-9_007_199_254_740_991);
    for (const text of ["9007199254740993", "1.5", "1e3", ""])
      expect(() => wholeIn([text], 0)).toThrow("I53");
    for (const text of ["1.5", "1e3", "x"]) expect(() => amountIn([text], 0)).toThrow("I53");
  });

  it("texts of strangers come back as they were", () => {
    for (const text of ["", "a", "\0", "\\", "\\u0000", "\ud800", "x\udc00y", "\u{1f600}", "\\\\u\0"]) {
      expect(asGiven(storable(text))).toBe(text);
      expect(storable(text)).not.toMatch(/\0|[\ud800-\udbff](?![\udc00-\udfff])/);
    }
  });
});
