import { normalise, type Scaled, subtract } from "../../decimal/index.ts";
import { DAY_MS } from "./times.ts";

/** A range of values or of times in milliseconds. `to` is above `from`. */
export type Span = Readonly<{ from: Scaled; to: Scaled }>;

/** Round values inside a span. */
export type Ticks = Readonly<{ step: Scaled; values: readonly Scaled[] }>;

const TIME_STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600_000),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 365].map((days) => days * DAY_MS),
];

/** Returns at most `most` round times inside a span, and one more. */
export function timeTicks(span: Span, most: number): Ticks {
  const length = subtract(span.to, span.from);
  const fitting = TIME_STEPS_MS.find((stepMs) => length <= stepMs * most);
  return ticksOf(span, fitting === undefined ? roundStep(length, most) : BigInt(fitting));
}

/** Returns at most `most` round values inside a span, and one more. */
export function valueTicks(span: Span, most: number): Ticks {
  return ticksOf(span, roundStep(subtract(span.to, span.from), most));
}

/** Returns the smallest of 1, 2, 5, 10, 20, 50 and so on that divides a length into at most so many parts. */
function roundStep(length: Scaled, most: number): bigint {
  const wanted = BigInt(length) / BigInt(most) + 1n;
  for (let power = 1n; ; power *= 10n) {
    const step = [1n, 2n, 5n].find((digit) => digit * power >= wanted);
    if (step !== undefined) return step * power;
  }
}

function ticksOf({ from, to }: Span, step: bigint): Ticks {
  const values: Scaled[] = [];
  const start = BigInt(from);
  const rest = ((start % step) + step) % step;
  for (let value = rest === 0n ? start : start + step - rest; value <= BigInt(to); value += step)
    values.push(normalise(value));
  return { step: normalise(step), values };
}

/** Returns the span of values with some room on both sides. Without values it is empty room around zero. */
export function roomySpan(values: Iterable<Scaled>, floor?: Scaled): Span {
  let [from, to]: [Scaled | undefined, Scaled | undefined] = [floor, floor];
  for (const value of values) {
    if (from === undefined || value < from) from = value;
    if (to === undefined || value > to) to = value;
  }
  const [low, high] = [BigInt(from ?? 0), BigInt(to ?? 0)];
  const magnitude = high < 0n ? -high : high;
  const room = (high > low ? (high - low) / 20n : magnitude / 1_000n) + 1n;
  return {
    from: normalise(low === 0n && floor !== undefined ? low : low - room),
    to: normalise(high + room),
  };
}
