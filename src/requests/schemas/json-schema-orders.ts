import { mayTrailAsLeg, type ParentType, TRAITS } from "../../model/index.ts";
import { ACTOR_SET } from "../actor.ts";
import { COMPAT_TRAILING } from "../compat-trailing.ts";
import type { KnownNames } from "../known-names.ts";
import { NATIVE_NAMES, NATIVE_SETS } from "../native-placement.ts";
import { INTENT_MEMBERS } from "../order-fields.ts";
import { TRAILING_LIMITS } from "../order-intent.ts";
import { LEG_SETS, ORDER_SETS } from "../order-sets.ts";
import { CANONICAL_TYPES, POST_ONLY, STRATEGIES } from "../order-type.ts";
import { PLACEMENT_NAMES } from "../placement.ts";
import {
  type JsonSchema,
  noted,
  notedAll,
  type ObjectShape,
  objectShape,
  type RequestSchema,
  unreadNames,
  variantShapes,
} from "./json-schema.ts";
import { caseSchema, implies, mergeProperty, mergeShapes, type TypeCase } from "./json-schema-cases.ts";

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

/** Returns the types that can be a leg of a list. ICEBERG cannot be named in a pair (decision 33). */
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

/**
 * Returns a case, and a case of its own for each of its names that is a trailing stop on the compat prefix if it has a
 * trailingDelta (decision NC). Such a name takes the fields of both types.
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
  return placement([NATIVE_LIMIT_CASE, MARKET_CASE], NATIVE_NAMES);
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
