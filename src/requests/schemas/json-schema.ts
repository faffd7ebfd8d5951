import * as z from "zod";
import type { JsonInput } from "../../wire/index.ts";
import type { FieldNote } from "../field.ts";
import type { FieldSet, RequestShape } from "../field-set.ts";
import type { KnownNames } from "../known-names.ts";
import { parameterOf } from "../parameters.ts";
import { zodObject } from "./zod-schema.ts";

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: JsonInput | undefined };

/**
 * What the parameters of a request may be: each by itself, which must be there, and what holds of them together.
 * `unread` are those that are taken without a look. None of authentication is among them.
 */
export type RequestSchema = Readonly<{
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
  conditions: readonly JsonSchema[];
  unread: readonly string[];
}>;

/** An object as its schema describes it. */
export type ObjectShape = Readonly<{
  properties: Readonly<Record<string, JsonSchema>>;
  required: readonly string[];
}>;

const LARGEST_INT32 = 2_147_483_647;

/** An integer that may be beyond 32 bits says so; many generators of code would take it for a smaller one. */
function int64({ zodSchema, jsonSchema }: Parameters<NonNullable<z.core.ToJSONSchemaParams["override"]>>[0]) {
  const { type, minimum = 0, maximum = 0 } = jsonSchema;
  const exceeds = type === "integer" && (maximum > LARGEST_INT32 || -minimum > LARGEST_INT32);
  if (zodSchema._zod.def.type === "bigint") Object.assign(jsonSchema, { type: "integer", format: "int64" });
  else if (exceeds) jsonSchema.format = "int64";
}

const toJsonSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override: int64 }) as JsonSchema;

/** What a set of fields takes; what its refinements and transformations demand is not told by it. */
export function objectShape({ rules }: FieldSet<unknown>): ObjectShape {
  const { properties, required } = toJsonSchema(zodObject(rules));
  return {
    properties: (properties ?? {}) as ObjectShape["properties"],
    required: (required ?? []) as ObjectShape["required"],
  };
}

/** What each of several sets takes beside its `type`. */
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

/** A property with what it is and an example; `field` is the field of an order whose rule it follows. */
export function noted(schema: JsonSchema, field: string, note: FieldNote = parameterOf(field)): JsonSchema {
  const { about, example } = note;
  return {
    ...schema,
    description: `${about} ${parameterOf(field).legal}`,
    examples: [possible(schema, example)],
  };
}

/** The example, or the first of the few values that there are here. */
function possible({ const: only, enum: some }: JsonSchema, example: FieldNote["example"]): JsonInput {
  if (only !== undefined) return only;
  const values = some as readonly JsonInput[] | undefined;
  return values === undefined || values.includes(example) ? example : (values[0] ?? example);
}

/** Properties under their own names, each {@link noted}. */
export function notedAll(properties: ObjectShape["properties"]): ObjectShape["properties"] {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, noted(schema, name)]));
}

/** The schema of a reader that has one, as it is: the properties that it both knows and takes. */
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

/** Names that are taken without a look and are none of authentication. */
export function unreadNames({ ignored }: KnownNames): readonly string[] {
  return [...ignored].filter((name) => !AUTHENTICATION.has(name));
}

/** Schemas of the parameters of authentication, which signing reads. Source: decisions 9 and 40. */
export const AUTHENTICATION_SCHEMAS: Readonly<
  Record<"nonce" | "timestamp" | "recvWindow" | "signature", JsonSchema>
> = {
  nonce: {
    type: "string",
    pattern: "^[A-Za-z0-9._-]{1,64}$",
    description: "A fresh value for each request; it makes the signature another one. Any value passes.",
    examples: ["1760000000000-1"],
  },
  timestamp: {
    type: "integer",
    format: "int64",
    minimum: 0,
    description:
      "Epoch milliseconds. A request 1000 ms or more ahead of the service, or older than recvWindow, is refused.",
    examples: [1_760_000_000_000],
  },
  recvWindow: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 60_000,
    default: 5_000,
    description: "How old the timestamp may be, in milliseconds with at most three decimals.",
    examples: [5_000],
  },
  signature: {
    type: "string",
    pattern: "^[0-9A-Fa-f]{64}$",
    description: "HMAC-SHA256 with the secret of the key, in hexadecimal.",
    examples: ["c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71"],
  },
};

const AUTHENTICATION: ReadonlySet<string> = new Set(Object.keys(AUTHENTICATION_SCHEMAS));
