import {
  add,
  formatPrice,
  formatQuantity,
  max,
  min,
  type Price,
  type Quantity,
} from "../../decimal/index.ts";
import type { Side } from "../../model/index.ts";
import { html, type Markup } from "./markup.ts";
import { grouped } from "./numbers.ts";
import type { Frame, Plot } from "./plot.ts";
import { instantText } from "./times.ts";

/** An execution to mark in a chart of prices. */
export type FillMark = Readonly<{ timeMs: number; side: Side; price: Price; quantity: Quantity; of: string }>;

/** Most marks of a drawing. With more executions, neighbours share a mark. */
const MOST_MARKS: Readonly<Record<Frame["name"], number>> = { wide: 500, narrow: 200 };

/** Marks of a drawing from which they are smaller. */
const MANY_MARKS = 80;

type Paths = Readonly<Record<Side, string>>;

const LARGE: Paths = { BUY: "M0 0l5 9h-10z", SELL: "M0 0l5 -9h-10z" };
const SMALL: Paths = { BUY: "M0 0l3 5.5h-6z", SELL: "M0 0l3 -5.5h-6z" };

type Group = {
  readonly first: FillMark;
  count: number;
  endMs: number;
  quantity: Quantity;
  low: Price;
  high: Price;
};

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
    if (group === undefined) groups.set(name, groupOf(fill));
    else join(group, fill);
  }
  return [...groups.values()];
}

function groupOf(first: FillMark): Group {
  const { timeMs: endMs, quantity, price } = first;
  return { first, count: 1, endMs, quantity, low: price, high: price };
}

function join(group: Group, { timeMs, quantity, price }: FillMark): void {
  group.count += 1;
  group.endMs = timeMs;
  group.quantity = add(group.quantity, quantity);
  group.low = min(group.low, price);
  group.high = max(group.high, price);
}

function triangle(plot: Plot, group: Group, paths: Paths): Markup {
  const { side, timeMs, price } = group.first;
  const [x, y] = [plot.x(timeMs), plot.y(price)];
  const name = side === "BUY" ? "mark buy" : "mark sell";
  return html`<path class="${name}" d="${paths[side]}" transform="translate(${x} ${y})"><title>${titleOf(group)}</title></path>`;
}

function titleOf({ first, count, endMs, quantity, low, high }: Group): string {
  const amount = grouped(formatQuantity(quantity));
  if (count === 1)
    return `${instantText(first.timeMs)} UTC, ${first.of}: ${first.side} ${amount} at ${grouped(formatPrice(first.price))}`;
  const prices = low === high ? priceText(low) : `${priceText(low)} to ${priceText(high)}`;
  const times = `${instantText(first.timeMs)} to ${instantText(endMs)} UTC`;
  return `${times}: ${first.side} ${amount} in ${count} executions at ${prices}`;
}

const priceText = (value: Price): string => grouped(formatPrice(value));
