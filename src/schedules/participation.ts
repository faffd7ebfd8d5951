import { add, type Quantity, ZERO_QUANTITY } from "../decimal/index.ts";
import type { VolumeBar } from "../model/index.ts";
import { share } from "./plan.ts";

/** Basis points of the whole. */
const WHOLE_BIPS = 10_000;

/**
 * Returns what a POV parent should have executed when `volume` was executed since its admission, its own fills included:
 * `bips` basis points of it, cut to whole 1e-6 steps (contract, POST /api/order rule 5).
 *
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { participationTarget } from "managed-orders/rules";
 * console.log(Quantity.format(participationTarget(Quantity.parse("2.000009"), 1000))); // 0.2
 * ```
 */
export function participationTarget(volume: Quantity, bips: number): Quantity {
  return share(volume, { numerator: bips, denominator: WHOLE_BIPS });
}

const MINUTE_MS = 60_000;

/** Completed minutes that a profile may read. */
const WINDOW_MINUTES = 512;

const WINDOW_MS: number = WINDOW_MINUTES * MINUTE_MS;

/** Fewest intervals of a schedule. */
const FEWEST_INTERVALS = 2;

/** When a profile is made, and the intervals it covers. */
export interface ProfileTerms {
  readonly nowMs: number;
  readonly intervalMs: number;
  readonly intervalCount?: number;
}

/** The weights of a VWAP, one per interval. */
export interface VolumeProfile {
  readonly count: number;
  readonly weights: readonly Quantity[];
}

/**
 * Returns the range of minutes that a profile made now reads: the last 512 completed ones, from `fromMs` on and before
 * `toMs`, in epoch milliseconds (contract, POST /api/order rule 4).
 *
 *
 * @example
 * ```ts
 * import { profileWindow } from "managed-orders/rules";
 * const { fromMs, toMs } = profileWindow(30_779_999);
 * console.log(fromMs, toMs); // 0 30720000
 * ```
 */
export function profileWindow(nowMs: number): Readonly<{ fromMs: number; toMs: number }> {
  const toMs = nowMs - (nowMs % MINUTE_MS);
  return { fromMs: toMs - WINDOW_MS, toMs };
}

/**
 * Returns weights from the executed volume of one instrument: the newest `intervalCount` intervals of completed minutes,
 * oldest first. A minute without a bar counts as 0. Without a count there are as many whole intervals as fit since the
 * oldest bar with volume. Returns `undefined` when that is fewer than two, or when they contain no volume. Throws a
 * RangeError for intervals that are not whole minutes or that together exceed the window (contract, POST /api/order rule
 * 4).
 *
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { volumeProfile } from "managed-orders/rules";
 * const bars = [
 *   { symbol: "BTC/USD", minuteMs: 0, quantity: Quantity.parse("3") },
 *   { symbol: "BTC/USD", minuteMs: 120_000, quantity: Quantity.parse("0.5") },
 * ];
 * const profile = volumeProfile(bars, { nowMs: 185_000, intervalMs: 60_000 });
 * console.log(profile?.weights.map(Quantity.format).join(" ")); // 3 0 0.5
 * ```
 */
export function volumeProfile(bars: readonly VolumeBar[], terms: ProfileTerms): VolumeProfile | undefined {
  const { intervalMs } = terms;
  if (!(intervalMs > 0 && intervalMs % MINUTE_MS === 0))
    throw new RangeError(`intervalMs must be a whole number of minutes, got ${intervalMs} ms`);
  const { fromMs, toMs } = profileWindow(terms.nowMs);
  // A bar after the window belongs to no interval.
  const traded = bars.filter((bar) => bar.minuteMs >= fromMs && bar.quantity > 0);
  const count = terms.intervalCount ?? wholeIntervals(traded, { toMs, intervalMs });
  if (count * intervalMs > WINDOW_MS)
    throw new RangeError(
      `a profile covers at most ${WINDOW_MINUTES} minutes, got ${count} intervals of ${intervalMs} ms`,
    );
  if (count < FEWEST_INTERVALS) return undefined;
  const weights = new Array<Quantity>(count).fill(ZERO_QUANTITY);
  const startsAtMs = toMs - count * intervalMs;
  let total = ZERO_QUANTITY;
  for (const { minuteMs, quantity } of traded) {
    const interval = Math.floor((minuteMs - startsAtMs) / intervalMs);
    const weight = weights[interval];
    if (weight === undefined) continue;
    weights[interval] = add(weight, quantity);
    total = add(total, quantity);
  }
  return total > 0 ? { count, weights } : undefined;
}

/** Returns the number of whole intervals between the oldest bar and the end of the window. */
function wholeIntervals(
  bars: readonly VolumeBar[],
  terms: Readonly<{ toMs: number; intervalMs: number }>,
): number {
  let oldestMs = terms.toMs;
  for (const { minuteMs } of bars) oldestMs = Math.min(oldestMs, minuteMs);
  return Math.floor((terms.toMs - oldestMs) / terms.intervalMs);
}
