import { normalise, type Scaled } from "../decimal/index.ts";

/** A part of a whole as a fraction; the denominator is above 0. */
export type Fraction = Readonly<{ numerator: Scaled; denominator: Scaled }>;

/**
 * Returns `value · numerator / denominator` cut to whole steps. The result is exact for values of at least 0. Doubles
 * are used only while the product is a safe integer: then the remainder is exact, and the rest divides evenly.
 */
export function share<T extends Scaled>(value: T, of: Fraction): T {
  const { numerator, denominator } = of;
  if (typeof value === "number" && typeof numerator === "number" && typeof denominator === "number") {
    const product = value * numerator;
    if (Number.isSafeInteger(product)) return ((product - (product % denominator)) / denominator) as T;
  }
  return normalise((BigInt(value) * BigInt(numerator)) / BigInt(denominator)) as T;
}
