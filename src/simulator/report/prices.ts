import { durationText } from "../../common/index.ts";
import { formatScaled, PRICE_SCALE, price, quantity, type Scaled } from "../../decimal/index.ts";
import { needsTrigger } from "../../lifecycle/index.ts";
import type { MarketChart, PriceColumn, SimulationChart } from "../chart.ts";
import type { SimulatedFill, SimulationResult } from "../result.ts";
import {
  type FigureHeight,
  figure,
  type LegendEntry,
  line,
  lineEntry,
  type Plot,
  roomySpan,
  type Span,
  type Step,
  seriesOf,
  stepPath,
  timeSpan,
} from "./figure.ts";
import { type Content, firstOf, html, type Markup, more } from "./markup.ts";
import { grouped, instantText, priceText } from "./numbers.ts";
import { type OrderStory, orderTitle } from "./orders.ts";
import {
  childStrip,
  drawLevels,
  type FillMark,
  fillMarks,
  LEVEL_NAMES,
  type Level,
  type LevelKind,
  levelsOf,
} from "./price-marks.ts";

/** Most orders with levels in a chart of all orders of a symbol. */
const MOST_LEVELS = 100;

/** Returns a chart of the price of each symbol with all its orders. */
export function pricesSection(
  { chart, fills }: SimulationResult,
  stories: readonly OrderStory[],
  mostCharts: number,
): Content {
  if (chart === undefined)
    return html`<p>The simulation ran without the option <code>chart</code>, so prices, shares of the volume and slippage are unknown.</p>`;
  if (chart.markets.length === 0) return html`<p>No quote was counted.</p>`;
  const shown = chart.markets.slice(0, mostCharts);
  const figures = shown.map((market) => marketFigure({ market, chart, stories, fills }));
  const trails =
    chart.trailsLeftOut > 0
      ? html`<p class="more">The level of ${chart.trailsLeftOut} more trailing orders was not recorded.</p>`
      : undefined;
  return [figures, trails, more(chart.markets.length - mostCharts, "symbols")];
}

type MarketOf = Readonly<{
  market: MarketChart;
  chart: SimulationChart;
  stories: readonly OrderStory[];
  fills: readonly SimulatedFill[];
}>;

function marketFigure({ market, chart, stories, fills }: MarketOf): Markup {
  const { symbol } = market;
  const watching = stories.filter(({ order }) => order.intent.symbol === symbol);
  const count = watching.length - MOST_LEVELS;
  const left = `${count} more orders have no levels and no children in this chart; all executions are drawn.`;
  return priceFigure({
    title: `${symbol}: price, orders and executions`,
    ...{ market, time: timeSpan(chart.startMs, chart.endMs), endMs: chart.endMs },
    stories: watching.slice(0, MOST_LEVELS),
    fills: fills.filter((fill) => fill.symbol === symbol),
    height: "tall",
    notes: [
      `${columnsText(market)} Marks at the lower edge are children that were sent. Point at a level or a mark to see its numbers.`,
      ...(count > 0 ? [left] : []),
    ],
  });
}

function columnsText({ columnMs }: MarketChart): string {
  if (columnMs === 1) return "Prices are those of all counted quotes.";
  return `Prices are those of the counted quotes, kept in columns of ${durationText(columnMs)}, each with its lowest and its highest price.`;
}

/** Returns a chart of each order with a trigger, over its own life. */
export function triggersSection(
  { chart, fills }: SimulationResult,
  stories: readonly OrderStory[],
  mostCharts: number,
): Content {
  const waiting = stories.filter(({ order }) => needsTrigger(order.intent.type));
  if (chart === undefined || waiting.length === 0) return undefined;
  return firstOf(waiting, { most: mostCharts, what: "orders with a trigger" }, (story) => {
    const market = chart.markets.find(({ symbol }) => symbol === story.order.intent.symbol);
    return market && orderFigure(story, { market, chart, fills });
  });
}

function orderFigure(story: OrderStory, { market, chart, fills }: Omit<MarketOf, "stories">): Markup {
  const { order, workingFromMs } = story;
  const overMs = Math.max(order.ended?.atMs ?? chart.endMs, story.executions.at(-1)?.timeMs ?? 0);
  const room = Math.ceil((overMs - workingFromMs) / 20);
  return priceFigure({
    title: orderTitle(story),
    time: timeSpan(
      Math.max(workingFromMs - room, chart.startMs),
      Math.min(overMs + room, Math.max(chart.endMs, overMs)),
    ),
    ...{ market, endMs: chart.endMs, stories: [story] },
    fills: fills.filter(({ orderId }) => orderId === order.orderId),
    height: "normal",
    notes: market.columnMs === 1 ? [] : [columnsText(market)],
  });
}

/** Most numbers of orders in a note. */
const MOST_NAMED = 20;

/** A market with orders and executions in a span of time. */
interface PriceFigureOf {
  readonly title: Content;
  readonly height: FigureHeight;
  readonly market: MarketChart;
  readonly time: Readonly<{ from: number; to: number }>;
  /** Until when a level holds whose order has not ended. */
  readonly endMs: number;
  /** Orders whose levels, triggers and children are drawn; all are of the symbol. */
  readonly stories: readonly OrderStory[];
  /** Executions of the symbol. */
  readonly fills: readonly SimulatedFill[];
  readonly notes: readonly Content[];
}

/** Returns the chart of the price of a symbol with triggers, trailing levels, limits, children and executions. */
function priceFigure(of: PriceFigureOf): Markup {
  const { title, height, market, time, endMs, stories, fills, notes } = of;
  const { symbol } = market;
  const prices = pricesIn(market.prices, time);
  const levels = stories.flatMap((story) => levelsOf(story, endMs));
  const marks = fills.map(markOf(stories));
  const values = spanOf(prices, marks, levels);
  const [bids, asks] = [stepsOf(prices, "Bid"), stepsOf(prices, "Ask")];
  const drawn = levels.filter(({ steps }) => steps.some(({ last }) => isInside(values, last)));
  const far = levels.filter((level) => !drawn.includes(level));
  return figure({
    ...{ title, time, values, height },
    description: `Bid and ask of ${symbol} with levels, children and executions of orders. The tables have the same facts as text.`,
    label: (value) => grouped(formatScaled(value, PRICE_SCALE)),
    legend: legendOf(drawn, stories, fills),
    series: [
      seriesOf("Bid", prices, ({ bid }) => grouped(bid)),
      seriesOf("Ask", prices, ({ ask }) => grouped(ask)),
    ],
    notes: [...farText(far), ...notes],
    draw: (plot) => [
      line("ask", stepPath(plot, asks, time.to)),
      line("bid", stepPath(plot, bids, time.to)),
      childStrip(plot, stories),
      drawLevels(plot, drawn),
      fillMarks(plot, marks),
      stories.map((story) => triggerMarks(plot, story)),
    ],
  });
}

/** Returns the prices in a span of time, and first the price that holds when it begins. */
function pricesIn(
  prices: readonly PriceColumn[],
  { from, to }: Readonly<{ from: number; to: number }>,
): readonly PriceColumn[] {
  const before = prices.findLast(({ timeMs }) => timeMs < from);
  const inside = prices.filter(({ timeMs }) => timeMs >= from && timeMs <= to);
  if (before === undefined) return inside;
  const { bid, ask } = before;
  const range = { lowestBid: bid, highestBid: bid, lowestAsk: ask, highestAsk: ask };
  return [{ timeMs: from, bid, ask, ...range }, ...inside];
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
          text: `#${number} becomes active at ${priceText(activation.seed)}`,
        })
      : undefined,
    trigger === undefined
      ? undefined
      : diamond(plot, "fired", {
          ...{ timeMs: trigger.atMs, at: trigger.observed },
          text: `#${number} triggers at ${priceText(trigger.observed)}, level ${priceText(trigger.level)}`,
        }),
  ];
}

type Mark = Readonly<{ timeMs: number; at: Scaled; text: string }>;

function diamond(plot: Plot, name: string, { timeMs, at, text }: Mark): Markup | undefined {
  if (!plot.holds(at)) return undefined;
  return html`<path class="mark ${name}" d="M0 -6l6 6l-6 6l-6 -6z" transform="translate(${plot.x(timeMs)} ${plot.y(at)})"><title>${instantText(timeMs)} UTC: ${text}</title></path>`;
}

const TRIGGER: LegendEntry = {
  swatch: html`<path class="fired" d="M12 0l6 6l-6 6l-6 -6z"/>`,
  text: "Trigger",
};
const BOUGHT: LegendEntry = { swatch: html`<path class="buy" d="M12 1l5 9h-10z"/>`, text: "Executed BUY" };
const SOLD: LegendEntry = { swatch: html`<path class="sell" d="M12 11l5 -9h-10z"/>`, text: "Executed SELL" };
const SENT: LegendEntry = {
  swatch: html`<path class="child" d="M7 2V10"/><path class="child empty" d="M17 2V10"/>`,
  text: "Child sent: executed, not executed",
};

/** Returns the entries of what a chart shows. */
function legendOf(
  levels: readonly Level[],
  stories: readonly OrderStory[],
  fills: readonly SimulatedFill[],
): readonly LegendEntry[] {
  const kinds = Object.keys(LEVEL_NAMES) as readonly LevelKind[];
  const shown = kinds.filter((kind) => levels.some((level) => level.kind === kind));
  return [
    lineEntry("bid", "Bid"),
    lineEntry("ask", "Ask"),
    ...shown.map((kind) => lineEntry(`level ${kind}`, LEVEL_NAMES[kind])),
    ...(stories.some(({ order }) => order.trigger !== undefined) ? [TRIGGER] : []),
    ...(fills.some(({ side }) => side === "BUY") ? [BOUGHT] : []),
    ...(fills.some(({ side }) => side === "SELL") ? [SOLD] : []),
    ...(stories.some(({ children }) => children.length > 0) ? [SENT] : []),
  ];
}

function farText(far: readonly Level[]): readonly string[] {
  const numbers = [...new Set(far.map(({ number }) => `#${number}`))];
  const some = numbers.slice(0, MOST_NAMED).join(", ");
  const more = numbers.length > MOST_NAMED ? ` and ${numbers.length - MOST_NAMED} more` : "";
  return numbers.length > 0 ? [`Levels far from the price are not drawn: ${some}${more}.`] : [];
}
