import { OrderError } from "../errors/index.ts";
import {
  illegal,
  invalid,
  type KnownNames,
  type NameOf,
  ownName,
  type PlainFields,
  parameterOf,
} from "./parameters.ts";
import { Fault, type FieldRule } from "./rule.ts";

/** Rules of fields, by name. */
export type FieldRules = Readonly<Record<string, FieldRule<unknown>>>;

/** The values that rules read from fields. */
export type ValuesOf<R extends FieldRules> = {
  readonly [K in keyof R]: R[K] extends FieldRule<infer T> ? T : never;
};

/** Fields that are read together. */
export type FieldSet<T> = Readonly<{
  rules: FieldRules;
  /**
   * Reads the fields. Throws the OrderError of the first fault in the order of the rules; a field without a rule comes
   * before all others. Errors name fields as `nameOf` does.
   */
  read: (fields: PlainFields, nameOf?: NameOf) => T;
}>;

/** The parameter names that a reader accepts, and the rules of their values. Descriptions are made from it. */
export type RequestShape = Readonly<{ names: KnownNames; set: FieldSet<unknown> }>;

/** Compiles rules into a reader once, so that reading a request does not walk a schema. */
export function fieldSet<R extends FieldRules>(rules: R): FieldSet<ValuesOf<R>> {
  const readers = Object.entries(rules).map(([name, { read }]) => ({ name, read }));
  const known = new Set(Object.keys(rules));
  // A copy has all members at once; an object that grows by each is made several times.
  const none = Object.fromEntries(readers.map(({ name }) => [name, undefined]));
  return {
    rules,
    read: (fields, nameOf = ownName) => {
      refuseOthers(fields, known, nameOf);
      const values: Record<string, unknown> = { ...none };
      for (const { name, read } of readers) {
        const value = read(fields[name]);
        if (value instanceof Fault) throw refusalOf(value, name, nameOf);
        values[name] = value;
      }
      return values as ValuesOf<R>;
    },
  };
}

function refuseOthers(fields: PlainFields, known: ReadonlySet<string>, nameOf: NameOf): void {
  for (const name in fields) {
    if (!known.has(name)) throw new OrderError("PARAMETER_NOT_REQUIRED", { field: nameOf(name) });
  }
}

/** Returns the refusal of a value: the field's own error if it has one, else the general error. */
function refusalOf({ why, bound }: Fault, field: string, nameOf: NameOf): OrderError {
  const name = nameOf(field);
  const rule = parameterOf(field);
  switch (why) {
    case "missing":
      return new OrderError("PARAMETER_MISSING", { field: name });
    case "illegal":
      return illegal(name, bound);
    case "empty":
      return new OrderError(rule.empty ?? "PARAMETER_EMPTY", { field: name });
    case "above":
      return rule.above === undefined
        ? invalid(field, name)
        : new OrderError(rule.above, { field: name, limit: bound });
    case "invalid":
      return invalid(field, name);
    default:
      return new OrderError(why, { field: name, decimals: bound });
  }
}
