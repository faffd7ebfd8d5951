import { Columns } from "../chart/index.ts";
import { type Content, html, Markup } from "./markup.ts";
import { type FigureHeight, framesOf, Plot, type PlotOf } from "./plot.ts";
import { dateText } from "./times.ts";

/** A series whose values the page shows for the time under the pointer. Texts must not contain spaces. */
export interface ReadSeries {
  readonly name: string;
  readonly points: readonly Readonly<{ timeMs: number; text: string }>[];
}

/** A line or a mark of the legend. `swatch` is drawn in 24 by 12 units. */
export interface LegendEntry {
  readonly swatch: Markup;
  readonly text: string;
}

/** A chart over time. */
export interface FigureOf extends PlotOf {
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
  const columns = new Columns<ReadSeries["points"][number]>(fromMs, {
    most: MOST_READ,
    join: (_, later) => later,
  });
  for (const point of points) columns.add(point.timeMs, point);
  return columns.all().map(({ value }) => value);
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

/** Returns the swatch of a line. */
export function lineSwatch(name: string): Markup {
  return html`<path class="${name}" d="M1 6H23"/>`;
}

/** Returns the span of time of a figure: at least a millisecond. */
export function timeSpan(from: number, to: number): Readonly<{ from: number; to: number }> {
  return { from, to: Math.max(to, from + 1) };
}

/** A path with a class. */
export function line(name: string, path: Markup | string): Markup {
  return path === "" || (path instanceof Markup && path.text === "")
    ? new Markup("")
    : html`<path class="${name}" d="${path}"/>`;
}
