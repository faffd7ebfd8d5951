import type { Decimal } from "decimal.js";

/** The deepest fall of the equity below an earlier peak. */
export interface Drawdown {
  /** Fall in USD, a decimal string. */
  readonly amount: string;
  /** Fall divided by the peak, a decimal string. */
  readonly fraction: string;
  readonly peakMs: number;
  readonly troughMs: number;
  /** When the equity reached the peak again; absent if it did not. */
  readonly recoveredMs?: number;
}

type Point = Readonly<{ timeMs: number; value: Decimal }>;

const DECIMALS = 8;

/** Returns the fall with the largest fraction. Without a fall, amount and fraction are "0". */
export function deepestFall(points: readonly Point[]): Drawdown {
  let peak = points[0];
  let deepest: Readonly<{ peak: Point; trough: Point; fraction: Decimal }> | undefined;
  for (const point of points) {
    if (peak === undefined || point.value.greaterThanOrEqualTo(peak.value)) peak = point;
    if (!peak.value.isPositive() || peak.value.isZero()) continue;
    const fraction = peak.value.minus(point.value).dividedBy(peak.value);
    if (fraction.greaterThan(deepest?.fraction ?? 0)) deepest = { peak, trough: point, fraction };
  }
  const startMs = points[0]?.timeMs ?? 0;
  if (deepest === undefined) return { amount: "0", fraction: "0", peakMs: startMs, troughMs: startMs };
  const { peak: top, trough, fraction } = deepest;
  const recovered = points.find(
    ({ timeMs, value }) => timeMs > trough.timeMs && value.greaterThanOrEqualTo(top.value),
  );
  return {
    amount: top.value.minus(trough.value).toDecimalPlaces(DECIMALS).toFixed(),
    fraction: fraction.toDecimalPlaces(DECIMALS).toFixed(),
    peakMs: top.timeMs,
    troughMs: trough.timeMs,
    ...(recovered !== undefined && { recoveredMs: recovered.timeMs }),
  };
}
