/** Sweeps the distance of a trailing stop, and the pause after it, over a recorded day, in two worker threads. */
import { fileURLToPath } from "node:url";
import { parameterGrid, sweep, sweepTable } from "managed-orders/simulator";
import { recordDay } from "./day.ts";

await recordDay(fileURLToPath(new URL("./quotes.csv", import.meta.url)));

const rows = await sweep({
  module: new URL("./strategy.mjs", import.meta.url),
  parameters: parameterGrid({ trailingBps: [20, 50, 100], pauseMin: [5, 60] }),
  workers: 2,
  seed: 7,
});

const columns = ["trailingBps", "pauseMin", "purchases", "profit", "commissions", "maxDrawdown", "failure"];
console.log(columns.slice(0, -1).join(" "));
for (const row of sweepTable(rows)) console.log(columns.flatMap((column) => row[column] ?? []).join(" "));

const profit = (index: number): number => Number(rows[index]?.result?.statistics.profit);
const best = rows.reduce((before, { index }) => (profit(index) > profit(before) ? index : before), 0);
console.log("best:", rows[best]?.parameters);
