import {
  add,
  formatQuantity,
  type Notional,
  notional,
  notionalOf,
  price,
  type Quantity,
  quantity,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { SimulatedFill, SimulationResult } from "../result.ts";
import type { Drawdown, Statistics, TradeStatistics } from "../statistics.ts";
import { type Content, html, type Markup, table } from "./markup.ts";
import { averageText, grouped, instantText, percentText, usd } from "./numbers.ts";

const COLUMNS = [{ name: "Figure" }, { name: "Value", isNumber: true }, { name: "Definition" }] as const;

/** Returns the statistics with their definitions. */
export function statisticsSection({ statistics, balances, positions, fills }: SimulationResult): Markup {
  const rows = STATISTICS.map(({ key, name, unit, definition }) => [
    name,
    valueText(statistics[key], unit),
    definition,
  ]);
  rows.splice(5, 0, [
    "Largest drawdown",
    drawdownText(statistics),
    `${DRAWDOWN} ${drawdownTimes(statistics.maxDrawdown)}`,
  ]);
  const trades = TRADE_STATISTICS.map(({ key, name, unit, definition }) => [
    name,
    valueText(statistics.trades[key], unit),
    definition,
  ]);
  return html`${table({ caption: "Statistics of the account", columns: COLUMNS, rows })}
<p class="definition">${TRADES}</p>
${table({ caption: "Statistics of closed trades", columns: COLUMNS, rows: trades })}
${executionsTable(fills)}
${table({
  caption: "Balances and positions at the end",
  columns: [{ name: "Asset or symbol" }, { name: "Amount", isNumber: true }],
  rows: [...holdings(balances), ...holdings(positions)],
})}`;
}

function valueText(value: string | number | undefined, unit: FigureUnit): string {
  if (value === undefined) return "absent";
  if (unit === "percent") return percentText(String(value));
  return `${grouped(String(value))}${unit === "usd" ? " USD" : ""}`;
}

const drawdownText = ({ maxDrawdown }: Statistics): string =>
  `${grouped(maxDrawdown.amount)} USD, ${percentText(maxDrawdown.fraction)}`;

function drawdownTimes({ peakMs, troughMs, recoveredMs, amount }: Drawdown): string {
  if (amount === "0") return "There was none.";
  const recovered = recoveredMs === undefined ? "not recovered" : `recovered ${instantText(recoveredMs)}`;
  return `Peak ${instantText(peakMs)}, trough ${instantText(troughMs)}, ${recovered}.`;
}

const holdings = (amounts: Readonly<Record<string, string>>): readonly (readonly Content[])[] =>
  Object.entries(amounts).map(([name, amount]) => [name, grouped(amount)]);

/** How a figure is written. */
type FigureUnit = "usd" | "percent" | "plain";

/** A figure of the page: its name, its unit, and the definition that the comment of its member has. */
type FigureDefinition<T> = Readonly<{
  key: keyof T & string;
  name: string;
  unit: FigureUnit;
  definition: string;
}>;

/** Figures of a simulation but for drawdown and trades. A test compares the definitions with the comments. */
export const STATISTICS: readonly FigureDefinition<Omit<Statistics, "maxDrawdown" | "trades">>[] = [
  {
    ...{ key: "startEquity", name: "Start equity", unit: "usd" },
    definition: "Equity at the first point of the equity curve.",
  },
  {
    ...{ key: "endEquity", name: "End equity", unit: "usd" },
    definition: "Equity at the last point of the equity curve.",
  },
  { key: "profit", name: "Profit", unit: "usd", definition: "End minus start." },
  { key: "totalReturn", name: "Total return", unit: "percent", definition: "Profit divided by the start." },
  {
    ...{ key: "annualReturn", name: "Annual return", unit: "percent" },
    definition:
      "The return of a year at the same growth: (end / start) ^ (year / duration) - 1. Absent for less than a day.",
  },
  {
    ...{ key: "volatility", name: "Volatility", unit: "percent" },
    definition:
      "Standard deviation of the returns over periods of sampleMs from the first equity point, times the square root of their number in a year. The equity at the end of a period is that of the last point until then: a period without a point has a return of zero, points of fills inside a period add no return, and an incomplete period at the end is left out. Absent with fewer than two returns.",
  },
  {
    ...{ key: "sharpe", name: "Sharpe ratio", unit: "plain" },
    definition:
      "Mean of these returns divided by their standard deviation, times the square root of their number in a year.",
  },
  {
    ...{ key: "sortino", name: "Sortino ratio", unit: "plain" },
    definition:
      "As sharpe, with the root of the mean square of the negative returns instead of the standard deviation.",
  },
  {
    ...{ key: "calmar", name: "Calmar ratio", unit: "plain" },
    definition: "Annual return divided by the fraction of the deepest drawdown.",
  },
  {
    ...{ key: "commissions", name: "Commissions", unit: "usd" },
    definition: "Sum of the commissions of all fills.",
  },
  { key: "turnover", name: "Turnover", unit: "usd", definition: "Sum of price · quantity over all fills." },
];

/** Definition of the drawdown. */
export const DRAWDOWN = "The deepest fall of the equity below an earlier peak.";

/** What a closed trade is. */
export const TRADES =
  "Figures of closed trades. A trade is closed when a position, or a part of it, that was bought earlier is sold; the oldest purchase is sold first. Its profit is after the commissions of both sides.";

/** Figures of closed trades. */
export const TRADE_STATISTICS: readonly FigureDefinition<TradeStatistics>[] = [
  { key: "closed", name: "Closed trades", unit: "plain", definition: "Number of closed trades." },
  { key: "won", name: "Won", unit: "plain", definition: "Number of closed trades with a profit." },
  {
    ...{ key: "winRate", name: "Win rate", unit: "percent" },
    definition: "Won divided by closed. Absent without closed trades.",
  },
  {
    ...{ key: "profitFactor", name: "Profit factor", unit: "plain" },
    definition: "Sum of the profits divided by the sum of the losses. Absent without a loss.",
  },
  {
    ...{ key: "averageProfit", name: "Average profit", unit: "usd" },
    definition: "Mean of the profits. Absent without a profit.",
  },
  {
    ...{ key: "averageLoss", name: "Average loss", unit: "usd" },
    definition: "Mean of the losses, without its sign. Absent without a loss.",
  },
  {
    ...{ key: "profit", name: "Profit of closed trades", unit: "usd" },
    definition: "Sum of the profits less the sum of the losses.",
  },
];

type Sum = Readonly<{
  count: number;
  executedQuantity: Quantity;
  executedNotional: Notional;
  commissions: Notional;
}>;

const EMPTY: Sum = {
  count: 0,
  executedQuantity: ZERO_QUANTITY,
  executedNotional: ZERO_NOTIONAL,
  commissions: ZERO_NOTIONAL,
};

/** Returns a table of all executions by symbol, side and liquidity. */
function executionsTable(fills: readonly SimulatedFill[]): Markup {
  const sums = new Map<string, Sum & Pick<SimulatedFill, "symbol" | "side" | "liquidity">>();
  for (const fill of fills) {
    const { symbol, side, liquidity } = fill;
    const name = JSON.stringify([symbol, side, liquidity]);
    sums.set(name, { symbol, side, liquidity, ...joined(sums.get(name) ?? EMPTY, fill) });
  }
  return table({
    caption: "Executions",
    columns: [
      { name: "Symbol" },
      { name: "Side" },
      { name: "Liquidity" },
      { name: "Executions", isNumber: true },
      { name: "Quantity", isNumber: true },
      { name: "Average price", isNumber: true },
      { name: "Value, USD", isNumber: true },
      { name: "Commissions, USD", isNumber: true },
    ],
    rows: [...sums.values()].map(({ symbol, side, liquidity, ...sum }) => [
      ...[symbol, side, liquidity, grouped(String(sum.count))],
      ...[grouped(formatQuantity(sum.executedQuantity)), averageText(sum)],
      ...[usd(sum.executedNotional), usd(sum.commissions)],
    ]),
  });
}

function joined(sum: Sum, fill: SimulatedFill): Sum {
  const filled = quantity(fill.quantity);
  return {
    count: sum.count + 1,
    executedQuantity: add(sum.executedQuantity, filled),
    executedNotional: add(sum.executedNotional, notionalOf(price(fill.price), filled)),
    commissions: add(sum.commissions, notional(fill.commission)),
  };
}

/** Returns counts, parameters and hash of a run. */
export function runSection(result: SimulationResult, parameters: Readonly<Record<string, string>>): Markup {
  const { counts, hash, journal, fills } = result;
  const dropped = Object.entries(counts.droppedQuotes);
  const rows: readonly (readonly Content[])[] = [
    ["Quotes counted", grouped(String(counts.quotes))],
    ...dropped.map(([reason, count]) => [`Quotes not counted: ${reason}`, grouped(String(count))]),
    ["Trades counted", grouped(String(counts.trades))],
    ["Children sent", grouped(String(counts.children))],
    ["Fills", grouped(String(fills.length))],
    ["Records of the journal", grouped(String(journal.length))],
    ["Alerts", grouped(String(counts.alerts))],
  ];
  const given = Object.entries(parameters).map(([name, value]) => [name, value]);
  return html`${table({ caption: "Counts", columns: [{ name: "What" }, { name: "Count", isNumber: true }], rows })}
${given.length === 0 ? undefined : table({ caption: "Parameters", columns: [{ name: "Parameter" }, { name: "Value" }], rows: given })}
<p>Hash of journal and fills: <code class="hash">${hash}</code></p>
<p class="definition">The same market, strategy, terms and parameters give the same hash.</p>`;
}
