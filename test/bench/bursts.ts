import { spawnSync } from "node:child_process";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import type { Engine, EngineOptions } from "../../src/engine/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import {
  ABOVE,
  accountIn,
  BELOW,
  fireStops,
  intentsOf,
  openBenchEngine,
  placeAll,
  restStops,
  stopIntent,
  turn,
  until,
} from "./bench-engine.ts";
import { benchFolder } from "./bench-folder.ts";
import { storeOfEnded, storeOfOneShard, storeOfShards } from "./burst-stores.ts";
import type { Size } from "./line.ts";
import { figure, printTable } from "./measure.ts";
import { type Turns, watchCommits, watchTurns } from "./turn-watch.ts";

/** Scales the count of a burst to the size of this run. */
type Sized = Size["of"];

async function fires(store: EngineOptions["store"], sized: Sized): Promise<Turns> {
  const count = sized(100_000);
  const { engine } = await openBenchEngine(store);
  await restStops(engine, count);
  const turns = await watchTurns(async () => {
    // Children that were withdrawn need another quote to be sent again.
    const heart = setInterval(() => engine.market.quote(BELOW), 1_000);
    await fireStops(engine);
    clearInterval(heart);
  });
  await engine.close();
  return turns;
}

async function cancelAll(store: EngineOptions["store"], sized: Sized): Promise<Turns> {
  const { engine } = await openBenchEngine(store);
  await restStops(engine, sized(64_000), 1);
  const turns = await watchTurns(() => engine.cancelAll(accountIn(0)));
  await engine.close();
  return turns;
}

/** Resolves when no snapshot was written for a while; `writes` counts the snapshots that were started. */
function watched(
  store: EngineOptions["store"],
): Readonly<{ store: EngineOptions["store"]; written: () => number }> {
  let written = 0;
  const writeSnapshot: EngineOptions["store"]["writeSnapshot"] = async (snapshot) => {
    await store.writeSnapshot(snapshot);
    written++;
  };
  return { store: { ...store, writeSnapshot }, written: () => written };
}

async function snapshot(path: string, sized: Sized): Promise<Turns> {
  const [shard, accountId] = [shardOf(accountIn(0)), accountIn(0)];
  await storeOfOneShard(path, { parents: sized(1_000_000), shard, accountId });
  const { store, written } = watched(openSqliteStore({ path }));
  const { engine } = await openBenchEngine(store, { settings: { snapshotEvery: 2 } });
  engine.market.quote(ABOVE);
  const turns = await watchTurns(async () => {
    await placeAll(
      engine,
      intentsOf(2, () => stopIntent()),
      { accounts: 1 },
    );
    await until(() => written() > 0);
  });
  await engine.close();
  return turns;
}

async function marks(path: string, sized: Sized): Promise<Turns> {
  await storeOfShards({ path, parents: sized(1_000_000), accountOf: accountIn });
  const { store, written } = watched(openSqliteStore({ path }));
  const { engine } = await openBenchEngine(store, { settings: { snapshotEvery: 1 } });
  engine.market.quote(ABOVE);
  const turns = await watchTurns(async () => {
    await placeAll(
      engine,
      intentsOf(64, () => stopIntent()),
    );
    await until(() => written() >= 64);
    await engine.close();
  });
  return turns;
}

async function retention(path: string, sized: Sized): Promise<Turns> {
  await storeOfEnded({ path, rows: sized(1_000_000) });
  const manual = createManualClock({ startMs: Date.now() });
  let over = false;
  const sqlite = openSqliteStore({ path });
  const store: EngineOptions["store"] = {
    ...sqlite,
    async deleteVolume(range) {
      await sqlite.deleteVolume(range);
      over = true;
    },
  };
  const { engine } = await openBenchEngine(store, {
    clock: { ...manual, soon: (run) => void setImmediate(run) },
  });
  const turns = await watchTurns(async () => {
    void manual.advanceBy(3_600_000, turn);
    await until(() => over);
  });
  await engine.close();
  return turns;
}

async function opening(path: string, sized: Sized): Promise<Turns> {
  await storeOfShards({ path, parents: sized(1_000_000), accountOf: accountIn });
  return await opened(path);
}

async function openingOneShard(path: string, sized: Sized): Promise<Turns> {
  await storeOfOneShard(path, { parents: sized(1_000_000), shard: 0, accountId: accountIn(0) });
  return await opened(path);
}

async function opened(path: string): Promise<Turns> {
  const store = openSqliteStore({ path });
  let engine: Engine | undefined;
  const turns = await watchTurns(async () => {
    engine = (await openBenchEngine(store)).engine;
  });
  await engine?.close();
  return turns;
}

type Case = Readonly<{ name: string; take: (path: string, sized: Sized) => Promise<Turns> }>;

/** Every burst, by its name. */
const CASES: readonly Case[] = [
  {
    name: "100,000 fires on one quote, SQLite",
    take: (path, sized) => fires(openSqliteStore({ path }), sized),
  },
  { name: "100,000 fires on one quote, memory", take: (_path, sized) => fires(createMemoryStore(), sized) },
  {
    name: "cancel-all of 64,000, SQLite",
    take: (path, sized) => cancelAll(openSqliteStore({ path }), sized),
  },
  { name: "snapshot of a shard of 1,000,000", take: snapshot },
  { name: "64 shards due, 1,000,000 open: snapshots, marks", take: marks },
  { name: "retention of 1,000,000 rows", take: retention },
  { name: "opening 1,000,000 in 256 shards", take: opening },
  { name: "opening 1,000,000 in one shard", take: openingOneShard },
];

/** Runs one burst in this process, on a store in a separate folder. */
export async function takeBurst(name: string, { of }: Size): Promise<Turns> {
  const found = CASES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no burst ${name}`);
  const folder = benchFolder();
  try {
    watchCommits();
    return await found.take(folder.path("orders.db"), of);
  } finally {
    folder.remove();
  }
}

const HEAD = ["", "total", "waited", "longest turn", "own", "CPU", "GC", "longest", "commits", "longest"];
const COLUMNS: readonly (keyof Turns)[] = [
  "total",
  "waited",
  "longest",
  "longestOwn",
  "longestCpu",
  "gc",
  "longestGc",
  "commit",
  "longestCommit",
];

/**
 * V8 does not report marking in small steps. With marking in one step, all garbage collection is visible and counted
 * separately.
 */
export const BURST_FLAGS: readonly string[] = ["--expose-gc", "--no-incremental-marking"];

/** Runs a case in a separate process; returns undefined if that fails. */
function spawnCase(name: string): Turns | undefined {
  const { stdout } = spawnSync(process.execPath, [...BURST_FLAGS, process.argv[1] ?? "", "bursts"], {
    env: { ...process.env, BURST: name },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  const line = stdout.trim().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as Turns) : undefined;
}

/**
 * Runs every burst in a separate process and reports the longest turn of the event loop. `SCALE=0.1` makes the bursts
 * smaller; `ONLY=3,5` selects some of them.
 */
export async function benchBursts(size: Size): Promise<void> {
  const { BURST, ONLY } = process.env;
  if (BURST !== undefined) return console.log(JSON.stringify(await takeBurst(BURST, size)));
  const only = ONLY?.split(",").map(Number);
  const rows = CASES.flatMap(({ name }, index) => {
    if (only !== undefined && !only.includes(index)) return [];
    const turns = spawnCase(name);
    return [[name, ...COLUMNS.map((column) => (turns === undefined ? "failed" : figure(turns[column])))]];
  });
  printTable(
    `Bursts at ${size.of(1_000) / 1_000} of their size, ms; own: without garbage collection, commits of SQLite and waiting for a processor`,
    [HEAD, ...rows],
  );
}
