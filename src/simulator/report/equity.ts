import { formatScaled, max, min, NOTIONAL_SCALE, type Notional, type Scaled } from "../../decimal/index.ts";
import { Columns } from "../chart.ts";
import type { SimulationResult } from "../result.ts";
import {
  figure,
  line,
  lineEntry,
  type Plot,
  roomySpan,
  type Step,
  seriesOf,
  stepOf,
  stepPath,
  timeSpan,
} from "./figure.ts";
import { html, type Markup } from "./markup.ts";
import {
  grouped,
  instantText,
  percentText,
  quotient,
  readDecimal,
  rounded,
  usd,
  usdText,
} from "./numbers.ts";

const MOST_COLUMNS = 2_048;
const FRACTION_SCALE = 8;

/** Returns the fall of each point below the highest point until then, as a fraction of that, in steps of 1e-8. */
export function falls(values: readonly Scaled[]): readonly Scaled[] {
  let peak: Scaled | undefined;
  return values.map((value) => {
    if (peak === undefined || value > peak) peak = value;
    return peak > 0 ? quotient(BigInt(peak) - BigInt(value), BigInt(peak), FRACTION_SCALE) : 0;
  });
}

/** Returns the charts of equity and drawdown. */
export function equityFigures({ equity, statistics }: SimulationResult): readonly Markup[] {
  const [first, last] = [equity[0], equity.at(-1)];
  if (first === undefined || last === undefined) return [];
  const values = equity.map(({ timeMs, equity: text }) => stepOf(timeMs, readDecimal(text, NOTIONAL_SCALE)));
  const depth = falls(values.map((value) => value.last));
  const time = timeSpan(first.timeMs, last.timeMs);
  const money = joined(values);
  const fallen = joined(values.map(({ timeMs }, index) => stepOf(timeMs, negated(depth[index] ?? 0))));
  const lowest = fallen.map(({ low }) => low);
  const { maxDrawdown, startEquity, endEquity } = statistics;
  const deepest = `Largest drawdown: ${usdText(maxDrawdown.amount)} USD, ${percentText(maxDrawdown.fraction)} of the peak`;
  const when = `from ${instantText(maxDrawdown.peakMs)} to ${instantText(maxDrawdown.troughMs)} UTC`;
  return [
    figure({
      title: "Equity in USD",
      description: `Equity from ${usdText(startEquity)} to ${usdText(endEquity)} USD.`,
      ...{ time, values: roomySpan(money.flatMap(({ low, high }) => [low, high])) },
      label: (value) => grouped(formatScaled(value, NOTIONAL_SCALE)),
      legend: [lineEntry("equity", "Equity at the middle of bid and ask")],
      series: [seriesOf("Equity", money, (value) => usd(value.last as Notional))],
      draw: (plot) => line("equity", stepPath(plot, money, last.timeMs)),
    }),
    figure({
      height: "low",
      title: "Drawdown in percent of the highest equity until then",
      description: `${deepest}, ${when}.`,
      ...{ time, values: roomySpan(lowest, 0) },
      label: (value) => `${grouped(formatScaled(value, FRACTION_SCALE - 2))} %`,
      legend: [{ swatch: html`<path class="fall" d="M1 2H23V10H1z"/>`, text: `${deepest}, ${when}` }],
      series: [seriesOf("Drawdown", fallen, (value) => `${fallText(value.last)}%`)],
      draw: (plot) => fallArea(plot, fallen, last.timeMs),
    }),
  ];
}

const fallText = (value: Scaled): string => rounded(value, { scale: FRACTION_SCALE - 2, places: 4 });

const negated = (value: Scaled): Scaled => (value === 0 ? 0 : typeof value === "number" ? -value : -value);

function joined(points: readonly Step[]): readonly Step[] {
  const join = (earlier: Step, later: Step): Step => ({
    timeMs: earlier.timeMs,
    low: min(earlier.low, later.low),
    high: max(earlier.high, later.high),
    last: later.last,
  });
  const columns = new Columns<Step>(points[0]?.timeMs ?? 0, MOST_COLUMNS, join);
  for (const point of points) columns.add(point.timeMs, point);
  return columns.all();
}

function fallArea(plot: Plot, steps: readonly Step[], endMs: number): Markup {
  const outline = stepPath(plot, steps, endMs);
  const [startX, zero] = [plot.x(steps[0]?.timeMs ?? endMs), plot.y(0)];
  return html`<path class="fall" d="${outline}V${zero}H${startX}z"/>`;
}
