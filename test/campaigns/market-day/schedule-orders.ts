import { priceOf, quantityOf, type Row } from "./recompute.ts";

const MINUTE_MS = 60_000;

/** A parent that trades over time or along with volume: prices in 1e-8, quantities in 1e-6. */
export type ScheduleOrder = Readonly<{
  id: string;
  side: "BUY" | "SELL";
  quantity: bigint;
  /** Its placing time, after the rows of that time. */
  placedAtMs: number;
  expiresAtMs?: number;
  /** Cap of a BUY, floor of a SELL. */
  limit?: bigint;
}> &
  (
    | Readonly<{ kind: "TWAP"; intervalMs: number; delayMs: number; count: number }>
    | Readonly<{
        kind: "VWAP";
        intervalMs: number;
        delayMs: number;
        count: number;
        weights?: readonly bigint[];
      }>
    | Readonly<{ kind: "POV"; bips: bigint }>
  );

/** The part of a day that they use: the minutes of each of the three parts, and the approximate volume per minute. */
export type DayPlan = Readonly<{ startMs: number; partMinutes: number; size: bigint; floor: bigint }>;

/**
 * Five parents in three parts of a day. Every slot opens at the time of a row. The two parents of one part are on
 * opposite sides, so that neither uses the size shown to the other; the last part has a single parent, so that no other
 * adds to its volume.
 */
export function scheduleOrders({ startMs, partMinutes, size, floor }: DayPlan): readonly ScheduleOrder[] {
  const at = (part: number): number => startMs + part * partMinutes * MINUTE_MS;
  const slots = (minutes: number): number => Math.floor((partMinutes * 0.8) / minutes);
  const weights = Array.from({ length: slots(5) }, (_, slot) => BigInt((slot * 7) % 5));
  const inPart = (minutes: bigint): bigint => (size * BigInt(partMinutes)) / minutes;
  return [
    {
      id: "twap",
      kind: "TWAP",
      side: "BUY",
      quantity: inPart(3n) + 7n,
      placedAtMs: at(0),
      intervalMs: 3 * MINUTE_MS,
      delayMs: MINUTE_MS,
      count: slots(3),
    },
    {
      id: "vwap",
      kind: "VWAP",
      side: "SELL",
      quantity: inPart(1n) + 11n,
      placedAtMs: at(0),
      expiresAtMs: at(1) - 2 * MINUTE_MS,
      intervalMs: 5 * MINUTE_MS,
      delayMs: 0,
      count: weights.length,
      weights,
    },
    {
      id: "vwap-profile",
      kind: "VWAP",
      side: "BUY",
      quantity: inPart(1n) + 13n,
      placedAtMs: at(1),
      expiresAtMs: at(2) - 2 * MINUTE_MS,
      intervalMs: 2 * MINUTE_MS,
      delayMs: 2 * MINUTE_MS,
      count: slots(4),
    },
    {
      id: "twap-capped",
      kind: "TWAP",
      side: "SELL",
      quantity: inPart(4n) + 17n,
      placedAtMs: at(1),
      intervalMs: MINUTE_MS,
      delayMs: 0,
      count: slots(1),
      limit: floor,
    },
    {
      id: "pov",
      kind: "POV",
      side: "BUY",
      quantity: inPart(1n) * 2n,
      placedAtMs: at(2),
      expiresAtMs: at(3) - MINUTE_MS,
      bips: 1_250n,
    },
  ];
}

/**
 * Returns the plan for a day: parts of a number of minutes, and a floor at the market's price when the second part
 * begins.
 */
export function dayPlan(rows: readonly Row[], partMinutes: number): DayPlan {
  const [first] = rows;
  if (first === undefined) throw new Error("the day holds no row");
  const startMs = first.timeMs;
  const second = rows.find(({ timeMs }) => timeMs >= startMs + partMinutes * MINUTE_MS) ?? first;
  return {
    startMs,
    partMinutes,
    size: quantityOf(first.bid > priceOf("2000") ? "0.4" : "4"),
    floor: second.bid,
  };
}
