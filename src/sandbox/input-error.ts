import * as z from "zod";
import { EPOCH_MS } from "./whole-number.ts";

/**
 * A call of the control interface that cannot be carried out. The message is one sentence for the caller. Answered with
 * a 4xx and `{error}`.
 */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** Reads a value by a schema. Throws an {@link InputError} that names the first invalid member. */
export function readInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "body" : issue.path.join(".");
  throw new InputError(`${where}: ${issue?.message ?? "is not valid"}`);
}

/** Schema of whole epoch milliseconds. */
export const epochMs: z.ZodType<number> = z.number().int().min(EPOCH_MS.min).max(EPOCH_MS.max);

/** Schema of a positive id that a double represents exactly. */
export const positiveId: z.ZodType<number> = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Schema of decimal text, with an optional minus sign. A JSON number is converted to its text. */
export const decimalText: z.ZodType<string> = z
  .union([z.string(), z.number(), z.bigint()])
  .transform(String)
  .refine((text) => /^-?[0-9]{1,40}(\.[0-9]{1,40})?$/.test(text), 'must be a decimal such as "0.25"');
