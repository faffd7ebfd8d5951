import type { Taken } from "./line.ts";
import { schedulerClock } from "./scheduler-clock.ts";

/**
 * Returns the processor time of this thread so far, in microseconds; that of the whole process if Linux does not report
 * it.
 */
const threadUs = (): number => schedulerClock?.().ranUs ?? processUs();

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The limit in microseconds: the other threads were idle in a pause if they used less processor time. */
const REST_US = 250;
const PAUSE_MS = 5;
const MOST_PAUSES = 200;

/**
 * Collects garbage and waits for V8's other threads. After half a gigabyte they sweep for up to 90 ms while the program
 * continues; a measurement starts when they are idle.
 */
async function cleanHeap(): Promise<void> {
  globalThis.gc?.();
  for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
    const before = processUs() - threadUs();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (processUs() - threadUs() - before < REST_US) return;
  }
}

/** Runs a number of operations after cleaning the heap. */
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
