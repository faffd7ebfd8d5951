/**
 * Runs a strategy on an artificial day of bars and writes its report to the file that REPORT names, or to
 * managed-orders-report.html in the folder for temporary files. Open it in a browser.
 */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bar, marketOfBars, reportOf, type Strategy, simulate } from "managed-orders/simulator";

const SYMBOL = "BTC/USD";
const MINUTE_MS = 60_000;
const DAY_MS = Date.UTC(2026, 0, 5);

/** A day of five-minute bars: the price rises to noon and falls again, with a small wave on it. */
const bars: readonly Bar[] = Array.from({ length: 288 }, (_, index) => {
  const minute = index * 5;
  const base = 60_000 + 2 * Math.min(minute, 1_440 - minute);
  const wave = [0, 40, 70, 40, 0, -40, -70, -40][Math.floor(minute / 15) % 8] ?? 0;
  const price = base + wave;
  return {
    ...{ symbol: SYMBOL, openMs: DAY_MS + minute * MINUTE_MS, intervalMs: 5 * MINUTE_MS },
    ...{ open: String(price), high: String(price + 12), low: String(price - 12), close: String(price + 2) },
    volume: String(20 + (index % 7)),
  };
});

/** Buys over the morning, follows the volume at noon, and protects the position with a trailing stop. */
const strategy: Strategy = async ({ account, at }) => {
  const buy = { symbol: SYMBOL, side: "BUY" } as const;
  await account.place({ ...buy, type: "TWAP", quantity: "6", interval: 10 * MINUTE_MS, intervalCount: 30 });
  await account.place({ ...buy, type: "STOP_LOSS_LIMIT", quantity: "2", stopPrice: "60600", price: "60650" });
  at(DAY_MS + 600 * MINUTE_MS, () =>
    account.place({ ...buy, type: "POV", quantity: "40", participationBips: 800 }),
  );
  at(DAY_MS + 700 * MINUTE_MS, () =>
    account.place({
      ...{ symbol: SYMBOL, side: "SELL", type: "TRAILING_STOP_MARKET", quantity: "8" },
      trailingDelta: 60,
    }),
  );
};

const result = await simulate({
  symbols: [SYMBOL],
  market: marketOfBars(bars, { spreadBps: "1" }),
  balances: { USD: "10000000" },
  venue: { fees: { maker: "0.0002", taker: "0.0005" }, slippage: () => "0.5" },
  settings: { quoteMaxAgeMs: 300_000 },
  sampleMs: 5 * MINUTE_MS,
  chart: true,
  strategy,
});

const page = reportOf(result, { title: "A day of bars", parameters: { trailing: "60 bp" } });
await writeFile(process.env["REPORT"] ?? join(tmpdir(), "managed-orders-report.html"), page);

for (const { intent, executedQuantity, ended } of result.orders)
  console.log(`${intent.side} ${intent.type}: ${Number(executedQuantity) / 1e6}, ${ended?.reason ?? "open"}`);
console.log(`profit ${result.statistics.profit} USD, commissions ${result.statistics.commissions} USD`);
console.log(
  `the page has ${page.split("<figure").length - 1} charts and ${page.split("<table").length - 1} tables`,
);
