import { DRIVER_NAMES, loadDriver } from "../../src/adapters/sqlite/database.ts";
import { openSqliteStore, type SqliteDriverName, type SqliteStore } from "../../src/adapters/sqlite/index.ts";
import { managedIdOf } from "../../src/lifecycle/index.ts";
import { type JournalRecord, SHARD_COUNT } from "../../src/model/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import { endedOrder, keepEnded, part, sampleRecords } from "../store/rules/samples.ts";
import { accountIn, openBenchEngine } from "./bench-engine.ts";
import { benchFolder } from "./bench-folder.ts";
import { keepResting } from "./burst-stores.ts";
import type { Size } from "./line.ts";
import { figure, medianOf, printTable } from "./measure.ts";

const ROUNDS = 7;
const BATCH = 64;
const PAGE = 1_000;

/** Elapsed time, and processor time of all threads, in milliseconds. */
type Times = Readonly<{ elapsedMs: number; cpuMs: number }>;

async function timesOf(run: () => Promise<unknown>): Promise<Times> {
  const [start, before] = [process.hrtime.bigint(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(before);
  return { elapsedMs: Number(process.hrtime.bigint() - start) / 1e6, cpuMs: (user + system) / 1e3 };
}

type Opened = Readonly<{ store: SqliteStore; path: string; driver: SqliteDriverName; size: Size }>;

/** Batches of 64 records of one shard, each a transaction that reaches the disk; their texts are made before. */
async function append({ store, size }: Opened): Promise<Times> {
  const batches: { records: readonly JournalRecord[]; texts: readonly string[] }[] = [];
  for (let from = 1; from < size.of(100_000); from += BATCH) {
    const records = sampleRecords(0, from, from + BATCH - 1);
    batches.push({ records, texts: records.map(encodeRecord) });
  }
  const [head] = await store.acquire();
  return await timesOf(async () => {
    for (const each of batches) {
      const [outcome] = await store.append({ shards: [part(0, head?.epoch ?? 0, each)] });
      if (outcome !== "durable") throw new Error("a batch was fenced");
    }
  });
}

/** All records in pages, after {@link append}. */
async function read({ store }: Opened): Promise<Times> {
  await store.acquire();
  return await timesOf(async () => {
    let after = 0;
    for (let got = -1; got !== 0; after += got) {
      got = (await store.readRecords({ shard: 0, after, limit: PAGE })).length;
    }
  });
}

/** Lookups of ended orders, half by id and half by client id, in no order of the file. */
async function find({ store, size }: Opened): Promise<Times> {
  const rows = size.of(50_000);
  for (let from = 0; from < rows; from += PAGE) {
    await keepEnded(
      store,
      Array.from({ length: PAGE }, (_, n) =>
        endedOrder({ orderId: managedIdOf({ count: from + n + 1, shard: 0 }), accountId: 1 }),
      ),
    );
  }
  return await timesOf(async () => {
    for (let n = 0; n < rows; n++) {
      const orderId = managedIdOf({ count: 1 + ((n * 7_919) % rows), shard: 0 });
      const key = n % 2 === 0 ? { orderId } : { clientOrderId: `c${-orderId}` };
      if ((await store.findEnded({ accountId: 1, ...key })) === undefined) throw new Error("not found");
    }
  });
}

/** The opening of an engine on as many open parents, half of them in snapshots and half in the journal. */
async function open({ path, driver, size }: Opened): Promise<Times> {
  const other = `${path}-parents`;
  const writing = openSqliteStore({ path: other, driver });
  await keepResting(writing, { parents: Math.max(SHARD_COUNT, size.of(100_000)), accountOf: accountIn });
  await writing.close();
  let close = async (): Promise<unknown> => undefined;
  const times = await timesOf(async () => {
    const { engine } = await openBenchEngine(openSqliteStore({ path: other, driver }));
    close = () => engine.close();
  });
  await close();
  return times;
}

const WORK = {
  "100,000 records appended, 64 a transaction": append,
  "the same records read, 1,000 a page": read,
  "50,000 ended orders found": find,
  "engine opened on 100,000 parents": open,
} as const;

type Samples = Record<SqliteDriverName, Times[]>;

/**
 * Compares the drivers of the SQLite store in alternating rounds. Both must be loadable: a Node.js with node:sqlite, for
 * which better-sqlite3 was built.
 */
export async function benchDrivers(size: Size): Promise<void> {
  for (const name of DRIVER_NAMES) loadDriver(name);
  const samples = new Map<string, Samples>();
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? DRIVER_NAMES : [...DRIVER_NAMES].reverse();
    for (const driver of order) await takeRound({ driver, size, samples });
  }
  const rows = [...samples].map(([work, times]) => rowOf(work, times));
  printTable(
    "drivers of the SQLite store; medians, ratio of node:sqlite to better-sqlite3 (below 1: faster)",
    [
      [
        "",
        "better-sqlite3 ms",
        "node:sqlite ms",
        "ratio",
        "CPU ms",
        "CPU ms",
        "ratio of CPU",
        "spread of rounds",
      ],
      ...rows,
    ],
  );
}

async function takeRound({
  driver,
  size,
  samples,
}: Readonly<{ driver: SqliteDriverName; size: Size; samples: Map<string, Samples> }>): Promise<void> {
  const folder = benchFolder();
  const path = folder.path("orders.db");
  const store = openSqliteStore({ path, driver });
  for (const [work, take] of Object.entries(WORK)) {
    const times = samples.get(work) ?? { "better-sqlite3": [], "node:sqlite": [] };
    samples.set(work, times);
    times[driver].push(await take({ store, path, driver, size }));
  }
  await store.close();
  folder.remove();
}

function rowOf(work: string, samples: Samples): readonly string[] {
  const [better, node] = [samples["better-sqlite3"], samples["node:sqlite"]];
  const of = (times: readonly Times[], member: keyof Times): number =>
    medianOf(times.map((one) => one[member]));
  const ratio = (member: keyof Times): string => (of(node, member) / of(better, member)).toFixed(2);
  const rounds = node.map((one, round) => one.cpuMs / (better[round]?.cpuMs ?? Number.NaN));
  return [
    work,
    figure(of(better, "elapsedMs")),
    figure(of(node, "elapsedMs")),
    ratio("elapsedMs"),
    figure(of(better, "cpuMs")),
    figure(of(node, "cpuMs")),
    ratio("cpuMs"),
    `${Math.min(...rounds).toFixed(2)}-${Math.max(...rounds).toFixed(2)}`,
  ];
}
