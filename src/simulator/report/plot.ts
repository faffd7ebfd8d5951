import { type Scaled, subtract } from "../../decimal/index.ts";
import { share } from "../../schedules/index.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { type Span, timeTicks, valueTicks } from "./ticks.ts";
import { tickText } from "./times.ts";

/** Half of the width of the longest label of a time, roughly. */
const LABEL_ROOM = 16;

/** Size of a drawing and of its margins, in its own units. */
export interface Frame {
  readonly name: "wide" | "narrow";
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly timeTicks: number;
  readonly valueTicks: number;
}

/** How high a figure is. */
export type FigureHeight = "low" | "normal" | "tall";

const HEIGHTS: Readonly<Record<FigureHeight, Readonly<Record<Frame["name"], number>>>> = {
  low: { wide: 200, narrow: 180 },
  normal: { wide: 320, narrow: 270 },
  tall: { wide: 460, narrow: 360 },
};

/** Returns the drawings of a figure: for a page and for a phone. Each is drawn about as wide as it is displayed. */
export function framesOf(height: FigureHeight = "normal"): readonly Frame[] {
  const { wide, narrow } = HEIGHTS[height];
  return [
    {
      ...{ name: "wide", width: 960, height: wide, left: 84, right: 14, top: 12, bottom: 30 },
      ...{ timeTicks: 9, valueTicks: Math.round(wide / 55) },
    },
    {
      ...{ name: "narrow", width: 380, height: narrow, left: 70, right: 8, top: 10, bottom: 28 },
      ...{ timeTicks: 4, valueTicks: Math.round(narrow / 55) },
    },
  ];
}

/** What a plot shows: spans, and how its values are written. */
export type PlotOf = Readonly<{ time: Span; values: Span; label: (value: Scaled) => string }>;

/** Places times and values in a frame. Positions are whole tenths, computed with integers. */
export class Plot {
  readonly frame: Frame;
  readonly #of: PlotOf;

  constructor(frame: Frame, of: PlotOf) {
    this.frame = frame;
    this.#of = of;
  }

  /** Right end of the plot. */
  get endX(): number {
    return this.frame.width - this.frame.right;
  }

  /** Lower end of the plot. */
  get endY(): number {
    return this.frame.height - this.frame.bottom;
  }

  x(timeMs: Scaled): number {
    return placed(timeMs, this.#of.time, [this.frame.left, this.endX]);
  }

  y(value: Scaled): number {
    return placed(value, this.#of.values, [this.endY, this.frame.top]);
  }

  /** Whether a value is inside the plot. */
  holds(value: Scaled): boolean {
    return value >= this.#of.values.from && value <= this.#of.values.to;
  }

  /** Returns grid lines and labels of both axes. */
  axes(): Markup {
    const { left, top, height } = this.frame;
    const times = timeTicks(this.#of.time, this.frame.timeTicks);
    const values = valueTicks(this.#of.values, this.frame.valueTicks);
    const [endX, endY, stepMs] = [this.endX, this.endY, asNumber(times.step)];
    const rows: readonly Content[] = values.values.map((value) => {
      const y = this.y(value);
      return html`<path class="grid" d="M${left} ${y}H${endX}"/><text class="tick" x="${left - 6}" y="${y}" dy=".35em" text-anchor="end">${this.#of.label(value)}</text>`;
    });
    const columns: readonly Content[] = times.values.map((timeMs) => {
      const x = this.x(timeMs);
      const anchor = anchorOf(x, [left, endX]);
      return html`<path class="grid" d="M${x} ${top}V${endY}"/><text class="tick" x="${x}" y="${height - 10}" text-anchor="${anchor}">${tickText(asNumber(timeMs), stepMs)}</text>`;
    });
    return html`<g>${rows}${columns}<path class="axis" d="M${left} ${top}V${endY}H${endX}"/></g>`;
  }
}

/** A label near an end of the axis stays inside the drawing. */
function anchorOf(x: number, [start, end]: readonly [number, number]): "start" | "middle" | "end" {
  if (x - start < LABEL_ROOM) return "start";
  return end - x < LABEL_ROOM ? "end" : "middle";
}

function placed(value: Scaled, { from, to }: Span, [start, end]: readonly [number, number]): number {
  const tenths = share(subtract(value, from), {
    numerator: (end - start) * 10,
    denominator: subtract(to, from),
  });
  return (start * 10 + asNumber(tenths)) / 10;
}

/** Times and positions are far below the limit of exact numbers. Anything beyond it is at the limit. */
function asNumber(value: Scaled): number {
  if (typeof value === "number") return value;
  return value < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
}
