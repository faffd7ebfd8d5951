import type { JsonSchema, ObjectShape } from "./json-schema.ts";

/** Names of a type that take the same fields; of some fields exactly one must be there, of others at least one. */
export type TypeCase = Readonly<{
  types: readonly string[];
  shape: ObjectShape;
  needs: readonly Readonly<{ exactly: "one" | "some"; of: readonly string[] }>[];
}>;

/** Where a case stands: the fields of all cases, those that every case requires, and what the request calls them. */
export type CaseContext = Readonly<{
  all: ObjectShape["properties"];
  required: readonly string[];
  nameOf: (field: string) => string;
}>;

/** One of the names must be there. */
export const anyNamed = (names: readonly string[]): JsonSchema => ({
  anyOf: names.map((name) => ({ required: [name] })),
});

/** One of the names must be there, and no more than one. */
const oneNamed = (names: readonly string[]): JsonSchema => ({
  oneOf: names.map((name) => ({ required: [name] })),
});

/** What holds only under a condition, in keywords that every draft and most tools know. */
export const implies = (condition: JsonSchema, demands: JsonSchema): JsonSchema => ({
  anyOf: [{ not: condition }, demands],
});

/** What a case demands beyond what all of them do, the fields that it does not take, and those of fewer values. */
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

/** What is left of a property where a case takes fewer values or none; undefined where it takes all of them. */
function narrowed(all: JsonSchema, own: JsonSchema | undefined): JsonSchema | false | undefined {
  if (own === undefined) return false;
  const values = valuesOf(own);
  return values === undefined || values.length === valuesOf(all)?.length ? undefined : { enum: values };
}

/** An object that any of the shapes could be: every property, and what all of them require. */
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

/** A property of two shapes: the values that either takes, and a default only where they agree on it. */
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

/** Both booleans are all there are. */
const enumOf = ({ type }: JsonSchema, values: readonly Value[]): JsonSchema =>
  type === "boolean" ? {} : { enum: values };

function valuesOf(schema: JsonSchema): readonly Value[] | undefined {
  if (schema.const !== undefined) return [schema.const as Value];
  return schema.enum as readonly Value[] | undefined;
}
