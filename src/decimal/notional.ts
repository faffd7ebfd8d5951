/**
 * Functions on amounts in USD, as `Notional` of the package. An amount is exact: a whole number of steps of 10^-14 USD.
 * Compare two amounts with `<`, `>` and `===`.
 *
 * @packageDocumentation
 */

import { formatNotional, type Notional, notional, notionalOf, ZERO_NOTIONAL } from "./exact.ts";
import * as scaled from "./scaled.ts";
import { type Price, type Quantity, requireText } from "./scaled.ts";

/** The amount zero. */
export const zero: Notional = ZERO_NOTIONAL;

/**
 * Parses an amount in USD, such as the minimum of an order. Throws a RangeError for any text but a decimal that is not
 * negative and has at most 14 decimals, and a TypeError for a number.
 *
 * @example
 * ```ts
 * import { Notional } from "managed-orders";
 * const minimum: Notional = Notional.parse("15.00");
 * console.log(Notional.format(minimum)); // 15
 * ```
 */
export function parse(text: string): Notional {
  requireText(text, "Notional.parse");
  return notional(text);
}

/**
 * Returns the value of a quantity at a price, exact.
 *
 * @example
 * ```ts
 * import { Notional, Price, Quantity } from "managed-orders";
 * console.log(Notional.format(Notional.of(Price.parse("7424.90"), Quantity.parse("0.01")))); // 74.249
 * ```
 */
export function of(price: Price, quantity: Quantity): Notional {
  return notionalOf(price, quantity);
}

/**
 * Returns the canonical text of an amount: no exponent, no trailing zeros.
 *
 * @example
 * ```ts
 * import { Notional } from "managed-orders";
 * console.log(Notional.format(Notional.parse("60000.50"))); // 60000.5
 * ```
 */
export function format(value: Notional): string {
  return formatNotional(value);
}

/**
 * Returns `a + b`, exact.
 *
 * @example
 * ```ts
 * import { Notional } from "managed-orders";
 * console.log(Notional.format(Notional.add(Notional.parse("0.1"), Notional.parse("0.2")))); // 0.3
 * ```
 */
export function add(a: Notional, b: Notional): Notional {
  return scaled.add(a, b);
}

/**
 * Returns `a - b`, exact. The result may be negative.
 *
 * @example
 * ```ts
 * import { Notional } from "managed-orders";
 * console.log(Notional.format(Notional.subtract(Notional.parse("59480"), Notional.parse("60000")))); // -520
 * ```
 */
export function subtract(a: Notional, b: Notional): Notional {
  return scaled.subtract(a, b);
}

/**
 * Returns the smaller amount.
 *
 * @example
 * ```ts
 * import { Notional } from "managed-orders";
 * console.log(Notional.format(Notional.min(Notional.parse("60000"), Notional.parse("59999")))); // 59999
 * ```
 */
export function min(a: Notional, b: Notional): Notional {
  return scaled.min(a, b);
}

/**
 * Returns the larger amount.
 *
 * @example
 * ```ts
 * import { Notional } from "managed-orders";
 * console.log(Notional.format(Notional.max(Notional.parse("60000"), Notional.parse("59999")))); // 60000
 * ```
 */
export function max(a: Notional, b: Notional): Notional {
  return scaled.max(a, b);
}

/**
 * Compares two amounts for sorting. Returns -1, 0 or 1.
 *
 * @example
 * ```ts
 * import { Notional } from "managed-orders";
 * const amounts = ["9", "10"].map(Notional.parse).sort(Notional.compare);
 * console.log(amounts.map(Notional.format).join(" ")); // 9 10
 * ```
 */
export function compare(a: Notional, b: Notional): -1 | 0 | 1 {
  return scaled.compare(a, b);
}
