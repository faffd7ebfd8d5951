import { normalise, type Scaled } from "../decimal/index.ts";

/** A part of a whole as a fraction; the denominator is above 0. */
export type Fraction = Readonly<{ numerator: Scaled; denominator: Scaled }>;

/**
 * `value · numerator / denominator` cut to whole steps, exact, for values of at least 0. Doubles are used only while
 * the product is a safe integer: then the remainder is exact, and what is left divides without a rest.
 */
export function share<T extends Scaled>(value: T, of: Fraction): T {
  const { numerator, denominator } = of;
  if (typeof value === "number" && typeof numerator === "number" && typeof denominator === "number") {
    const product = value * numerator;
    if (Number.isSafeInteger(product)) return ((product - (product % denominator)) / denominator) as T;
  }
  return normalise((BigInt(value) * BigInt(numerator)) / BigInt(denominator)) as T;
}
