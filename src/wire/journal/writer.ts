import type { Kind, Schema, Shape } from "./schema.ts";
import { type Members, named, unwritable } from "./unfit.ts";

/** Text that needs no escapes in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Returns the JSON of a value. Members keep the value's order. Throws an Unfit for anything
 * that the schema does not know, because it could not be read again.
 */
export function write<T>(kind: Kind<T>, value: T, place: string): string {
  return textOf(kind, value, place);
}

function textOf(schema: Schema, value: unknown, place: string): string {
  switch (schema.form) {
    case "integer":
      if (Number.isSafeInteger(value)) return `${value}`;
      break;
    case "scaled":
      if (Number.isSafeInteger(value)) return `${value}`;
      if (typeof value === "bigint") return `{"n":"${value}"}`;
      break;
    case "text":
      if (typeof value === "string") return quoted(value);
      break;
    case "words": {
      const written = schema.words.get(value);
      if (written !== undefined) return written;
      break;
    }
    case "flag":
      if (typeof value === "boolean") return value ? "true" : "false";
      break;
    case "yes":
      if (value === true) return "true";
      break;
    case "list":
    case "ids":
      return entries(schema, value as Iterable<unknown>);
    case "object":
      return members(schema.shape, value as Members, place);
    case "union":
      return members(schema.shapes.get((value as Members).kind), value as Members, place);
  }
  throw unwritable(place);
}

const quoted = (value: string): string => (PLAIN.test(value) ? `"${value}"` : JSON.stringify(value));

function entries({ entry }: Schema, values: Iterable<unknown>): string {
  if (entry === undefined) return "[]";
  let written = "";
  for (const value of values) written += `${written === "" ? "" : ","}${textOf(entry, value, "an entry")}`;
  return `[${written}]`;
}

function members(shape: Shape | undefined, value: Members, place: string): string {
  if (shape === undefined) throw unwritable(place);
  let found = 0;
  let written = "";
  for (const name in value) {
    const stored = value[name];
    if (stored === undefined) continue;
    const member = shape.members.get(name);
    if (member === undefined) throw unwritable(`the member ${named(name)} of ${shape.owner}`);
    written += (written === "" ? member.first : member.next) + textOf(member.schema, stored, member.place);
    found += member.need;
  }
  if (found !== shape.needed) throw unwritable(`${shape.owner} without all of its members`);
  return `{${written}}`;
}
