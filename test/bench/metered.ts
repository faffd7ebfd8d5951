import { openSync, readSync } from "node:fs";
import type { Taken } from "./line.ts";

/** Processor time of this thread so far, in microseconds; that of the whole process where Linux does not say. */
const threadUs: () => number = threadClock();

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function threadClock(): () => number {
  let file: number;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return processUs;
  }
  const bytes = Buffer.alloc(64);
  return () => Number(bytes.toString("latin1", 0, readSync(file, bytes, 0, 64, 0)).split(" ")[0] ?? 0) / 1e3;
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
