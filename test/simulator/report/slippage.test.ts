import { describe, expect, it } from "vitest";
import { type MarketRow, reportOf, type SimulationResult, simulate } from "../../../src/simulator/index.ts";
import { parseHtml, rowsOf } from "../../support/html-tree.ts";

const quote = (second: number, bid: string, ask: string): MarketRow => ({
  ...{ kind: "quote", timeMs: 1_760_000_000_000 + second * 1_000, symbol: "BTC/USD" },
  ...{ bid, ask },
});

/** The middle is 60,000 when both orders arrive, then the price falls to 59,400, then rises to 60,600. */
const market = [quote(0, "59999", "60001"), quote(1, "59399", "59401"), quote(2, "60599", "60601")];

const run = (): Promise<SimulationResult> =>
  simulate({
    ...{ symbols: ["BTC/USD"], market, chart: true, balances: { USD: "100000", BTC: "1" } },
    strategy: async ({ account }) => {
      const order = { symbol: "BTC/USD", quantity: "0.5" } as const;
      await account.place({ ...order, side: "SELL", type: "STOP_MARKET", stopPrice: "59500" });
      await account.place({ ...order, side: "BUY", type: "STOP_MARKET", stopPrice: "60500" });
      await account.place({ ...order, side: "BUY", type: "SYNTHETIC_LIMIT", price: "59500" });
    },
  });

describe("slippage", () => {
  it("decision RG: a worse price than at the arrival is positive on both sides, a better one negative", async () => {
    const page = parseHtml(reportOf(await run()));
    const rows = rowsOf(page, "Slippage by order");
    // (60000 - 59399) / 60000, (60601 - 60000) / 60000 and (59401 - 60000) / 60000, in basis points.
    expect(rows.map((cells) => [cells[2], cells[4], cells[5], cells[6], cells[8], cells[9]])).toEqual([
      ["SELL", "60,000", "59,399", "100.17", "300.50", "0.00"],
      ["BUY", "60,000", "60,601", "100.17", "300.50", "0.00"],
      ["BUY", "60,000", "59,401", "\u221299.83", "\u2212299.50", ""],
    ]);
    expect(rowsOf(page, "Slippage by type, weighted by executed value")).toEqual([
      ["STOP_MARKET", "2", "60,000.00", "100.17", "601.00"],
      ["SYNTHETIC_LIMIT", "1", "30,000.00", "\u221299.83", "\u2212299.50"],
      ["All", "3", "90,000.00", "33.50", "301.50"],
    ]);
  });

  it("decision RH: a small report is the stored one", async () => {
    const text = reportOf(await run(), { title: "Two stops and a limit" });
    const body = text.slice(text.indexOf("<body>"), text.indexOf("<script>"));
    await expect(body).toMatchFileSnapshot("small-report.html.txt");
  });
});
