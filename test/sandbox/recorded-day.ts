import { formatScaled } from "../../src/decimal/index.ts";

export const DAY_MS: number = Date.UTC(2020, 0, 1);
export const MINUTE_MS = 60_000;
export const MINUTES = 1_440;

export const QUOTE_HEADER = "time,symbol,bid,bidQuantity,ask,askQuantity";
export const TRADE_HEADER = "time,symbol,price,quantity";

/** Minutes without a row: real input has gaps too. */
export const GAPS: ReadonlySet<number> = new Set([17, 18, 900]);

/**
 * An artificial day, or its first minutes: the price rises by the same amount and falls again, sizes repeat with the
 * minute; quotes and trades once a minute.
 */
export function recordedDay(
  length: number = MINUTES,
): Readonly<{ quotes: readonly string[]; trades: readonly string[] }> {
  const minutes = Array.from({ length }, (_, minute) => minute).filter((minute) => !GAPS.has(minute));
  const risePerMinute = (100 * MINUTES) / length;
  const cents = (minute: number): number =>
    740_000 + risePerMinute * Math.min(minute, length - minute) + ((minute * 37) % 50);
  const millionths = (minute: number): string => formatScaled(1_000 + ((minute * 7_919) % 9_000_000), 6);
  return {
    quotes: minutes.map((minute) => {
      const [bid, ask] = [formatScaled(cents(minute), 2), formatScaled(cents(minute) + 1, 2)];
      return `${DAY_MS + minute * MINUTE_MS},BTC/USD,${bid},${millionths(minute)},${ask},${millionths(minute + 1)}`;
    }),
    trades: minutes.map(
      (minute) =>
        `${DAY_MS + minute * MINUTE_MS},BTC/USD,${formatScaled(cents(minute), 2)},${millionths(minute + 2)}`,
    ),
  };
}
