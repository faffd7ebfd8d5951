import { medianOf } from "./measure.ts";

/** A dimension that may grow: its sizes over three decades, and the time for one of them. */
export type Case = Readonly<{ name: string; sizes: readonly number[]; take: (n: number) => Promise<number> }>;

/** Sizes over three decades. */
export const SIZES: readonly number[] = [30, 300, 3_000, 30_000];

/** Measures processor time, so that other load on the machine has little influence. */
export const msOf = async (run: () => Promise<unknown>): Promise<number> => {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
};

/** Returns the median of several wall-clock measurements. */
export const medianMsOf = async (times: number, run: () => Promise<unknown>): Promise<number> => {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = process.hrtime.bigint();
    await run();
    taken.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return medianOf(taken);
};
