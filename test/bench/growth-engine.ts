import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import { START_MS } from "../support/world.ts";
import {
  ABOVE,
  accountIn,
  fireStops,
  intentsOf,
  openBenchEngine,
  placeAll,
  restStops,
  stopIntent,
  turn,
} from "./bench-engine.ts";
import { benchFolder } from "./bench-folder.ts";
import { keepResting, storeOfShards } from "./burst-stores.ts";
import { type Case, msOf } from "./growth-case.ts";
import { beginQuotes, feed, quotesOf, stopBelow, trailing } from "./market.ts";

const OPERATIONS = 10_000;
/** Sizes for work beside resting orders, and for work on each of them. */
const AMONG = [1_000, 10_000, 100_000, 1_000_000];
const OF = [100, 1_000, 10_000, 100_000];

async function among(n: number, intentOf: typeof stopBelow): Promise<Engine> {
  const store = createMemoryStore();
  await keepResting(store, { parents: n, accountOf: accountIn, intentOf });
  const { engine } = await openBenchEngine(store);
  beginQuotes(engine);
  return engine;
}

/** Runs a function on an engine, then closes the engine. */
async function timed(engine: Engine, run: () => unknown): Promise<number> {
  const ms = await msOf(async () => run());
  await engine.close();
  return ms;
}

async function dormantQuotes(n: number): Promise<number> {
  const engine = await among(n, stopBelow);
  const quotes = quotesOf(10 * OPERATIONS, false);
  return await timed(engine, () => feed(engine, quotes));
}

async function newHighs(n: number): Promise<number> {
  const engine = await among(n, trailing);
  const quotes = quotesOf(OPERATIONS, true);
  return await timed(engine, async () => {
    for (let from = 0; from < OPERATIONS; from += 64) {
      feed(engine, quotes.slice(from, from + 64));
      await turn();
    }
  });
}

async function placements(n: number): Promise<number> {
  const engine = await among(n, stopBelow);
  const intents = intentsOf(OPERATIONS, () => stopIntent("5000"));
  return await timed(engine, () => placeAll(engine, intents));
}

/** Measures one quote that triggers `n` stops of 64 accounts. */
async function fires(n: number): Promise<number> {
  const { engine } = await openBenchEngine(createMemoryStore());
  await restStops(engine, n);
  return await timed(engine, () => fireStops(engine));
}

async function cancelAll(n: number): Promise<number> {
  const { engine } = await openBenchEngine(createMemoryStore());
  const intents = intentsOf(n, () => stopIntent());
  await placeAll(engine, intents, { accounts: 1 });
  return await timed(engine, () => engine.cancelAll(accountIn(0)));
}

async function opening(n: number): Promise<number> {
  const folder = benchFolder();
  const path = folder.path("orders.db");
  await storeOfShards({ path, parents: n, accountOf: accountIn });
  let engine: Engine | undefined;
  const ms = await msOf(async () => {
    engine = (await openBenchEngine(openSqliteStore({ path }))).engine;
  });
  await engine?.close();
  folder.remove();
  return ms;
}

async function simulation(n: number): Promise<number> {
  const clock = createManualClock({ startMs: START_MS });
  const { engine } = await openBenchEngine(createMemoryStore(), { clock });
  await restStops(engine, n);
  return await timed(engine, async () => {
    for (let k = 0; k < OPERATIONS; k++) {
      engine.market.quote(ABOVE);
      await clock.advanceBy(100, () => engine.idle());
    }
  });
}

/** The engine's daily work, beside or for many orders. */
export const ENGINE_CASES: readonly Case[] = [
  { name: "(g) 100,000 dormant quotes among n stops", sizes: AMONG, take: dormantQuotes },
  { name: "(h) 10,000 new highs among n trailing stops", sizes: AMONG, take: newHighs },
  { name: "(i) 10,000 placements among n stops", sizes: AMONG, take: placements },
  { name: "(j) n stops fired by one quote", sizes: OF, take: fires },
  { name: "(k) cancel-all of n", sizes: OF, take: cancelAll },
  { name: "(l) opening with n stops", sizes: AMONG, take: opening },
  { name: "(m) 10,000 quotes and steps of a simulation, n stops", sizes: OF, take: simulation },
];
