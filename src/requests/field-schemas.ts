import * as z from "zod";
import {
  DECIMAL_GRAMMAR,
  type DecimalProblem,
  decimalProblem,
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

type DecimalReader<T> = Readonly<{ scale: number; parse: (text: string) => T | undefined }>;

const decimalSchema = <T>({ scale, parse }: DecimalReader<T>): z.ZodType<T> =>
  z
    .string()
    .regex(DECIMAL)
    .transform((input, context): T => {
      const value = parse(input);
      if (value !== undefined) return value;
      const reason = DECIMAL_ERRORS[decimalProblem(input, scale)];
      context.issues.push({ code: "custom", input, params: { reason, decimals: scale } });
      return z.NEVER;
    });

function parseOffset(text: string): Price | undefined {
  const value = parseScaled(text, PRICE_SCALE);
  return value !== undefined && value < PRICE_LIMIT ? (value as Price) : undefined;
}

/** Base-asset quantity: above 0, below 10^12, at most 6 decimals (decision 7). */
export const quantitySchema: z.ZodType<Quantity> = decimalSchema({
  scale: QUANTITY_SCALE,
  parse: parseQuantity,
});

/** USD per unit: above 0, below 10^10, at most 8 decimals (decision 7). */
export const priceSchema: z.ZodType<Price> = decimalSchema({ scale: PRICE_SCALE, parse: parsePrice });

/** USD distance of a limit from its trigger: 0 or more (decision 19). */
export const offsetSchema: z.ZodType<Price> = decimalSchema({ scale: PRICE_SCALE, parse: parseOffset });

const HUNDRED = price("100");

/** Percentage above 0 and below 100, at most 8 decimals (contract, Order input fields: price2). */
export const percentSchema: z.ZodType<Price> = priceSchema.refine((percent) => percent < HUNDRED);

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

const RESERVED = /^(aqc-.*|\.{1,2})$/i;

/** Client id of a new order: decision 5; without the ids that decision 49 keeps back. */
export const newClientIdSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .regex(/^[A-Za-z0-9._-]{1,36}$/)
  .refine((id) => !RESERVED.test(id));

/** Client id in a look-up: 1-64 printable ASCII characters (decision 5). */
export const lookupIdSchema: z.ZodType<string> = z
  .string()
  .min(1)
  .regex(/^[ -~]{1,64}$/);
