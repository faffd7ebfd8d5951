import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { csvFile } from "../../sandbox/csv-file.ts";

import { DAY_MS, MINUTE_MS, QUOTE_HEADER, recordedDay, TRADE_HEADER } from "../../sandbox/recorded-day.ts";

import { dayOrders } from "./orders.ts";
import { readRows, recompute } from "./recompute.ts";
import { readTrades, recomputeSchedules } from "./recompute-schedules.ts";
import { replayDay, replaySchedules } from "./replay.ts";
import { dayPlan, scheduleOrders } from "./schedule-orders.ts";

it("trigger rules 1-5: over two recorded hours, triggers and fills are those recomputed from the rows alone", async () => {
  const day = recordedDay(120);
  const quotes = await csvFile("quotes.csv", [QUOTE_HEADER, ...day.quotes]);
  const trades = await csvFile("trades.csv", [TRADE_HEADER, ...day.trades]);
  const folder = await mkdtemp(join(tmpdir(), "managed-orders-day-"));
  try {
    const rows = readRows(quotes);
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) throw new Error("the day holds no row");
    const orders = dayOrders(first);
    const expected = recompute(rows, orders);
    const seen = await replayDay(
      { quotes, trades, folder, symbol: first.symbol, lastMs: last.timeMs },
      orders,
    );
    expect([...seen]).toEqual([...expected]);
    expect(seen.get("trailing")?.fills.length).toBeGreaterThan(0);
    expect(seen.get("stop-limit")?.fills.length).toBeGreaterThan(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Minutes of each of the three parts of the short form. */
const PART_MINUTES = 30;

it("TWAP, VWAP and POV whose slots open at the times of rows execute as recomputed from the rows alone", async () => {
  const day = recordedDay();
  const quotes = await csvFile("quotes.csv", [QUOTE_HEADER, ...day.quotes]);
  // Some minutes have no trade, others no quote.
  const traded = day.trades.filter((_, minute) => minute % 3 !== 1);
  const trades = await csvFile("trades.csv", [TRADE_HEADER, ...traded]);
  const folder = await mkdtemp(join(tmpdir(), "managed-orders-schedules-"));
  try {
    const rows = readRows(quotes);
    const orders = scheduleOrders(dayPlan(rows, PART_MINUTES));
    const lastMs = DAY_MS + 3 * PART_MINUTES * MINUTE_MS;
    const expected = recomputeSchedules({ rows, trades: readTrades(trades), lastMs }, orders);
    const files = { quotes, trades, folder, symbol: "BTC/USD", lastMs };
    expect([...(await replaySchedules(files, orders))]).toEqual([...expected]);
    const filled = [...expected].map(([id, { fills }]) => `${id} ${fills.length > 3}`);
    expect(filled).toEqual(orders.map(({ id }) => `${id} true`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
