import type { JsonSchema, ObjectShape } from "./json-schema.ts";

/**
 * Names of a type that take the same fields. `needs` lists groups of fields of which exactly one, or at least one, is
 * required.
 */
export type TypeCase = Readonly<{
  types: readonly string[];
  shape: ObjectShape;
  needs: readonly Readonly<{ exactly: "one" | "some"; of: readonly string[] }>[];
}>;

/**
 * Context of a case: the fields of all cases, the fields that every case requires, and the request's names of fields.
 */
export type CaseContext = Readonly<{
  all: ObjectShape["properties"];
  required: readonly string[];
  nameOf: (field: string) => string;
}>;

/** Requires at least one of the names. */
export const anyNamed = (names: readonly string[]): JsonSchema => ({
  anyOf: names.map((name) => ({ required: [name] })),
});

/** Requires exactly one of the names. */
const oneNamed = (names: readonly string[]): JsonSchema => ({
  oneOf: names.map((name) => ({ required: [name] })),
});

/** Applies demands under a condition, with keywords that every draft and most tools support. */
export const implies = (condition: JsonSchema, consequence: JsonSchema): JsonSchema => ({
  anyOf: [{ not: condition }, consequence],
});

/**
 * Returns the additional demands of a case: further required fields, fields it does not take, and fields with fewer
 * values.
 */
export function caseSchema({ shape, needs }: TypeCase, { all, required, nameOf }: CaseContext): JsonSchema {
  const own = shape.required.filter((name) => name !== "newClientOrderId" && !required.includes(name));
  const narrower = Object.entries(all).flatMap(([name, schema]) => {
    const narrow = narrowed(schema, shape.properties[name]);
    return narrow === undefined ? [] : [[nameOf(name), narrow] as const];
  });
  const rules = needs.map(({ exactly, of }) => {
    const names = of.map(nameOf);
    return exactly === "one" ? oneNamed(names) : anyNamed(names);
  });
  return {
    ...(own.length > 0 && { required: own.map(nameOf) }),
    ...(narrower.length > 0 && { properties: Object.fromEntries(narrower) }),
    ...(rules.length > 0 && { allOf: rules }),
  };
}

/**
 * Returns the schema of a property for which a case takes fewer values (an enum) or none (false). Returns undefined if
 * the case takes all values.
 */
function narrowed(all: JsonSchema, own: JsonSchema | undefined): JsonSchema | false | undefined {
  if (own === undefined) return false;
  const values = valuesOf(own);
  return values === undefined || values.length === valuesOf(all)?.length ? undefined : { enum: values };
}

/**
 * Merges shapes into one that accepts an object of any of them: every property, and the fields that all of them
 * require.
 */
export function mergeShapes(shapes: readonly ObjectShape[]): ObjectShape {
  const properties: Record<string, JsonSchema> = {};
  for (const [name, schema] of shapes.flatMap((shape) => Object.entries(shape.properties))) {
    const known = properties[name];
    properties[name] = known === undefined ? schema : mergeProperty(known, schema);
  }
  const [first, ...others] = shapes.map(({ required }) => required);
  const required = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  return { properties, required };
}

/** Merges a property of two shapes: the values that either takes, and the default if both agree on it. */
export function mergeProperty(one: JsonSchema, other: JsonSchema): JsonSchema {
  const { default: preset, const: _const, enum: _enum, ...rest } = one;
  const [values, others] = [valuesOf(one), valuesOf(other)];
  const merged = values && others && [...new Set([...values, ...others])];
  return {
    ...rest,
    ...(merged !== undefined && (merged.length === 1 ? { const: merged[0] } : enumOf(rest, merged))),
    ...(preset !== undefined && preset === other.default && { default: preset }),
  };
}

type Value = string | number | boolean;

/** Omits the enum of a boolean, because it would list both values. */
const enumOf = ({ type }: JsonSchema, values: readonly Value[]): JsonSchema =>
  type === "boolean" ? {} : { enum: values };

function valuesOf(schema: JsonSchema): readonly Value[] | undefined {
  if (schema.const !== undefined) return [schema.const as Value];
  return schema.enum as readonly Value[] | undefined;
}
