import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { csvFile, QUOTE_HEADER, recordedDay, TRADE_HEADER } from "../sandbox/markets/recorded-day.ts";
import { dayOrders } from "./orders.ts";
import { readRows, recompute } from "./recompute.ts";
import { replayDay } from "./replay.ts";

it("trigger rules 1-5: over a recorded day, triggers and fills are those worked out from the rows alone", {
  timeout: 120_000,
}, async () => {
  const day = recordedDay();
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
