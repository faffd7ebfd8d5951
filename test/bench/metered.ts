import type { Taken } from "./line.ts";
import { schedulerClock } from "./scheduler-clock.ts";

/** Processor time of this thread so far, in microseconds; that of the whole process where Linux does not say. */
const threadUs = (): number => schedulerClock?.().ranUs ?? processUs();

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Runs something that does so many operations, with a clean heap before it. */
export async function metered(operations: number, run: () => unknown): Promise<Taken> {
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const [mainBefore, allBefore] = [threadUs(), processUs()];
  const start = process.hrtime.bigint();
  const pending = run();
  if (pending instanceof Promise) await pending;
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const mainUs = threadUs() - mainBefore;
  const othersUs = Math.max(0, processUs() - allBefore - mainUs);
  globalThis.gc?.();
  return { operations, seconds, mainUs, othersUs, heapBytes: process.memoryUsage().heapUsed - heap };
}
