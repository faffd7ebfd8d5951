import {
  durationText,
  nameOption,
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
  recordOption,
  textOption,
  wholeOption,
} from "../../common/index.ts";
import type { SimulationResult } from "../result.ts";
import { equityFigures } from "./equity.ts";
import { type Content, firstOf, html, Markup } from "./markup.ts";
import { grouped, instantText, percentText, usdText } from "./numbers.ts";
import { type OrderStory, ordersSection, storiesOf } from "./orders.ts";
import { SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH } from "./page.ts";
import { pricesSection, triggersSection } from "./prices.ts";
import { participationFigure, scheduleFigure } from "./schedules.ts";
import { slippageSection } from "./slippage.ts";
import { runSection, statisticsSection } from "./statistics.ts";

/** Options of a report. */
export interface ReportOptions {
  /** Heading of the page. Default: "Simulation". */
  readonly title?: string;
  /** What the run depends on, such as its seed, to repeat it: texts by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Most rows of a table. Default: 500. */
  readonly maxRows?: number;
  /** Most charts of each kind: symbols, orders with a trigger, schedules, POV orders. Default: 20. */
  readonly maxCharts?: number;
}

const reportOption: OptionCheck = optionsOf<ReportOptions>({
  title: optionalOption(nameOption),
  parameters: optionalOption(recordOption("an object with texts by name", textOption())),
  maxRows: optionalOption(wholeOption({ from: 0, to: 100_000 })),
  maxCharts: optionalOption(wholeOption({ from: 0, to: 1_000 })),
});

const resultOption: OptionCheck = objectOption("a result of simulate");

/**
 * Returns a report of a simulation as the text of one HTML page, which loads nothing: price with triggers, trailing
 * levels and children; plan and execution of TWAP and VWAP; share of the volume of POV; slippage against the arrival
 * price; equity and drawdown; statistics with their definitions; orders. Run the simulation with `chart: true`;
 * without it, the page has no prices, no shares and no slippage. The same result gives the same text. Throws a
 * TypeError or RangeError that names a wrong option, and a TypeError for a result that was not awaited.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises";
 * import { reportOf, type SimulationOptions, simulate } from "managed-orders/simulator";
 * export async function report(options: SimulationOptions, path: string): Promise<void> {
 *   const result = await simulate({ ...options, chart: true });
 *   await writeFile(path, reportOf(result, { title: "Trailing stop", parameters: { seed: "7" } }));
 * }
 * ```
 */
export function reportOf(result: SimulationResult, options: ReportOptions = {}): string {
  resultOption(result, "reportOf.result");
  reportOption(options, "reportOf");
  const { title = "Simulation", parameters = {}, maxRows = 500, maxCharts = 20 } = options;
  const stories = storiesOf(result);
  const all: readonly (readonly [id: string, name: string, content: Content])[] = [
    ["equity", "Equity", equityFigures(result)],
    ["prices", "Prices", pricesSection(result, stories, maxCharts)],
    ["triggers", "Orders with a trigger", triggersSection(result, stories, maxCharts)],
    ["schedules", "TWAP and VWAP", schedules(stories, maxCharts)],
    ["participation", "POV", participation(result, stories, maxCharts)],
    ["slippage", "Slippage", result.chart && slippageSection(stories, maxRows)],
    ["statistics", "Statistics", statisticsSection(result)],
    ["orders", "Orders", ordersSection(result, stories, maxRows)],
    ["run", "Run", runSection(result, parameters)],
  ];
  // A section without content is left out.
  const sections = all.filter(([, , content]) => content !== undefined);
  const policy = `default-src 'none'; style-src '${STYLE_HASH}'; script-src '${SCRIPT_HASH}'; base-uri 'none'; form-action 'none'`;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="${policy}"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header>
${header(title, result, stories)}
<nav aria-label="Sections"><ul>${sections.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<p class="note hint" hidden="hidden">Move the pointer over a chart, or choose it with the tab key and use the arrow keys, to read its values.</p>
</header>
<main>
${sections.map(
  ([id, name, content]) => html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${name}</h2>
${content}
</section>
`,
)}</main>
<script>${new Markup(SCRIPT)}</script>
</body>
</html>
`.text;
}

function header(title: string, result: SimulationResult, stories: readonly OrderStory[]): Markup {
  const { statistics, equity, fills } = result;
  const startMs = result.chart?.startMs ?? equity[0]?.timeMs ?? 0;
  const endMs = result.chart?.endMs ?? equity.at(-1)?.timeMs ?? 0;
  const filled = stories.filter(({ order }) => order.ended?.status === "FILLED").length;
  const tiles: readonly (readonly [string, string])[] = [
    ["Profit", `${usdText(statistics.profit)} USD`],
    ["Total return", percentText(statistics.totalReturn)],
    ["End equity", `${usdText(statistics.endEquity)} USD`],
    ["Largest drawdown", percentText(statistics.maxDrawdown.fraction)],
    ["Commissions", `${usdText(statistics.commissions)} USD`],
    ["Turnover", `${usdText(statistics.turnover)} USD`],
    ["Managed orders", `${grouped(String(stories.length))}, ${grouped(String(filled))} filled`],
    ["Executions", grouped(String(fills.length))],
  ];
  return html`<h1>${title}</h1>
<p class="period">${instantText(startMs)} to ${instantText(endMs)} UTC, ${durationText(endMs - startMs)}</p>
<dl class="tiles">${tiles.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function schedules(stories: readonly OrderStory[], maxCharts: number): Content {
  const planned = stories.filter(({ order }) => order.plan !== undefined);
  if (planned.length === 0) return undefined;
  return firstOf(
    planned,
    { most: maxCharts, what: "schedules" },
    (story) => story.order.plan && scheduleFigure(story, story.order.plan),
  );
}

function participation(
  { chart }: SimulationResult,
  stories: readonly OrderStory[],
  maxCharts: number,
): Content {
  const following = stories.filter(({ order }) => order.intent.participationBips !== undefined);
  if (following.length === 0 || chart === undefined) return undefined;
  const volumes = new Map(chart.markets.map(({ symbol, volumes: points }) => [symbol, points]));
  return firstOf(following, { most: maxCharts, what: "POV orders" }, (story) => {
    const { symbol, participationBips = 0 } = story.order.intent;
    return participationFigure(story, participationBips, volumes.get(symbol) ?? []);
  });
}
