import { mayTrailAsLeg, type ParentType, TRAITS } from "../../model/index.ts";
import { ACTOR_SET } from "../actor.ts";
import { INTENT_MEMBERS } from "../order-fields.ts";
import { LEG_SETS, ORDER_SETS, TRAILING_LIMITS } from "../order-intent.ts";
import { CANONICAL_TYPES, COMPAT_TRAILING, POST_ONLY, STRATEGIES } from "../order-type.ts";
import type { KnownNames } from "../parameters.ts";
import { NATIVE_SETS, PLACEMENT_NAMES } from "../placement.ts";
import { REPLACED_NAMES, REPLACEMENT } from "../replacement.ts";
import {
  type JsonSchema,
  noted,
  notedAll,
  type ObjectShape,
  objectShape,
  type RequestSchema,
  shapeSchema,
  unreadNames,
  variantShapes,
} from "./json-schema.ts";

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
export const oneNamed = (names: readonly string[]): JsonSchema => ({
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
function mergeProperty(one: JsonSchema, other: JsonSchema): JsonSchema {
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

const ORDERS = variantShapes(ORDER_SETS);
const LEGS = variantShapes(LEG_SETS);
const NATIVE = variantShapes(Object.entries(NATIVE_SETS));

function shapeOf(shapes: ReadonlyMap<string, ObjectShape>, type: string): ObjectShape {
  const shape = shapes.get(type);
  if (shape === undefined) throw new RangeError(`the order type ${type} has no schema`);
  return shape;
}

/** Removes the price: a schedule named by its own type has none (contract, rule 6). */
function withoutPrice({ properties, required }: ObjectShape): ObjectShape {
  const { price: _price, ...rest } = properties;
  return { properties: rest, required };
}

/** Requires the price: a schedule selected by targetStrategy has one. */
function withPrice({ properties, required }: ObjectShape): ObjectShape {
  return { properties, required: [...required, "price"] };
}

/** Adds the timeInForce values by which a limit can be post-only. */
function orPostOnly({ properties, required }: ObjectShape): ObjectShape {
  const { timeInForce = {} } = properties;
  const postOnly = { type: "string", enum: [...POST_ONLY].map(String) };
  return { properties: { ...properties, timeInForce: mergeProperty(timeInForce, postOnly) }, required };
}

/** Returns the names of a canonical type, its own first. */
const namesOf = (canonical: string): readonly string[] => [
  canonical,
  ...[...CANONICAL_TYPES].flatMap(([name, type]) => (type === canonical && name !== canonical ? [name] : [])),
];

/**
 * Returns the alternatives of a type. A trailing type has exactly one distance. A type that takes either kind of limit
 * has exactly one of them.
 */
function trailingNeeds(type: ParentType): TypeCase["needs"] {
  const { trigger, limit } = TRAITS[type];
  return [
    ...(trigger === "trailing" ? [{ exactly: "one", of: INTENT_MEMBERS.trailing.of } as const] : []),
    ...(limit === "fixedOrOffset" ? [{ exactly: "one", of: TRAILING_LIMITS } as const] : []),
  ];
}

/** The single managed orders by their names, without LIMIT. */
const MANAGED_CASES: readonly TypeCase[] = [...ORDERS.keys()].map((type) => {
  const shape = shapeOf(ORDERS, type);
  const parent = type as ParentType;
  return {
    types: namesOf(type),
    shape: TRAITS[parent].limit === "cap" ? withoutPrice(shape) : shape,
    needs: trailingNeeds(parent),
  };
});

/**
 * Returns the case of LIMIT. Its other fields make it native, a managed limit, post-only, or a schedule under a price.
 */
function limitCase(): TypeCase {
  const { properties, required } = mergeShapes([
    shapeOf(NATIVE, "LIMIT"),
    orPostOnly(shapeOf(ORDERS, "SYNTHETIC_LIMIT")),
    ...[...STRATEGIES.values()].map((type) => withPrice(shapeOf(ORDERS, type))),
  ]);
  const targetStrategy = { type: "integer", enum: [...STRATEGIES.keys()] };
  return { types: ["LIMIT"], shape: { properties: { ...properties, targetStrategy }, required }, needs: [] };
}

const MARKET_CASE: TypeCase = {
  types: ["MARKET"],
  shape: shapeOf(NATIVE, "MARKET"),
  needs: [{ exactly: "one", of: ["quantity", "quoteOrderQty"] }],
};

const NATIVE_LIMIT_CASE: TypeCase = { types: ["LIMIT"], shape: shapeOf(NATIVE, "LIMIT"), needs: [] };

/** Returns the types that can be a leg of a list. ICEBERG cannot be named in a pair. */
export function legCases({ inPair }: Readonly<{ inPair: boolean }>): readonly TypeCase[] {
  const named = [...LEGS].flatMap(([type, shape]): readonly TypeCase[] => {
    const parent = type as ParentType;
    if (inPair && TRAITS[parent].legs !== "any") return [];
    const needs = mayTrailAsLeg(parent)
      ? [{ exactly: "some", of: ["stopPrice", "trailingDelta"] } as const]
      : trailingNeeds(parent);
    return [{ types: namesOf(type), shape, needs }];
  });
  return [{ types: ["LIMIT"], shape: orPostOnly(shapeOf(LEGS, "SYNTHETIC_LIMIT")), needs: [] }, ...named];
}

/** Returns the parameters of POST /api/order, managed and native. */
export function orderPlacement(): RequestSchema {
  return placement([limitCase(), MARKET_CASE, ...MANAGED_CASES], PLACEMENT_NAMES);
}

/** Returns the parameters of POST /api/order/cancelReplace: those of a managed order, and of the cancel. */
export function orderReplacement(): RequestSchema {
  const order = placement([limitCase(), ...MANAGED_CASES], PLACEMENT_NAMES);
  const ofCancel = shapeSchema(REPLACEMENT, [anyNamed(REPLACED_NAMES)]);
  return {
    properties: { ...order.properties, ...ofCancel.properties },
    required: [...order.required, ...ofCancel.required],
    conditions: [...order.conditions, ...ofCancel.conditions],
    unread: order.unread,
  };
}

/**
 * Returns a case, and a case of its own for each of its names that is a trailing stop on the compat prefix if it has a
 * trailingDelta. Such a name takes the fields of both types.
 */
function orTrailing(own: TypeCase): readonly TypeCase[] {
  const named = own.types.flatMap((name): readonly TypeCase[] => {
    const trailing = COMPAT_TRAILING.get(name);
    if (trailing === undefined) return [];
    const { properties, required } = shapeOf(ORDERS, trailing);
    const { price2: _percent, trailingAmount: _amount, ...fields } = properties;
    const hasLimit = TRAITS[trailing].limit === "fixedOrOffset";
    return [
      {
        types: [name],
        shape: mergeShapes([own.shape, { properties: fields, required }]),
        needs: [
          { exactly: "some", of: ["stopPrice", "trailingDelta"] },
          ...(hasLimit ? [{ exactly: "one", of: TRAILING_LIMITS } as const] : []),
        ],
      },
    ];
  });
  const types = own.types.filter((name) => !COMPAT_TRAILING.has(name));
  return types.length === 0 ? named : [{ ...own, types }, ...named];
}

/** Returns the parameters of POST /compat/api/v3/order. */
export function compatOrderPlacement(): RequestSchema {
  return placement([limitCase(), MARKET_CASE, ...MANAGED_CASES.flatMap(orTrailing)], PLACEMENT_NAMES);
}

/** Returns the parameters of POST /api/v2/order. */
export function nativePlacement(): RequestSchema {
  return placement([NATIVE_LIMIT_CASE, MARKET_CASE], PLACEMENT_NAMES);
}

function placement(cases: readonly TypeCase[], names: KnownNames): RequestSchema {
  const { properties, required } = mergeShapes(cases.map(({ shape }) => shape));
  const needed = required.filter((name) => name !== "newClientOrderId");
  const type = noted({ type: "string", enum: cases.flatMap(({ types }) => types) }, "type");
  const nameOf = (field: string): string => field;
  return {
    properties: { type, ...notedAll(properties), ...actorProperties() },
    required: ["type", ...needed],
    conditions: cases.map((own) =>
      implies(
        { properties: { type: { enum: own.types } } },
        caseSchema(own, { all: properties, required: needed, nameOf }),
      ),
    ),
    unread: unreadNames(names),
  };
}

/** Returns the properties of the actor of a placement. */
export function actorProperties(): Readonly<Record<string, JsonSchema>> {
  return notedAll(objectShape(ACTOR_SET).properties);
}
