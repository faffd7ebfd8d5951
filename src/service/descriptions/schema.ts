import type { Kind, KindName, Table, Words } from "../../replies/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { WORDS } from "./words.ts";

/** A member that may be left out. */
export type Optional = readonly ["optional", JsonSchema];

/** Members of an object by name. */
export type Members = Readonly<Record<string, Member>>;

/** A member of an object. */
export type Member = JsonSchema | Optional;

/** Exactly one member for each property of T. A property that T may omit must be {@link optional}. */
export type MembersOf<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional : JsonSchema;
};

/** Marks a member as optional. */
export const optional = (schema: JsonSchema): Optional => ["optional", schema];

/** Further keywords of a schema. */
type More = Readonly<Record<string, NonNullable<JsonSchema[string]>>>;

/** Returns the schema of a text. */
export const text = (description: string, more: More = {}): JsonSchema => ({
  type: "string",
  description,
  ...more,
});

/** Returns the schema of one of a few texts. */
export const oneOf = (values: readonly string[], description: string): JsonSchema =>
  text(description, { enum: values });

/** Returns the schema of a decimal as a string. */
export const decimal = (description: string): JsonSchema =>
  text(description, { pattern: "^[0-9]+(\\.[0-9]+)?$" });

/** Returns the schema of a decimal as a string that may be negative. */
export const signedDecimal = (description: string): JsonSchema =>
  text(description, { pattern: "^-?[0-9]+(\\.[0-9]+)?$" });

/** Returns the schema of a whole number of at most 32 bits. */
export const integer = (description: string, more: More = {}): JsonSchema => ({
  type: "integer",
  description,
  ...more,
});

/** Returns the schema of a whole number of at most 53 bits, which every JSON parser reads exactly. */
export const long = (description: string, more: More = {}): JsonSchema =>
  integer(description, { format: "int64", ...more });

const EXACT = "A 64-bit integer: parse it exactly, never as a double.";

/** Returns the schema of a whole number of 64 bits. */
export const int64 = (description: string): JsonSchema => long(`${description} ${EXACT}`);

/** Returns the schema of a time in epoch milliseconds. */
export const time = (description: string): JsonSchema => long(`${description} Epoch milliseconds.`);

/** Returns the schema of true or false. */
export const flag = (description: string): JsonSchema => ({ type: "boolean", description });

/** Returns the schema of one fixed value. */
export const only = (value: string | boolean | number, description: string): JsonSchema => ({
  const: value,
  description,
});

/** Returns the schema of an array whose items have one schema. */
export const list = (items: JsonSchema, description: string): JsonSchema => ({
  type: "array",
  items,
  description,
});

/** Refers to a schema of the document by name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Refers to one of several schemas of the document. */
export const anyRef = (names: readonly string[]): JsonSchema =>
  names.length === 1 ? ref(String(names[0])) : { oneOf: names.map(ref) };

/** Returns the schema of a value or null. */
export const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values, ...rest } = schema;
  return {
    ...rest,
    type: [type as string, "null"],
    ...(values !== undefined && { enum: [...(values as readonly string[]), null] }),
  };
};

/** Returns the schema of an object with these members. It does not forbid further members. */
export function object(description: string, members: Members): JsonSchema {
  const entries = Object.entries(members);
  return {
    type: "object",
    description,
    properties: Object.fromEntries(entries.map(([name, member]) => [name, schemaOf(member)])),
    required: entries.flatMap(([name, member]) => (isOptional(member) ? [] : [name])),
  };
}

const isOptional = (member: Member): member is Optional => Array.isArray(member);

/** Returns the schema of a member, whether it may be left out or not. */
export const schemaOf = (member: Member): JsonSchema => (isOptional(member) ? member[1] : member);

/** What a description says of a member: a sentence, also with further keywords, or its whole schema. */
type Note = string | readonly [description: string, more: More] | JsonSchema;

/** A note for each member of a table. Only the schema of an object or of a list of them is not known from the table. */
export type NotesOf<T extends Table> = {
  readonly [N in keyof T]: T[N] extends `${string}[]` | Table | readonly [Table] ? JsonSchema : Note;
};

/**
 * Returns the schemas of the members of a table, in the order of the notes. A note on what is not in the table, because
 * no client reads it, is a whole schema. `kinds` replaces the schemas of some kinds.
 */
export function described<T extends Table, N extends NotesOf<T>>(
  table: T,
  notes: N,
  kinds: Partial<Kinds> = {},
): Readonly<Record<keyof N, Member>> {
  const all = { ...KINDS, ...kinds };
  const entries = Object.entries<Note>(notes).map(([name, note]) => [name, memberOf(all, table[name], note)]);
  return Object.fromEntries(entries) as Record<keyof N, Member>;
}

function memberOf(kinds: Kinds, kind: Kind | undefined, note: Note): Member {
  const isString = typeof kind === "string";
  const mayLack = isString && kind.endsWith("?");
  const schema = isWhole(note) ? note : schemaOfKind(kinds, isString ? kind.replace("?", "") : "", note);
  return mayLack ? optional(schema) : schema;
}

const isWhole = (note: Note): note is JsonSchema => typeof note === "object" && !Array.isArray(note);

type Sentence = Exclude<Note, JsonSchema>;

/** The schema of each kind that is neither a word nor a part of its own. */
type Kinds = Readonly<
  Record<
    Exclude<KindName, keyof Words | "level" | "filter" | "members">,
    (description: string, more?: More) => JsonSchema
  >
>;

const KINDS: Kinds = {
  text,
  decimal,
  signed: signedDecimal,
  price: decimal,
  quantity: decimal,
  integer,
  long,
  id: long,
  idText: text,
  nativeId: int64,
  whole: int64,
  time,
  flag,
  yes: (description) => only(true, description),
};

function schemaOfKind(kinds: Kinds, kind: string, note: Sentence): JsonSchema {
  const [description, more] = typeof note === "string" ? [note] : note;
  if (kind.startsWith("=")) return only(kind.slice(1), description);
  if (kind.endsWith("|null")) return orNull(schemaOfKind(kinds, kind.replace("|null", ""), note));
  if (kind in WORDS) return oneOf(WORDS[kind as keyof Words], description);
  return kinds[kind as keyof Kinds](description, more);
}
