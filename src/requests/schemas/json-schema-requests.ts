import { fieldSet, type RequestShape } from "../field-set.ts";
import type { FormNames, LegNames } from "../list-legs.ts";
import { LIST_NAMES, type ListForm } from "../list-placement.ts";
import { MARKET_HISTORY, PUBLIC_QUERIES } from "../market-queries.ts";
import { SESSION_ACTS, type SessionAct } from "../methods.ts";
import { INTENT_MEMBERS } from "../order-fields.ts";
import {
  LIST_ID_ALIASES,
  LIST_KEY,
  ORDER_AMEND,
  ORDER_ID_ALIASES,
  ORDER_KEY,
  QUANTITY_AMEND,
} from "../order-key.ts";
import {
  ALL_ORDERS_PAGE,
  CANCEL_ALL,
  LIST_PAGE,
  MARKET_ORDERS,
  OPEN_ORDERS_PAGE,
  ORDER_HISTORY_PAGE,
} from "../order-pages.ts";
import { parameterOf } from "../parameters.ts";
import type { AnyRoute, MarketName } from "../routes.ts";
import { OWN_RULES } from "../shared-lists.ts";
import {
  type JsonSchema,
  noted,
  type ObjectShape,
  objectShape,
  type RequestSchema,
  shapeSchema,
  unreadNames,
} from "./json-schema.ts";
import {
  actorProperties,
  anyNamed,
  type CaseContext,
  caseSchema,
  compatOrderPlacement,
  implies,
  legCases,
  mergeShapes,
  nativePlacement,
  oneNamed,
  orderPlacement,
  orderReplacement,
  type TypeCase,
} from "./json-schema-orders.ts";

/** Names of the legs in descriptions. */
const TITLES: Readonly<Record<string, string>> = {
  above: "Upper leg",
  below: "Lower leg",
  working: "Working leg",
  pending: "Pending leg",
  limit: "Limit leg",
  stop: "Stop leg",
};

const titleOf = (part: string): string =>
  TITLES[part] ?? part.replace("takeProfit", "Take-profit ").replace("leg", "Leg ");

/** A leg in a description: its name, its fields over all types, and its cases, each with a condition. */
type DescribedLeg = Readonly<{
  part: string;
  leg: LegNames;
  shape: ObjectShape;
  cases: readonly Readonly<{ when: JsonSchema; of: TypeCase }>[];
}>;

/** Returns the parameters of a list in one form. Source: contract, List creation rules. */
function listPlacement(form: ListForm): RequestSchema {
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
  const own = Object.values(names.own);
  const ofForm = own.includes("mode") ? ["mode"] : [];
  return {
    properties: { ...properties, ...furtherProperties(names), ...actorProperties() },
    required: ["listClientOrderId", ...new Set(required), ...ofForm],
    conditions: legs.flatMap(conditionsOf),
    unread: unreadNames(names.parameters),
  };
}

/** Returns the fields of a form that no leg has. */
function furtherProperties({ own }: FormNames<string>): Record<string, JsonSchema> {
  const { properties } = objectShape(fieldSet(OWN_RULES));
  return Object.fromEntries(
    Object.entries(own).map(([name, field]) => [name, noted(properties[field] ?? {}, field)]),
  );
}

function described(part: string, leg: LegNames): DescribedLeg {
  const own = legCases(leg).map((one) => within(one, leg));
  const cases = [
    ...(leg.names.has("type") ? typedCases(own, leg) : []),
    ...(leg.impliedType === undefined ? [] : impliedCases(own, leg)),
  ];
  const { properties, required } = mergeShapes(cases.map(({ of }) => of.shape));
  if (!leg.names.has("type")) return { part, leg, cases, shape: { properties, required } };
  const type = { type: "string", enum: own.flatMap(({ types }) => types) };
  return {
    part,
    leg,
    cases,
    shape: {
      properties: { type, ...properties },
      required: leg.impliedType === undefined ? ["type", ...required] : required,
    },
  };
}

/** Returns the fields of a case that the leg has names for. */
function within(one: TypeCase, { names }: LegNames): TypeCase {
  const fields = Object.entries(one.shape.properties).filter(([field]) => names.has(field));
  const required = one.shape.required.filter((field) => names.has(field));
  return { ...one, shape: { required, properties: Object.fromEntries(fields) } };
}

function typedCases(own: readonly TypeCase[], leg: LegNames): DescribedLeg["cases"] {
  const type = leg.nameOf("type");
  const mayLack = leg.impliedType !== undefined || leg.isOptional === true;
  return own.map((of) => {
    return { when: { properties: { [type]: { enum: of.types } }, ...(mayLack && { required: [type] }) }, of };
  });
}

/** Returns the names of the fields that a leg has for itself. */
const ownNames = ({ names }: LegNames): readonly string[] =>
  [...names].flatMap(([field, name]) => (["symbol", "side", "quantity"].includes(field) ? [] : [name]));

/** Returns the cases of a leg without a type of its own. Its price implies the type. */
function impliedCases(own: readonly TypeCase[], leg: LegNames): DescribedLeg["cases"] {
  const { impliedType, nameOf } = leg;
  const caseOf = (fields: Readonly<Record<string, string>>): TypeCase | undefined =>
    own.find(({ types }) => types.includes(String(impliedType?.(fields))));
  const [priced, unpriced] = [caseOf({ price: "1" }), caseOf({})];
  const hasPrice = { required: [nameOf("price")] };
  const cases = [
    ...(priced === undefined ? [] : [{ when: priced === unpriced ? {} : hasPrice, of: priced }]),
    ...(unpriced === undefined || unpriced === priced ? [] : [{ when: { not: hasPrice }, of: unpriced }]),
  ];
  if (!leg.names.has("type")) return cases;
  const isUntyped = { not: { required: [leg.nameOf("type")] } };
  const isSent = leg.isOptional === true ? [anyNamed(ownNames(leg))] : [];
  return cases.map(({ when, of }) => ({ when: { allOf: [isUntyped, when, ...isSent] }, of }));
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
  return noted(schema, field, { about: `${titleOf(leg.part)}. ${about}`, example: ofLeg });
}

/** Returns the required fields of a leg. Client ids are left out, because missing ones are generated. */
const requiredOf = ({ shape, leg }: DescribedLeg): readonly string[] =>
  (leg.isOptional === true ? [] : shape.required).filter((name) => name !== "newClientOrderId");

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

const NOTHING: RequestSchema = { properties: {}, required: [], conditions: [], unread: [] };

const ONE_ORDER = anyNamed(["orderId", ...ORDER_ID_ALIASES]);
const DISTANCES = INTENT_MEMBERS.trailing.of;
/** An amend has at most one of them. */
const ONE_DISTANCE = implies(anyNamed(DISTANCES), oneNamed(DISTANCES));
const ONE_LIST = anyNamed(["orderListId", ...LIST_ID_ALIASES]);

/** The parameters of routes that have a table of rules under their name. */
const SHAPES = {
  ...PUBLIC_QUERIES,
  ...MARKET_HISTORY,
  ...MARKET_ORDERS,
  ...SESSION_ACTS,
  allOrders: ALL_ORDERS_PAGE,
  orderHistory: ORDER_HISTORY_PAGE,
  "openOrders.status": OPEN_ORDERS_PAGE,
  "openOrders.cancelAll": CANCEL_ALL,
  "openOrderLists.status": LIST_PAGE,
  allOrderLists: LIST_PAGE,
  "ticker.price": PUBLIC_QUERIES.ticker24hr,
  "ticker.book": PUBLIC_QUERIES.ticker24hr,
  avgPrice: PUBLIC_QUERIES.ticker,
  "orders.market": ALL_ORDERS_PAGE,
} satisfies Partial<Record<Name, RequestShape>>;

type Name = AnyRoute["name"] | SessionAct;
type Schemas<Names extends Name> = Readonly<Record<Names, () => RequestSchema>>;

/** The parameters of the other routes. A public one may have none. */
const SCHEMAS: Schemas<Exclude<Name, keyof typeof SHAPES | MarketName>> & Partial<Schemas<Name>> = {
  "order.place": orderPlacement,
  "order.place.native": nativePlacement,
  "order.status": () => shapeSchema(ORDER_KEY.status, [ONE_ORDER]),
  "order.status.scaled": () => shapeSchema(ORDER_KEY.status, [ONE_ORDER]),
  "order.cancel": () => shapeSchema(ORDER_KEY.cancel, [ONE_ORDER]),
  "order.amend": () => shapeSchema(ORDER_AMEND, [ONE_ORDER, ONE_DISTANCE]),
  "order.amend.keepPriority": () => shapeSchema(QUANTITY_AMEND, [ONE_ORDER]),
  "order.cancelReplace": orderReplacement,
  "orderList.place.oco": () => listPlacement("oco"),
  "orderList.place.oto": () => listPlacement("oto"),
  "orderList.place.otoco": () => listPlacement("otoco"),
  "orderList.place.legacyOco": () => listPlacement("legacyOco"),
  "orderList.place.bracket": () => listPlacement("bracket"),
  "orderList.place.oca": () => listPlacement("oca"),
  "orderList.status": () => shapeSchema(LIST_KEY.status, [ONE_LIST]),
  "orderList.cancel": () => shapeSchema(LIST_KEY.cancel, [ONE_LIST]),
  klines: klinesQuery,
  uiKlines: klinesQuery,
  "order.test": orderPlacement,
};

/**
 * Returns the schema of the parameters of a route, or of an act of a WebSocket connection. It is made from the rules that
 * read the request: the reader refuses everything that this schema refuses. In a few cases, which need the whole request or
 * the market, the reader refuses more. Source: contract, Order input fields and Endpoints.
 *
 * @example
 * ```ts
 * import { requestSchema } from "managed-orders/service";
 * const { properties, required } = requestSchema("openOrders.status");
 * console.log(required.join(), properties.limit?.maximum); // apiManaged 1000
 * ```
 */
export function requestSchema(name: AnyRoute["name"] | SessionAct): RequestSchema {
  const shape = (SHAPES as Partial<Record<Name, RequestShape>>)[name];
  return SCHEMAS[name]?.() ?? (shape === undefined ? NOTHING : shapeSchema(shape));
}

const SYMBOLS: JsonSchema = {
  type: "string",
  description: "Names of markets, as a JSON array.",
  examples: ['["BTCUSD","ETHUSD"]'],
};

/** Adds the choice of several markets, which the compat prefix has. */
function ofMarkets({ properties, ...schema }: RequestSchema): RequestSchema {
  return { ...schema, properties: { ...properties, symbols: SYMBOLS } };
}

/** Makes the id of a list optional: the compat prefix generates one. */
function withoutListId({ required, ...schema }: RequestSchema): RequestSchema {
  return { ...schema, required: required.filter((name) => name !== "listClientOrderId") };
}

function withUnread(name: string, { unread, ...schema }: RequestSchema): RequestSchema {
  return { ...schema, unread: [...unread, name] };
}

/** Requests that have another form on the compat prefix. */
const COMPAT_SCHEMAS: Readonly<Partial<Record<AnyRoute["name"], () => RequestSchema>>> = {
  exchangeInfo: () => ofMarkets(shapeSchema(PUBLIC_QUERIES.ticker24hr)),
  ticker24hr: () => withUnread("type", ofMarkets(requestSchema("ticker24hr"))),
  "ticker.price": () => ofMarkets(requestSchema("ticker.price")),
  "ticker.book": () => ofMarkets(requestSchema("ticker.book")),
  "order.place": compatOrderPlacement,
  "order.test": () => withUnread("computeCommissionRates", compatOrderPlacement()),
  "orderList.place.oco": () => withoutListId(listPlacement("oco")),
  "orderList.place.oto": () => withoutListId(listPlacement("oto")),
  "orderList.place.otoco": () => withoutListId(listPlacement("otoco")),
  "orderList.place.legacyOco": () => withoutListId(listPlacement("legacyOco")),
};

/** Returns the schema of the parameters of a route of either prefix. See {@link requestSchema}. */
export function routeSchema({ name, compat }: Pick<AnyRoute, "name" | "compat">): RequestSchema {
  const own = compat === true ? COMPAT_SCHEMAS[name] : undefined;
  return own === undefined ? requestSchema(name) : own();
}

/** Returns the schema of klines, whose interval has another name and other values than that of an order. */
function klinesQuery(): RequestSchema {
  const { properties, required, ...schema } = shapeSchema(MARKET_HISTORY.klines);
  const { klineInterval, ...others } = properties;
  return {
    ...schema,
    properties: { ...others, ...(klineInterval && { interval: klineInterval }) },
    required: required.map((name) => (name === "klineInterval" ? "interval" : name)),
  };
}
