/** A value that can be written as JSON. A member that is `undefined` is left out. */
export type JsonInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonInput[]
  | { readonly [name: string]: JsonInput | undefined };

/**
 * Returns JSON text without white space. Members are in order of insertion. A `bigint` is written as plain digits, so that
 * 64-bit ids stay exact. Throws a RangeError for a number that is not finite.
 *
 * @example
 * ```ts
 * import { writeJson } from "managed-orders/signing";
 * console.log(writeJson({ orderId: 9007199254740993n })); // {"orderId":9007199254740993}
 * ```
 */
export function writeJson(value: JsonInput): string {
  return isUsual(value) ? JSON.stringify(value) : writeExactly(value);
}

/** Returns whether the platform's own writer, which is far faster, writes a value as {@link writeExactly} does. */
function isUsual(value: JsonInput | undefined): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  if (isList(value)) return value.every(isUsual);
  for (const name in value) if (!isUsual(value[name])) return false;
  return true;
}

function writeExactly(value: JsonInput): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "number":
      if (!Number.isFinite(value)) throw new RangeError("JSON cannot represent a number that is not finite");
      return Object.is(value, -0) ? "0" : String(value);
    default:
      return value === null ? "null" : writeMembers(value);
  }
}

function writeMembers(
  value: readonly JsonInput[] | { readonly [name: string]: JsonInput | undefined },
): string {
  if (isList(value)) return `[${value.map(writeJson).join(",")}]`;
  let members = "";
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${quoted(name)}:${writeExactly(member)}`;
  }
  return `{${members}}`;
}

/** Text that needs no escapes in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Returns a text as JSON. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function isList(value: object): value is readonly JsonInput[] {
  return Array.isArray(value);
}

/** A run of digits that a double may round. */
const LONG_RUN = /[0-9]{16}/;

/**
 * A string or a number. Each is taken as a whole, so that digits inside a string or behind a decimal point are never
 * taken for a whole number.
 */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;

/** A whole number that a double may round. */
const LONG = /^-?[0-9]{16,}$/;

/**
 * Parses the JSON of a reply on the client's side. A whole number that a double cannot hold exactly becomes the string
 * of its digits, so that 64-bit ids are never rounded. Throws a SyntaxError for text that is not JSON. Unlike
 * {@link readJson}, it needs no table of errors, which would double the size of a client.
 */
export function readReplyJson(text: string): unknown {
  // Parsed before the search: in text that is not JSON, an open string could make the search quadratic.
  const value: unknown = JSON.parse(text);
  if (!LONG_RUN.test(text)) return value;
  return JSON.parse(text.replace(STRING_OR_NUMBER, quotedIfInexact));
}

function quotedIfInexact(token: string): string {
  if (!LONG.test(token) || Number.isSafeInteger(JSON.parse(token))) return token;
  return `"${token}"`;
}
