import {
  add,
  normalise,
  PRICE_LIMIT,
  type Price,
  portion,
  type Rounding,
  type Scaled,
  subtract,
  withinPriceRange,
} from "../decimal/index.ts";
import type { MarketSide, TrailingDistance } from "../model/index.ts";

/** A trailing trigger at one moment: the best price since activation, and the distance from it. */
export interface TrailingPoint {
  readonly side: MarketSide;
  readonly reference: Price;
  readonly distance: TrailingDistance;
}

/** Steps of a relative distance in one basis point. A step is 1e-10 of the reference, also for percent. */
const RATE_PER_BPS = 1_000_000;

/** Values are split at this, the square root of {@link WHOLE}, so that products of the parts stay small. */
const SPLIT = 100_000;

/** Steps of a relative distance that equal the whole reference. */
const WHOLE: number = SPLIT * SPLIT;

/** A distance that grows with the reference. */
type RelativeDistance = Exclude<TrailingDistance, { kind: "amount" }>;

/** Returns a relative distance in units of 1e-10 of the reference. */
export function rateOf(distance: RelativeDistance): Scaled {
  return distance.kind === "bps" ? distance.bps * RATE_PER_BPS : distance.percent;
}

/** Returns a rate (in 1e-10) of the reference in whole 1e-8 steps, rounded once. */
export function relativeSpan(reference: Price, rate: Scaled, rounding: Rounding): Price {
  if (typeof reference === "number" && typeof rate === "number" && rate < WHOLE) {
    return narrowSpan({ reference, rate, rounding }) as Price;
  }
  const whole = BigInt(WHOLE);
  const product = BigInt(reference) * BigInt(rate);
  return normalise((rounding === "up" ? product + whole - 1n : product) / whole) as Price;
}

/**
 * Computes `reference · rate / 10^10` in doubles. The result is exact for a safe integer and a rate below the whole.
 * With parts below 9.1e10 and 1e5 every product and sum stays below 2^53. There a quotient is further from the next
 * integer than from the nearest double, so its whole part is exact.
 */
function narrowSpan(of: Readonly<{ reference: number; rate: number; rounding: Rounding }>): number {
  const high = Math.floor(of.reference / SPLIT);
  const low = of.reference - high * SPLIT;
  const rateHigh = Math.floor(of.rate / SPLIT);
  const rateLow = of.rate - rateHigh * SPLIT;
  const middle = high * rateLow + low * rateHigh;
  const middleHigh = Math.floor(middle / SPLIT);
  const rest = ((middle - middleHigh * SPLIT) * SPLIT + low * rateLow) / WHOLE;
  return high * rateHigh + middleHigh + (of.rounding === "up" ? Math.ceil(rest) : Math.floor(rest));
}

function spanOf({ reference, distance }: TrailingPoint, rounding: Rounding): Price {
  if (distance.kind === "amount") return distance.amount;
  return relativeSpan(reference, rateOf(distance), rounding);
}

/**
 * Returns the level at which a trailing trigger fires, in whole 1e-8 steps: reference plus distance on the ask, rounded up;
 * reference minus distance on the bid, rounded down. A price meets this level exactly when it meets the unrounded one. On
 * the bid the level may be zero or negative; no price meets it then (contract, Trigger rules 5).
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { trailingLevel } from "managed-orders/rules";
 * const level = trailingLevel({ side: "bid", reference: Price.parse("45500"), distance: { kind: "bps", bps: 700 } });
 * console.log(Price.format(level)); // 42315
 * ```
 */
export function trailingLevel(point: TrailingPoint): Price {
  const span = spanOf(point, "up");
  return point.side === "ask" ? add(point.reference, span) : subtract(point.reference, span);
}

/**
 * Returns the reference of a trailing level: exactly, but for a relative distance on the bid, where several references within
 * one or two steps have the same level. Then it is the lowest of them.
 */
export function referenceOf({
  side,
  level,
  distance,
}: Omit<TrailingPoint, "reference"> & Readonly<{ level: Price }>): Price {
  const isBid = side === "bid";
  if (distance.kind === "amount")
    return isBid ? add(level, distance.amount) : subtract(level, distance.amount);
  const [whole, rate] = [BigInt(WHOLE), BigInt(rateOf(distance))];
  const denominator = isBid ? whole - rate : whole + rate;
  return portion(level, { numerator: whole, denominator, rounding: isBid ? "up" : "down" });
}

/**
 * Returns the trailing level for display, rounded at 8 decimals, up for BUY and down for SELL. Returns `undefined` for a
 * level outside the range of prices, because no price can meet it.
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { displayedLevel } from "managed-orders/rules";
 * const distance = { kind: "amount", amount: Price.parse("5") } as const;
 * console.log(displayedLevel({ side: "bid", reference: Price.parse("4"), distance })); // undefined
 * ```
 */
export function displayedLevel(point: TrailingPoint): Price | undefined {
  const level = trailingLevel(point);
  return level > 0 && level < PRICE_LIMIT ? level : undefined;
}

/**
 * Returns the limit of a dynamic trailing limit in 1e-8 steps: on the ask (BUY) the unrounded level plus the offset,
 * rounded down; on the bid (SELL) the unrounded level minus the offset, rounded up. A floor below the range of prices
 * becomes the smallest price, and a cap above it the largest; every quote meets them.
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { dynamicLimit } from "managed-orders/rules";
 * const distance = { kind: "bps", bps: 500 } as const;
 * const limit = dynamicLimit({ side: "ask", reference: Price.parse("42000"), distance, limitOffset: Price.parse("10") });
 * console.log(Price.format(limit)); // 44110
 * ```
 */
export function dynamicLimit(point: TrailingPoint & Readonly<{ limitOffset: Price }>): Price {
  const { side, reference, limitOffset } = point;
  const span = spanOf(point, "down");
  return limitAt({
    side,
    level: side === "ask" ? add(reference, span) : subtract(reference, span),
    limitOffset,
  });
}

/** Returns the limit of a trailing order that triggers at a level, bounded as a dynamic limit. */
export function limitAt({
  side,
  level,
  limitOffset,
}: Readonly<{ side: MarketSide; level: Price; limitOffset: Price }>): Price {
  return withinPriceRange(side === "ask" ? add(level, limitOffset) : subtract(level, limitOffset));
}
