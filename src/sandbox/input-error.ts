import * as z from "zod";
import { EPOCH_MS } from "./whole-number.ts";

/**
 * A call of the control interface that cannot be done as asked; the message is one sentence for the caller.
 * Answered with a 4xx and `{error}`.
 */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** Reads a value by a schema; throws {@link InputError} that names the first member at fault. */
export function readInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "body" : issue.path.join(".");
  throw new InputError(`${where}: ${issue?.message ?? "not valid"}`);
}

/** Whole epoch milliseconds. */
export const epochMs: z.ZodType<number> = z.number().int().min(EPOCH_MS.min).max(EPOCH_MS.max);

/** A positive id that a double holds exactly. */
export const positiveId: z.ZodType<number> = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Decimal text, a minus sign allowed; a JSON number is taken by its text. */
export const decimalText: z.ZodType<string> = z
  .union([z.string(), z.number(), z.bigint()])
  .transform(String)
  .refine((text) => /^-?[0-9]{1,20}(\.[0-9]{1,20})?$/.test(text), 'must be a decimal such as "0.25"');
