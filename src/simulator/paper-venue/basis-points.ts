import { type Price, portion, withinPriceRange } from "../../decimal/index.ts";
import type { Side } from "../../model/index.ts";

/** Decimals of a number of basis points. */
export const BPS_SCALE = 8;

/** 10,000 basis points, in units of 1e-8 of one. */
const ALL_BPS: bigint = 10_000n * 10n ** BigInt(BPS_SCALE);

/** By how much a price is worse, in units of 1e-8 basis points, and the limit that it never passes. */
export type Worse = Readonly<{ side: Side; units: bigint; limitPrice: Price | undefined }>;

/** Returns a price that is worse for the taker, rounded against it. It stays above zero, and within the limit. */
export function worse(price: Price, { side, units, limitPrice }: Worse): Price {
  if (side === "BUY") {
    const higher = portion(price, { numerator: ALL_BPS + units, denominator: ALL_BPS, rounding: "up" });
    return limitPrice !== undefined && higher > limitPrice ? limitPrice : withinPriceRange(higher);
  }
  const left = units < ALL_BPS ? ALL_BPS - units : 0n;
  const lower = portion(price, { numerator: left, denominator: ALL_BPS, rounding: "down" });
  return limitPrice !== undefined && lower < limitPrice ? limitPrice : withinPriceRange(lower);
}
