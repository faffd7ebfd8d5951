import { InvariantError } from "../../errors/index.ts";
import { expectEnd, type JsonCursor, skipValue } from "../json-cursor.ts";
import { FORMATS, type Format, WRITTEN } from "./formats.ts";
import { isObject, type Members, NEWER } from "./unfit.ts";

/** Name of a text for an error message. */
export type Name = () => string;

/** Returns the unchecked content of a text, and its format. Throws an InvariantError I53. */
export function opened(
  text: string,
  member: "record" | "parent",
  name: Name,
): Readonly<{ format: Format; value: Members }> {
  const envelope = parse(text, name);
  if (!isObject(envelope)) throw unreadable(name, "it is not an object");
  const format = FORMATS.get(envelope.v);
  if (format === undefined) throw unreadable(name, problemOf(envelope.v));
  const value = envelope[member];
  if (!isObject(value)) throw unreadable(name, `it has no member ${member}`);
  return { format, value };
}

function problemOf(version: unknown): string {
  const isNewer = typeof version === "number" && Number.isSafeInteger(version) && version > WRITTEN.version;
  if (isNewer) return `it has the format ${version}, ${NEWER}`;
  return `its format is not ${[...FORMATS.keys()].join(" or ")}, the one this version reads`;
}

/** Returns the error for a text that cannot be read. */
export function unreadable(name: Name, what: string): InvariantError {
  return new InvariantError("I53", `${name()} cannot be read: ${what}`);
}

function parse(text: string, name: Name): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which must not reach a log.
    throw unreadable(name, `broken text at character ${faultOf(text)} of ${text.length}`);
  }
}

/** Returns the position at which a text stops being JSON, counted from 0. */
function faultOf(text: string): number {
  const cursor: JsonCursor = { text, at: 0 };
  try {
    skipValue(cursor);
    expectEnd(cursor);
  } catch {
    // The cursor is at the fault now.
  }
  return cursor.at;
}
