import { medianOf } from "./measure.ts";

/** One thing that may grow: the sizes, three decades apart, and how long one of them takes. */
export type Case = Readonly<{ name: string; sizes: readonly number[]; take: (n: number) => Promise<number> }>;

/** Three decades. */
export const SIZES: readonly number[] = [30, 300, 3_000, 30_000];

/** Of the processor, so that what else the machine does counts for little. */
export const msOf = async (run: () => Promise<unknown>): Promise<number> => {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
};

/** The median of so many runs, of the clock. */
export const medianMsOf = async (times: number, run: () => Promise<unknown>): Promise<number> => {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = process.hrtime.bigint();
    await run();
    taken.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return medianOf(taken);
};
