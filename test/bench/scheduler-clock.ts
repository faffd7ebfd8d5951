import { openSync, readSync } from "node:fs";

/** Processor time of the main thread, and its wait for a processor, in microseconds. */
export type Scheduled = Readonly<{ ranUs: number; waitedUs: number }>;

/** Reads the main thread's times so far from Linux; undefined on other systems. */
export const schedulerClock: (() => Scheduled) | undefined = openClock();

function openClock(): (() => Scheduled) | undefined {
  let file: number;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return undefined;
  }
  const bytes = Buffer.alloc(64);
  return () => {
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, 64, 0));
    const [ran, waited] = text.split(" ");
    return { ranUs: Number(ran ?? 0) / 1e3, waitedUs: Number(waited ?? 0) / 1e3 };
  };
}
