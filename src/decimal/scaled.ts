import { InvariantError } from "../errors/index.ts";

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
