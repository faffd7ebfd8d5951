/** An object with unchecked members. */
export type Members = Record<string, unknown>;

/**
 * Error of a value that does not fit its schema. The message contains only words of the schema, because the text may
 * be secret.
 */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

/** Returns whether a parsed value is an object with members. An array is not. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the error for a missing member or one of the wrong type, which is damage. */
export function wrongKind(place: string, what = "a member is missing or has the wrong type"): Unfit {
  return new Unfit(`${what}: ${place}`);
}

/**
 * Returns the error for content of a newer version. That content has a meaning, and an order read without it would be
 * another order (decision BP).
 */
export function newer(what: string): Unfit {
  return new Unfit(`it holds ${what}, ${NEWER}`);
}

/** What is said of content of a newer version, and what helps. */
export const NEWER =
  "which this version does not know; a newer version of managed-orders wrote it: run that version";

/** Returns the error for a value in memory that could not be read again. */
export function unwritable(place: string): Unfit {
  return new Unfit(`${place} is not part of the journal's format`);
}

/** Returns a name for a message. Shows only names that a schema could have. */
export function named(word: string): string {
  return /^[A-Za-z_]{1,40}$/.test(word) ? `"${word}"` : "with an unreadable name";
}
