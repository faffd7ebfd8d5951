import {
  type Notional,
  notional,
  PRICE_LIMIT,
  PRICE_SCALE,
  type Price,
  parsePrice,
  parseQuantity,
  parseScaled,
  price,
  QUANTITY_SCALE,
  type Quantity,
} from "../decimal/index.ts";
import { csv, decimal, type FieldRule, text, whole } from "./rule.ts";

function parseOffset(sent: string): Price | undefined {
  const value = parseScaled(sent, PRICE_SCALE);
  return value !== undefined && value < PRICE_LIMIT ? (value as Price) : undefined;
}

/** Base-asset quantity: above 0, below 10^12, at most 6 decimals (decision 7). */
export const quantityRule: FieldRule<Quantity> = decimal({
  scale: QUANTITY_SCALE,
  digits: 12,
  parse: parseQuantity,
});

/** USD per unit: above 0, below 10^10, at most 8 decimals (decision 7). */
export const priceRule: FieldRule<Price> = decimal({ scale: PRICE_SCALE, digits: 10, parse: parsePrice });

/** USD distance of a limit from its trigger: 0 or more (decision 19). */
export const offsetRule: FieldRule<Price> = decimal({ scale: PRICE_SCALE, digits: 10, parse: parseOffset });

/** First amount out of range: 10^12 USD. */
const AMOUNT_LIMIT = notional("1000000000000");

function parseAmount(sent: string): Notional | undefined {
  const value = parseScaled(sent, PRICE_SCALE);
  const amount = value === undefined || value <= 0 ? undefined : notional(sent);
  return amount !== undefined && amount < AMOUNT_LIMIT ? amount : undefined;
}

/** USD to spend or receive: above 0, below 10^12, at most 8 decimals. Source: convention 3.1, quoteOrderQty. */
export const amountRule: FieldRule<Notional> = decimal({
  scale: PRICE_SCALE,
  digits: 12,
  parse: parseAmount,
});

/** Percentage above 0 and below 100, at most 8 decimals (contract, Order input fields: price2). */
export const percentRule: FieldRule<Price> = decimal({
  scale: PRICE_SCALE,
  digits: 2,
  parse: parsePrice,
  below: price("100"),
});

/** Basis points, 1-9999 (contract, Order input fields: trailingDelta). */
export const basisPointsRule: FieldRule<number> = whole({ from: 1, to: 9_999 });

/** Length of a slot in milliseconds, 1 s to a day (contract, Order input fields: interval). */
export const intervalRule: FieldRule<number> = whole({ from: 1_000, to: 86_400_000 });

/** Number of slots, 2-10000 (contract, Order input fields: intervalCount). */
export const intervalCountRule: FieldRule<number> = whole({ from: 2, to: 10_000 });

/** Milliseconds before the first slot, up to a week (contract, Order input fields: intervalDelay). */
export const intervalDelayRule: FieldRule<number> = whole({ from: 0, to: 604_800_000 });

/** Share of the executed volume in basis points, 1-10000 (contract, Order input fields: participationBips). */
export const participationRule: FieldRule<number> = whole({ from: 1, to: 10_000 });

const MOST_WEIGHTS = 10_000;
const WEIGHT_DIGITS = 15;

/** Weights of a schedule, one per slot; a weight has at most 15 digits, so that it is a safe integer. */
export const weightsRule: FieldRule<readonly number[]> = csv({
  pattern: /^[0-9]{1,15}(,[0-9]{1,15})*$/,
  longest: MOST_WEIGHTS * (WEIGHT_DIGITS + 1) - 1,
  takes: (weights) =>
    weights.length >= 2 && weights.length <= MOST_WEIGHTS && weights.some((weight) => weight > 0),
});

const LAST_EXPIRY_MS = 253_402_300_798_999;

/** Expiry in epoch milliseconds, below 253402300799000. Admission checks that it is in the future. */
export const expiryRule: FieldRule<number> = whole({ from: 1, to: LAST_EXPIRY_MS });

/** Id of an account, a user or an instrument: a positive safe integer. */
export const idRule: FieldRule<number> = whole({ from: 1 });

/** Start or end of a time range in epoch milliseconds. */
export const timeRule: FieldRule<number> = whole({ from: 0 });

/** Text that is not empty. */
export const textRule: FieldRule<string> = text();

/**
 * Client id of a new order (decision 5), without the ids that decision 49 reserves: child ids in any letter case, and
 * names that mean a folder in a path.
 */
export const newClientIdRule: FieldRule<string> = text({
  pattern: /^[A-Za-z0-9._-]{1,36}$/,
  reserved: /^([aA][qQ][cC]-.*|\.{1,2})$/,
});

/** Client id in a look-up: 1-64 printable ASCII characters (decision 5). */
export const lookupIdRule: FieldRule<string> = text({ pattern: /^[ -~]{1,64}$/ });
