import { OrderError } from "../errors/index.ts";

/**
 * One parameter value with its text exactly as sent (after unescaping). `kind` is "text" when it came from a query or
 * a form, which have no types, else its type in JSON. Integers keep their lexeme and never become a double.
 */
export type Scalar = Readonly<{ text: string; kind: "text" | "string" | "integer" | "boolean" }>;

/** Parameters by name, in the order sent. A Map, so that no name can reach a prototype. */
export type Parameters = ReadonlyMap<string, Scalar>;

/** Most parameters in one query, form or JSON body. */
export const PARAMETER_LIMIT = 100;

const NAME = /^[A-Za-z0-9_]+$/;
/** Control characters, lone surrogates, line and paragraph separators. */
const UNCLEAN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const SHOWN_LENGTH = 40;

/** Returns a name for display in an error: printable ASCII, truncated. */
export function shownName(name: string): string {
  const shown = name.slice(0, SHOWN_LENGTH).replace(/[^\x21-\x7e]/g, "?");
  return shown === "" ? "name" : shown;
}

/**
 * Checks the name of one more parameter. Throws OrderError -1100 when it contains other characters than letters,
 * digits and underscores, and -1101 when it is there already or exceeds the limit (decisions 38 and 41, hostile
 * inputs 34-37, 54, 55).
 */
export function checkName(parameters: Parameters, name: string): void {
  if (!NAME.test(name))
    throw new OrderError("ILLEGAL_CHARS", { field: shownName(name), range: "A-Za-z0-9_" });
  if (parameters.has(name)) throw new OrderError("DUPLICATE_PARAMETER", { field: name });
  if (parameters.size >= PARAMETER_LIMIT) throw tooManyParameters(parameters.size + 1);
}

/**
 * Checks a decoded value. Throws OrderError -1100 when it contains a control character, a line separator or a lone
 * surrogate (hostile inputs 39 and 62).
 */
export function checkText(name: string, text: string): void {
  if (UNCLEAN.test(text))
    throw new OrderError("ILLEGAL_CHARS", { field: name, range: "no control characters" });
}

/** Returns the error for more parameters than the limit. `received` is the least number that came. */
export function tooManyParameters(received: number): OrderError {
  return new OrderError("TOO_MANY_PARAMETERS", { limit: PARAMETER_LIMIT, received });
}

/**
 * Merges the parameters of query and body. Throws OrderError -1101 when a name is in both (contract, Linked lists,
 * "exactly one place"; decision 38).
 */
export function mergeParameters(query: Parameters, body: Parameters): Parameters {
  if (body.size === 0) return query;
  const merged = new Map(query);
  for (const [name, value] of body) {
    if (merged.has(name)) throw new OrderError("DUPLICATE_PARAMETER", { field: name });
    merged.set(name, value);
  }
  return merged;
}
