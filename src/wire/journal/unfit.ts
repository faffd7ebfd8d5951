/** An object of which nothing is known. */
export type Members = Record<string, unknown>;

/** A value does not fit its schema. The message is of words of the schema only: what the text holds may be secret. */
export class Unfit extends Error {
  override readonly name = "Unfit";
}

/** Whether a parsed value has members; an array has none. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member is missing, or not of its kind: damage. */
export function wrongKind(place: string, what = "a member is missing or of the wrong kind"): Unfit {
  return new Unfit(`${what}: ${place}`);
}

/** What a newer version wrote means something; read without it, an order would be another one (decision BP). */
export function newer(what: string): Unfit {
  return new Unfit(
    `it holds ${what}, which this version does not know; a newer version of managed-orders wrote it: run that version`,
  );
}

/** A value in memory is none that could be read again. */
export function unwritable(place: string): Unfit {
  return new Unfit(`${place} is not part of the journal's format`);
}

/** A name as a message may hold it: only such as a schema could have. */
export function named(word: string): string {
  return /^[A-Za-z_]{1,40}$/.test(word) ? `"${word}"` : "with an unreadable name";
}
