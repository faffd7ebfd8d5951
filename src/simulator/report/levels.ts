import { formatPrice, type Price, price } from "../../decimal/index.ts";
import { html, type Markup } from "./markup.ts";
import { grouped } from "./numbers.ts";
import type { Plot } from "./plot.ts";
import { type Step, stepOf, stepPath } from "./steps.ts";
import type { OrderStory } from "./story.ts";
import { instantText } from "./times.ts";

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
  const title = `#${number} ${order.intent.side} ${LEVEL_NAMES[kind].toLowerCase()} ${grouped(formatPrice(level))}, ${during}`;
  return { kind, number, steps: [stepOf(fromMs, level)], endMs: toMs, title };
}

function trailOf({ number, order, chart }: OrderStory, endMs: number): Level | undefined {
  const points = (chart?.trail ?? []).flatMap(({ timeMs, level }) =>
    level === undefined ? [] : [{ timeMs, level: price(level) }],
  );
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const course = `${grouped(formatPrice(first.level))} to ${grouped(formatPrice(last.level))}`;
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
