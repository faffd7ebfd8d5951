import { LABEL_HEIGHT, type LevelLabel, labelsOf, type PlacedLevel } from "./level-labels.ts";
import type { Level } from "./levels.ts";
import { grouped, timeText } from "./number-texts.ts";
import type { Trade } from "./past.ts";
import type { Tick } from "./price-track.ts";

/** An execution of a child. */
export type Mark = Readonly<{ timeMs: number; price: number; side: "BUY" | "SELL"; text: string }>;

/** What the chart shows, and its size in pixels. */
export type ChartInput = Readonly<{
  ticks: readonly Tick[];
  /** Trades from before the first tick. */
  past: readonly Trade[];
  levels: readonly Level[];
  marks: readonly Mark[];
  width: number;
  height: number;
  nowMs: number;
  spanMs: number;
}>;

/** The chart in pixels. */
export type Chart = Readonly<{
  plot: Readonly<{ width: number; height: number }>;
  bid: string;
  ask: string;
  spread: string;
  past: string;
  prices: readonly Readonly<{ y: number; text: string }>[];
  times: readonly Readonly<{ x: number; text: string }>[];
  levels: readonly PlacedLevel[];
  labels: readonly LevelLabel[];
  marks: readonly (Mark & Readonly<{ x: number; y: number }>)[];
  last: Readonly<{ x: number; y: number; text: string }> | undefined;
}>;

/** Room for prices on the right and times below. */
export const MARGIN = { right: 82, bottom: 22, top: 10 } as const;
/** Room for a time below the chart. */
const TIME_WIDTH = 82;
const MOST_DISTANT = 1.5;
const PRICE_LINES = 7;
/** A chart begins with a short time, so that its first seconds are not at its edge. */
const SHORTEST_MS = 20_000;

type Scale = (value: number) => number;

/** Returns the time that a chart shows: the chosen one, or less while the market has been watched for less. */
export function spanOf(chosenMs: number, nowMs: number, firstMs: number = nowMs): number {
  return Math.min(chosenMs, Math.max(SHORTEST_MS, nowMs - firstMs));
}

/** Returns the chart of the last `spanMs` before `nowMs`. Prices from the ticks and near levels decide its height. */
export function chartOf(input: ChartInput): Chart {
  const { ticks, width, height, nowMs, spanMs } = input;
  const plot = { width: Math.max(1, width - MARGIN.right), height: Math.max(1, height - MARGIN.bottom) };
  const from = nowMs - spanMs;
  const x: Scale = (timeMs) => ((timeMs - from) / spanMs) * plot.width;
  const shown = shownOf(ticks, from, nowMs);
  const begins = ticks[0]?.timeMs ?? nowMs;
  const past = shownOf(
    input.past
      .filter(({ timeMs }) => timeMs < begins)
      .map(({ timeMs, price }): Tick => ({ timeMs, bid: price, ask: price })),
    from,
    begins,
  );
  const range = rangeOf([...past, ...shown], input.levels);
  const y: Scale = (price) =>
    MARGIN.top + (1 - (price - range.low) / (range.high - range.low)) * (plot.height - MARGIN.top);
  const step = niceStep((range.high - range.low) / PRICE_LINES);
  const marks = input.marks.filter(({ timeMs }) => timeMs >= from);
  const last = lastOf(shown.at(-1), { x: x(nowMs), y, step });
  const levels = placedLevels(input.levels, y, { height: plot.height, step });
  const labels = labelsOf(levels, { top: MARGIN.top, bottom: plot.height - 4, lastY: last?.y });
  const taken = [...labels, ...(last === undefined ? [] : [last])];
  // A label of the axis that a tag would cover in part is left out.
  const axisText = (price: number): string =>
    taken.some((tag) => Math.abs(tag.y - y(price)) < LABEL_HEIGHT) ? "" : priceText(price, step);
  return {
    ...{ plot, levels: levels.filter(({ edge }) => edge === 0), labels, last },
    ...linesOf(shown, { x, y, endMs: nowMs }),
    past: linesOf(past, { x, y, endMs: begins }).bid,
    prices:
      shown.length === 0
        ? []
        : pricesOf(range, step).map((price) => ({ y: y(price), text: axisText(price) })),
    times: timesOf({ from, to: nowMs, most: plot.width / TIME_WIDTH })
      .map((timeMs) => ({ x: x(timeMs), text: timeText(timeMs) }))
      .filter((time) => time.x >= TIME_WIDTH / 3),
    marks: marks.map((mark) => ({ ...mark, x: x(mark.timeMs), y: clamp(y(mark.price), 4, plot.height - 4) })),
  };
}

/** Returns what is within the time shown, and the one before it, which reaches into it. */
const shownOf = (ticks: readonly Tick[], from: number, endMs: number): readonly Tick[] =>
  ticks.filter(
    ({ timeMs, isEnd }, index) =>
      timeMs >= from || (isEnd === undefined && (ticks[index + 1]?.timeMs ?? endMs) >= from),
  );

function lastOf(
  newest: Tick | undefined,
  { x, y, step }: Readonly<{ x: number; y: Scale; step: number }>,
): Chart["last"] {
  if (newest === undefined) return undefined;
  const price = middle(newest);
  return { x, y: y(price), text: priceText(price, Math.min(step, 0.01)) };
}

const middle = ({ bid, ask }: Tick): number => (bid + ask) / 2;
const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

type Range = Readonly<{ low: number; high: number }>;

/** Levels far from the market would flatten its line. They are shown at the edge. */
function rangeOf(ticks: readonly Tick[], levels: readonly Level[]): Range {
  const [first] = ticks;
  if (first === undefined) return { low: 0, high: 1 };
  let [low, high] = [first.bid, first.ask];
  for (const { bid, ask } of ticks) {
    low = Math.min(low, bid);
    high = Math.max(high, ask);
  }
  const least = first.ask * 0.0006;
  const reach = Math.max(high - low, least) * MOST_DISTANT;
  const [bottom, top] = [low - reach, high + reach];
  for (const { price } of levels) {
    if (price < bottom || price > top) continue;
    low = Math.min(low, price);
    high = Math.max(high, price);
  }
  const pad = Math.max((high - low) * 0.08, (least - (high - low)) / 2);
  return { low: low - pad, high: high + pad };
}

type Lines = Pick<Chart, "bid" | "ask" | "spread">;
type Drawing = Readonly<{ x: Scale; y: Scale; endMs: number }>;

/** Lines have a gap wherever nothing was known. */
function linesOf(ticks: readonly Tick[], drawing: Drawing): Lines {
  const ends = ticks.flatMap(({ isEnd }, index) => (isEnd ? [index + 1] : []));
  const runs = [...ends, ticks.length].map((end, index) =>
    lineOf(ticks.slice(ends[index - 1] ?? 0, end), drawing),
  );
  const all = (pick: (line: Lines) => string): string => runs.map(pick).join("");
  return { bid: all(({ bid }) => bid), ask: all(({ ask }) => ask), spread: all(({ spread }) => spread) };
}

/** A line is made of steps up to an end, because a price holds until the next one. */
function lineOf(ticks: readonly Tick[], { x, y, endMs }: Drawing): Lines {
  const thin = thinned(ticks, x);
  const end = thin.at(-1);
  if (end === undefined) return { bid: "", ask: "", spread: "" };
  const stepped = (pick: (tick: Tick) => number): readonly string[] =>
    [...thin, ...(end.isEnd ? [] : [{ ...end, timeMs: endMs }])].flatMap((tick, index) => {
      const at = round(x(tick.timeMs));
      const before = thin[index - 1];
      const corner = before === undefined ? [] : [`${at},${round(y(pick(before)))}`];
      return [...corner, `${at},${round(y(pick(tick)))}`];
    });
  const [bids, asks] = [stepped(({ bid }) => bid), stepped(({ ask }) => ask)];
  return {
    bid: `M${bids.join("L")}`,
    ask: `M${asks.join("L")}`,
    spread: `M${bids.join("L")}L${asks.toReversed().join("L")}Z`,
  };
}

/** Of the ticks of one pixel, those with the lowest bid, with the highest ask and the last one: no spike is lost. */
function thinned(ticks: readonly Tick[], x: Scale): readonly Tick[] {
  const kept: Tick[] = [];
  let pixel = Number.NaN;
  let [low, high, last]: (Tick | undefined)[] = [];
  const keep = (): void => {
    for (const tick of new Set([low, high, last].toSorted(byTime))) if (tick !== undefined) kept.push(tick);
  };
  for (const tick of ticks) {
    const at = Math.round(x(tick.timeMs));
    if (at !== pixel) keep();
    if (at !== pixel || low === undefined || high === undefined) [low, high] = [tick, tick];
    else [low, high] = [tick.bid < low.bid ? tick : low, tick.ask > high.ask ? tick : high];
    [pixel, last] = [at, tick];
  }
  keep();
  return kept;
}

const byTime = (a: Tick | undefined, b: Tick | undefined): number => (a?.timeMs ?? 0) - (b?.timeMs ?? 0);

const round = (value: number): string => value.toFixed(1);

/** Returns 1, 2 or 5 times a power of ten, at least `least`. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((candidate) => candidate * power >= least) ?? 10;
  return factor * power;
}

function pricesOf({ low, high }: Range, step: number): readonly number[] {
  const first = Math.ceil(low / step);
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

function priceText(price: number, step: number): string {
  return grouped(price.toFixed(clamp(Math.ceil(-Math.log10(step) - 1e-9), price < 1_000 ? 2 : 0, 8)));
}

const TIME_STEPS = [5_000, 10_000, 30_000, 60_000, 180_000, 300_000];

type Times = Readonly<{ from: number; to: number; most: number }>;

function timesOf({ from, to, most }: Times): readonly number[] {
  const step = TIME_STEPS.find((candidate) => (to - from) / candidate <= most) ?? 300_000;
  const first = Math.ceil(from / step) * step;
  const count = Math.max(0, Math.floor((to - first) / step) + 1);
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function placedLevels(
  levels: readonly Level[],
  y: Scale,
  { height, step }: Readonly<{ height: number; step: number }>,
): readonly PlacedLevel[] {
  return levels.map((level): PlacedLevel => {
    const exact = y(level.price);
    const edge = exact < MARGIN.top ? -1 : exact > height - 4 ? 1 : 0;
    const at = clamp(exact, MARGIN.top, height - 4);
    return { ...level, y: at, edge, priceText: priceText(level.price, Math.min(step, 0.01)) };
  });
}
