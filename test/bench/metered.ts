import type { Taken } from "./line.ts";
import { schedulerClock } from "./scheduler-clock.ts";

/** Processor time of this thread so far, in microseconds; that of the whole process where Linux does not say. */
const threadUs = (): number => schedulerClock?.().ranUs ?? processUs();

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A pause in which the other threads ran for less than this was one in which they rested, microseconds. */
const REST_US = 250;
const PAUSE_MS = 5;
const MOST_PAUSES = 200;

/**
 * Cleans the heap. V8 sweeps what it has marked on other threads while the program goes on, for as long as 90 ms after
 * half a gigabyte: what is measured begins when they rest.
 */
async function cleanHeap(): Promise<void> {
  globalThis.gc?.();
  for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
    const before = processUs() - threadUs();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (processUs() - threadUs() - before < REST_US) return;
  }
}

/** Runs something that does so many operations, with a clean heap before it. */
export async function metered(operations: number, run: () => unknown): Promise<Taken> {
  await cleanHeap();
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
