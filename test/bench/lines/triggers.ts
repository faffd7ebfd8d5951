import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import { type BenchEngine, fireStops, openBenchEngine, openOnSqlite, restStops } from "../bench-engine.ts";
import { flushTimes } from "../flush.ts";
import { type Line, rounds } from "../line.ts";
import { medianOf, quantileOf } from "../measure.ts";
import { metered } from "../metered.ts";

const FIRES = 20_000;
const SINGLES = 200;

/** Measures stops that one quote triggers, each with its journal record, its child and its fill. */
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
      const { engine } = await openBenchEngine(createMemoryStore());
      const peer = await metered(count, () => restStops(engine, count));
      const ours = await metered(count, () => fireStops(engine));
      await engine.close();
      return { ours, peer };
    });
  },
};

/** Runs a function on a separate engine on SQLite. */
async function onSqlite<T>(run: (opened: BenchEngine) => Promise<T>): Promise<T> {
  const opened = await openOnSqlite();
  try {
    return await run(opened);
  } finally {
    await opened.close();
  }
}

/** Measures the time from a quote to the child of a single stop, repeatedly, in milliseconds. */
async function singleChildren({ engine, venue }: BenchEngine, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    await restStops(engine, 1);
    let sentAt: number | undefined;
    venue.onSubmit = () => {
      sentAt = performance.now();
    };
    const quotedAt = performance.now();
    await fireStops(engine);
    times.push((sentAt ?? Number.NaN) - quotedAt);
  }
  return times;
}

/** Returns the time beyond the flush that every child waits for, at the 99th percentile. */
const aboveFlush = (times: readonly number[]): number =>
  Math.max(0, quantileOf(times, 0.99) - medianOf(flushTimes(SINGLES)));

/** Measures how long a single stop takes to become a child. */
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

/** Measures the time from a quote that triggers a burst to the first child of each account, in milliseconds. */
async function firstChildren(opened: BenchEngine, count: number): Promise<readonly number[]> {
  const { engine, venue } = opened;
  await restStops(engine, count);
  const first = new Map<number, number>();
  let quotedAt = 0;
  venue.onSubmit = ({ accountId }) => {
    if (!first.has(accountId)) first.set(accountId, performance.now() - quotedAt);
  };
  quotedAt = performance.now();
  await fireStops(engine);
  return [...first.values()];
}

/** Measures how long an account waits for its first child when the stops of all accounts trigger. */
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
