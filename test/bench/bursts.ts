import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createManualClock,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryStore,
} from "../../src/adapters/memory/index.ts";
import { createSystemClock } from "../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { type Engine, type EngineOptions, openEngine } from "../../src/engine/index.ts";
import { SHARD_COUNT, shardOf } from "../../src/lifecycle/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { createScriptedVenue, type ScriptedVenue } from "../support/scripted-venue.ts";
import { INSTRUMENTS, SYMBOL } from "../support/world.ts";
import { storeOfEnded, storeOfOneShard, storeOfShards } from "./burst-stores.ts";
import { figure, printTable } from "./measure.ts";
import { type Turns, watchCommits, watchTurns } from "./turn-watch.ts";

/** 1 for the sizes that the names say; less for a shorter run. */
const SCALE = Number(process.env.SCALE ?? 1);
const sized = (count: number): number => Math.ceil(count * SCALE);

/** One account of every shard. */
const ACCOUNTS: readonly number[] = accountsOfShards();

function accountsOfShards(): readonly number[] {
  const accounts: number[] = [];
  let found = 0;
  for (let accountId = 1; found < SHARD_COUNT; accountId++) {
    if (accounts[shardOf(accountId)] !== undefined) continue;
    accounts[shardOf(accountId)] = accountId;
    found++;
  }
  return accounts;
}

const accountIn = (shard: number): number => ACCOUNTS[shard] ?? 1;

type OpenEngine = Readonly<{ engine: Engine; venue: ScriptedVenue }>;

async function open(store: EngineOptions["store"], more: Partial<EngineOptions> = {}): Promise<OpenEngine> {
  const venue = createScriptedVenue();
  const account = (accountId: number) => ({
    account: { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false },
    keys: [],
  });
  const engine = await openEngine({
    store,
    instruments: createMemoryInstruments(INSTRUMENTS),
    accounts: createMemoryAccounts([...ACCOUNTS].map(account)),
    exposure: createMemoryExposure(),
    venue,
    clock: createSystemClock(),
    entropy: { token: () => "unused" },
    settings: { advancedOrders: true, maxOpenParents: 4_000_000, ...more.settings },
    ...(more.clock && { clock: more.clock }),
  });
  return { engine, venue };
}

let placed = 0;

const stop = (engine: Engine, accountId: number) =>
  engine.place({
    accountId,
    intent: orderIntent({
      ...{ symbol: SYMBOL, side: "SELL", type: "STOP_MARKET", quantity: "0.125", stopPrice: "9000" },
      newClientOrderId: `burst-${++placed}`,
    }),
  });

/** Stops of 64 accounts, or of one, below the market. */
async function stops(engine: Engine, count: number, accounts: number): Promise<void> {
  engine.market.quote({ symbol: SYMBOL, bid: "9999", ask: "10000" });
  for (let n = 0; n < count; n += 512) {
    const together = Math.min(512, count - n);
    await Promise.all(
      Array.from({ length: together }, (_, k) => stop(engine, accountIn((n + k) % accounts))),
    );
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await turn();
}

async function fires(store: EngineOptions["store"]): Promise<Turns> {
  const count = sized(100_000);
  const { engine } = await open(store);
  await stops(engine, count, 64);
  const turns = await watchTurns(async () => {
    engine.market.quote({ symbol: SYMBOL, bid: "8999", ask: "9001" });
    // Children that were withdrawn on the way need a quote to be sent again.
    const heart = setInterval(() => engine.market.quote({ symbol: SYMBOL, bid: "8999", ask: "9001" }), 1_000);
    await until(() => engine.metrics().openParents === 0);
    clearInterval(heart);
  });
  await engine.close();
  return turns;
}

async function cancelAll(store: EngineOptions["store"]): Promise<Turns> {
  const { engine } = await open(store);
  await stops(engine, sized(64_000), 1);
  const turns = await watchTurns(() => engine.cancelAll(accountIn(0)));
  await engine.close();
  return turns;
}

/** Resolves when no snapshot has been written for a while; `writes` counts those that were begun. */
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

async function snapshot(path: string): Promise<Turns> {
  const [shard, accountId] = [shardOf(accountIn(0)), accountIn(0)];
  await storeOfOneShard(path, { parents: sized(1_000_000), shard, accountId });
  const { store, written } = watched(openSqliteStore({ path }));
  const { engine } = await open(store, {
    settings: { snapshotEvery: 2, maxOpenParentsPerAccount: 2_000_000 },
  });
  engine.market.quote({ symbol: SYMBOL, bid: "9999", ask: "10000" });
  const turns = await watchTurns(async () => {
    await Promise.all([stop(engine, accountId), stop(engine, accountId)]);
    await until(() => written() > 0);
  });
  await engine.close();
  return turns;
}

async function marks(path: string): Promise<Turns> {
  await storeOfShards({ path, parents: sized(1_000_000), accountOf: accountIn });
  const { store, written } = watched(openSqliteStore({ path }));
  const { engine } = await open(store, { settings: { snapshotEvery: 1 } });
  engine.market.quote({ symbol: SYMBOL, bid: "9999", ask: "10000" });
  const turns = await watchTurns(async () => {
    await Promise.all(Array.from({ length: 64 }, (_, shard) => stop(engine, accountIn(shard))));
    await until(() => written() >= 64);
    await engine.close();
  });
  return turns;
}

async function retention(path: string): Promise<Turns> {
  await storeOfEnded(path, sized(1_000_000));
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
  const { engine } = await open(store, { clock: { ...manual, soon: (run) => void setImmediate(run) } });
  const turns = await watchTurns(async () => {
    void manual.advanceBy(3_600_000, turn);
    await until(() => over);
  });
  await engine.close();
  return turns;
}

async function opening(path: string): Promise<Turns> {
  await storeOfShards({ path, parents: sized(1_000_000), accountOf: accountIn });
  return await opened(path);
}

async function openingOneShard(path: string): Promise<Turns> {
  await storeOfOneShard(path, { parents: sized(1_000_000), shard: 0, accountId: accountIn(0) });
  return await opened(path);
}

async function opened(path: string): Promise<Turns> {
  const store = openSqliteStore({ path });
  let engine: Engine | undefined;
  const turns = await watchTurns(async () => {
    engine = (await open(store)).engine;
  });
  await engine?.close();
  return turns;
}

type Case = Readonly<{ name: string; take: (path: string) => Promise<Turns> }>;

const CASES: readonly Case[] = [
  { name: "100,000 fires on one quote, SQLite", take: (path) => fires(openSqliteStore({ path })) },
  { name: "100,000 fires on one quote, memory", take: () => fires(createMemoryStore()) },
  { name: "cancel-all of 64,000, SQLite", take: (path) => cancelAll(openSqliteStore({ path })) },
  { name: "snapshot of a shard of 1,000,000", take: snapshot },
  { name: "64 shards due, 1,000,000 open: snapshots, marks", take: marks },
  { name: "retention of 1,000,000 rows", take: retention },
  { name: "opening 1,000,000 in 256 shards", take: opening },
  { name: "opening 1,000,000 in one shard", take: openingOneShard },
];

/** One case, in this process; prints what it saw as JSON. */
async function takeCase(index: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-bench-"));
  try {
    watchCommits();
    const turns = await CASES[index]?.take(join(folder, "orders.db"));
    console.log(JSON.stringify(turns));
  } finally {
    rmSync(folder, { recursive: true, force: true });
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

/** What V8 marks in small steps it tells nobody: marked in one, all of garbage collection is seen and counted apart. */
const FLAGS = ["--expose-gc", "--no-incremental-marking"];

/** Runs a case in a process of its own; undefined when that fails. */
function spawnCase(index: number): Turns | undefined {
  const { stdout } = spawnSync(process.execPath, [...FLAGS, process.argv[1] ?? "", "bursts"], {
    env: { ...process.env, BURST: String(index) },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  const line = stdout.trim().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as Turns) : undefined;
}

/**
 * Every burst in a process of its own, with the longest turn of the event loop. `SCALE=0.1` makes them smaller,
 * `ONLY=3,5` takes some of them.
 */
export async function benchBursts(): Promise<void> {
  const { BURST, ONLY } = process.env;
  if (BURST !== undefined) return await takeCase(Number(BURST));
  const only = ONLY?.split(",").map(Number);
  const rows = CASES.flatMap(({ name }, index) => {
    if (only !== undefined && !only.includes(index)) return [];
    const turns = spawnCase(index);
    return [[name, ...COLUMNS.map((column) => (turns === undefined ? "failed" : figure(turns[column])))]];
  });
  printTable(
    `Bursts at ${SCALE} of their size, ms; own: without garbage collection, commits of SQLite and waiting for a processor`,
    [HEAD, ...rows],
  );
}
