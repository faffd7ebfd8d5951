/**
 * Functions on prices, as `Price` of the package. A price is exact: a whole number of steps of 10^-8 USD. Compare two
 * prices with `<`, `>` and `===`.
 *
 * @packageDocumentation
 */

import { parsePriceFact } from "./facts.ts";
import * as scaled from "./scaled.ts";
import { formatPrice, type Price, price, requireText } from "./scaled.ts";

/** The price zero. It is the difference of two equal prices, and never the price of an order. */
export const zero: Price = 0 as Price;

/**
 * Parses a price. Throws a RangeError for any text but a positive decimal below 10^10 with at most 8 decimals, and a
 * TypeError for a number.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * const price: Price = Price.parse("7424.90");
 * console.log(Price.format(price)); // 7424.9
 * ```
 */
export function parse(text: string): Price {
  requireText(text, "Price.parse");
  return price(text);
}

/**
 * Parses the price of an execution, as a venue writes it: by its value, so that trailing zeros never matter. Throws a
 * RangeError for any text but a positive decimal below 10^10 whose value has at most 8 decimals, and a TypeError for a
 * number. An average price may be finer: report the executions that it is the average of.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * console.log(Price.format(Price.parseFact("65000.0000000000"))); // 65000
 * ```
 */
export function parseFact(text: string): Price {
  requireText(text, "Price.parseFact");
  const value = parsePriceFact(text);
  if (value !== undefined) return value;
  throw new RangeError(`a price must be a decimal above 0 whose value has at most 8 decimals, got ${text}`);
}

/**
 * Returns the canonical text of a price: no exponent, no trailing zeros.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * console.log(Price.format(Price.parse("60000.50"))); // 60000.5
 * ```
 */
export function format(value: Price): string {
  return formatPrice(value);
}

/**
 * Returns `a + b`, exact.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * console.log(Price.format(Price.add(Price.parse("0.1"), Price.parse("0.2")))); // 0.3
 * ```
 */
export function add(a: Price, b: Price): Price {
  return scaled.add(a, b);
}

/**
 * Returns `a - b`, exact. The result may be negative.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * console.log(Price.format(Price.subtract(Price.parse("59480"), Price.parse("60000")))); // -520
 * ```
 */
export function subtract(a: Price, b: Price): Price {
  return scaled.subtract(a, b);
}

/**
 * Returns the lower price.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * console.log(Price.format(Price.min(Price.parse("60000"), Price.parse("59999")))); // 59999
 * ```
 */
export function min(a: Price, b: Price): Price {
  return scaled.min(a, b);
}

/**
 * Returns the higher price.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * console.log(Price.format(Price.max(Price.parse("60000"), Price.parse("59999")))); // 60000
 * ```
 */
export function max(a: Price, b: Price): Price {
  return scaled.max(a, b);
}

/**
 * Compares two prices for sorting. Returns -1, 0 or 1.
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * const prices = ["9", "10"].map(Price.parse).sort(Price.compare);
 * console.log(prices.map(Price.format).join(" ")); // 9 10
 * ```
 */
export function compare(a: Price, b: Price): -1 | 0 | 1 {
  return scaled.compare(a, b);
}
