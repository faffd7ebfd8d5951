import { openSync, readSync } from "node:fs";

/** What the main thread has had of a processor, and how long it has waited for one, microseconds. */
export type Scheduled = Readonly<{ ranUs: number; waitedUs: number }>;

/** What Linux says of the main thread so far; undefined where there is nobody to say it. */
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
