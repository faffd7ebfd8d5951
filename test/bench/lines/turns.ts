import { BURST_FLAGS, takeBurst } from "../bursts.ts";
import { type Line, rounds } from "../line.ts";

const MOST_MS = 20;

/** Measures the longest turn of the event loop in a burst. */
const longestTurn = (burst: string): Line => ({
  work: `longest turn: ${burst}`,
  unit: "ms",
  timedBy: "clock",
  target: `<= ${MOST_MS} ms`,
  reached: (ms) => ms <= MOST_MS,
  alone: true,
  flags: BURST_FLAGS,
  open: async (size) => rounds(async () => ({ figure: (await takeBurst(burst, size)).longestOwn })),
});

export const turnOfFires: Line = longestTurn("100,000 fires on one quote, SQLite");
export const turnOfCancelAll: Line = longestTurn("cancel-all of 64,000, SQLite");
export const turnOfSnapshot: Line = longestTurn("snapshot of a shard of 1,000,000");
export const turnOfRetention: Line = longestTurn("retention of 1,000,000 rows");
