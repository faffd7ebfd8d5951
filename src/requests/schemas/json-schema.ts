import * as z from "zod";
import type { JsonInput } from "../../wire/index.ts";
import type { FieldSet, RequestShape } from "../field-set.ts";
import { type KnownNames, parameterOf } from "../parameters.ts";
import type { FieldNote } from "../rule.ts";
import { zodObject } from "./zod-schema.ts";

/** A JSON Schema of draft 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: JsonInput | undefined;
}

/**
 * Schemas of the parameters of a request: each property, the required ones, and the conditions between them. `unread`
 * lists the ignored parameters. Authentication parameters are not included.
 */
export interface RequestSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly conditions: readonly JsonSchema[];
  readonly unread: readonly string[];
}

/** Properties and required fields of an object schema. */
export type ObjectShape = Readonly<{
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
}>;

const LARGEST_INT32 = 2_147_483_647;

/** Marks an integer that can exceed 32 bits as int64; many code generators would otherwise use a smaller type. */
function int64({ zodSchema, jsonSchema }: Parameters<NonNullable<z.core.ToJSONSchemaParams["override"]>>[0]) {
  const { type, minimum = 0, maximum = 0 } = jsonSchema;
  const exceeds = type === "integer" && (maximum > LARGEST_INT32 || -minimum > LARGEST_INT32);
  if (zodSchema._zod.def.type === "bigint") Object.assign(jsonSchema, { type: "integer", format: "int64" });
  else if (exceeds) jsonSchema.format = "int64";
}

const toJsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override: int64 }) as JsonSchema;

/** Returns the properties of a set of fields. It does not describe the demands of refinements and transformations. */
export function objectShape({ rules }: FieldSet<unknown>): ObjectShape {
  const { properties, required } = toJsonSchema(zodObject(rules));
  return {
    properties: (properties ?? {}) as ObjectShape["properties"],
    required: (required ?? []) as ObjectShape["required"],
  };
}

/** Returns the properties of several sets, without their `type`. */
export function variantShapes(
  sets: Iterable<readonly [string, FieldSet<unknown>]>,
): ReadonlyMap<string, ObjectShape> {
  return new Map(
    Array.from(sets, ([name, set]) => {
      const { properties, required } = objectShape(set);
      const { type: _type, ...fields } = properties;
      return [name, { properties: fields, required: required.filter((field) => field !== "type") }];
    }),
  );
}

/** Returns a property with a description and an example. `field` is the order field whose rule it follows. */
export function noted(schema: JsonSchema, field: string, note: FieldNote = parameterOf(field)): JsonSchema {
  const { about, example } = note;
  return {
    ...schema,
    description: `${about} ${parameterOf(field).legal}`,
    examples: [possible(schema, example)],
  };
}

/** Returns the example, or the first of the property's values if the example is not among them. */
function possible({ const: only, enum: some }: JsonSchema, example: FieldNote["example"]): JsonInput {
  if (only !== undefined) return only;
  const values = some as readonly JsonInput[] | undefined;
  return values === undefined || values.includes(example) ? example : (values[0] ?? example);
}

/** Returns properties under their own names, each {@link noted}. */
export function notedAll(properties: ObjectShape["properties"]): ObjectShape["properties"] {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, noted(schema, name)]));
}

/** Returns the schema of a reader unchanged: the properties that it both knows and reads. */
export function shapeSchema(shape: RequestShape, conditions: readonly JsonSchema[] = []): RequestSchema {
  const { properties, required } = objectShape(shape.set);
  const taken = Object.entries(properties).filter(([name]) => shape.names.read.has(name));
  return {
    properties: notedAll(Object.fromEntries(taken)),
    required,
    conditions,
    unread: unreadNames(shape.names),
  };
}

/** Returns the ignored parameters, without those of authentication. */
export function unreadNames({ ignored }: KnownNames): readonly string[] {
  return [...ignored].filter((name) => !AUTHENTICATION.has(name));
}

/** Schemas of the authentication parameters, which the signature checks read. */
export const AUTHENTICATION_SCHEMAS: Readonly<
  Record<"nonce" | "timestamp" | "recvWindow" | "signature", JsonSchema>
> = {
  nonce: {
    type: "string",
    pattern: "^[A-Za-z0-9._-]{1,64}$",
    description: "A new value for each request, so that no two signatures are equal. Any value is accepted.",
    examples: ["1760000000000-1"],
  },
  timestamp: {
    type: "integer",
    format: "int64",
    minimum: 0,
    description:
      "Epoch milliseconds. A timestamp 1000 ms or more ahead of the service's time, or older than recvWindow, is refused.",
    examples: [1_760_000_000_000],
  },
  recvWindow: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 60_000,
    default: 5_000,
    description: "Maximum age of the timestamp in milliseconds, with at most three decimals.",
    examples: [5_000],
  },
  signature: {
    type: "string",
    pattern: "^[0-9A-Fa-f]{64}$",
    description: "HMAC-SHA256 with the secret of the API key, in hexadecimal.",
    examples: ["c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71"],
  },
};

const AUTHENTICATION: ReadonlySet<string> = new Set(Object.keys(AUTHENTICATION_SCHEMAS));
