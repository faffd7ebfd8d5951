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
