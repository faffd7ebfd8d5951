import { InvariantError } from "../errors/index.ts";

/** Throws a TypeError for a value that is not a string, such as a number, which may not be the decimal as written. */
export function requireText(text: unknown, parser: string): void {
  if (typeof text === "string") return;
  throw new TypeError(
    `${parser} takes a decimal string, such as "0.5", got the ${typeof text} ${String(text)}`,
  );
}

/**
 * An exact scaled integer: a `number` while it is a safe integer, a `bigint` beyond. JavaScript compares the two
 * exactly with `<`, `<=`, `>`, `>=`. Add and subtract with the functions here. A value has only one form, so `===` is
 * exact too.
 */
export type Scaled = number | bigint;

/** Returns the one form of a value: a number when it is a safe integer, else a bigint. */
export function normalise(value: bigint): Scaled {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}

/** Returns `a + b`, exact. */
export function add<T extends Scaled>(a: T, b: T): T {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum as T;
  }
  return normalise(BigInt(a) + BigInt(b)) as T;
}

/** Returns `a - b`, exact. The result may be negative. */
export function subtract<T extends Scaled>(a: T, b: T): T {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference as T;
  }
  return normalise(BigInt(a) - BigInt(b)) as T;
}

/** Returns the smaller of two values. */
export function min<T extends Scaled>(a: T, b: T): T {
  return b < a ? b : a;
}

/** Returns the larger of two values. */
export function max<T extends Scaled>(a: T, b: T): T {
  return b > a ? b : a;
}

/** Returns the value without its sign. */
export function abs<T extends Scaled>(value: T): T {
  return (value < 0 ? normalise(-BigInt(value)) : value) as T;
}

/** Compares two values for sorting. Returns -1, 0 or 1. */
export function compare(a: Scaled, b: Scaled): -1 | 0 | 1 {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

const ZERO = 48;
const DOT = 46;
const FAST_DIGITS = 15;
const SIMPLE = /^([0-9]{1,20})(?:\.([0-9]{1,20}))?$/;

/**
 * Parses `^[0-9]{1,20}(\.[0-9]{1,20})?$` as an integer of 10^-scale units. Returns `undefined` when the text does not
 * match that grammar, or has more decimals than the scale (counted as sent, trailing zeros included).
 */
export function parseScaled(text: string, scale: number): Scaled | undefined {
  const length = text.length;
  if (length > FAST_DIGITS) return parseLong(text, scale);
  let value = 0;
  let decimals = -1;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const digit = code - ZERO;
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      if (decimals >= 0) decimals++;
    } else if (code === DOT && decimals < 0 && i > 0) decimals = 0;
    else return undefined;
  }
  if (length === 0 || decimals === 0 || decimals > scale) return undefined;
  const scaled = value * (POWERS[scale - Math.max(decimals, 0)] as number);
  return scaled <= Number.MAX_SAFE_INTEGER ? scaled : parseLong(text, scale);
}

const POWERS: readonly number[] = Array.from({ length: 15 }, (_, exponent) => 10 ** exponent);

function parseLong(text: string, scale: number): Scaled | undefined {
  const match = SIMPLE.exec(text);
  if (match === null) return undefined;
  const decimals = match[2] ?? "";
  if (decimals.length > scale) return undefined;
  return normalise(BigInt(`${match[1]}${decimals.padEnd(scale, "0")}`));
}

/**
 * Returns the canonical decimal text of a scaled value: no exponent, no trailing zeros, a minus sign when negative.
 */
export function formatScaled(value: Scaled, scale: number): string {
  const negative = value < 0;
  const digits = String(abs(value)).padStart(scale + 1, "0");
  if (digits.includes("e")) throw new InvariantError("I16", "a scaled value is not an integer");
  const whole = digits.slice(0, -scale);
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end--;
  const text = end > whole.length ? `${whole}.${digits.slice(whole.length, end)}` : whole;
  return negative ? `-${text}` : text;
}

declare const unit: unique symbol;

/** USD per unit of the base asset, in 1e-8 steps. */
export type Price = Scaled & { readonly [unit]: "price" };

/** Base-asset quantity, in 1e-6 steps; negative only as a signed exposure. */
export type Quantity = Scaled & { readonly [unit]: "quantity" };

/** Decimals of a {@link Price}. */
export const PRICE_SCALE = 8;

/** Decimals of a {@link Quantity}. */
export const QUANTITY_SCALE = 6;

/** First price out of range: 10^10 USD. */
export const PRICE_LIMIT: Price = (10n ** 18n) as Price;

/** The smallest price, one step of 1e-8. */
const LOWEST_PRICE = 1 as Price;

/** The largest price, one step below {@link PRICE_LIMIT}. */
const HIGHEST_PRICE = (10n ** 18n - 1n) as Price;

/** First quantity out of range: 10^12 units. */
export const QUANTITY_LIMIT: Quantity = (10n ** 18n) as Quantity;

/** Quantity zero. */
export const ZERO_QUANTITY: Quantity = 0 as Quantity;

/**
 * Why a decimal text was refused, in the order of the checks: grammar, precision (decimals as sent), range, and zero
 * where a positive value is required.
 */
export type DecimalProblem = "grammar" | "precision" | "range" | "zero";

/** The grammar of decimals on the wire. */
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
