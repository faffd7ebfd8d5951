import * as z from "zod";
import {
  DECIMAL_GRAMMAR,
  type DecimalProblem,
  decimalProblem,
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
import type { ErrorName } from "../errors/index.ts";

const DECIMAL = new RegExp(DECIMAL_GRAMMAR);

/** Errors of decimals that are of the grammar (decision 7); a zero is an invalid value like any other. */
const DECIMAL_ERRORS: Readonly<Partial<Record<DecimalProblem, ErrorName>>> = {
  precision: "PRECISION",
  range: "PARAMETER_OVERFLOW",
};

/** `digits` before the point are enough for every value below the first that is out of range. */
type DecimalReader<T> = Readonly<{
  scale: number;
  digits: number;
  parse: (text: string) => T | undefined;
}>;

/** Digits that the grammar allows before the point. */
const MOST_DIGITS = 20;

/** What can be taken, zero where it is not besides, for descriptions; without look-ahead, which many tools lack. */
const patternOf = ({ scale, digits }: Pick<DecimalReader<unknown>, "scale" | "digits">): string =>
  `^0{0,${MOST_DIGITS - digits}}[0-9]{1,${digits}}(\\.[0-9]{1,${scale}})?$`;

const decimalSchema = <T>({ scale, digits, parse }: DecimalReader<T>): z.ZodType<T> =>
  z
    .string()
    .regex(DECIMAL)
    .transform((input, context): T => {
      const value = parse(input);
      if (value !== undefined) return value;
      const reason = DECIMAL_ERRORS[decimalProblem(input, scale)];
      context.issues.push({ code: "custom", input, params: { reason, decimals: scale } });
      return z.NEVER;
    })
    .meta({ pattern: patternOf({ scale, digits }) });

function parseOffset(text: string): Price | undefined {
  const value = parseScaled(text, PRICE_SCALE);
  return value !== undefined && value < PRICE_LIMIT ? (value as Price) : undefined;
}

/** Base-asset quantity: above 0, below 10^12, at most 6 decimals (decision 7). */
export const quantitySchema: z.ZodType<Quantity> = decimalSchema({
  scale: QUANTITY_SCALE,
  digits: 12,
  parse: parseQuantity,
});

/** USD per unit: above 0, below 10^10, at most 8 decimals (decision 7). */
export const priceSchema: z.ZodType<Price> = decimalSchema({
  scale: PRICE_SCALE,
  digits: 10,
  parse: parsePrice,
});

/** USD distance of a limit from its trigger: 0 or more (decision 19). */
export const offsetSchema: z.ZodType<Price> = decimalSchema({
  scale: PRICE_SCALE,
  digits: 10,
  parse: parseOffset,
});

/** First amount out of range: 10^12 USD. */
const AMOUNT_LIMIT = notional("1000000000000");

function parseAmount(text: string): Notional | undefined {
  const value = parseScaled(text, PRICE_SCALE);
  const amount = value === undefined || value <= 0 ? undefined : notional(text);
  return amount !== undefined && amount < AMOUNT_LIMIT ? amount : undefined;
}

/** USD to spend or receive: above 0, below 10^12, at most 8 decimals. Source: convention 3.1, quoteOrderQty. */
export const amountSchema: z.ZodType<Notional> = decimalSchema({
  scale: PRICE_SCALE,
  digits: 12,
  parse: parseAmount,
});

const HUNDRED = price("100");

/** Percentage above 0 and below 100, at most 8 decimals (contract, Order input fields: price2). */
export const percentSchema: z.ZodType<Price> = priceSchema
  .refine((percent) => percent < HUNDRED)
  .meta({ pattern: patternOf({ scale: PRICE_SCALE, digits: 2 }) });

/** Basis points, 1-9999 (contract, Order input fields: trailingDelta). */
export const basisPointsSchema: z.ZodType<number> = z.number().int().min(1).max(9_999);

/** Length of a slot in milliseconds, 1 s to a day (contract, Order input fields: interval). */
export const intervalSchema: z.ZodType<number> = z.number().int().min(1_000).max(86_400_000);

/** Number of slots, 2-10000 (contract, Order input fields: intervalCount). */
export const intervalCountSchema: z.ZodType<number> = z.number().int().min(2).max(10_000);

/** Milliseconds before the first slot, up to a week (contract, Order input fields: intervalDelay). */
export const intervalDelaySchema: z.ZodType<number> = z.number().int().min(0).max(604_800_000);

/** Share of the executed volume in basis points, 1-10000 (contract, Order input fields: participationBips). */
export const participationSchema: z.ZodType<number> = z.number().int().min(1).max(10_000);

const MOST_WEIGHTS = 10_000;
const WEIGHT_DIGITS = 15;
const WEIGHTS = /^[0-9]{1,15}(,[0-9]{1,15})*$/;

/** Weights of a schedule, one per slot; a weight has at most 15 digits, so that it is a safe integer. */
export const weightsSchema: z.ZodType<readonly number[]> = z
  .string()
  .min(1)
  .max(MOST_WEIGHTS * (WEIGHT_DIGITS + 1) - 1, { abort: true })
  .regex(WEIGHTS)
  .transform((csv) => csv.split(",").map((weight) => Number.parseInt(weight, 10)))
  .refine((weights) => weights.length >= 2 && weights.length <= MOST_WEIGHTS)
  .refine((weights) => weights.some((weight) => weight > 0));

const LAST_EXPIRY_MS = 253_402_300_798_999;

/** Expiry in epoch milliseconds, below 253402300799000; whether it is in the future is for admission to say. */
export const expirySchema: z.ZodType<number> = z.number().int().min(1).max(LAST_EXPIRY_MS);

/** Id of an account or a user: a positive safe integer. */
export const ownerSchema: z.ZodType<number> = z.number().int().min(1);

/** Text that may not be empty. */
export const textSchema: z.ZodType<string> = z.string().min(1);

/** Child ids in any letter case, and names that mean a folder in a path. */
const RESERVED = /^([aA][qQ][cC]-.*|\.{1,2})$/;

/** Client id of a new order: decision 5; without the ids that decision 49 keeps back. */
export const newClientIdSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .regex(/^[A-Za-z0-9._-]{1,36}$/)
  .refine((id) => !RESERVED.test(id))
  .meta({ not: { pattern: RESERVED.source } });

/** Client id in a look-up: 1-64 printable ASCII characters (decision 5). */
export const lookupIdSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .regex(/^[ -~]{1,64}$/);
