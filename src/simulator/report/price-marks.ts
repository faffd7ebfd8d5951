import { add, max, min, type Price, price, type Quantity } from "../../decimal/index.ts";
import type { Side } from "../../model/index.ts";
import { type Frame, type Plot, type Step, stepOf, stepPath } from "./figure.ts";
import { html, type Markup } from "./markup.ts";
import { instantText, priceText, quantityText } from "./numbers.ts";
import type { OrderStory } from "./orders.ts";

/** Kinds of levels, which the style sheet draws differently. */
export type LevelKind = "stop" | "gate" | "trail" | "limit";

/** A price that an order watched for some time. */
export interface Level {
  readonly kind: LevelKind;
  readonly number: number;
  readonly steps: readonly Step[];
  readonly endMs: number;
  readonly title: string;
}

/** Names of the kinds of levels in the legend. */
export const LEVEL_NAMES: Readonly<Record<LevelKind, string>> = {
  stop: "Stop or take-profit price",
  gate: "Activation price",
  trail: "Trailing level",
  limit: "Limit price",
};

/** Returns the levels of an order, each for as long as the order watched it. */
export function levelsOf(story: OrderStory, endMs: number): readonly Level[] {
  const { order, workingFromMs, activatedMs } = story;
  const { stopPrice, trailing, price: limit } = order.intent;
  const overMs = order.ended?.atMs ?? endMs;
  const firedMs = order.trigger?.atMs ?? overMs;
  const frozen = order.trigger?.limit;
  const levels: (Level | undefined)[] = [];
  if (stopPrice !== undefined)
    levels.push(
      trailing === undefined
        ? flat(story, "stop", { level: stopPrice, fromMs: workingFromMs, toMs: firedMs })
        : flat(story, "gate", { level: stopPrice, fromMs: workingFromMs, toMs: activatedMs ?? overMs }),
    );
  levels.push(trailOf(story, firedMs));
  const isTriggered = stopPrice !== undefined || trailing !== undefined;
  const limitFromMs = isTriggered ? order.trigger?.atMs : workingFromMs;
  const known = limit ?? frozen;
  if (known !== undefined && limitFromMs !== undefined)
    levels.push(flat(story, "limit", { level: known, fromMs: limitFromMs, toMs: overMs }));
  return levels.filter((level) => level !== undefined);
}

function flat(
  { number, order }: OrderStory,
  kind: LevelKind,
  { level, fromMs, toMs }: Readonly<{ level: Price; fromMs: number; toMs: number }>,
): Level {
  const during = `${instantText(fromMs)} to ${instantText(toMs)} UTC`;
  const title = `#${number} ${order.intent.side} ${LEVEL_NAMES[kind].toLowerCase()} ${priceText(level)}, ${during}`;
  return { kind, number, steps: [stepOf(fromMs, level)], endMs: toMs, title };
}

function trailOf({ number, order, chart }: OrderStory, endMs: number): Level | undefined {
  const points = (chart?.trail ?? []).flatMap(({ timeMs, level }) =>
    level === undefined ? [] : [{ timeMs, level: price(level) }],
  );
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const course = `${priceText(first.level)} to ${priceText(last.level)}`;
  const title = `#${number} ${order.intent.side} trailing level, ${course}, ${instantText(first.timeMs)} to ${instantText(endMs)} UTC`;
  const steps = points.map(({ timeMs, level }) => stepOf(timeMs, level));
  return { kind: "trail", number, steps, endMs, title };
}

/** Draws levels, and the number of the order beside each where there is room. */
export function drawLevels(plot: Plot, levels: readonly Level[]): Markup {
  const labels = new Labels(plot);
  const drawn = levels.map(({ kind, number, steps, endMs, title }) => {
    const path = stepPath(plot, steps, endMs, COLUMN);
    const [first] = steps;
    const label = first === undefined ? undefined : labels.place(first, `#${number}`);
    return html`<g class="mark"><path class="level ${kind}" d="${path}"/><path class="touch" d="${path}"/>${label}<title>${title}</title></g>`;
  });
  return html`${drawn}`;
}

type Box = Readonly<{ x: number; y: number; width: number }>;

/** Width of the columns in which steps of a trailing level become one, in units of the drawing. */
const COLUMN = 2;

const LABEL_HEIGHT = 12;

/** Places labels above their lines, or below, so that none covers another. A label without room is left out. */
class Labels {
  readonly #plot: Plot;
  readonly #boxes: Box[] = [];

  constructor(plot: Plot) {
    this.#plot = plot;
  }

  place({ timeMs, last }: Step, text: string): Markup | undefined {
    const { left, top } = this.#plot.frame;
    const width = text.length * 7 + 2;
    const x = Math.min(Math.max(this.#plot.x(timeMs) + 2, left + 2), this.#plot.endX - width);
    const lineY = this.#plot.y(last);
    for (const y of [lineY - 4, lineY + LABEL_HEIGHT]) {
      const box = { x, y, width };
      const isOutside = y < top + LABEL_HEIGHT || y > this.#plot.endY - 1;
      if (isOutside || this.#boxes.some((other) => overlaps(box, other))) continue;
      this.#boxes.push(box);
      return html`<text class="number" x="${x}" y="${y}">${text}</text>`;
    }
    return undefined;
  }
}

function overlaps(a: Box, b: Box): boolean {
  const beside = a.x >= b.x + b.width || b.x >= a.x + a.width;
  return !beside && Math.abs(a.y - b.y) < LABEL_HEIGHT;
}

/** Width of a column, in units of the drawing. */
const CELL = 3;

type Sent = Readonly<{ timeMs: number; number: number; side: Side; quantity: Quantity; executed: Quantity }>;
type Stroke = [Sent, ...Sent[]];

/**
 * Returns a stroke at the lower edge for each narrow column of the drawing in which children were sent: one for those that
 * executed something, and one for the others.
 */
export function childStrip(plot: Plot, stories: readonly OrderStory[]): readonly Markup[] {
  const strokes = new Map<string, Stroke>();
  for (const { number, order, children } of stories)
    for (const { sentMs: timeMs, quantity, executed } of children) {
      const name = `${executed > 0} ${Math.floor(plot.x(timeMs) / CELL)}`;
      const sent = { timeMs, number, side: order.intent.side, quantity, executed };
      const stroke = strokes.get(name);
      if (stroke === undefined) strokes.set(name, [sent]);
      else stroke.push(sent);
    }
  return [...strokes.values()].map((stroke) => strokeOf(plot, stroke));
}

function strokeOf(plot: Plot, [first, ...others]: Stroke): Markup {
  const isExecuted = first.executed > 0;
  const [x, name] = [plot.x(first.timeMs), isExecuted ? "mark child" : "mark child empty"];
  const [from, to] = isExecuted ? [plot.endY, plot.endY - 8] : [plot.endY - 10, plot.endY - 16];
  const sent = quantityText(others.reduce((sum, { quantity }) => add(sum, quantity), first.quantity));
  const executed = quantityText(first.executed);
  const what =
    others.length === 0
      ? `child of #${first.number}, ${first.side} ${sent}, executed ${executed}`
      : `${others.length + 1} children, ${sent} in all, ${isExecuted ? "each executed at least in part" : "none executed"}`;
  return html`<path class="${name}" d="M${x} ${from}V${to}"><title>${instantText(first.timeMs)} UTC: ${what}</title></path>`;
}

/** An execution to mark in a chart of prices. */
export type FillMark = Readonly<{ timeMs: number; side: Side; price: Price; quantity: Quantity; of: string }>;

/** Most marks of a drawing. With more executions, neighbours share a mark. */
const MOST_MARKS: Readonly<Record<Frame["name"], number>> = { wide: 500, narrow: 200 };

/** Marks of a drawing from which they are smaller. */
const MANY_MARKS = 80;

type Paths = Readonly<Record<Side, string>>;

const LARGE: Paths = { BUY: "M0 0l5 9h-10z", SELL: "M0 0l5 -9h-10z" };
const SMALL: Paths = { BUY: "M0 0l3 5.5h-6z", SELL: "M0 0l3 -5.5h-6z" };

/** Executions that share a mark. */
type Group = [FillMark, ...FillMark[]];

/**
 * Returns a mark for each execution: a triangle that points up for BUY and down for SELL. Where there are too many,
 * executions of the same side that are near each other share a mark, whose title has their number and sum.
 */
export function fillMarks(plot: Plot, fills: readonly FillMark[]): readonly Markup[] {
  for (let cell = 2; ; cell *= 2) {
    const groups = groupsOf(plot, fills, cell);
    const path = groups.length > MANY_MARKS ? SMALL : LARGE;
    if (groups.length <= MOST_MARKS[plot.frame.name])
      return groups.map((group) => triangle(plot, group, path));
  }
}

function groupsOf(plot: Plot, fills: readonly FillMark[], cell: number): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const fill of fills) {
    const [column, row] = [Math.floor(plot.x(fill.timeMs) / cell), Math.floor(plot.y(fill.price) / cell)];
    const name = `${fill.side} ${column} ${row}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [fill]);
    else group.push(fill);
  }
  return [...groups.values()];
}

function triangle(plot: Plot, group: Group, paths: Paths): Markup {
  const [{ side, timeMs, price }] = group;
  const [x, y] = [plot.x(timeMs), plot.y(price)];
  const name = side === "BUY" ? "mark buy" : "mark sell";
  return html`<path class="${name}" d="${paths[side]}" transform="translate(${x} ${y})"><title>${titleOf(group)}</title></path>`;
}

function titleOf(group: Group): string {
  const [first, ...others] = group;
  const { timeMs, side, price } = first;
  if (others.length === 0)
    return `${instantText(timeMs)} UTC, ${first.of}: ${side} ${quantityText(first.quantity)} at ${priceText(price)}`;
  const amount = quantityText(others.reduce((sum, { quantity }) => add(sum, quantity), first.quantity));
  const low = others.reduce((least, other) => min(least, other.price), price);
  const high = others.reduce((most, other) => max(most, other.price), price);
  const prices = low === high ? priceText(low) : `${priceText(low)} to ${priceText(high)}`;
  const times = `${instantText(timeMs)} to ${instantText(others.at(-1)?.timeMs ?? timeMs)} UTC`;
  return `${times}: ${side} ${amount} in ${group.length} executions at ${prices}`;
}
