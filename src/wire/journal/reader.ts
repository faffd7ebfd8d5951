import { normalise, type Scaled } from "../../decimal/index.ts";
import { ExecutionIds } from "../../model/index.ts";
import type { Kind, Schema, Shape } from "./schema.ts";
import { isObject, type Members, named, newer, type Unfit, wrongKind } from "./unfit.ts";

/** Place of an array entry in an error. */
const ENTRY = "an entry";

const DIGITS = /^-?[0-9]{1,40}$/;

/**
 * Reads a parsed value by its schema. Every member is checked. Objects and arrays are restored in place, with members
 * in the order of the text. Throws an Unfit for anything that the schema does not know.
 */
export function read<T>(kind: Kind<T>, value: unknown, place: string): T {
  return meaningOf(kind, value, place) as T;
}

function meaningOf(schema: Schema, value: unknown, place: string): unknown {
  switch (schema.form) {
    case "integer":
      if (Number.isSafeInteger(value)) return value;
      break;
    case "scaled":
      return Number.isSafeInteger(value) ? value : wideOf(value, place);
    case "text":
      if (typeof value === "string") return value;
      break;
    case "words":
      if (schema.words.has(value)) return value;
      if (typeof value === "string") throw newer(`a word in the member ${place}`);
      break;
    case "flag":
      if (typeof value === "boolean") return value;
      break;
    case "yes":
      if (value === true) return value;
      break;
    case "list":
      return entriesOf(schema, value, place);
    case "ids":
      return ExecutionIds.of(entriesOf(schema, value, place) as string[]);
    case "object":
      return membersOf(schema.shape, value, place);
    case "union":
      return membersOf(shapeOf(schema, value, place), value, place);
  }
  throw wrongKind(place);
}

function wideOf(value: unknown, place: string): Scaled {
  if (!isObject(value)) throw wrongKind(place);
  const { n } = value;
  if (typeof n !== "string" || !DIGITS.test(n) || Object.keys(value).length !== 1)
    throw wrongKind(place, "a number cannot be read");
  return normalise(BigInt(n));
}

function entriesOf({ entry }: Schema, value: unknown, place: string): unknown[] {
  if (!Array.isArray(value) || entry === undefined) throw wrongKind(place);
  const entries: unknown[] = value;
  for (let index = 0; index < entries.length; index++) {
    const stored = entries[index];
    const held = meaningOf(entry, stored, ENTRY);
    if (held !== stored) entries[index] = held;
  }
  return entries;
}

function shapeOf({ what, shapes }: Schema, value: unknown, place: string): Shape | undefined {
  if (!isObject(value)) throw noObject(place);
  const { kind } = value;
  if (typeof kind !== "string") throw newer(`a ${what} without a kind`);
  const shape = shapes.get(kind);
  if (shape === undefined) throw newer(`the ${what} kind ${named(kind)}`);
  return shape;
}

function membersOf(shape: Shape | undefined, value: unknown, place: string): Members {
  if (!isObject(value) || shape === undefined) throw noObject(place);
  const { members } = shape;
  let found = 0;
  for (const name in value) {
    const member = members.get(name);
    if (member === undefined) throw newer(`the member ${named(name)} of ${shape.owner}`);
    const stored = value[name];
    const held = meaningOf(member.schema, stored, member.place);
    if (held !== stored) value[name] = held;
    found += member.need;
  }
  if (found !== shape.needed) throw wrongKind(missingOf(shape, value));
  return value;
}

const noObject = (place: string): Unfit =>
  place === ENTRY ? newer("an entry that is not an object") : wrongKind(place);

function missingOf({ owner, members }: Shape, value: Members): string {
  for (const [name, { need, place }] of members) if (need === 1 && !Object.hasOwn(value, name)) return place;
  return owner;
}
