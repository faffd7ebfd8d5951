import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { SYMBOL } from "../../support/world.ts";
import {
  type BenchEngine,
  intentsOf,
  openBenchEngine,
  placeAll,
  stopIntent,
  until,
} from "../bench-engine.ts";
import { benchFolder } from "../bench-folder.ts";
import { flushTimes } from "../flush.ts";
import { type Line, rounds } from "../line.ts";
import { medianOf, quantileOf } from "../measure.ts";
import { metered } from "../metered.ts";

const FIRES = 20_000;
const ACCOUNTS = 64;
const SINGLES = 200;

const above = { symbol: SYMBOL, bid: "9999", ask: "10000" };
const below = { symbol: SYMBOL, bid: "8999", ask: "9001" };

/** Stops at rest in an engine, of so many accounts. */
async function stopsAtRest(opened: BenchEngine, count: number): Promise<void> {
  opened.engine.market.quote(above);
  const intents = intentsOf(count, () => stopIntent());
  await placeAll(opened.engine, intents, { accounts: ACCOUNTS });
}

/** Stops that one quote fires, each with its journal, its child and its fill. */
export const triggers: Line = {
  work: "20,000 stops fired by one quote: journal, child and fill, memory store",
  unit: "triggers",
  peer: "the engine, as many placements",
  timedBy: "processor",
  target: ">= 60 k/s",
  reached: (perSecond) => perSecond >= 60_000,
  async open({ of }) {
    const count = of(FIRES);
    return rounds(async () => {
      const opened = await openBenchEngine(createMemoryStore());
      const peer = await metered(count, () => stopsAtRest(opened, count));
      const ours = await metered(count, async () => {
        opened.engine.market.quote(below);
        await until(() => opened.engine.metrics().openParents === 0);
      });
      await opened.engine.close();
      return { ours, peer };
    });
  },
};

/** An engine on SQLite in a folder of its own, for one run. */
async function onSqlite<T>(run: (opened: BenchEngine) => Promise<T>): Promise<T> {
  const folder = benchFolder();
  const opened = await openBenchEngine(openSqliteStore({ path: folder.path("orders.db") }));
  try {
    return await run(opened);
  } finally {
    await opened.engine.close();
    folder.remove();
  }
}

/** From a quote to the child of a single stop, again and again, milliseconds each. */
async function singleChildren({ engine, venue }: BenchEngine, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    engine.market.quote(above);
    await placeAll(engine, [stopIntent()]);
    let sentAt: number | undefined;
    venue.onSubmit = () => {
      sentAt = performance.now();
    };
    const quotedAt = performance.now();
    engine.market.quote(below);
    await until(() => engine.metrics().openParents === 0);
    times.push((sentAt ?? Number.NaN) - quotedAt);
  }
  return times;
}

/** What lies above the flush that every child waits for, at the 99th of 100. */
const aboveFlush = (times: readonly number[]): number =>
  Math.max(0, quantileOf(times, 0.99) - medianOf(flushTimes(SINGLES)));

/** How long a single stop takes to become a child. */
export const singleChild: Line = {
  work: "quote to child of a single stop, SQLite, p99 above the flush",
  unit: "ms",
  timedBy: "clock",
  target: "<= 5 ms",
  reached: (ms) => ms <= 5,
  open: async ({ of }) =>
    rounds(async () => ({
      figure: aboveFlush(await onSqlite((opened) => singleChildren(opened, of(SINGLES)))),
    })),
};

/** From a quote that fires a burst to the first child of each account, milliseconds each. */
async function firstChildren(opened: BenchEngine, count: number): Promise<readonly number[]> {
  const { engine, venue } = opened;
  await stopsAtRest(opened, count);
  const first = new Map<number, number>();
  let quotedAt = 0;
  venue.onSubmit = ({ accountId }) => {
    if (!first.has(accountId)) first.set(accountId, performance.now() - quotedAt);
  };
  quotedAt = performance.now();
  engine.market.quote(below);
  await until(() => engine.metrics().openParents === 0);
  return [...first.values()];
}

/** How long an account waits for its first child when everybody's stops are met. */
export const firstChildOfBurst: Line = {
  work: "quote to the first child of each account, 20,000 stops, SQLite, p99 above the flush",
  unit: "ms",
  timedBy: "clock",
  target: "<= 50 ms",
  reached: (ms) => ms <= 50,
  open: async ({ of }) =>
    rounds(async () => ({
      figure: aboveFlush(await onSqlite((opened) => firstChildren(opened, of(FIRES)))),
    })),
};
