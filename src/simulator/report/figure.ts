import { max, min, normalise, type Scaled, subtract } from "../../decimal/index.ts";
import { share } from "../../schedules/index.ts";
import { Columns } from "../chart.ts";
import { type Content, html, Markup } from "./markup.ts";
import { DAY_MS, dateText, tickText } from "./numbers.ts";

/** A series whose values the page shows for the time under the pointer. Texts must not contain spaces. */
interface ReadSeries {
  readonly name: string;
  readonly points: readonly Readonly<{ timeMs: number; text: string }>[];
}

/** A line or a mark of the legend. `swatch` is drawn in 24 by 12 units. */
export interface LegendEntry {
  readonly swatch: Markup;
  readonly text: string;
}

/** A chart over time. */
interface FigureOf extends PlotOf {
  readonly time: Readonly<{ from: number; to: number }>;
  readonly title: Content;
  /** Default: normal. */
  readonly height?: FigureHeight;
  /** What the drawing shows, for those who do not see it. */
  readonly description: string;
  readonly legend: readonly LegendEntry[];
  readonly series: readonly ReadSeries[];
  readonly notes?: readonly Content[];
  /** Draws everything but the axes. */
  readonly draw: (plot: Plot) => Content;
}

/** Returns a chart, drawn once for wide and once for narrow pages, of which the style sheet shows one. */
export function figure(of: FigureOf): Markup {
  const { from, to } = of.time;
  const notes = (of.notes ?? []).map((note) => html`<p class="note">${note}</p>`);
  return html`<figure class="chart" data-from="${from}" data-to="${to}">
<figcaption>${of.title}</figcaption>
<div class="plot">${framesOf(of.height).map((frame) => drawing(new Plot(frame, of), of))}</div>
<p class="legend">${of.legend.map(legendEntry)}<span class="axis-note">Times are UTC, ${period(from, to)}.</span></p>
<output class="readout"></output>
<ul class="series" hidden="hidden">${of.series.map((series) => seriesItem(series, from))}</ul>${notes}
</figure>
`;
}

function drawing(plot: Plot, { draw, description }: FigureOf): Markup {
  const { name, width, height, left, top } = plot.frame;
  return html`<svg class="${name}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${description}" data-left="${left}" data-right="${plot.endX}" data-width="${width}">
${plot.axes()}
${clipped(plot, draw(plot))}
<path class="cursor" d="M0 ${top}V${plot.endY}" transform="translate(-9 0)"/></svg>
`;
}

/** Room beside the plot for marks at its edges. */
const EDGE = 7;

/** Cuts off what lies outside the plot. */
function clipped({ frame, endX, endY }: Plot, content: Content): Markup {
  const [x, y] = [frame.left - EDGE, frame.top - EDGE];
  const [width, height] = [endX + EDGE - x, endY + EDGE - y];
  return html`<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}" aria-hidden="true">${content}</svg>`;
}

function legendEntry({ swatch, text }: LegendEntry): Markup {
  return html`<span class="key"><svg class="swatch" viewBox="0 0 24 12" aria-hidden="true">${swatch}</svg>${text}</span> `;
}

/** Most points of a series that the page can show. */
const MOST_READ = 1_024;

/** Returns a series with at most one point in each of so many columns: the last of the column. */
function thinned(points: ReadSeries["points"], fromMs: number): ReadSeries["points"] {
  if (points.length <= MOST_READ) return points;
  const columns = new Columns<ReadSeries["points"][number]>(fromMs, MOST_READ);
  for (const point of points) columns.add(point.timeMs, point);
  return columns.all();
}

function seriesItem({ name, points: all }: ReadSeries, fromMs: number): Markup {
  const points = thinned(all, fromMs);
  const times = points.map(({ timeMs }) => (timeMs - fromMs).toString(36)).join(" ");
  const values = points.map(({ text }) => text).join(" ");
  return html`<li data-name="${name}" data-times="${times}" data-values="${values}"></li>`;
}

function period(from: number, to: number): string {
  const [first, last] = [dateText(from), dateText(to)];
  return first === last ? first : `${first} to ${last}`;
}

/** Returns the entry of a line in the legend. `name` is its class. */
export function lineEntry(name: string, text: string): LegendEntry {
  return { swatch: html`<path class="${name}" d="M1 6H23"/>`, text };
}

/** Returns a series of what each point says. */
export function seriesOf<T extends Readonly<{ timeMs: number }>>(
  name: string,
  points: readonly T[],
  text: (point: T) => string,
): ReadSeries {
  return { name, points: points.map((point) => ({ timeMs: point.timeMs, text: text(point) })) };
}

/** Returns the span of time of a figure: at least a millisecond. */
export function timeSpan(from: number, to: number): Readonly<{ from: number; to: number }> {
  return { from, to: Math.max(to, from + 1) };
}

/** A path with a class. */
export function line(name: string, path: Markup): Markup {
  return path.text === "" ? path : html`<path class="${name}" d="${path}"/>`;
}

/** Half of the width of the longest label of a time, roughly. */
const LABEL_ROOM = 16;

/** Size of a drawing and of its margins, in its own units. */
export interface Frame {
  readonly name: "wide" | "narrow";
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly timeTicks: number;
  readonly valueTicks: number;
}

/** How high a figure is. */
export type FigureHeight = "low" | "normal" | "tall";

const HEIGHTS: Readonly<Record<FigureHeight, Readonly<Record<Frame["name"], number>>>> = {
  low: { wide: 200, narrow: 180 },
  normal: { wide: 320, narrow: 270 },
  tall: { wide: 460, narrow: 360 },
};

/** Returns the drawings of a figure: for a page and for a phone. Each is drawn about as wide as it is displayed. */
function framesOf(height: FigureHeight = "normal"): readonly Frame[] {
  const { wide, narrow } = HEIGHTS[height];
  return [
    {
      ...{ name: "wide", width: 960, height: wide, left: 84, right: 14, top: 12, bottom: 30 },
      ...{ timeTicks: 9, valueTicks: Math.round(wide / 55) },
    },
    {
      ...{ name: "narrow", width: 380, height: narrow, left: 70, right: 8, top: 10, bottom: 28 },
      ...{ timeTicks: 4, valueTicks: Math.round(narrow / 55) },
    },
  ];
}

/** What a plot shows: spans, and how its values are written. */
type PlotOf = Readonly<{ time: Span; values: Span; label: (value: Scaled) => string }>;

/** Places times and values in a frame. Positions are whole tenths, computed with integers. */
export class Plot {
  readonly frame: Frame;
  readonly #of: PlotOf;

  constructor(frame: Frame, of: PlotOf) {
    this.frame = frame;
    this.#of = of;
  }

  /** Right end of the plot. */
  get endX(): number {
    return this.frame.width - this.frame.right;
  }

  /** Lower end of the plot. */
  get endY(): number {
    return this.frame.height - this.frame.bottom;
  }

  x(timeMs: Scaled): number {
    return placed(timeMs, this.#of.time, [this.frame.left, this.endX]);
  }

  y(value: Scaled): number {
    return placed(value, this.#of.values, [this.endY, this.frame.top]);
  }

  /** Whether a value is inside the plot. */
  holds(value: Scaled): boolean {
    return value >= this.#of.values.from && value <= this.#of.values.to;
  }

  /** Returns grid lines and labels of both axes. */
  axes(): Markup {
    const { left, top, height } = this.frame;
    const times = timeTicks(this.#of.time, this.frame.timeTicks);
    const values = valueTicks(this.#of.values, this.frame.valueTicks);
    const [endX, endY, stepMs] = [this.endX, this.endY, asNumber(times.step)];
    const rows: readonly Content[] = values.values.map((value) => {
      const y = this.y(value);
      return html`<path class="grid" d="M${left} ${y}H${endX}"/><text class="tick" x="${left - 6}" y="${y}" dy=".35em" text-anchor="end">${this.#of.label(value)}</text>`;
    });
    const columns: readonly Content[] = times.values.map((timeMs) => {
      const x = this.x(timeMs);
      const anchor = anchorOf(x, [left, endX]);
      return html`<path class="grid" d="M${x} ${top}V${endY}"/><text class="tick" x="${x}" y="${height - 10}" text-anchor="${anchor}">${tickText(asNumber(timeMs), stepMs)}</text>`;
    });
    return html`<g>${rows}${columns}<path class="axis" d="M${left} ${top}V${endY}H${endX}"/></g>`;
  }
}

/** A label near an end of the axis stays inside the drawing. */
function anchorOf(x: number, [start, end]: readonly [number, number]): "start" | "middle" | "end" {
  if (x - start < LABEL_ROOM) return "start";
  return end - x < LABEL_ROOM ? "end" : "middle";
}

function placed(value: Scaled, { from, to }: Span, [start, end]: readonly [number, number]): number {
  const tenths = share(subtract(value, from), {
    numerator: (end - start) * 10,
    denominator: subtract(to, from),
  });
  return (start * 10 + asNumber(tenths)) / 10;
}

/** Times and positions are far below the limit of exact numbers. Anything beyond it is at the limit. */
function asNumber(value: Scaled): number {
  if (typeof value === "number") return value;
  return value < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
}

/** A range of values or of times in milliseconds. `to` is above `from`. */
export type Span = Readonly<{ from: Scaled; to: Scaled }>;

/** Round values inside a span. */
type Ticks = Readonly<{ step: Scaled; values: readonly Scaled[] }>;

const TIME_STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 365].map((days) => days * DAY_MS),
];

/** Returns at most `most` round times inside a span, and one more. */
export function timeTicks(span: Span, most: number): Ticks {
  const length = subtract(span.to, span.from);
  const fitting = TIME_STEPS_MS.find((stepMs) => length <= stepMs * most);
  return ticksOf(span, fitting === undefined ? roundStep(length, most) : BigInt(fitting));
}

/** Returns at most `most` round values inside a span, and one more. */
export function valueTicks(span: Span, most: number): Ticks {
  return ticksOf(span, roundStep(subtract(span.to, span.from), most));
}

/** Returns the smallest of 1, 2, 5, 10, 20, 50 and so on that divides a length into at most so many parts. */
function roundStep(length: Scaled, most: number): bigint {
  const wanted = BigInt(length) / BigInt(most) + 1n;
  for (let power = 1n; ; power *= 10n) {
    const step = [1n, 2n, 5n].find((digit) => digit * power >= wanted);
    if (step !== undefined) return step * power;
  }
}

function ticksOf({ from, to }: Span, step: bigint): Ticks {
  const values: Scaled[] = [];
  const start = BigInt(from);
  const rest = ((start % step) + step) % step;
  for (let value = rest === 0n ? start : start + step - rest; value <= BigInt(to); value += step)
    values.push(normalise(value));
  return { step: normalise(step), values };
}

/** Returns the span of values with some room on both sides. Without values it is empty room around zero. */
export function roomySpan(values: Iterable<Scaled>, floor?: Scaled): Span {
  let [from, to]: [Scaled | undefined, Scaled | undefined] = [floor, floor];
  for (const value of values) {
    if (from === undefined || value < from) from = value;
    if (to === undefined || value > to) to = value;
  }
  const [low, high] = [BigInt(from ?? 0), BigInt(to ?? 0)];
  const magnitude = high < 0n ? -high : high;
  const room = (high > low ? (high - low) / 20n : magnitude / 1_000n) + 1n;
  return {
    from: normalise(low === 0n && floor !== undefined ? low : low - room),
    to: normalise(high + room),
  };
}

/** A value from a time on. `low` and `high` are the extremes since then, if several values became one step. */
export type Step = Readonly<{ timeMs: number; low: Scaled; high: Scaled; last: Scaled }>;

/** Returns a step of one value. */
export function stepOf(timeMs: number, value: Scaled): Step {
  return { timeMs, low: value, high: value, last: value };
}

/**
 * Returns the path of a value that holds until the next step, drawn to a time. Steps in the same column of the drawing
 * become one, with the lowest and the highest of their values, so that no extreme is lost. A column is `width` units
 * wide.
 */
export function stepPath(plot: Plot, steps: readonly Step[], endMs: number, width = 1): Markup {
  const [first, ...others] = columnsOf(plot, steps, width);
  if (first === undefined) return new Markup("");
  const parts = [`M${first.x} ${plot.y(first.low)}`, ...turns(plot, first)];
  for (const column of others) parts.push(`H${column.x}`, ...turns(plot, column));
  const end = Math.min(plot.x(endMs), plot.endX);
  if (end > (others.at(-1) ?? first).x) parts.push(`H${end}`);
  return new Markup(parts.join(""));
}

type DrawnStep = Step & Readonly<{ x: number }>;

function columnsOf(plot: Plot, steps: readonly Step[], width: number): readonly DrawnStep[] {
  const columns: DrawnStep[] = [];
  for (const step of steps) {
    const x = plot.x(step.timeMs);
    const before = columns.at(-1);
    if (before === undefined || Math.floor(before.x / width) !== Math.floor(x / width))
      columns.push({ ...step, x });
    else {
      const [low, high] = [min(before.low, step.low), max(before.high, step.high)];
      columns[columns.length - 1] = { ...before, low, high, last: step.last };
    }
  }
  return columns;
}

function turns(plot: Plot, { low, high, last }: Step): readonly string[] {
  const [lowest, highest, end] = [plot.y(low), plot.y(high), plot.y(last)];
  if (lowest === highest) return [`V${end}`];
  return end === highest ? [`V${lowest}`, `V${highest}`] : [`V${highest}`, `V${lowest}`, `V${end}`];
}
