import { formatScaled, parseScaled, type Scaled } from "./scaled.ts";

declare const unit: unique symbol;

/** USD per unit of the base asset, in 1e-8 steps. */
export type Price = Scaled & { readonly [unit]: "price" };

/** Base-asset quantity, in 1e-6 steps; negative only as a signed exposure. */
export type Quantity = Scaled & { readonly [unit]: "quantity" };

/** Decimals of a {@link Price}. */
export const PRICE_SCALE = 8;

/** Decimals of a {@link Quantity}. */
export const QUANTITY_SCALE = 6;

/** First price out of range: 10^10 USD (decision 7). */
export const PRICE_LIMIT: Price = (10n ** 18n) as Price;

/** The smallest price, one step of 1e-8. */
const LOWEST_PRICE = 1 as Price;

/** The largest price, one step below {@link PRICE_LIMIT}. */
const HIGHEST_PRICE = (10n ** 18n - 1n) as Price;

/** First quantity out of range: 10^12 units (decision 7). */
export const QUANTITY_LIMIT: Quantity = (10n ** 18n) as Quantity;

/** Quantity zero. */
export const ZERO_QUANTITY: Quantity = 0 as Quantity;

/**
 * Why a decimal text was refused, in the order of the checks: grammar, precision (decimals as sent), range, and zero
 * where a positive value is required.
 */
export type DecimalProblem = "grammar" | "precision" | "range" | "zero";

/** The grammar of decimals on the wire (decision 7). */
export const DECIMAL_GRAMMAR = "^[0-9]{1,20}(\\.[0-9]{1,20})?$";

const GRAMMAR = new RegExp(DECIMAL_GRAMMAR);

/**
 * Parses a price text as sent. Returns `undefined` when it is not a positive price in range with at most 8 decimals.
 */
export function parsePrice(text: string): Price | undefined {
  const value = parseScaled(text, PRICE_SCALE);
  return value !== undefined && value > 0 && value < PRICE_LIMIT ? (value as Price) : undefined;
}

/**
 * Parses a quantity text as sent. Returns `undefined` when it is not a positive quantity in range with at most 6
 * decimals.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const value = parseScaled(text, QUANTITY_SCALE);
  return value !== undefined && value > 0 && value < QUANTITY_LIMIT ? (value as Quantity) : undefined;
}

/** Returns the first problem of a text that {@link parsePrice} or {@link parseQuantity} refused. */
export function decimalProblem(text: string, scale: number): DecimalProblem {
  if (!GRAMMAR.test(text)) return "grammar";
  const value = parseScaled(text, scale);
  if (value === undefined) return "precision";
  return value > 0 ? "range" : "zero";
}

/**
 * Parses a price literal in code. Throws a RangeError for anything but a positive price.
 */
export function price(text: string): Price {
  const value = parsePrice(text);
  if (value === undefined)
    throw new RangeError(
      `a price must be a decimal string above 0 with at most ${PRICE_SCALE} decimals, got ${text}`,
    );
  return value;
}

/**
 * Parses a quantity literal in code. Throws a RangeError for anything but a positive quantity.
 */
export function quantity(text: string): Quantity {
  const value = parseQuantity(text);
  if (value === undefined)
    throw new RangeError(
      `a quantity must be a decimal string above 0 with at most ${QUANTITY_SCALE} decimals, got ${text}`,
    );
  return value;
}

/**
 * Clamps a computed price to the range of prices. Every quote meets either end of the range as it would meet the
 * value beyond it.
 */
export function withinPriceRange(value: Price): Price {
  if (value < LOWEST_PRICE) return LOWEST_PRICE;
  return value > HIGHEST_PRICE ? HIGHEST_PRICE : value;
}

/** Returns the canonical text of a price. */
export function formatPrice(value: Price): string {
  return formatScaled(value, PRICE_SCALE);
}

/** Returns the canonical text of a quantity. */
export function formatQuantity(value: Quantity): string {
  return formatScaled(value, QUANTITY_SCALE);
}
