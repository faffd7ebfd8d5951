import * as z from "zod";
import { DECIMAL_GRAMMAR, decimalProblem, type Scaled } from "../../decimal/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { FieldRules, FieldSet, RequestShape } from "../field-set.ts";
import { type KnownNames, parameterOf } from "../parameters.ts";
import {
  DECIMAL_ERRORS,
  type DecimalTerms,
  type FieldNote,
  type FieldRule,
  type RuleTerms,
} from "../rule.ts";

const DECIMAL = new RegExp(DECIMAL_GRAMMAR);

/** Number of digits that the grammar allows before the point. */
const MOST_DIGITS = 20;

/**
 * Returns the pattern of accepted values for descriptions. It also matches zero where zero is refused. It has no
 * look-ahead, which many tools do not support.
 */
const patternOf = ({ scale, digits }: DecimalTerms): string =>
  `^0{0,${MOST_DIGITS - digits}}[0-9]{1,${digits}}(\\.[0-9]{1,${scale}})?$`;

function decimalSchema(terms: DecimalTerms): z.ZodType {
  const { scale, parse, below } = terms;
  const parsed = z
    .string()
    .regex(DECIMAL)
    .transform((input, context): Scaled => {
      const value = parse(input);
      if (value !== undefined) return value;
      const reason = DECIMAL_ERRORS[decimalProblem(input, scale)];
      context.issues.push({ code: "custom", input, params: { reason, decimals: scale } });
      return z.NEVER;
    });
  const schema = below === undefined ? parsed : parsed.refine((value) => value < below);
  return schema.meta({ pattern: patternOf(terms) });
}

function textSchema({ pattern, reserved }: Extract<RuleTerms, { kind: "text" }>): z.ZodType {
  const some = z.string().min(1);
  const schema = pattern === undefined ? some : some.regex(pattern);
  if (reserved === undefined) return schema;
  return schema.refine((value) => !reserved.test(value)).meta({ not: { pattern: reserved.source } });
}

function wholeSchema({ from, to }: Extract<RuleTerms, { kind: "whole" }>): z.ZodType {
  const whole = z.number().int();
  const bounded = from === undefined ? whole : whole.min(from);
  return to === undefined ? bounded : bounded.max(to);
}

function schemaOf(terms: RuleTerms): z.ZodType {
  switch (terms.kind) {
    case "text":
      return textSchema(terms);
    case "words":
      return z.enum(terms.words);
    case "only":
      return z.literal(terms.value);
    case "flag":
      return z.boolean();
    case "int64":
      return z.bigint();
    case "whole":
      return wholeSchema(terms);
    case "capped":
      return z.number().min(terms.from);
    case "decimal":
      return decimalSchema(terms);
    case "csv":
      return z
        .string()
        .min(1)
        .max(terms.longest, { abort: true })
        .regex(terms.pattern)
        .transform((items) => items.split(",").map((item) => Number.parseInt(item, 10)))
        .refine(terms.takes);
  }
}

/** Caps a value. The description states only the type. */
const cappedSchema = (schema: z.ZodType, cap: number): z.ZodType =>
  (schema as z.ZodType<number>).transform((value) => Math.min(value, cap)).meta({ type: "integer" });

/** Converts a rule to a zod schema. */
function zodOf({ terms, presence }: FieldRule<unknown>): z.ZodType {
  const own = schemaOf(terms);
  const present =
    presence === "required" ? own : presence === "optional" ? own.optional() : own.default(presence.preset);
  return terms.kind === "capped" ? cappedSchema(present, terms.cap) : present;
}

/**
 * Converts rules to a zod object. Descriptions are made from it, and tests compare the readers of the rules with it.
 * Reading a request does not need zod.
 */
export function zodObject(rules: FieldRules): z.ZodObject {
  return z.strictObject(Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, zodOf(rule)])));
}

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

/** Schemas of the authentication parameters, which the signature checks read. Source: decisions 9 and 40. */
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
