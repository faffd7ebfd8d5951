import { type OptionCheck, textOption } from "../common/index.ts";
import {
  formatScaled,
  normalise,
  PRICE_SCALE,
  type Price,
  parseScaled,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "./scaled.ts";

declare const unit: unique symbol;

/** A USD amount (price · quantity), exact, in 1e-14 steps. */
export type Notional = Scaled & { readonly [unit]: "notional" };

/** Decimals of a {@link Notional}. */
export const NOTIONAL_SCALE: number = PRICE_SCALE + QUANTITY_SCALE;

/** Zero USD. */
export const ZERO_NOTIONAL: Notional = 0 as Notional;

/**
 * Parses a USD amount from a literal, such as the 15 USD minimum. Throws a RangeError for text that is not a decimal.
 */
export function notional(text: string): Notional {
  const value = parseScaled(text, NOTIONAL_SCALE);
  if (value === undefined)
    throw new RangeError(
      `an amount must be a decimal string with at most ${NOTIONAL_SCALE} decimals, got ${text}`,
    );
  return value as Notional;
}

/** Returns `price · quantity` in USD, exact. */
export function notionalOf(price: Price, quantity: Quantity): Notional {
  if (typeof price === "number" && typeof quantity === "number") {
    const product = price * quantity;
    if (Number.isSafeInteger(product)) return product as Notional;
  }
  return normalise(BigInt(price) * BigInt(quantity)) as Notional;
}

/** Returns the smallest quantity that is worth at least an amount at a price above 0. */
export function leastQuantity(amount: Notional, price: Price): Quantity {
  return portion(amount, { numerator: 1, denominator: price, rounding: "up" }) as Scaled as Quantity;
}

/** Returns the canonical text of a USD amount. */
export function formatNotional(amount: Notional): string {
  return formatScaled(amount, NOTIONAL_SCALE);
}

/** How a quotient is rounded to whole steps. */
export type Rounding = "down" | "up";

/**
 * Returns `value · numerator / denominator` in whole steps, rounded once. The denominator is above 0. "down" is towards
 * minus infinity.
 */
export function portion<T extends Scaled>(
  value: T,
  of: Readonly<{ numerator: Scaled; denominator: Scaled; rounding: Rounding }>,
): T {
  const product = BigInt(value) * BigInt(of.numerator);
  const denominator = BigInt(of.denominator);
  return normalise(of.rounding === "down" ? floor(product, denominator) : -floor(-product, denominator)) as T;
}

/** Returns the quotient, rounded towards minus infinity. The divisor is above 0. */
function floor(dividend: bigint, divisor: bigint): bigint {
  return dividend % divisor < 0n ? dividend / divisor - 1n : dividend / divisor;
}

/** Checks an amount of USD. Like all decimals it is a text: the number 0.1 is not exactly 0.1. */
export const amountOption: OptionCheck = /* @__PURE__ */ textOption(
  'a decimal string with at most 14 decimals, such as "15"',
  (text) => parseScaled(text, NOTIONAL_SCALE) !== undefined,
);
