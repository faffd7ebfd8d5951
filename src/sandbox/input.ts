import * as z from "zod";
import { parseScaled } from "../decimal/index.ts";

/** A setting that cannot be used. The message is one line, and the process ends with exit code 2. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** A range of whole numbers, both ends included. */
export type WholeRange = Readonly<{ min: number; max: number }>;

/** Parses digits as a whole number in a range. Returns `undefined` for anything else. */
export function parseWhole(text: string, range: WholeRange): number | undefined {
  const value = parseScaled(text, 0);
  return typeof value === "number" && value >= range.min && value <= range.max ? value : undefined;
}

/** Epoch milliseconds up to the year 9999. */
export const EPOCH_MS: WholeRange = { min: 0, max: 253_402_300_799_000 };

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

/** A call that conflicts with the current state. Answered with 409. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** There is no such call, or nothing with that id. Answered with 404. */
export class MissingError extends Error {
  override readonly name = "MissingError";
}

/** The control interface of the venue cannot be asked. Answered with 502. */
export class VenueAwayError extends Error {
  override readonly name = "VenueAwayError";
}
