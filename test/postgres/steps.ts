import type { Server } from "./server.ts";

/** Surroundings of one step: the server, a schema of its own, whether it may take long, and the folder of the binaries. */
export type Surroundings = Readonly<{ server: Server; schema: string; long?: boolean; binaries?: string }>;

/** A step of the tests. Rejects if something does not hold. */
export type Step = (given: Surroundings) => Promise<void>;

/** Throws an Error unless something holds. */
export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Waits for a time in milliseconds. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const PATIENCE_MS = 60_000;

/** Waits until something is so. Rejects after a minute. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    demand(performance.now() < end, `waited in vain: ${what}`);
    await sleep(10);
  }
}
