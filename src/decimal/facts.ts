import {
  normalise,
  PRICE_LIMIT,
  PRICE_SCALE,
  type Price,
  parseScaled,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "./scaled.ts";

/**
 * Reading of facts: what a venue, a market or a file says. A fact is read by its value, so trailing zeros never matter,
 * unlike in what a client sends. Texts with no more decimals than the scale take the fast path of requests.
 *
 * Executions are exact to 18 decimals. Such an amount is two integers: whole steps, as every quantity, and a fine part
 * of 0 to 10^12 - 1 in steps of 10^-18 (of an amount in USD: 10^-26), which is left out when it is zero. So all that
 * compares, sends and sums six decimals stays on the steps alone, and no fact is lost. Steps are rounded down, which is
 * the safe side everywhere: `steps >= quantity` says exactly whether a whole quantity is executed.
 */
const FACT = /^([0-9]{1,40})(?:\.([0-9]{1,40}))?$/;

/** Decimals of the fine part of an amount, beyond those of its steps. */
const FINE_SCALE = 12;

/** One step, in units of the fine part. */
export const FINE_LIMIT: number = 10 ** FINE_SCALE;

/** An executed quantity: whole steps of 10^-6, and what is below one step, in steps of 10^-18. */
export type ExactQuantity = Readonly<{
  /** Whole steps, rounded down. */
  quantity: Quantity;
  /** The part below one step, in units of 10^-18: 1 to 10^12 - 1. Left out when there is none. */
  fine?: number;
}>;

type ReadFact = Readonly<{ steps: Scaled; rest: string }>;

function readFact(text: string, scale: number): ReadFact | undefined {
  const plain = parseScaled(text, scale);
  if (plain !== undefined) return { steps: plain, rest: "" };
  const match = FACT.exec(text);
  if (match === null) return undefined;
  const decimals = (match[2] ?? "").padEnd(scale, "0");
  const steps = normalise(BigInt(`${match[1]}${decimals.slice(0, scale)}`));
  return { steps, rest: decimals.slice(scale).replace(/0+$/, "") };
}

/** Returns a fact in steps of 10^-scale; `undefined` for anything but a decimal whose value is a whole number of steps. */
export function parseFact(text: string, scale: number): Scaled | undefined {
  const read = readFact(text, scale);
  return read?.rest === "" ? read.steps : undefined;
}

/** Returns a fact in whole steps of 10^-scale, rounded down; `undefined` for anything but a decimal. */
export function floorFact(text: string, scale: number): Scaled | undefined {
  return parseScaled(text, scale) ?? readFact(text, scale)?.steps;
}

/** Returns whether a fact has a value between two steps of 10^-scale. */
export function isFinerFact(text: string, scale: number): boolean {
  const point = text.indexOf(".");
  return point > 0 && text.length - point > scale + 1 && (readFact(text, scale)?.rest ?? "") !== "";
}

/** Returns a positive price in range that a venue or a market says; `undefined` if it has a value finer than 10^-8. */
export function parsePriceFact(text: string): Price | undefined {
  const value = parseFact(text, PRICE_SCALE);
  return value !== undefined && value > 0 && value < PRICE_LIMIT ? (value as Price) : undefined;
}

/** Returns an executed quantity, exact; `undefined` unless it is positive, in range, and has a value of 18 decimals. */
export function parseExactQuantity(text: string): ExactQuantity | undefined {
  const read = readFact(text, QUANTITY_SCALE);
  if (read === undefined || read.rest.length > FINE_SCALE || read.steps >= QUANTITY_LIMIT) return undefined;
  const { steps, rest } = read;
  if (rest === "") return steps > 0 ? { quantity: steps as Quantity } : undefined;
  return {
    quantity: steps as Quantity,
    fine: Number(rest.padEnd(FINE_SCALE, "0")),
  };
}

/** Returns the canonical text of an exact quantity. */
export function formatExact(steps: Scaled, fine: number | undefined, scale: number): string {
  const whole = String(steps).padStart(scale + 1, "0");
  const digits = `${whole}${String(fine ?? 0).padStart(FINE_SCALE, "0")}`;
  const point = whole.length - scale;
  const decimals = digits.slice(point).replace(/0+$/, "");
  return decimals === "" ? digits.slice(0, point) : `${digits.slice(0, point)}.${decimals}`;
}
