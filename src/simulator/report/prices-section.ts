import { durationText } from "../../common/index.ts";
import { formatQuantity } from "../../decimal/index.ts";
import { needsTrigger } from "../../lifecycle/index.ts";
import type { MarketChart, SimulationChart } from "../chart/index.ts";
import type { SimulatedFill, SimulationResult } from "../result/index.ts";
import { timeSpan } from "./figure.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { grouped } from "./numbers.ts";
import { priceFigure } from "./price-figure.ts";
import type { OrderStory } from "./story.ts";
import { firstOf, more } from "./table.ts";

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
  const { shown, count } = firstOf(chart.markets, mostCharts);
  const figures = shown.map((market) => marketFigure({ market, chart, stories, fills }));
  const trails =
    chart.trailsLeftOut > 0
      ? html`<p class="more">The level of ${chart.trailsLeftOut} more trailing orders was not recorded.</p>`
      : undefined;
  return [figures, trails, more(count, "symbols")];
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
  const { shown, count } = firstOf(watching, MOST_LEVELS);
  const left = `${count} more orders have no levels and no children in this chart; all executions are drawn.`;
  return priceFigure({
    title: `${symbol}: price, orders and executions`,
    ...{ market, time: timeSpan(chart.startMs, chart.endMs), endMs: chart.endMs, stories: shown },
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
  const { shown, count } = firstOf(waiting, mostCharts);
  const figures = shown.map((story) => {
    const market = chart.markets.find(({ symbol }) => symbol === story.order.intent.symbol);
    return market && orderFigure(story, { market, chart, fills });
  });
  return [figures, more(count, "orders with a trigger")];
}

function orderFigure(story: OrderStory, { market, chart, fills }: Omit<MarketOf, "stories">): Markup {
  const { number, order, workingFromMs } = story;
  const { side, type, quantity, symbol, clientOrderId } = order.intent;
  const overMs = Math.max(order.ended?.atMs ?? chart.endMs, story.executions.at(-1)?.timeMs ?? 0);
  const room = Math.ceil((overMs - workingFromMs) / 20);
  return priceFigure({
    title: html`#${number} ${type} ${side} ${grouped(formatQuantity(quantity))} ${symbol} <code>${clientOrderId}</code>`,
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
