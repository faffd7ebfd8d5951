import { PerformanceObserver, performance } from "node:perf_hooks";
import Database from "better-sqlite3";
import { schedulerClock } from "./scheduler-clock.ts";

/** A period, in milliseconds of `performance.now`. */
type Span = Readonly<{ from: number; to: number }>;

/** Observations of the event loop, all in milliseconds. */
export type Turns = Readonly<{
  total: number;
  /** The longest turn as measured; the longest without garbage collection, commits and waiting for a processor. */
  longest: number;
  longestOwn: number;
  /** Time that the thread waited for a processor that other processes used. */
  waited: number;
  /** The highest processor time of a turn, including commits and garbage collection. */
  longestCpu: number;
  gc: number;
  longestGc: number;
  commit: number;
  longestCommit: number;
}>;

const lengthOf = ({ from, to }: Span): number => to - from;
const sumOf = (spans: readonly Span[]): number => spans.reduce((sum, span) => sum + lengthOf(span), 0);
const mostOf = (spans: readonly Span[]): number =>
  spans.reduce((most, span) => Math.max(most, lengthOf(span)), 0);
const overlap = (a: Span, b: Span): number => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

const commits: Span[] = [];

/** Starts timing every commit of SQLite: the statement COMMIT, and writes outside a transaction. */
export function watchCommits(): void {
  const database = new Database(":memory:");
  const statement = Object.getPrototypeOf(database.prepare("SELECT 1")) as Database.Statement;
  const run = statement.run as (...values: unknown[]) => Database.RunResult;
  statement.run = function timed(this: Database.Statement, ...values: unknown[]) {
    const isCommit =
      this.source === "COMMIT" || (!this.database.inTransaction && !this.source.startsWith("BEGIN"));
    if (!isCommit) return run.apply(this, values);
    const from = performance.now();
    try {
      return run.apply(this, values);
    } finally {
      commits.push({ from, to: performance.now() });
    }
  };
  database.close();
}

/**
 * Returns how long the main thread has waited for a processor so far, in milliseconds; always 0 if Linux does not
 * report it.
 */
const waitedMs = (): number => (schedulerClock?.().waitedUs ?? 0) / 1e3;

const nextImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Watches the turns of the event loop during `work`. */
export async function watchTurns(work: () => Promise<unknown>): Promise<Turns> {
  globalThis.gc?.();
  const pauses: Span[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      pauses.push({ from: startTime, to: startTime + duration });
  });
  observer.observe({ entryTypes: ["gc"] });
  commits.length = 0;
  const long: (Span & Readonly<{ waited: number }>)[] = [];
  let longestCpu = 0;
  let over = false;
  let last = performance.now();
  let cpu = process.cpuUsage();
  let waited = waitedMs();
  const waitedBefore = waited;
  const look = (): void => {
    const now = performance.now();
    const waitedNow = waitedMs();
    if (now - last >= 1) {
      long.push({ from: last, to: now, waited: waitedNow - waited });
      const { user, system } = process.cpuUsage(cpu);
      longestCpu = Math.max(longestCpu, (user + system) / 1e3);
    }
    // The time of the watching itself does not belong to a turn.
    last = performance.now();
    waited = waitedNow;
    cpu = process.cpuUsage();
    if (!over) setImmediate(look);
  };
  const from = performance.now();
  setImmediate(look);
  await work();
  const total = performance.now() - from;
  over = true;
  for (let turn = 0; turn < 3; turn++) await nextImmediate();
  await new Promise((resolve) => setTimeout(resolve, 50));
  observer.disconnect();
  const own = long.map((turn) => {
    const apart = [...pauses, ...commits].reduce((sum, span) => sum + overlap(turn, span), 0);
    return lengthOf(turn) - apart - turn.waited;
  });
  return {
    total,
    longest: mostOf(long),
    longestOwn: own.reduce((most, one) => Math.max(most, one), 0),
    waited: waited - waitedBefore,
    longestCpu,
    gc: sumOf(pauses),
    longestGc: mostOf(pauses),
    commit: sumOf(commits),
    longestCommit: mostOf(commits),
  };
}
