import {
  add,
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
import { type Content, columns, html, type Markup, table } from "./markup.ts";
import { averageText, grouped, instantText, percentText, quantityText, usd } from "./numbers.ts";

/** How a figure is written. */
type FigureUnit = "usd" | "percent" | "plain";

/** A figure of the page: its name, its unit, and the definition that the comment of its member has. */
type Definition = readonly [name: string, unit: FigureUnit, definition: string];

/** Figures of a simulation but for those of trades. A test compares the definitions with the comments. */
export const STATISTICS: Readonly<Record<keyof Omit<Statistics, "trades">, Definition>> = {
  startEquity: ["Start equity", "usd", "Equity at the first point of the equity curve."],
  endEquity: ["End equity", "usd", "Equity at the last point of the equity curve."],
  profit: ["Profit", "usd", "End minus start."],
  totalReturn: ["Total return", "percent", "Profit divided by the start."],
  annualReturn: [
    "Annual return",
    "percent",
    "The return of a year at the same growth: (end / start) ^ (year / duration) - 1. Absent for less than a day.",
  ],
  maxDrawdown: ["Largest drawdown", "usd", "The deepest fall of the equity below an earlier peak."],
  volatility: [
    "Volatility",
    "percent",
    "Standard deviation of the returns over periods of sampleMs from the first equity point, times the square root of their number in a year. The equity at the end of a period is that of the last point until then: a period without a point has a return of zero, points of fills inside a period add no return, and an incomplete period at the end is left out. Absent with fewer than two returns.",
  ],
  sharpe: [
    "Sharpe ratio",
    "plain",
    "Mean of these returns divided by their standard deviation, times the square root of their number in a year.",
  ],
  sortino: [
    "Sortino ratio",
    "plain",
    "As sharpe, with the root of the mean square of the negative returns instead of the standard deviation.",
  ],
  calmar: ["Calmar ratio", "plain", "Annual return divided by the fraction of the deepest drawdown."],
  commissions: ["Commissions", "usd", "Sum of the commissions of all fills."],
  turnover: ["Turnover", "usd", "Sum of price · quantity over all fills."],
};

/** What a closed trade is. */
export const TRADES =
  "Figures of closed trades. A trade is closed when a position, or a part of it, that was bought earlier is sold; the oldest purchase is sold first. Its profit is after the commissions of both sides.";

/** Figures of closed trades. */
export const TRADE_STATISTICS: Readonly<Record<keyof TradeStatistics, Definition>> = {
  closed: ["Closed trades", "plain", "Number of closed trades."],
  won: ["Won", "plain", "Number of closed trades with a profit."],
  winRate: ["Win rate", "percent", "Won divided by closed. Absent without closed trades."],
  profitFactor: [
    "Profit factor",
    "plain",
    "Sum of the profits divided by the sum of the losses. Absent without a loss.",
  ],
  averageProfit: ["Average profit", "usd", "Mean of the profits. Absent without a profit."],
  averageLoss: ["Average loss", "usd", "Mean of the losses, without its sign. Absent without a loss."],
  profit: ["Profit of closed trades", "usd", "Sum of the profits less the sum of the losses."],
};

const COLUMNS = [
  ...columns("text", "Figure"),
  ...columns("number", "Value"),
  ...columns("text", "Definition"),
];

/** Returns the statistics with their definitions. */
export function statisticsSection({ statistics, balances, positions, fills }: SimulationResult): Markup {
  const account = rowsOf(STATISTICS, statistics);
  const trades = rowsOf(TRADE_STATISTICS, statistics.trades);
  const holdings = [...Object.entries(balances), ...Object.entries(positions)];
  return html`${table({ caption: "Statistics of the account", columns: COLUMNS, rows: account })}
<p class="definition">${TRADES}</p>
${table({ caption: "Statistics of closed trades", columns: COLUMNS, rows: trades })}
${executionsTable(fills)}
${table({
  caption: "Balances and positions at the end",
  columns: [...columns("text", "Asset or symbol"), ...columns("number", "Amount")],
  rows: holdings.map(([name, amount]) => [name, grouped(amount)]),
})}`;
}

type Figures<Name extends string> = { readonly [Key in Name]?: string | number | Drawdown };

function rowsOf<Name extends string>(
  definitions: Readonly<Record<Name, Definition>>,
  figures: Figures<Name>,
): readonly (readonly Content[])[] {
  return (Object.keys(definitions) as Name[]).map((key) => {
    const [name, unit, definition] = definitions[key];
    const value = figures[key];
    if (typeof value !== "object") return [name, valueText(value, unit), definition];
    const depth = `${grouped(value.amount)} USD, ${percentText(value.fraction)}`;
    return [name, depth, `${definition} ${drawdownTimes(value)}`];
  });
}

function valueText(value: string | number | undefined, unit: FigureUnit): string {
  if (value === undefined) return "absent";
  if (unit === "percent") return percentText(String(value));
  return `${grouped(String(value))}${unit === "usd" ? " USD" : ""}`;
}

function drawdownTimes({ peakMs, troughMs, recoveredMs, amount }: Drawdown): string {
  if (amount === "0") return "There was none.";
  const recovered = recoveredMs === undefined ? "not recovered" : `recovered ${instantText(recoveredMs)}`;
  return `Peak ${instantText(peakMs)}, trough ${instantText(troughMs)}, ${recovered}.`;
}

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
      ...columns("text", "Symbol", "Side", "Liquidity"),
      ...columns("number", "Executions", "Quantity", "Average price", "Value, USD", "Commissions, USD"),
    ],
    rows: [...sums.values()].map(({ symbol, side, liquidity, ...sum }) => [
      ...[symbol, side, liquidity, grouped(String(sum.count))],
      ...[quantityText(sum.executedQuantity), averageText(sum)],
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
  const given = Object.entries(parameters);
  const columnsOfCounts = [...columns("text", "What"), ...columns("number", "Count")];
  return html`${table({ caption: "Counts", columns: columnsOfCounts, rows })}
${given.length === 0 ? undefined : table({ caption: "Parameters", columns: columns("text", "Parameter", "Value"), rows: given })}
<p>Hash of journal and fills: <code class="hash">${hash}</code></p>
<p class="definition">The same market, strategy, terms and parameters give the same hash.</p>`;
}
