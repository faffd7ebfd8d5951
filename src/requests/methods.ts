import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead, plainFields } from "./parameters.ts";
import {
  type AnyRoute,
  COMPAT_PREFIX,
  COMPAT_ROUTES,
  ROUTES,
  type RouteAccess,
  type RouteName,
  type RouteWeight,
} from "./routes.ts";
import { optionalField, text, whole } from "./rule.ts";

/** Operations on the connection itself, without a REST handler: start, end and list its subscriptions. */
export type SessionAct = "subscribe" | "subscribeByToken" | "unsubscribe" | "subscriptions";

/**
 * One request method of the private WebSocket: its name, its aliases, the access it needs and its weight; then either
 * the REST route whose handler answers it, or the act of the connection. A method has the weight of its route.
 */
export type MethodDescriptor = Readonly<
  {
    name: string;
    aliases: readonly string[];
    /** PUBLIC: no signature is needed. */
    access: RouteAccess;
    weight: RouteWeight;
  } & ({ route: AnyRoute } | { act: SessionAct })
>;

/** The names and forms of a connection's requests, replies and events: the service's own, or those of the convention. */
export type Dialect = "own" | "convention";

/** Operations of the service's own methods that have a route for existing clients only. */
export type TwinName = "ticker.price" | "ticker.book" | "avgPrice" | "account.status";

/** Returns the method of an operation that has no route but one for existing clients, in the service's own forms. */
function likeCompat(name: TwinName, path: string): MethodDescriptor {
  const found = COMPAT_ROUTES.find((one) => one.method === "GET" && one.path === `${COMPAT_PREFIX}/${path}`);
  if (found === undefined) throw new RangeError(`the WebSocket method ${name} has no route`);
  const { compat: _convention, ...route } = found;
  return { name, aliases: [], access: route.access, weight: route.weight, route };
}

/** Weight of an act of the connection: that of opening one (convention 4.1). */
const SESSION = { aliases: [], access: "PUBLIC", weight: 2 } as const;

const ACTS: readonly MethodDescriptor[] = [
  { ...SESSION, name: "userDataStream.subscribe.signature", access: "READ", act: "subscribe" },
  { ...SESSION, name: "userDataStream.unsubscribe", act: "unsubscribe" },
  { ...SESSION, name: "session.subscriptions", act: "subscriptions" },
];

/**
 * The method of each operation and its aliases, in the order of the methods; none for what only REST offers. A new operation
 * does not compile until it is here, because nothing is to be open by WebSocket unseen.
 */
const NAMES: Readonly<Record<RouteName, readonly [] | readonly [name: string, ...aliases: string[]]>> = {
  "order.place": ["order.place"],
  "order.status": ["order.status", "getOrderStatus", "orderStatus"],
  "order.cancel": ["order.cancel"],
  "order.amend": ["order.amend"],
  "order.cancelReplace": ["order.cancelReplace"],
  allOrders: ["allOrders", "getOrderHistory"],
  "openOrders.status": ["openOrders.status"],
  "openOrders.cancelAll": ["openOrders.cancelAll"],
  "orderList.place.oco": ["orderList.place.oco"],
  "orderList.place.oto": ["orderList.place.oto"],
  "orderList.place.otoco": ["orderList.place.otoco"],
  "orderList.place.bracket": ["orderList.place.bracket"],
  "orderList.place.oca": ["orderList.place.oca"],
  "orderList.status": ["orderList.status"],
  "orderList.cancel": ["orderList.cancel"],
  "openOrderLists.status": ["openOrderLists.status"],
  allOrderLists: ["allOrderLists"],
  ping: ["ping"],
  time: ["time"],
  exchangeInfo: ["exchangeInfo"],
  depth: ["depth"],
  ticker24hr: ["ticker.24hr"],
  status: [],
  instrumentPairs: [],
  ticker: [],
  "order.place.native": [],
  "order.status.scaled": [],
  orderHistory: [],
  "orderList.place.legacyOco": [],
};

/** Returns the method of an operation, with the first of its routes. */
function like(operation: string, [name, ...aliases]: readonly string[]): readonly MethodDescriptor[] {
  const route = ROUTES.find((one) => one.name === operation);
  if (route === undefined || name === undefined) return [];
  return [{ name, aliases, access: route.access, weight: route.weight, route }];
}

const OWN: readonly MethodDescriptor[] = [
  ...Object.entries(NAMES).flatMap(([operation, names]) => like(operation, names)),
  likeCompat("ticker.price", "ticker/price"),
  likeCompat("ticker.book", "ticker/bookTicker"),
  likeCompat("avgPrice", "avgPrice"),
  likeCompat("account.status", "account"),
  ...ACTS,
  { ...SESSION, name: "SUBSCRIBE", act: "subscribeByToken" },
];

/** Methods of the convention whose names are not those of their operations. */
const CONVENTION_NAMES: Readonly<Partial<Record<AnyRoute["name"], string>>> = {
  ticker24hr: "ticker.24hr",
  "openOrders.market": "openOrders.status",
  "openOrders.cancelMarket": "openOrders.cancelAll",
  "orders.market": "allOrders",
  trades: "trades.recent",
  aggTrades: "trades.aggregate",
  "orderList.place.legacyOco": "orderList.place",
};

const CONVENTION: readonly MethodDescriptor[] = [
  ...COMPAT_ROUTES.map((route): MethodDescriptor => {
    const { name, access, weight } = route;
    return { name: CONVENTION_NAMES[name] ?? name, aliases: [], access, weight, route };
  }),
  ...ACTS,
];

/**
 * Every request method of `/ws/listenKey`. `SUBSCRIBE` is the older push subscription with a session token of the host.
 * Source: contract, WebSocket request methods.
 */
export const METHODS: readonly MethodDescriptor[] = Object.freeze(OWN.map((method) => Object.freeze(method)));

/** Every request method of `/compat/ws-api/v3`: one for each route of the compat prefix, and the acts of a connection. */
export const COMPAT_METHODS: readonly MethodDescriptor[] = Object.freeze(
  CONVENTION.map((method) => Object.freeze(method)),
);

const byName = (methods: readonly MethodDescriptor[]): ReadonlyMap<string, MethodDescriptor> =>
  new Map(methods.flatMap((method) => [method.name, ...method.aliases].map((name) => [name, method])));

const BY_NAME: Readonly<Record<Dialect, ReadonlyMap<string, MethodDescriptor>>> = {
  own: byName(METHODS),
  convention: byName(COMPAT_METHODS),
};

const VERSION = /^v3\//;

/**
 * Returns the method with a name. The name may be an alias and may have the convention's version prefix.
 * Source: contract, WebSocket request methods; convention 4.1.
 */
export function findMethod(name: string, dialect: Dialect = "own"): MethodDescriptor | undefined {
  return BY_NAME[dialect].get(name.replace(VERSION, ""));
}

const ACCOUNT_NAMES: KnownNames = namesOfRead([]);
const END_NAMES: KnownNames = namesOfRead(["subscriptionId"]);
const TOKEN_NAMES: KnownNames = namesOfRead(["requestToken"]);

const ACCOUNT_SET = fieldSet(ACTOR_RULES);
const END_SET = fieldSet({ ...ACTOR_RULES, subscriptionId: optionalField(whole({ from: 0 })) });
const TOKEN_SET = fieldSet({ ...ACTOR_RULES, requestToken: text({ pattern: /^[\x21-\x7e]{1,512}$/ }) });

/** The parameters of the connection's own acts. */
export const SESSION_ACTS: Readonly<Record<SessionAct, RequestShape>> = {
  subscribe: { names: ACCOUNT_NAMES, set: ACCOUNT_SET },
  subscribeByToken: { names: TOKEN_NAMES, set: TOKEN_SET },
  unsubscribe: { names: END_NAMES, set: END_SET },
  subscriptions: { names: ACCOUNT_NAMES, set: ACCOUNT_SET },
};

/**
 * Reads the parameters of userDataStream.subscribe.signature: the account whose events are requested, by default the key's.
 * Throws an OrderError -1104 for an unknown parameter.
 */
export function readSubscription(parameters: Parameters): Actor {
  return actorOf(ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES)));
}

/**
 * Reads the parameters of userDataStream.unsubscribe: one subscription of the connection, or all of them without an id.
 */
export function readUnsubscription(parameters: Parameters): Readonly<{ subscriptionId?: number }> {
  const { subscriptionId } = END_SET.read(plainFields(parameters, END_NAMES));
  return subscriptionId === undefined ? {} : { subscriptionId };
}

/** Checks the parameters of session.subscriptions, which has none of its own. Throws like {@link readSubscription}. */
export function readNothing(parameters: Parameters): void {
  ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES));
}

/**
 * Reads the parameters of the older SUBSCRIBE: a session token of the host.
 * Throws an OrderError: -1102 without a token, -1105 for an empty one, -1100 for more than 512 characters or characters
 * that are not visible ASCII. Source: contract, Authentication, WebSocket 1.
 */
export function readRequestToken(parameters: Parameters): string {
  return TOKEN_SET.read(plainFields(parameters, TOKEN_NAMES)).requestToken;
}
