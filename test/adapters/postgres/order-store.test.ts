import { afterAll, describe, expect, it } from "vitest";
import { createManualClock } from "../../../src/adapters/memory/index.ts";
import { openPostgresCluster, openPostgresStore } from "../../../src/adapters/postgres/index.ts";
import { migrate } from "../../../src/adapters/postgres/opening.ts";
import { MIGRATIONS } from "../../../src/adapters/postgres/schema.ts";
import { testRateLimiter, testRejections } from "../../../src/conformance/index.ts";
import { rejectionOf } from "../../../src/conformance/rejections.ts";
import { recordKey } from "../../../src/store/internal.ts";
import { testOrderStore } from "../../store/rules/index.ts";
import { part, sampleRecord, sampleRecords } from "../../store/rules/samples.ts";
import { binaryArrayCases } from "./binary-array-cases.ts";
import { checksumCases } from "./checksum-cases.ts";
import { forgettingCases } from "./forgetting-cases.ts";
import { limitCases } from "./limit-cases.ts";
import { placesOn } from "./places.ts";
import { rightsCases } from "./rights-cases.ts";
import { viewCases } from "./view-cases.ts";

// `npm run program -- postgres` starts a server. PGlite, which needs none, takes longer for these than all other tests.
const places = placesOn(process.env.POSTGRES_URL ?? "");
afterAll(() => places.close());

testOrderStore(
  { describe, it },
  {
    name: "postgres",
    supports: { pageEndedNames: true, priceBars: true, progress: true, pruneEnded: true, leases: true },
    createPlace() {
      const { options, remove } = places.create();
      return { open: () => openPostgresStore({ ...options, journal: { prune: true } }), remove };
    },
  },
);

forgettingCases(places);
checksumCases(places);
binaryArrayCases(places);
rightsCases(places);
viewCases(places);

testRejections(
  { describe, it },
  {
    name: "postgres",
    supports: { durable: true },
    createPlace() {
      const { options, remove } = places.create();
      return {
        async open() {
          const store = await openPostgresStore(options);
          const { rejections } = store;
          return { rejections, written: () => rejections.flush(), close: () => store.close() };
        },
        remove,
      };
    },
  },
);

testRateLimiter(
  { describe, it },
  {
    name: "postgres",
    supports: { limits: true, connect: true, bans: true, durable: true, nodes: true },
    async createPlace({ limits, startMs }) {
      const { options, remove } = places.create();
      const clock = createManualClock({ startMs });
      let store = await openPostgresStore(options);
      const open = () => store.openRateLimiter({ clock, ...limits });
      return {
        limiter: await open(),
        advanceBy: (ms) => clock.advanceBy(ms),
        async reopen() {
          await store.close();
          store = await openPostgresStore(options);
          return await open();
        },
        openBeside: open,
        async remove() {
          await store.close();
          await remove();
        },
      };
    },
  },
);
limitCases(places);

describe("postgres store", () => {
  /** A place that exists, and its schema. */
  const opened = async () => {
    const place = places.create();
    const store = await openPostgresStore(place.options);
    await store.acquire();
    return { ...place, store };
  };
  /** Runs steps of a schema, as another version of the package does. */
  const migrated = async (schema: string, migrations: Parameters<typeof migrate>[1]): Promise<void> => {
    const database = places.database(schema);
    try {
      await migrate(database, migrations);
    } finally {
      await database.close();
    }
  };
  const deleteRecords = async (schema: string, shard: number, ...sequences: readonly number[]) => {
    const keys = sequences.map((sequence) => `'${recordKey(shard, sequence)}'`);
    await places.execute(`DELETE FROM ${schema}.log WHERE key IN (${keys.join()})`);
  };
  const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;
  const NEXT = { version: NEWEST + 1, sql: ["ALTER TABLE managed_orders.entry ADD COLUMN note text"] };

  it("a schema of another application is refused and stays as it was", async () => {
    const { options, schema, remove } = places.create();
    await places.execute(`CREATE SCHEMA ${schema}`);
    await places.execute(`CREATE TABLE ${schema}.invoice (id int4)`);
    await expect(openPostgresStore(options)).rejects.toMatchObject({
      code: "FOREIGN_SCHEMA",
      message: expect.stringContaining("tables of another application (invoice)"),
    });
    const tables = await places.execute(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = '${schema}'`,
    );
    expect(tables).toEqual([["invoice"]]);
    await remove();
  });

  it("programs of two neighbouring versions share a schema, and a step is run once", async () => {
    const { options, schema, store, remove } = await opened();
    const newer = [...MIGRATIONS, { ...NEXT, usableFrom: NEWEST }];
    await Promise.all([migrated(schema, newer), migrated(schema, newer)]);
    const older = await openPostgresStore(options);
    const records = [sampleRecord(3, 1)];
    expect(await store.append({ shards: [part(3, 1, { records })] })).toEqual(["durable"]);
    expect((await older.head(3)).sequence).toBe(1);
    expect(await places.execute(`SELECT version FROM ${schema}.managed_orders_version`)).toEqual(
      newer.map(({ version }) => [String(version)]),
    );
    for (const each of [store, older]) await each.close();
    await remove();
  });

  it("an operator asks a node, and changes no schema", async () => {
    const { options, schema, remove } = places.create();
    const [, at] = [await places.execute(`CREATE SCHEMA ${schema}`), { url: places.url, schema }];
    await expect(openPostgresCluster(at)).rejects.toMatchObject({ code: "NO_STORE" });
    await migrated(schema, []);
    await expect(openPostgresCluster(at)).rejects.toMatchObject({ code: "OLDER_SCHEMA" });
    const store = await openPostgresStore(options);
    const cluster = await openPostgresCluster(at);
    const entry = { name: "new", address: "", version: "2", format: 1, kinds: ["ACCEPTED"], ttlMs: 7_000 };
    const { incarnation } = await store.leases.join(entry);
    const wanted = "hand-over" as const;
    expect(await cluster.leases.want({ incarnation, wanted })).toBe(true);
    expect((await cluster.leases.nodes()).nodes.map((row) => row.wanted)).toEqual([wanted]);
    expect(await store.leases.renew({ incarnation, state: "ready" })).toEqual({
      ...{ alive: true, clockMs: expect.any(Number), wanted },
    });
    await store.leases.claim({ incarnation, shards: Array.from({ length: 257 }, (_, shard) => shard) });
    await store.append({ shards: [part(7, 1, { records: sampleRecords(7, 1, 3) })] });
    const contents = await cluster.contents();
    expect(contents).toHaveLength(256);
    expect(contents[7]).toEqual({ shard: 7, epoch: 1, sequence: 3 });
    await cluster.close();
    await store.close();
    await remove();
  });

  it("a claim ends the assignment, and the row of a node leaves with it", async () => {
    const { store, remove } = await opened();
    const { leases } = store;
    const entry = {
      ...{ name: "new", address: "", version: "2", format: 1, kinds: [] },
      ttlMs: 7_000,
      shares: true,
    };
    const [a, b] = [(await leases.join(entry)).incarnation, (await leases.join(entry)).incarnation];
    await leases.claim({ incarnation: a, shards: [3, 4] });
    expect(await leases.assign({ shards: [3, 4], to: b, from: a })).toBe(2);
    await leases.release({ incarnation: a, shards: [3] });
    await leases.claim({ incarnation: b, shards: [3] });
    const planOf = async (): Promise<unknown> =>
      (await leases.nodes()).shards.flatMap(({ shard, next }) => (next === undefined ? [] : [[shard, next]]));
    expect(await planOf()).toEqual([[4, b]]);
    expect(await leases.assign({ shards: [3, 4], to: b, from: a })).toBe(1);
    expect(await leases.assign({ shards: [3], to: b })).toBe(1);
    expect(await planOf()).toEqual([
      [3, b],
      [4, b],
    ]);
    for (const to of [a, b, undefined]) await leases.assign({ shards: [3, 4], ...(to && { to }) });
    expect(await planOf()).toEqual([]);
    await leases.release({ incarnation: b, shards: [3] });
    await leases.leave(b);
    expect((await leases.nodes()).nodes.map(({ incarnation }) => incarnation)).toEqual([a]);
    await store.close();
    await remove();
  });

  it("a schema whose programs must be newer is refused", async () => {
    const { options, schema, store, remove } = await opened();
    await store.close();
    await migrated(schema, [...MIGRATIONS, { ...NEXT, usableFrom: NEWEST + 1 }]);
    await expect(openPostgresStore(options)).rejects.toMatchObject({
      code: "NEWER_SCHEMA",
      message: expect.stringContaining("update managed-orders"),
    });
    await remove();
  });

  it("several processes create the schema at once", async () => {
    const { options, remove } = places.create();
    const stores = await Promise.all([1, 2, 3].map(() => openPostgresStore(options)));
    expect((await stores[2]?.acquire())?.length).toBe(256);
    for (const store of stores) await store.close();
    await remove();
  });

  it("I54: only what comes after the last record follows, also in a shard whose records were deleted", async () => {
    const { schema, store, remove } = await opened();
    const append = async (sequence: number): Promise<unknown> => {
      const shards = [part(3, 1, { records: [sampleRecord(3, sequence)] })];
      return (await store.append({ shards }))[0];
    };
    await store.append({ shards: [part(2, 1, { records: sampleRecords(2, 1, 9) })] });
    await store.append({ shards: [part(3, 1, { records: sampleRecords(3, 1, 5) })] });
    await deleteRecords(schema, 3, 1, 3);
    for (const sequence of [1, 2, 3, 4, 5, 7, 10]) expect(await append(sequence)).toBe("fenced");
    expect(await append(6)).toBe("durable");
    await store.close();
    await remove();
  });

  it("I54: a journal with a gap or a missing end is an error, never a shorter journal", async () => {
    const { schema, store, remove } = await opened();
    await store.append({ shards: [part(3, 1, { records: sampleRecords(3, 1, 9) })] });
    await deleteRecords(schema, 3, 4);
    await expect(store.readRecords({ shard: 3, after: 2, limit: 9 })).rejects.toThrow("I54");
    expect(await store.readRecords({ shard: 3, after: 0, limit: 3 })).toHaveLength(3);
    await store.close();
    await remove();
  });

  it("I54: a gap in one of several shards ends their tail", async () => {
    const { schema, store, remove } = await opened();
    const shards = [2, 3, 5].map((shard) => part(shard, 1, { records: sampleRecords(shard, 1, 9) }));
    await store.append({ shards });
    await deleteRecords(schema, 3, 4);
    const tail = (limit: number) => store.leases.tail({ after: [], limit });
    expect(await tail(9)).toHaveLength(9);
    await expect(tail(14)).rejects.toThrow("the journal of shard 3 has a gap at record 4");
    expect(await store.leases.tail({ after: [0, 0, 9, 4, 0, 7], limit: 99 })).toHaveLength(7);
    await store.close();
    await remove();
  });

  it("a read of large records returns fewer of them, in order, and the next read continues", async () => {
    const { store, remove } = await opened();
    const detail = "x".repeat(1_500_000);
    const facts = [{ kind: "ALERT" as const, alert: "LATE_FILL" as const, detail }];
    const records = sampleRecords(4, 1, 6).map((record) => ({
      ...record,
      changes: [{ orderId: -4, previous: 0, facts }],
    }));
    await store.append({ shards: [part(4, 1, { records })] });
    const first = await store.readRecords({ shard: 4, after: 0, limit: 99 });
    const second = await store.readRecords({ shard: 4, after: first.length, limit: 99 });
    expect([first.length, second.length]).toEqual([3, 3]);
    expect([...first, ...second]).toEqual(records);
    const few = sampleRecords(7, 1, 2);
    await store.append({ shards: [part(7, 1, { records: few })] });
    const [of4, of7]: [unknown[], unknown[]] = [[], []];
    const after = [0, 0, 0, 0, 3, 0, 0, 0];
    for (let page = await store.leases.tail({ after, limit: 99 }); page.length > 0; ) {
      for (const record of page) {
        (record.shard === 4 ? of4 : of7).push(record);
        after[record.shard] = record.sequence;
      }
      page = await store.leases.tail({ after, limit: 99 });
    }
    expect([of4, of7]).toEqual([second, few]);
    await store.close();
    await remove();
  });

  it("contract, Errors: texts of strangers are kept, the newest of an account stay, old ones leave", async () => {
    const { options, remove } = places.create();
    const store = await openPostgresStore({ ...options, rejections: { perAccount: 2, retentionDays: 1 } });
    const hostile = "a\0b\\ \ud800 \u{1f600}";
    const stored = [1, 2].map((n) =>
      rejectionOf({ clientOrderId: `${hostile}${n}`, errorMessage: hostile, timeMs: 2e8 }),
    );
    for (const one of [rejectionOf({ timeMs: 1 }), rejectionOf({ accountId: 2, timeMs: 5 }), ...stored])
      store.rejections.retain(one);
    await store.rejections.flush();
    expect(await store.rejections.list({ accountId: 1, limit: 9 })).toEqual(stored);
    expect(await store.rejections.list({ accountId: 2, limit: 9 })).toEqual([]);
    await store.close();
    await remove();
  });

  it("small values are durable in the same schema", async () => {
    const { options, store, remove } = await opened();
    for (const value of ["5", "6"]) await store.keyValue.set("clock", value);
    const again = await openPostgresStore(options);
    expect(await again.keyValue.get("clock")).toBe("6");
    expect(await again.keyValue.get("other")).toBeUndefined();
    for (const text of ["a\0b", "", "\\0", "\\u0000", "\u0001", "\u0001\\\0", "\ufeffx\u{1f600}"]) {
      await store.keyValue.set(text, `${text}!`);
      await store.keyValue.set("value", text);
      expect([await again.keyValue.get(text), await again.keyValue.get("value")]).toEqual([`${text}!`, text]);
    }
    for (const each of [store, again]) await each.close();
    await remove();
  });
});
