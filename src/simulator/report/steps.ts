import { max, min, type Scaled } from "../../decimal/index.ts";
import { Markup } from "./markup.ts";
import type { Plot } from "./plot.ts";

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
