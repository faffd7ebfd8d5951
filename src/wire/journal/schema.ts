import { type NumberRow, normalise, type Scaled } from "../../decimal/index.ts";
import { ExecutionIds } from "../../model/index.ts";
import { quoted } from "../json-text.ts";

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
 * another order.
 */
export function newer(what: string): Unfit {
  return new Unfit(`it holds ${what}, ${NEWER}`);
}

/** What is said of content of a newer version, and what helps. */
export const NEWER =
  "which this version does not know; a newer version of managed-orders wrote it: run that version";

/** Returns the error for a value in memory that could not be read again. */
function unwritable(place: string): Unfit {
  return new Unfit(`${place} is not part of the journal's format`);
}

/** Returns a name for a message. Shows only names that a schema could have. */
export function named(word: string): string {
  return /^[A-Za-z_]{1,40}$/.test(word) ? `"${word}"` : "with an unreadable name";
}

/**
 * Form of a value in the journal: a safe integer; a whole number of any size; text; one of a set of words; true or
 * false; only true; an array; the array of execution ids; an object; one of several objects, told apart by their
 * `kind`.
 */
export type Form =
  | "integer"
  | "scaled"
  | "text"
  | "words"
  | "flag"
  | "yes"
  | "list"
  | "ids"
  | "object"
  | "union";

/**
 * The schema of a value. All schemas have all members, so that the JavaScript engine sees one shape wherever a schema
 * is followed.
 */
export type Schema = Readonly<{
  form: Form;
  /** For words: each word with its text. */
  words: ReadonlyMap<unknown, string>;
  /** For an array: the schema of its entries. */
  entry: Schema | undefined;
  /** For an object. */
  shape: Shape | undefined;
  /** For a union: its name in errors, and each kind. */
  what: string;
  shapes: ReadonlyMap<unknown, Shape>;
}>;

/** The members of an object. */
type Shape = Readonly<{
  /** Its name in errors, such as "a fill". */
  owner: string;
  members: ReadonlyMap<string, Member>;
  /** Number of required members. */
  needed: number;
}>;

/** One member of an object. */
export type Member = Readonly<{
  name: string;
  schema: Schema;
  /** Its place in errors: `"price" of a fill`. */
  place: string;
  /** Text before its value, as the first member and as a later one. */
  first: string;
  next: string;
  /** 1 if it is required, else 0. */
  need: number;
}>;

declare const means: unique symbol;

/** A schema whose values have exactly one type in memory. */
export type Kind<T> = Schema & Readonly<{ [means]?: (value: T) => T }>;

/** A member that may be absent. */
export type Optional<T> = Readonly<{ optional: Kind<T> }>;

/**
 * Each member of a type with its schema. A forgotten member, a schema that does not fit its type, and an optional
 * member without {@link optional} do not compile.
 */
export type MembersOf<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Kind<T[K]>;
};

/** Each kind of a union with its members besides `kind`. */
export type KindsOf<T extends Readonly<{ kind: string }>> = {
  readonly [K in T["kind"]]: MembersOf<Omit<Extract<T, { kind: K }>, "kind">>;
};

const NOTHING: Omit<Schema, "form"> = {
  words: new Map(),
  entry: undefined,
  shape: undefined,
  what: "",
  shapes: new Map(),
};

const schemaOf = (form: Form, rest: Partial<Schema> = {}): Schema => ({
  form,
  ...NOTHING,
  ...rest,
});

/** A safe integer. */
export const integer: Kind<number> = schemaOf("integer");

/**
 * Returns the schema of a whole number of any size: plain while it is a safe integer, `{"n":"digits"}` beyond
 * (invariant I16).
 */
export const scaled = <T extends Scaled>(): Kind<T> => schemaOf("scaled");

/** Returns the schema of a whole number of any size, or one of a closed set of words in its place. */
export const scaledOr = <W extends string, T extends Scaled>(all: Readonly<Record<W, true>>): Kind<W | T> =>
  ({ ...words(all), form: "scaled" }) as Schema;

/** Any text. */
export const text: Kind<string> = schemaOf("text");

/** True or false. */
export const flag: Kind<boolean> = schemaOf("flag");

/** True. The member is absent otherwise. */
export const yes: Kind<true> = schemaOf("yes");

/**
 * Returns the schema of a closed set of words, given as the keys of a table with all words of the type. The values do
 * not matter; `false`, which would seem to exclude a word, does not compile.
 */
export function words<T extends string>(all: Readonly<Record<T, true | object>>): Kind<T> {
  return schemaOf("words", {
    words: new Map(Object.keys(all).map((word) => [word, `"${word}"`])),
  });
}

/** Returns the schema of an array of values of one kind. */
export const list = <T>(entry: Kind<T>): Kind<readonly T[]> => schemaOf("list", { entry });

/** Returns the schema of a row of numbers, which may be packed in memory. */
export const row = <T extends Scaled>(entry: Kind<T>): Kind<NumberRow<T>> => schemaOf("list", { entry });

/** Ids of executions, an array of texts. */
export const executionIds: Kind<ExecutionIds> = schemaOf("ids", {
  entry: text,
});

/** A member that may be absent. */
export const optional = <T>(kind: Kind<T>): Optional<T> => ({ optional: kind });

/** Returns the schema of an object. `owner` is its name in errors, such as "a fill". */
export function object<T extends object>(owner: string, members: MembersOf<T>): Kind<T> {
  return schemaOf("object", { shape: shapeOf(owner, members) });
}

/** Returns the schema of a union. `what` is its name in errors, such as "fact". */
export function union<T extends Readonly<{ kind: string }>>(what: string, kinds: KindsOf<T>): Kind<T> {
  const shapes = Object.entries<MembersGiven>(kinds).map(([kind, members]): [string, Shape] => [
    kind,
    shapeOf(`a ${what} ${kind}`, {
      kind: words<string>({ [kind]: true }),
      ...members,
    }),
  ]);
  return schemaOf("union", { what, shapes: new Map(shapes) });
}

type MembersGiven = Readonly<Record<string, Schema | Readonly<{ optional: Schema }>>>;

function shapeOf(owner: string, given: MembersGiven): Shape {
  const members = Object.entries(given).map(([name, kind]): [string, Member] => {
    const next = `,"${name}":`;
    const member = { name, place: `"${name}" of ${owner}`, first: `{"${name}":`, next };
    return [
      name,
      "optional" in kind
        ? { schema: kind.optional, ...member, need: 0 }
        : { schema: kind, ...member, need: 1 },
    ];
  });
  return {
    owner,
    members: new Map(members),
    needed: members.reduce((sum, [, { need }]) => sum + need, 0),
  };
}

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
      return Number.isSafeInteger(value) || schema.words.has(value) ? value : wideOf(value, place);
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
      return membersOf(shapeOfValue(schema, value, place), value, place);
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

function shapeOfValue({ what, shapes }: Schema, value: unknown, place: string): Shape | undefined {
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

/** The parts of the text that is being written, up to `count`. A text built with `+` allocates twice as much. */
const parts: string[] = [];
let count = 0;

function add(part: string): void {
  parts[count++] = part;
}

/** What stands before and after a written value, and its place in errors. */
export type Around = Readonly<{ before?: string; after?: string; place?: string }>;

/**
 * Returns the JSON of a value between the texts around it. Members keep the value's order. Throws an
 * Unfit for anything that the schema does not know, because it could not be read again.
 */
export function write<T>(kind: Kind<T>, value: T, { before = "", after = "", place = "" }: Around): string {
  count = 0;
  add(before);
  addValue(kind, value, place);
  add(after);
  // The array keeps its room for the next text.
  parts.length = count;
  return parts.join("");
}

function addValue(schema: Schema, value: unknown, place: string): void {
  switch (schema.form) {
    case "integer":
      if (Number.isSafeInteger(value)) return add(`${value}`);
      break;
    case "scaled":
      if (Number.isSafeInteger(value)) return add(`${value}`);
      if (typeof value === "bigint") return add(`{"n":"${value}"}`);
      if (schema.words.has(value)) return add(schema.words.get(value) as string);
      break;
    case "text":
      if (typeof value === "string") return add(quoted(value));
      break;
    case "words": {
      const written = schema.words.get(value);
      if (written !== undefined) return add(written);
      break;
    }
    case "flag":
      if (typeof value === "boolean") return add(value ? "true" : "false");
      break;
    case "yes":
      if (value === true) return add("true");
      break;
    case "list":
    case "ids":
      return addEntries(schema, value as Iterable<unknown>);
    case "object":
      return addMembers(schema.shape, value as Members, place);
    case "union":
      return addMembers(schema.shapes.get((value as Members).kind), value as Members, place);
  }
  throw unwritable(place);
}

function addEntries({ entry }: Schema, values: Iterable<unknown>): void {
  let next = "[";
  for (const value of values) {
    add(next);
    addValue(entry as Schema, value, ENTRY);
    next = ",";
  }
  add(next === "[" ? "[]" : "]");
}

function addMembers(shape: Shape | undefined, value: Members, place: string): void {
  if (shape === undefined) throw unwritable(place);
  let found = 0;
  let isFirst = true;
  for (const name in value) {
    const stored = value[name];
    if (stored === undefined) continue;
    const member = shape.members.get(name);
    if (member === undefined) throw unwritable(`the member ${named(name)} of ${shape.owner}`);
    add(isFirst ? member.first : member.next);
    addValue(member.schema, stored, member.place);
    isFirst = false;
    found += member.need;
  }
  if (found !== shape.needed) throw unwritable(`${shape.owner} without all of its members`);
  add(isFirst ? "{}" : "}");
}
