import type { SimulationResult } from "../result/index.ts";
import type { Drawdown, Statistics } from "../statistics/index.ts";
import { DRAWDOWN, type FigureUnit, STATISTICS, TRADE_STATISTICS, TRADES } from "./definitions.ts";
import { executionsTable } from "./executions-table.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { grouped, percentText } from "./numbers.ts";
import { table } from "./table.ts";
import { instantText } from "./times.ts";

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
