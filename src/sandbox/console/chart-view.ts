import { type Chart, type ChartInput, chartOf, MARGIN } from "./chart-geometry.ts";
import { draw, element } from "./elements.ts";
import type { LevelLabel, PlacedLevel } from "./level-labels.ts";

/** What the chart shows besides its size. */
export type Shown = Omit<ChartInput, "width" | "height">;

const LABEL = { width: 74, height: 17 } as const;
/** The base line of the first name, so that it is not cut off. */
const NAME_TOP = 10;

/** Draws the chart of a market. The same data is in the tables, so that the drawing is an image for a screen reader. */
export function drawChart(shown: Shown, name: string): void {
  const box = element("chart", HTMLDivElement);
  const { width, height } = box.getBoundingClientRect();
  // A browser shows the tooltip of a mark only if the mark stays under the pointer.
  if (width === 0 || box.querySelector(".mark:hover") !== null) return;
  const chart = chartOf({ ...shown, width, height });
  const svg = draw("svg", {
    ...{ viewBox: `0 0 ${width} ${height}`, width, height, role: "img" },
    "aria-label": `${name}: ${chart.last === undefined ? "no quote yet" : `price ${chart.last.text}`}`,
  });
  svg.append(
    ...gridOf(chart),
    draw("path", { d: chart.past, class: "line past" }),
    draw("path", { d: chart.spread, class: "spread" }),
    draw("path", { d: chart.ask, class: "line ask" }),
    draw("path", { d: chart.bid, class: "line bid" }),
    ...chart.levels.map((level) => levelOf(level, chart.plot.width)),
    ...chart.labels.flatMap((label) => labelOf(label, chart.plot.width)),
    ...lastOf(chart),
    ...chart.marks.map(markOf),
  );
  if (chart.last === undefined)
    svg.append(draw("text", { x: width / 2, y: height / 2, class: "waiting" }, "Waiting for a quote"));
  box.replaceChildren(svg);
}

function gridOf({ plot, prices, times }: Chart): readonly SVGElement[] {
  return [
    ...prices.flatMap(({ y, text }) => [
      draw("line", { x1: 0, x2: plot.width, y1: y, y2: y, class: "grid" }),
      draw("text", { x: plot.width + 8, y: y + 4, class: "axis" }, text),
    ]),
    ...times.flatMap(({ x, text }) => [
      draw("line", { x1: x, x2: x, y1: MARGIN.top, y2: plot.height, class: "grid" }),
      draw("text", { x, y: plot.height + 16, class: "axis time" }, text),
    ]),
  ];
}

function levelOf({ y, side, isSoft }: PlacedLevel, width: number): SVGElement {
  const kind = `level ${side.toLowerCase()}${isSoft ? " soft" : ""}`;
  return draw("line", { x1: 0, x2: width, y1: y, y2: y, class: kind });
}

function labelOf({ y, text, tag, side, edge }: LevelLabel, width: number): readonly SVGElement[] {
  const arrow = edge === 0 ? "" : edge < 0 ? "↑ " : "↓ ";
  const kind = `level ${side.toLowerCase()}`;
  return [
    draw("text", { x: 6, y: Math.max(y - 5, NAME_TOP), class: `${kind} name` }, `${arrow}${text}`),
    draw("rect", {
      ...{ x: width + 4, y: y - LABEL.height / 2, width: LABEL.width, height: LABEL.height, rx: 3 },
      class: `${kind} tag`,
    }),
    draw("text", { x: width + 8, y: y + 4, class: `${kind} price` }, tag),
  ];
}

function lastOf({ last, plot }: Chart): readonly SVGElement[] {
  if (last === undefined) return [];
  const top = last.y - LABEL.height / 2;
  return [
    draw("line", { x1: 0, x2: plot.width, y1: last.y, y2: last.y, class: "now" }),
    draw("circle", { cx: Math.min(last.x, plot.width), cy: last.y, r: 3.5, class: "now-dot" }),
    draw("rect", {
      x: plot.width + 4,
      y: top,
      width: LABEL.width,
      height: LABEL.height,
      rx: 3,
      class: "now-tag",
    }),
    draw("text", { x: plot.width + 8, y: last.y + 4, class: "now-price" }, last.text),
  ];
}

/** A triangle that points into the direction of the trade, with its size as a tooltip. */
function markOf({ x, y, side, text }: Chart["marks"][number]): SVGElement {
  const way = side === "BUY" ? 1 : -1;
  const points = `${x},${y} ${x - 6},${y + way * 11} ${x + 6},${y + way * 11}`;
  const mark = draw("polygon", { points, class: `mark ${side.toLowerCase()}` });
  mark.append(draw("title", {}, text));
  return mark;
}
