import type { JsonSchema } from "../../requests/schemas/index.ts";

/** A member that may be left out. */
export type Optional = readonly ["optional", JsonSchema];

/** Members of an object by name. */
export type Members = Readonly<Record<string, JsonSchema | Optional>>;

/** A member for each one of T, and only those; what T may leave out is {@link optional}. */
export type MembersOf<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional : JsonSchema;
};

/** Says of a member that it may be left out. */
export const optional = (schema: JsonSchema): Optional => ["optional", schema];

/** What goes with a value beyond its kind. */
type More = Readonly<Record<string, NonNullable<JsonSchema[string]>>>;

/** A text. */
export const text = (description: string, more: More = {}): JsonSchema => ({
  type: "string",
  description,
  ...more,
});

/** One of a few texts. */
export const oneOf = (values: readonly string[], description: string): JsonSchema =>
  text(description, { enum: values });

/** A decimal as a string. */
export const decimal = (description: string): JsonSchema =>
  text(description, { pattern: "^[0-9]+(\\.[0-9]+)?$" });

/** A decimal as a string that may be below zero. */
export const signedDecimal = (description: string): JsonSchema =>
  text(description, { pattern: "^-?[0-9]+(\\.[0-9]+)?$" });

/** A whole number of at most 32 bits. */
export const integer = (description: string, more: More = {}): JsonSchema => ({
  type: "integer",
  description,
  ...more,
});

/** A whole number of at most 53 bits, which every reader of JSON keeps exactly. */
export const long = (description: string, more: More = {}): JsonSchema =>
  integer(description, { format: "int64", ...more });

const EXACT = "A 64-bit integer: read it exactly, never as a double.";

/** A whole number of 64 bits. */
export const int64 = (description: string): JsonSchema => long(`${description} ${EXACT}`);

/** A time in epoch milliseconds. */
export const time = (description: string): JsonSchema => long(`${description} Epoch milliseconds.`);

/** True or false. */
export const flag = (description: string): JsonSchema => ({ type: "boolean", description });

/** One value. */
export const only = (value: string | boolean | number, description: string): JsonSchema => ({
  const: value,
  description,
});

/** A list of values of one kind. */
export const list = (items: JsonSchema, description: string): JsonSchema => ({
  type: "array",
  items,
  description,
});

/** A schema of the document by its name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** One of several schemas of the document. */
export const anyRef = (names: readonly string[]): JsonSchema =>
  names.length === 1 ? ref(String(names[0])) : { oneOf: names.map(ref) };

/** A value or null. */
export const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values, ...rest } = schema;
  return {
    ...rest,
    type: [type as string, "null"],
    ...(values !== undefined && { enum: [...(values as readonly string[]), null] }),
  };
};

/** An object with these members, and no more than that is told of it. */
export function object(description: string, members: Members): JsonSchema {
  const entries = Object.entries(members);
  return {
    type: "object",
    description,
    properties: Object.fromEntries(entries.map(([name, member]) => [name, schemaOf(member)])),
    required: entries.flatMap(([name, member]) => (isOptional(member) ? [] : [name])),
  };
}

const isOptional = (member: JsonSchema | Optional): member is Optional => Array.isArray(member);

const schemaOf = (member: JsonSchema | Optional): JsonSchema => (isOptional(member) ? member[1] : member);
