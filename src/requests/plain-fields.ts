import { OrderError } from "../errors/index.ts";
import type { Parameters, Scalar } from "../wire/index.ts";
import type { KnownNames } from "./known-names.ts";
import { parameterOf } from "./parameters.ts";
import { illegal, invalid, misquoted, type NameOf, ownName, unread } from "./refusals.ts";

/** A parameter's value once its kind is settled; decimals are still text. */
export type PlainValue = string | number | bigint | boolean;

/** Parameter values by name. `undefined` means that the parameter was not sent. */
export type PlainFields = Readonly<Record<string, PlainValue | undefined>>;

/** Leading zeros are ignored, as in decimals (convention 1.2 r). */
const NATURAL = /^[0-9]{1,20}$/;
/** With an optional minus, but not minus zero. */
const SIGNED = /^(?!-0+$)-?[0-9]{1,20}$/;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * Converts the parameters of a signed request to values. `fieldOf` returns the field whose rule reads a parameter.
 * Throws UNREAD_PARAMETER (-1104) for an unknown parameter (decision 38), and the errors of {@link plainValue}.
 */
export function plainFields(
  parameters: Parameters,
  names: KnownNames,
  fieldOf: NameOf = ownName,
): PlainFields {
  for (const name of parameters.keys()) {
    if (!names.read.has(name) && !names.ignored.has(name)) {
      throw unread([...parameters.keys()], new Set([...names.read, ...names.ignored]));
    }
  }
  return pickFields(parameters, names.read, fieldOf);
}

/** Returns the values of the named parameters. All others are ignored, as on public routes (convention 1.2 t). */
export function pickFields(
  parameters: Parameters,
  names: ReadonlySet<string>,
  fieldOf: NameOf = ownName,
): PlainFields {
  const fields: Record<string, PlainValue> = {};
  for (const [name, scalar] of parameters) {
    if (names.has(name)) fields[name] = plainValue(name, scalar, fieldOf(name));
  }
  return fields;
}

/**
 * Converts one parameter by the rule of `field`. A query or form carries text for every kind. JSON carries decimals and
 * text as strings, integers as plain integers and booleans as booleans; any other JSON type throws -1130. Throws -1100
 * for an integer outside the grammar, -1105 for an empty one, -1108 beyond 64 bits (convention 1.2 r).
 */
export function plainValue(name: string, scalar: Scalar, field: string = name): PlainValue {
  const { kind } = parameterOf(field);
  switch (kind) {
    case "text":
    case "decimal":
      if (scalar.kind !== "text" && scalar.kind !== "string")
        throw misquoted(field, name, "In JSON, put it in quotes.");
      return scalar.text;
    case "natural":
      return Number(integerOf({ name, field }, scalar, NATURAL));
    case "integer":
      return Number(integerOf({ name, field }, scalar, SIGNED));
    case "int64":
      return integerOf({ name, field }, scalar, SIGNED);
    case "boolean":
      return booleanOf({ name, field }, scalar);
  }
}

/** Parses a whole number. Returns `undefined` outside the grammar of `natural`. The result is not exact above 2^53. */
export function naturalNumber(text: string): number | undefined {
  return NATURAL.test(text) ? Number(text) : undefined;
}

type FieldName = Readonly<{ name: string; field: string }>;

function integerOf({ name, field }: FieldName, scalar: Scalar, grammar: RegExp): bigint {
  if (scalar.kind !== "text" && scalar.kind !== "integer")
    throw misquoted(field, name, "In JSON, send it without quotes.");
  if (scalar.text === "") throw new OrderError("PARAMETER_EMPTY", { field: name });
  if (!grammar.test(scalar.text)) throw illegal(name, grammar.source);
  const value = BigInt(scalar.text);
  if (value > INT64_MAX || value < INT64_MIN) throw new OrderError("PARAMETER_OVERFLOW", { field: name });
  return value;
}

function booleanOf({ name, field }: FieldName, scalar: Scalar): boolean {
  if (scalar.kind !== "text" && scalar.kind !== "boolean")
    throw misquoted(field, name, "In JSON, send it without quotes.");
  if (scalar.text === "") throw new OrderError("PARAMETER_EMPTY", { field: name });
  if (scalar.text !== "true" && scalar.text !== "false") throw invalid(field, name);
  return scalar.text === "true";
}
