import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayOrders } from "./orders.ts";
import { readRows, recompute } from "./recompute.ts";
import { readTrades, recomputeSchedules } from "./recompute-schedules.ts";
import { replayDay, replaySchedules } from "./replay.ts";
import { dayPlan, scheduleOrders } from "./schedule-orders.ts";

const [quotes, trades] = process.argv.slice(2);
if (quotes === undefined || trades === undefined) {
  console.error("usage: npm run program -- market-day QUOTES.csv TRADES.csv");
  process.exit(2);
}

/** Minutes of each of the three parts in which schedules trade. */
const PART_MINUTES = 400;

type Outcome = Readonly<{ fills: readonly string[]; triggeredAtMs?: number; status?: string }>;

/** Compares each order on the sandbox with the recomputation and prints the result; returns whether all agree. */
function compare(expected: ReadonlyMap<string, Outcome>, seen: ReadonlyMap<string, Outcome>): boolean {
  let equal = expected.size === seen.size;
  for (const [id, outcome] of expected) {
    const same = JSON.stringify(outcome) === JSON.stringify(seen.get(id));
    equal &&= same;
    const { triggeredAtMs, status, fills } = outcome;
    const how = status ?? `trigger ${triggeredAtMs ?? "none"}`;
    const some = fills.length > 0 ? `, first ${fills[0]}, last ${fills.at(-1)}` : "";
    console.log(`${id}: ${same ? "agrees" : "DIFFERS"}; ${how}, ${fills.length} fills${some}`);
    if (!same) console.log("  expected", outcome, "\n  sandbox", seen.get(id));
  }
  return equal;
}

const folder = mkdtempSync(join(tmpdir(), "managed-orders-day-"));
try {
  const rows = readRows(quotes);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`${quotes} holds no row`);
  const lastMs = last.timeMs;
  const files = { quotes, trades, folder, symbol: first.symbol, lastMs };
  const orders = dayOrders(first);
  const levels = compare(recompute(rows, orders), await replayDay(files, orders));
  const schedules = scheduleOrders(dayPlan(rows, PART_MINUTES));
  const worked = recomputeSchedules({ rows, trades: readTrades(trades), lastMs }, schedules);
  process.exitCode = compare(worked, await replaySchedules(files, schedules)) && levels ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
