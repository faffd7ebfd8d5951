import type { SimulationResult } from "../result/index.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { grouped } from "./numbers.ts";
import { table } from "./table.ts";

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
