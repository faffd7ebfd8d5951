import { formatPrice, formatScaled, PRICE_SCALE, price, quantity, type Scaled } from "../../decimal/index.ts";
import type { MarketChart, PriceColumn, SimulationChart } from "../chart/index.ts";
import type { SimulatedFill } from "../result/index.ts";
import { childStrip } from "./child-strip.ts";
import { figure, type LegendEntry, line, lineSwatch, timeSpan } from "./figure.ts";
import { drawLevels, LEVEL_NAMES, type Level, type LevelKind, levelsOf } from "./levels.ts";
import { type FillMark, fillMarks } from "./marks.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { grouped } from "./numbers.ts";
import type { Plot } from "./plot.ts";
import { type Step, stepPath } from "./steps.ts";
import type { OrderStory } from "./story.ts";
import { roomySpan, type Span } from "./ticks.ts";
import { durationText, instantText } from "./times.ts";

/** A market with its orders and executions. */
export interface PriceFigureOf {
  readonly market: MarketChart;
  readonly chart: SimulationChart;
  readonly stories: readonly OrderStory[];
  readonly fills: readonly SimulatedFill[];
  /** Most orders whose levels are drawn. */
  readonly mostOrders: number;
}

/** Returns the chart of the price of a symbol with triggers, trailing levels, limits, children and executions. */
export function priceFigure({ market, chart, stories, fills, mostOrders }: PriceFigureOf): Markup {
  const { symbol, prices, columnMs } = market;
  const watching = stories.filter(({ order }) => order.intent.symbol === symbol);
  const levels = watching.slice(0, mostOrders).flatMap((story) => levelsOf(story, chart.endMs));
  const marks = fills.filter((fill) => fill.symbol === symbol).map(markOf(watching));
  const values = spanOf(prices, marks, levels);
  const [bids, asks] = [stepsOf(prices, "Bid"), stepsOf(prices, "Ask")];
  const outside = levels.filter(({ steps }) => !steps.some(({ last }) => isInside(values, last)));
  const drawn = levels.filter((level) => !outside.includes(level));
  const left = watching.length - mostOrders;
  return figure({
    title: `${symbol}: price, orders and executions`,
    description: `Bid and ask of ${symbol}, with the levels, children and executions of ${watching.length} orders. The table of orders has the same facts as text.`,
    time: timeSpan(chart.startMs, chart.endMs),
    values,
    height: "tall",
    label: (value) => grouped(formatScaled(value, PRICE_SCALE)),
    legend: legendOf(drawn),
    series: [
      { name: "Bid", points: prices.map(({ timeMs, bid }) => ({ timeMs, text: grouped(bid) })) },
      { name: "Ask", points: prices.map(({ timeMs, ask }) => ({ timeMs, text: grouped(ask) })) },
    ],
    notes: [
      `${keptText(columnMs)} Marks at the lower edge are children that were sent. Point at a level or a mark to see its numbers.`,
      ...notesOf(outside, left),
    ],
    draw: (plot) => [
      line("ask", stepPath(plot, asks, chart.endMs)),
      line("bid", stepPath(plot, bids, chart.endMs)),
      childStrip(plot, watching),
      drawLevels(plot, drawn),
      fillMarks(plot, marks),
      watching.map((story) => triggerMarks(plot, story)),
    ],
  });
}

function markOf(stories: readonly OrderStory[]): (fill: SimulatedFill) => FillMark {
  const numbers = new Map(stories.map(({ number, order }) => [order.orderId, `#${number}`]));
  return ({ timeMs, side, orderId = 0, clientOrderId, ...fill }) => ({
    ...{ timeMs, side, price: price(fill.price), quantity: quantity(fill.quantity) },
    of: numbers.get(orderId) ?? clientOrderId,
  });
}

function stepsOf(prices: readonly PriceColumn[], side: "Bid" | "Ask"): readonly Step[] {
  return prices.map((column) => ({
    timeMs: column.timeMs,
    low: price(column[`lowest${side}`]),
    high: price(column[`highest${side}`]),
    last: price(side === "Bid" ? column.bid : column.ask),
  }));
}

/** Returns the span of prices and executions, and of the levels that are no further away than these are wide. */
function spanOf(prices: readonly PriceColumn[], marks: readonly FillMark[], levels: readonly Level[]): Span {
  const traded = [
    ...prices.flatMap(({ lowestBid, highestAsk }) => [price(lowestBid), price(highestAsk)]),
    ...marks.map((mark) => mark.price),
  ];
  const inner = roomySpan(traded);
  const room = BigInt(inner.to) - BigInt(inner.from);
  const near = ({ last }: Step): boolean =>
    BigInt(last) >= BigInt(inner.from) - room && BigInt(last) <= BigInt(inner.to) + room;
  const watched = levels.flatMap(({ steps }) => steps.filter(near).map(({ last }) => last));
  return roomySpan([...traded, ...watched]);
}

const isInside = ({ from, to }: Span, value: Scaled): boolean => value >= from && value <= to;

function triggerMarks(plot: Plot, { number, order, activatedMs }: OrderStory): Content {
  const { activation, trigger } = order;
  const isGated = order.intent.stopPrice !== undefined;
  return [
    activatedMs !== undefined && activation !== undefined && isGated
      ? diamond(plot, "activated", {
          ...{ timeMs: activatedMs, at: activation.seed },
          text: `#${number} becomes active at ${grouped(formatPrice(activation.seed))}`,
        })
      : undefined,
    trigger === undefined
      ? undefined
      : diamond(plot, "fired", {
          ...{ timeMs: trigger.atMs, at: trigger.observed },
          text: `#${number} triggers at ${grouped(formatPrice(trigger.observed))}, level ${grouped(formatPrice(trigger.level))}`,
        }),
  ];
}

type Mark = Readonly<{ timeMs: number; at: Scaled; text: string }>;

function diamond(plot: Plot, name: string, { timeMs, at, text }: Mark): Markup | undefined {
  if (!plot.holds(at)) return undefined;
  return html`<path class="mark ${name}" d="M0 -6l6 6l-6 6l-6 -6z" transform="translate(${plot.x(timeMs)} ${plot.y(at)})"><title>${instantText(timeMs)} UTC: ${text}</title></path>`;
}

function legendOf(levels: readonly Level[]): readonly LegendEntry[] {
  const kinds = Object.keys(LEVEL_NAMES) as readonly LevelKind[];
  const shown = kinds.filter((kind) => levels.some((level) => level.kind === kind));
  return [
    { swatch: lineSwatch("bid"), text: "Bid" },
    { swatch: lineSwatch("ask"), text: "Ask" },
    ...shown.map((kind) => ({ swatch: lineSwatch(`level ${kind}`), text: LEVEL_NAMES[kind] })),
    { swatch: html`<path class="fired" d="M12 0l6 6l-6 6l-6 -6z"/>`, text: "Trigger" },
    { swatch: html`<path class="buy" d="M12 1l5 9h-10z"/>`, text: "Executed BUY" },
    { swatch: html`<path class="sell" d="M12 11l5 -9h-10z"/>`, text: "Executed SELL" },
    {
      swatch: html`<path class="child" d="M7 2V10"/><path class="child empty" d="M17 2V10"/>`,
      text: "Child sent: executed, not executed",
    },
  ];
}

function keptText(columnMs: number): string {
  if (columnMs === 1) return "Prices are those of all counted quotes.";
  return `Prices are those of the counted quotes, kept in columns of ${durationText(columnMs)}, each with its lowest and its highest price.`;
}

function notesOf(outside: readonly Level[], left: number): readonly Content[] {
  const numbers = [...new Set(outside.map(({ number }) => `#${number}`))];
  const some = numbers.slice(0, 20).join(", ");
  const more = numbers.length > 20 ? ` and ${numbers.length - 20} more` : "";
  return [
    ...(numbers.length > 0 ? [`Levels far from the price are not drawn: ${some}${more}.`] : []),
    ...(left > 0 ? [`${left} more orders have no levels in this chart; all executions are drawn.`] : []),
  ];
}
