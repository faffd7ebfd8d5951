import type { Scaled } from "../../decimal/index.ts";
import { type Content, html, Markup } from "./markup.ts";
import { type FigureHeight, framesOf, Plot, type PlotOf } from "./plot.ts";
import { dateText, instantText } from "./times.ts";

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
${draw(plot)}
<path class="cursor" d="M0 ${top}V${plot.endY}" transform="translate(-9 0)"/></svg>
`;
}

function legendEntry({ swatch, text }: LegendEntry): Markup {
  return html`<span class="key"><svg class="swatch" viewBox="0 0 24 12" aria-hidden="true">${swatch}</svg>${text}</span> `;
}

function seriesItem({ name, points }: ReadSeries, fromMs: number): Markup {
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

/** Returns a title of a mark, which a browser shows under the pointer. */
export function markTitle(timeMs: number, text: string): Markup {
  return html`<title>${instantText(timeMs)} UTC: ${text}</title>`;
}

/** A path with a class. */
export function line(name: string, path: Markup | string): Markup {
  return path === "" || (path instanceof Markup && path.text === "")
    ? new Markup("")
    : html`<path class="${name}" d="${path}"/>`;
}

/** Writes a value of an axis. */
export type Label = (value: Scaled) => string;
