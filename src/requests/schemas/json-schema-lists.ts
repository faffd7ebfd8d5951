import type { ListForm } from "../list-fields.ts";
import { type FormNames, type LegNames, LIST_NAMES } from "../list-names.ts";
import { parameterOf } from "../parameters.ts";
import { type JsonSchema, noted, type ObjectShape, type RequestSchema, unreadNames } from "./json-schema.ts";
import { type CaseContext, caseSchema, implies, mergeShapes, type TypeCase } from "./json-schema-cases.ts";
import { actorProperties, legCases } from "./json-schema-orders.ts";

/** Names of the legs in descriptions. */
const TITLES: Readonly<Record<string, string>> = {
  above: "Upper leg",
  below: "Lower leg",
  working: "Working leg",
  pending: "Pending leg",
  limit: "Limit leg",
  stop: "Stop leg",
};

/** A leg in a description: its name, its fields over all types, and its cases, each with a condition. */
type DescribedLeg = Readonly<{
  part: string;
  leg: LegNames;
  shape: ObjectShape;
  cases: readonly Readonly<{ when: JsonSchema; of: TypeCase }>[];
}>;

/** Returns the parameters of a list in one form. Source: contract, List creation rules. */
export function listPlacement(form: ListForm): RequestSchema {
  const names: FormNames<string> = LIST_NAMES[form];
  const legs = Object.entries<LegNames>(names.legs).map(([part, leg]) => described(part, leg));
  const properties: Record<string, JsonSchema> = ownProperties(legs);
  for (const leg of legs) {
    for (const [field, name] of leg.leg.names) {
      const schema = leg.shape.properties[field];
      if (schema !== undefined) properties[name] ??= legProperty(schema, { field, name, leg, legs });
    }
  }
  const required = legs.flatMap((leg) => requiredOf(leg).map(leg.leg.nameOf));
  return {
    properties: { ...properties, ...actorProperties() },
    required: ["listClientOrderId", ...new Set(required)],
    conditions: legs.flatMap(conditionsOf),
    unread: unreadNames(names.parameters),
  };
}

function described(part: string, leg: LegNames): DescribedLeg {
  const own = legCases(leg).map((one) => within(one, leg));
  const cases = leg.impliedType === undefined ? typedCases(own, leg) : impliedCases(own, leg);
  const { properties, required } = mergeShapes(cases.map(({ of }) => of.shape));
  if (leg.impliedType !== undefined) return { part, leg, cases, shape: { properties, required } };
  const type = { type: "string", enum: own.flatMap(({ types }) => types) };
  return {
    part,
    leg,
    cases,
    shape: { properties: { type, ...properties }, required: ["type", ...required] },
  };
}

/** Returns the fields of a case that the leg has names for. */
function within(one: TypeCase, { names }: LegNames): TypeCase {
  const fields = Object.entries(one.shape.properties).filter(([field]) => names.has(field));
  return { ...one, shape: { ...one.shape, properties: Object.fromEntries(fields) } };
}

function typedCases(own: readonly TypeCase[], leg: LegNames): DescribedLeg["cases"] {
  return own.map((of) => ({ when: { properties: { [leg.nameOf("type")]: { enum: of.types } } }, of }));
}

/** Returns the cases of a leg without a type of its own. Its price implies the type. */
function impliedCases(own: readonly TypeCase[], { impliedType, nameOf }: LegNames): DescribedLeg["cases"] {
  const caseOf = (fields: Readonly<Record<string, string>>): TypeCase | undefined =>
    own.find(({ types }) => types.includes(String(impliedType?.(fields))));
  const [priced, unpriced] = [caseOf({ price: "1" }), caseOf({})];
  const hasPrice = { required: [nameOf("price")] };
  return [
    ...(priced === undefined ? [] : [{ when: priced === unpriced ? {} : hasPrice, of: priced }]),
    ...(unpriced === undefined || unpriced === priced ? [] : [{ when: { not: hasPrice }, of: unpriced }]),
  ];
}

/** Returns the fields of the list as a whole. They follow the rules of an order's fields. */
function ownProperties(legs: readonly DescribedLeg[]): Record<string, JsonSchema> {
  const {
    newClientOrderId = {},
    expireTime = {},
    goodTillDate = {},
  } = mergeShapes(legCases({ inPair: false }).map(({ shape }) => shape)).properties;
  const { about, example } = parameterOf("listClientOrderId");
  const ofLegs = {
    about: "Expiry of every GTD leg that has no expiry of its own.",
    example: parameterOf("expireTime").example,
  };
  const symbol = legs[0]?.shape.properties.symbol ?? {};
  return {
    symbol: noted(symbol, "symbol"),
    listClientOrderId: noted(newClientOrderId, "newClientOrderId", { about, example }),
    expireTime: noted(expireTime, "expireTime", ofLegs),
    goodTillDate: noted(goodTillDate, "goodTillDate", ofLegs),
  };
}

type LegField = Readonly<{ field: string; name: string; leg: DescribedLeg; legs: readonly DescribedLeg[] }>;

/** Returns the schema of a leg's field. A field that legs share is not described as belonging to one leg. */
function legProperty(schema: JsonSchema, { field, name, leg, legs }: LegField): JsonSchema {
  const { about, example } = parameterOf(field);
  const shared = legs.filter((one) => one.leg.names.get(field) === name).length > 1;
  if (shared) return noted(schema, field);
  const ofLeg = field === "newClientOrderId" ? `${example}-${leg.part}` : example;
  return noted(schema, field, { about: `${TITLES[leg.part] ?? leg.part}. ${about}`, example: ofLeg });
}

/** Returns the required fields of a leg. Client ids are left out, because missing ones are generated. */
const requiredOf = ({ shape }: DescribedLeg): readonly string[] =>
  shape.required.filter((name) => name !== "newClientOrderId");

function conditionsOf(described: DescribedLeg): readonly JsonSchema[] {
  const { leg, shape, cases } = described;
  const { type: _type, ...all } = shape.properties;
  const context: CaseContext = { all, required: requiredOf(described), nameOf: leg.nameOf };
  return cases.flatMap(({ when, of }) => {
    const requirements = caseSchema(of, context);
    if (Object.keys(requirements).length === 0) return [];
    return [implies(when, requirements)];
  });
}
