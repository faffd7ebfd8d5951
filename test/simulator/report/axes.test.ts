import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Notional } from "../../../src/index.ts";
import {
  type MarketRow,
  reportOf,
  type SimulationResult,
  type Strategy,
  simulate,
} from "../../../src/simulator/index.ts";
import { falls } from "../../../src/simulator/report/equity.ts";
import { roomySpan, timeTicks, valueTicks } from "../../../src/simulator/report/figure.ts";
import {
  grouped,
  instantText,
  percentText,
  quotient,
  readDecimal,
  rounded,
  tickText,
  usd,
} from "../../../src/simulator/report/numbers.ts";
import { STATISTICS, TRADE_STATISTICS, TRADES } from "../../../src/simulator/report/statistics.ts";
import { elementsOf, parseHtml, rowsOf } from "../../support/html-tree.ts";
import { onWalk, SYMBOL } from "./walks.ts";

describe("numbers of a report", () => {
  it("have commas between thousands, a minus sign, and all digits", () => {
    expect(["0", "999", "1000", "-1234567.891", "0.00000001"].map(grouped)).toEqual([
      ...["0", "999", "1,000", "\u22121,234,567.891", "0.00000001"],
    ]);
    expect(["0", "0.5", "-0.06950522", "1", "0.12345678"].map(percentText)).toEqual([
      ...["0 %", "50 %", "\u22126.950522 %", "100 %", "12.345678 %"],
    ]);
  });

  it("are rounded half away from zero", () => {
    const cents = (value: number | bigint): string => rounded(value, { scale: 3, places: 2 });
    expect([1_005, 1_004, -1_005, -4, 10n ** 20n].map(cents)).toEqual([
      ...["1.01", "1.00", "\u22121.01", "0.00", "100,000,000,000,000,000.00"],
    ]);
    expect(usd(-123_450_000_000_000 as unknown as Notional)).toBe("\u22121.23");
    expect([quotient(1n, 8n, 2), quotient(-1n, 8n, 2), quotient(1n, -3n, 0)]).toEqual([13, -13, 0]);
    expect([readDecimal("-12.3456789", 4), readDecimal("7", 2)]).toEqual([-123_456, 700]);
  });

  it("a fall is measured from the highest value until then", () => {
    expect(falls([100, 80, 120, 90, 130])).toEqual([0, 20_000_000, 0, 25_000_000, 0]);
    expect(falls([0, -5])).toEqual([0, 0]);
  });
});

describe("axes of a report", () => {
  it("ticks are round and inside the span", () => {
    expect(valueTicks({ from: -3, to: 23 }, 5)).toEqual({ step: 10, values: [0, 10, 20] });
    expect(valueTicks({ from: 10n ** 18n, to: 10n ** 18n + 4n }, 4)).toEqual({
      ...{ step: 2, values: [10n ** 18n, 10n ** 18n + 2n, 10n ** 18n + 4n] },
    });
    const hour = 3_600_000;
    expect(timeTicks({ from: 1, to: 24 * hour }, 9)).toEqual({
      ...{ step: 3 * hour, values: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => 3 * n * hour) },
    });
    for (const span of [1, 7, 999, 60_001, 86_400_000, 3e10, 1e15])
      for (const most of [4, 9]) {
        const { values } = timeTicks({ from: 1_760_000_000_123, to: 1_760_000_000_123 + span }, most);
        expect(values.length).toBeLessThanOrEqual(most + 1);
      }
  });

  it("a span of one value has room, and one with a floor of zero begins there", () => {
    expect(roomySpan([5_000])).toEqual({ from: 4_994, to: 5_006 });
    expect(roomySpan([])).toEqual({ from: -1, to: 1 });
    expect(roomySpan([100], 0)).toEqual({ from: 0, to: 106 });
  });

  it("times are UTC, as fine as the ticks are", () => {
    const timeMs = Date.UTC(2026, 1, 3, 4, 5, 6, 78);
    const day = Date.UTC(2026, 1, 3);
    expect(instantText(timeMs)).toBe("2026-02-03 04:05:06.078");
    expect(instantText(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991 ms");
    const ticks: readonly [number, number][] = [
      ...([
        [timeMs, 10],
        [timeMs, 1_000],
        [timeMs, 60_000],
        [day, 3_600_000],
        [day, 86_400_000],
      ] as [number, number][]),
    ];
    expect(ticks.map(([at, step]) => tickText(at, step))).toEqual([
      ...["06.078", "04:05:06", "04:05", "02-03", "2026-02-03"],
    ]);
  });
});

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
  it("a worse price than at the arrival is positive on both sides, a better one negative", async () => {
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

  it("a small report is the stored one", async () => {
    const text = reportOf(await run(), { title: "Two stops and a limit" });
    const body = text.slice(text.indexOf("<body>"), text.indexOf("<script>"));
    await expect(body).toMatchFileSnapshot("small-report.html.txt");
  });
});

const source = readFileSync(new URL("../../../src/simulator/statistics.ts", import.meta.url), "utf8");

/** Returns the comment before a text of the source, in one line and without marks. */
function commentBefore(text: string): string {
  const end = source.indexOf(text);
  if (end < 0) throw new Error(`statistics.ts has no ${text}`);
  const start = source.lastIndexOf("/**", end);
  const words = source.slice(start + 3, source.indexOf("*/", start));
  return words
    .replace(/^\s*\* ?/gm, "")
    .replace(/`/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

const interfaceOf = (name: string): string => {
  const start = source.indexOf(`export interface ${name} {`);
  return source.slice(start, source.indexOf("\n}", start));
};

const membersOf = (name: string): readonly string[] =>
  [...interfaceOf(name).matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member = ""]) => member);

it("the page has each figure with the words of its comment", () => {
  expect([...Object.keys(STATISTICS), "trades"].sort()).toEqual([...membersOf("Statistics")].sort());
  for (const [key, [, , definition]] of Object.entries(STATISTICS))
    expect(
      commentBefore(interfaceOf("Statistics").match(new RegExp(` {2}readonly ${key}\\??:.*`))?.[0] ?? ""),
    ).toBe(definition);
  expect(Object.keys(TRADE_STATISTICS)).toEqual(membersOf("TradeStatistics"));
  const trades = source.indexOf("export interface TradeStatistics");
  for (const [key, [, , definition]] of Object.entries(TRADE_STATISTICS)) {
    const member = source.slice(trades).match(new RegExp(` {2}readonly ${key}\\??:.*`))?.[0] ?? "";
    const end = source.indexOf(member, trades);
    const start = source.lastIndexOf("/**", end);
    expect(source.slice(start + 3, source.indexOf("*/", start)).trim()).toBe(definition);
  }
  expect(commentBefore("export interface TradeStatistics")).toBe(TRADES);
});

const HOSTILE =
  "</title></style></script><script>alert(1)</script><img src=x onerror='alert(1)'>\" onload=\"alert(2)&amp;\u202e\u0000\ud800]]>-->";
const SHOWN = HOSTILE.replace("\u202e", "\\u{202e}")
  .replace("\u0000", "\\u{0}")
  .replace("\ud800", "\\u{d800}");

/** Replaces a symbol and every client id by a hostile text, wherever a result has them. */
function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const hostile = new Set(["symbol", "clientOrderId", "listClientOrderId", "hash"]);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, hostile.has(key) ? HOSTILE : poisoned(each)]),
  );
}

describe("hostile names in a report", () => {
  it("symbols, ids, title and parameters are text and never markup", async () => {
    const result = await onWalk(1);
    const hostile = poisoned(result) as SimulationResult;
    const text = reportOf(hostile, { title: HOSTILE, parameters: { [HOSTILE]: HOSTILE } });
    const page = parseHtml(text);
    const names = (of: string): readonly string[] =>
      elementsOf(parseHtml(of), () => true).map(({ name, attributes }) =>
        [name, ...attributes.keys()].join(" "),
      );
    const plain = names(reportOf(result, { title: "plain", parameters: { a: "b" } }));
    // The labels beside levels depend on the length of nothing foreign, so elements and attributes are the same.
    expect(names(text)).toEqual(plain);
    expect(rowsOf(page, "Parameters")).toEqual([[SHOWN, SHOWN]]);
    expect(rowsOf(page, "Managed orders")[0]?.slice(1, 3)).toEqual([SHOWN, SHOWN]);
    expect(elementsOf(page, ({ name }) => name === "h1")[0]?.text).toBe(SHOWN);
    expect(text).not.toContain("\u202e");
    expect(Buffer.from(text).toString()).toBe(text);
  });

  it("an option that is unknown or wrong is named", async () => {
    const result = await onWalk(1, () => undefined, { seconds: 10 });
    expect(() => reportOf(result, { titel: "a" } as never)).toThrow("titel");
    expect(() => reportOf(result, { maxRows: -1 })).toThrow("reportOf.maxRows");
    expect(() => reportOf(result, { parameters: { seed: 1 } as never })).toThrow('parameters["seed"]');
  });
});

const PLACED = 100;
const COPIES = 40;
const ORDERS: number = PLACED * COPIES;

/** Places small orders of four kinds around the price, ten a second. */
const placeMany: Strategy = ({ account, every, quote }) => {
  let placed = 0;
  every(1_000, async () => {
    const bid = Math.floor(Number(quote(SYMBOL)?.bid) / 1e8);
    for (let n = 0; n < 10 && placed < PLACED; n++) {
      placed += 1;
      const order = {
        symbol: SYMBOL,
        side: "BUY",
        quantity: "0.1",
        newClientOrderId: `many-${placed}`,
      } as const;
      if (n === 0) await account.place({ ...order, type: "TWAP", interval: 1_000, intervalCount: 3 });
      else if (n === 1) await account.place({ ...order, type: "POV", participationBips: 500 });
      else if (n === 2) await account.place({ ...order, type: "TRAILING_STOP_MARKET", trailingAmount: "30" });
      else await account.place({ ...order, type: "SYNTHETIC_LIMIT", price: `${bid - 20 * (n - 4)}` });
    }
  });
};

/** Repeats the orders of a result, with ids of their own. */
function repeated(result: SimulationResult): SimulationResult {
  const copies = Array.from({ length: COPIES }, (_, copy) => copy);
  const copied = <T extends Readonly<{ orderId: number }>>(all: readonly T[]): readonly T[] =>
    copies.flatMap((copy) => all.map((each) => ({ ...each, orderId: each.orderId - copy * 1_000_000 })));
  const fills = result.fills.map((fill) => ({ ...fill, orderId: fill.orderId ?? 0 }));
  return {
    ...result,
    orders: copied(result.orders),
    fills: copied(fills),
    journal: result.journal.map((record) => ({ ...record, changes: copied(record.changes) })),
    ...(result.chart && { chart: { ...result.chart, orders: copied(result.chart.orders) } }),
  };
}

it("a report of thousands of orders stays small and says what it leaves out", async () => {
  const result = repeated(await onWalk(2, placeMany, { seconds: 60 }));
  const text = reportOf(result);
  const page = parseHtml(text);
  console.log(`${result.orders.length} orders, ${result.fills.length} fills: ${text.length} characters`);
  expect([result.orders.length, result.fills.length > ORDERS]).toEqual([ORDERS, true]);
  expect(text.length).toBeLessThan(3_000_000);
  expect(rowsOf(page, "Managed orders")).toHaveLength(500);
  const answer = elementsOf(page, ({ name }) => name === "p")
    .map((line) => line.text)
    .join("\n");
  const scheduled = ORDERS / 10 - 20;
  for (const left of [
    `${ORDERS - 500} more orders not shown.`,
    `${scheduled} more schedules not shown.`,
    `${scheduled} more POV orders not shown.`,
    `${ORDERS - 100} more orders have no levels and no children in this chart`,
    `${scheduled} more orders with a trigger not shown.`,
  ])
    expect(answer).toContain(left);
  const small = parseHtml(reportOf(result, { maxRows: 3, maxCharts: 1 }));
  expect(rowsOf(small, "Managed orders")).toHaveLength(3);
  expect(elementsOf(small, ({ name }) => name === "figure")).toHaveLength(6);
});
