import ts from "typescript";
import { describe, expect, it } from "vitest";
import { OrderError } from "../../src/errors/index.ts";
import { type OrderFields, orderIntent } from "../../src/requests/index.ts";
import { ORDER_FIELDS, type OrderFieldName } from "../../src/requests/order-fields.ts";
import { CANONICAL_TYPES } from "../../src/requests/order-type.ts";
import { compileAll, valuesOf } from "./compiled.ts";
import type { Fields } from "./support.ts";

const compiled = compileAll({
  types: 'export type { OrderFields } from "../src/requests/index.ts";',
});

/** A field as an interface declares it: whether it is optional, and every value worth a try. */
type Declared = Readonly<{ name: string; optional: boolean; values: readonly unknown[] }>;

/** The fields that a member of a union takes. */
function declared(member: ts.Type): readonly Declared[] {
  const { checker } = compiled;
  return checker.getPropertiesOfType(member).flatMap((property) => {
    const name = property.name as OrderFieldName;
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const { example } = ORDER_FIELDS[name];
    const values = valuesOf(checker, checker.getTypeOfSymbol(property)).map((value) => {
      if (typeof value !== "object") return value;
      expect(value, name).toEqual({ any: typeof example });
      return example;
    });
    return values.length === 0 ? [] : [{ name, optional, values }];
  });
}

const members = (name: string): readonly (readonly [string, readonly Declared[]])[] => {
  const type = compiled.typeOf("types", name);
  const each = type.isUnion() ? type.types : [type];
  return each.map((member) => [compiled.checker.typeToString(member), declared(member)]);
};

/** The types that a union names. */
const typesOf = (name: string): readonly unknown[] => [
  ...new Set(members(name).flatMap(([, fields]) => fields.find((field) => field.name === "type")?.values)),
];

/** An expiry belongs to GTD; every other field is independent of the rest. */
const whole = (fields: Fields): Fields =>
  fields.timeInForce === "GTD" && fields.goodTillDate === undefined
    ? { expireTime: ORDER_FIELDS.expireTime.example, ...fields }
    : fields;

const accepts = (fields: Fields): boolean => {
  try {
    orderIntent(whole(fields) as OrderFields, { clientId: () => "made" });
    return true;
  } catch (error) {
    if (error instanceof OrderError) return false;
    throw error;
  }
};

/** Where an interface and the table of fields differ. */
function differences(own: readonly Declared[], known: readonly string[]): readonly string[] {
  const required: Fields = Object.fromEntries(
    own.filter(({ optional }) => !optional).map(({ name, values }) => [name, values[0]]),
  );
  const names = new Set(own.map(({ name }) => name));
  const untaken = own.flatMap(({ name, values }) =>
    values
      .filter((value) => !accepts({ ...required, [name]: value }))
      .map((value) => `declared, but refused: ${name} ${value}`),
  );
  const spare = Object.keys(required)
    .filter((name) => accepts(Object.fromEntries(Object.entries(required).filter(([key]) => key !== name))))
    .map((name) => `declared as required, but it is optional: ${name}`);
  const missing = known
    .filter((name) => !names.has(name))
    .filter((name) => accepts({ ...required, [name]: ORDER_FIELDS[name as OrderFieldName].example }))
    .map((name) => `not declared, but taken: ${name}`);
  return [...untaken, ...spare, ...missing];
}

const NAMES = Object.keys(ORDER_FIELDS);

describe("decision JG: the types of an order say what the table of fields says", () => {
  it("OrderFields names every type and every alias of one", () => {
    expect([...typesOf("OrderFields")].sort()).toEqual([...CANONICAL_TYPES.keys(), "LIMIT"].sort());
  });

  it.each(members("OrderFields"))(
    "%s: required, optional and refused fields, and their values",
    (_name, own) => {
      expect(differences(own, NAMES)).toEqual([]);
    },
  );
});
