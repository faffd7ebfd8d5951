import type { BarLengthMs } from "../model/index.ts";

/**
 * The kline intervals, shortest first, as the convention names them. Seconds are not among them: no bar is shorter than
 * a minute. Source: decision NH.
 */
export const KLINE_INTERVALS = [
  "1m",
  "3m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "6h",
  "8h",
  "12h",
  "1d",
  "3d",
  "1w",
  "1M",
] as const;

/** Name of a kline interval. */
export type KlineInterval = (typeof KLINE_INTERVALS)[number];

/** `barMs` is the length of the stored bars that a kline is made of. A kline of a month has no fixed length. */
type IntervalTerms = Readonly<{ barMs: BarLengthMs; lengthMs: number | "month" }>;

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** 1970-01-05, a Monday. Weeks begin on Mondays, at midnight UTC. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

const TERMS: Readonly<Record<KlineInterval, IntervalTerms>> = {
  "1m": { barMs: MINUTE_MS, lengthMs: MINUTE_MS },
  "3m": { barMs: MINUTE_MS, lengthMs: 3 * MINUTE_MS },
  "5m": { barMs: FIVE_MINUTES_MS, lengthMs: FIVE_MINUTES_MS },
  "15m": { barMs: FIVE_MINUTES_MS, lengthMs: 15 * MINUTE_MS },
  "30m": { barMs: FIVE_MINUTES_MS, lengthMs: 30 * MINUTE_MS },
  "1h": { barMs: HOUR_MS, lengthMs: HOUR_MS },
  "2h": { barMs: HOUR_MS, lengthMs: 2 * HOUR_MS },
  "4h": { barMs: HOUR_MS, lengthMs: 4 * HOUR_MS },
  "6h": { barMs: HOUR_MS, lengthMs: 6 * HOUR_MS },
  "8h": { barMs: HOUR_MS, lengthMs: 8 * HOUR_MS },
  "12h": { barMs: HOUR_MS, lengthMs: 12 * HOUR_MS },
  "1d": { barMs: DAY_MS, lengthMs: DAY_MS },
  "3d": { barMs: DAY_MS, lengthMs: 3 * DAY_MS },
  "1w": { barMs: DAY_MS, lengthMs: WEEK_MS },
  "1M": { barMs: DAY_MS, lengthMs: "month" },
};

/** Returns the length in milliseconds of the stored bars that klines of an interval are made of. */
export function barsOfInterval(interval: KlineInterval): BarLengthMs {
  return TERMS[interval].barMs;
}

/** Returns the start of the kline in which a time is. Both are in epoch milliseconds, and klines begin by UTC. */
export function klineStartMs(interval: KlineInterval, timeMs: number): number {
  const { lengthMs } = TERMS[interval];
  if (lengthMs === "month") return monthMs(timeMs, 0);
  const firstMs = interval === "1w" ? FIRST_MONDAY_MS : 0;
  return firstMs + Math.floor((timeMs - firstMs) / lengthMs) * lengthMs;
}

/** Returns the end of a kline, which is the start of the next. Both are in epoch milliseconds. */
export function klineEndMs(interval: KlineInterval, startMs: number): number {
  const { lengthMs } = TERMS[interval];
  return lengthMs === "month" ? monthMs(startMs, 1) : startMs + lengthMs;
}

/** Returns the start of the month in which a time is, or of the month `after` months later. */
function monthMs(timeMs: number, after: number): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + after);
}
