import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayOrders } from "./orders.ts";
import { readRows, recompute } from "./recompute.ts";
import { replayDay } from "./replay.ts";

const [quotes, trades] = process.argv.slice(2);
if (quotes === undefined || trades === undefined) {
  console.error("usage: npm run market-day -- QUOTES.csv TRADES.csv");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "managed-orders-day-"));
try {
  const rows = readRows(quotes);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`${quotes} holds no row`);
  const orders = dayOrders(first);
  const expected = recompute(rows, orders);
  const seen = await replayDay({ quotes, trades, folder, symbol: first.symbol, lastMs: last.timeMs }, orders);
  let equal = true;
  for (const { id } of orders) {
    const same = JSON.stringify(expected.get(id)) === JSON.stringify(seen.get(id));
    equal &&= same;
    const { triggeredAtMs, fills = [] } = seen.get(id) ?? {};
    console.log(
      `${id}: ${same ? "agrees" : "DIFFERS"}; trigger ${triggeredAtMs ?? "none"}, ${fills.length} fills${fills.length > 0 ? `, first ${fills[0]}, last ${fills.at(-1)}` : ""}`,
    );
    if (!same) console.log("  expected", expected.get(id), "\n  sandbox", seen.get(id));
  }
  process.exitCode = equal ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
