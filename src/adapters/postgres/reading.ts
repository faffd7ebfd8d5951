import { normalise, type Scaled } from "../../decimal/index.ts";
import { InvariantError } from "../../errors/index.ts";
import type { Row } from "./driver.ts";

/** Returns a value that is never NULL as text. Throws an InvariantError I53 if it is missing. */
export function textIn(row: Row | undefined, column: number): string {
  const text = row?.[column];
  if (text === undefined || text === null)
    throw new InvariantError("I53", "a row of the database lacks a value");
  return text;
}

/** Returns an id, time or counter. Throws an InvariantError I53 for one beyond those that a double represents exactly. */
export function wholeIn(row: Row | undefined, column: number): number {
  const text = textIn(row, column);
  const value = Number.parseInt(text, 10);
  if (!Number.isSafeInteger(value) || String(value) !== text)
    throw new InvariantError("I53", `a row of the database has ${text} where a whole number is expected`);
  return value;
}

/** Returns an amount, exactly. */
export function amountIn<T extends Scaled>(row: Row | undefined, column: number): T {
  const text = textIn(row, column);
  if (!/^-?\d+$/.test(text))
    throw new InvariantError("I53", `a row of the database has ${text} where an amount is expected`);
  return normalise(BigInt(text)) as T;
}

/** Returns a client id as the column of its bytes has it. */
export const bytesOf = (text: string): string => `\\x${Buffer.from(text, "utf8").toString("hex")}`;

/** Returns the text of the bytes in a column that was encoded as hexadecimal digits. */
export const textOfHex = (hex: string): string => Buffer.from(hex, "hex").toString("utf8");

/**
 * Returns a text of a stranger in a form that the database accepts: it stores neither the character 0 nor half of a
 * surrogate pair.
 */
export function storable(text: string): string {
  return text.replace(
    /[\0\\]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g,
    (one) => (one === "\\" ? "\\\\" : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/** Returns the text that {@link storable} made storable. */
export function asGiven(stored: string): string {
  return stored.replace(/\\(?:\\|u([0-9a-f]{4}))/g, (_all, code: string | undefined) =>
    code === undefined ? "\\" : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Compares two texts by their characters, independently of the collation of the database. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
