/**
 * Functions on quantities, as `Quantity` of the package. A quantity is exact: a whole number of steps of 10^-6 units.
 * Compare two quantities with `<`, `>` and `===`.
 *
 * @packageDocumentation
 */

import { floorFact, parseExactQuantity } from "./facts.ts";
import * as scaled from "./scaled.ts";
import {
  formatQuantity,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
  quantity,
  requireText,
  ZERO_QUANTITY,
} from "./scaled.ts";

/** The quantity zero, such as the position of an account that holds nothing. */
export const zero: Quantity = ZERO_QUANTITY;

/**
 * Parses the quantity of an order or a fill. Throws a RangeError for any text but a positive decimal below 10^12 with
 * at most 6 decimals, and a TypeError for a number. A position may be negative: use `parseSigned`.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * const quantity: Quantity = Quantity.parse("0.010");
 * console.log(Quantity.format(quantity)); // 0.01
 * ```
 */
export function parse(text: string): Quantity {
  requireText(text, "Quantity.parse");
  return quantity(text);
}

/**
 * Parses the quantity of an execution, as a venue writes it: exact to 18 decimals and by its value, so that trailing
 * zeros never matter. Returns the members of a `Fill`: `quantity` in whole steps of 10^-6, rounded down, and `fine`,
 * which holds what is below one step, in units of 10^-18, if there is anything. Of public volume only `quantity` is
 * needed. Throws a RangeError for any text but a positive decimal below 10^12 whose value has at most 18 decimals, and a
 * TypeError for a number.
 *
 * @example
 * ```ts
 * import { type Fill, Price, Quantity } from "managed-orders";
 * const fill: Fill = {
 *   executionId: "1",
 *   ...Quantity.parseFact("0.12345678"),
 *   price: Price.parseFact("65000.0000000000"),
 *   timeMs: 0,
 * };
 * console.log(Quantity.format(fill.quantity), fill.fine); // 0.123456 780000000000
 * ```
 */
export function parseFact(text: string): Readonly<{ quantity: Quantity; fine?: number }> {
  requireText(text, "Quantity.parseFact");
  const value = parseExactQuantity(text);
  if (value !== undefined) return value;
  throw new RangeError(
    `a quantity must be a decimal above 0 whose value has at most 18 decimals, got ${text}`,
  );
}

/**
 * Parses the quantity of a position: negative when the account is short, zero when it holds nothing. A position is
 * a fact: trailing zeros never matter, and decimals below 10^-6 are cut off, so that no more is closed than is there.
 * Throws a RangeError for any text but a decimal between -10^12 and 10^12, and a TypeError for a number.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { createMemoryExposure } from "managed-orders/memory";
 * const short = Quantity.parseSigned("-0.50");
 * createMemoryExposure([{ accountId: 1, symbol: "BTC/USD", quantity: short }]);
 * console.log(Quantity.format(short)); // -0.5
 * ```
 */
export function parseSigned(text: string): Quantity {
  requireText(text, "Quantity.parseSigned");
  const negative = text.startsWith("-");
  const size = floorFact(negative ? text.slice(1) : text, QUANTITY_SCALE);
  if (size === undefined || size >= QUANTITY_LIMIT)
    throw new RangeError(`a position must be a decimal string, got ${text}`);
  return negative ? subtract(zero, size as Quantity) : (size as Quantity);
}

/**
 * Returns the canonical text of a quantity: no exponent, no trailing zeros.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * console.log(Quantity.format(Quantity.parse("0.500000"))); // 0.5
 * ```
 */
export function format(value: Quantity): string {
  return formatQuantity(value);
}

/**
 * Returns `a + b`, exact.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * console.log(Quantity.format(Quantity.add(Quantity.parse("0.1"), Quantity.parse("0.2")))); // 0.3
 * ```
 */
export function add(a: Quantity, b: Quantity): Quantity {
  return scaled.add(a, b);
}

/**
 * Returns `a - b`, exact. The result may be negative.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * console.log(Quantity.format(Quantity.subtract(Quantity.parse("0.2"), Quantity.parse("0.5")))); // -0.3
 * ```
 */
export function subtract(a: Quantity, b: Quantity): Quantity {
  return scaled.subtract(a, b);
}

/**
 * Returns the smaller quantity.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * console.log(Quantity.format(Quantity.min(Quantity.parse("0.2"), Quantity.parse("0.5")))); // 0.2
 * ```
 */
export function min(a: Quantity, b: Quantity): Quantity {
  return scaled.min(a, b);
}

/**
 * Returns the larger quantity.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * console.log(Quantity.format(Quantity.max(Quantity.parse("0.2"), Quantity.parse("0.5")))); // 0.5
 * ```
 */
export function max(a: Quantity, b: Quantity): Quantity {
  return scaled.max(a, b);
}

/**
 * Returns the quantity without its sign, such as the size of a short position.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * console.log(Quantity.format(Quantity.abs(Quantity.parseSigned("-0.5")))); // 0.5
 * ```
 */
export function abs(value: Quantity): Quantity {
  return scaled.abs(value);
}

/**
 * Compares two quantities for sorting. Returns -1, 0 or 1.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * const quantities = ["9", "10"].map(Quantity.parse).sort(Quantity.compare);
 * console.log(quantities.map(Quantity.format).join(" ")); // 9 10
 * ```
 */
export function compare(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return scaled.compare(a, b);
}
