import type { Parameters } from "../wire/index.ts";
import { naturalNumber } from "./parameters.ts";

/** The operation of a public route of the service. */
export type MarketName =
  | "status"
  | "exchangeInfo"
  | "instrumentPairs"
  | "ticker"
  | "ticker24hr"
  | "depth"
  | "ping"
  | "time";

/** The operation of a route. Aliases of a route share its name. */
export type RouteName =
  | MarketName
  | "order.place"
  | "order.place.native"
  | "order.status"
  | "order.status.scaled"
  | "order.cancel"
  | "order.amend"
  | "order.cancelReplace"
  | "allOrders"
  | "orderHistory"
  | "openOrders.status"
  | "openOrders.cancelAll"
  | "orderList.place.oco"
  | "orderList.place.oto"
  | "orderList.place.otoco"
  | "orderList.place.legacyOco"
  | "orderList.place.bracket"
  | "orderList.place.oca"
  | "orderList.status"
  | "orderList.cancel"
  | "openOrderLists.status"
  | "allOrderLists";

/** The operations that only the compat prefix has. */
export type CompatName =
  | "order.amend.keepPriority"
  | "ticker.price"
  | "ticker.book"
  | "klines"
  | "uiKlines"
  | "trades"
  | "trades.historical"
  | "aggTrades"
  | "avgPrice"
  | "order.test"
  | "openOrders.market"
  | "openOrders.cancelMarket"
  | "orders.market"
  | "account.status"
  | "myTrades";

/** HTTP methods of routes. */
export type RouteMethod = "GET" | "POST" | "PUT" | "DELETE";

/** Permission that a caller needs. TRADE does not imply READ. */
export type RouteAccess = "PUBLIC" | "READ" | "TRADE";

/** How requests are signed: the kinds of docs/requests.md, and NONE for public routes. */
export type RouteScheme = "NONE" | "V2_QUERY" | "LEGACY" | "V3";

/** Weight of a request. It is a function if it depends on a parameter; such a function never throws. */
export type RouteWeight = number | ((parameters: Parameters) => number);

/** One route: its path, the access it needs, its signing scheme and its weight. */
export type RouteDescriptor<N extends RouteName | CompatName = RouteName> = Readonly<{
  name: N;
  method: RouteMethod;
  /** Exact raw path. It is not decoded and has no trailing slash. */
  path: string;
  access: RouteAccess;
  scheme: RouteScheme;
  weight: RouteWeight;
  /**
   * Whether it creates advanced orders. Such a route is refused with 404 -1020 while the deployment's flag or mode is off.
   */
  advanced: boolean;
  /** Whether requests and replies have the forms that clients of the public convention use. */
  compat?: true;
}>;

/** A route of either prefix. */
export type AnyRoute = RouteDescriptor<RouteName | CompatName>;

const DEFAULT_DEPTH = 100;

/** Returns the weight of an order book by the number of levels requested (convention 1, gap 8). */
function depthWeight(parameters: Parameters): number {
  const limit = naturalNumber(parameters.get("limit")?.text ?? "") ?? DEFAULT_DEPTH;
  if (limit > 1_000) return 250;
  if (limit > 500) return 50;
  return limit > 100 ? 25 : 5;
}

/** Returns the weight of a day ticker: 2 for one market, 80 for all of them (from the convention). */
function dayTickerWeight(parameters: Parameters): number {
  return parameters.has("symbol") ? 2 : 80;
}

/** Most rows that a page may have. A request for more is refused. */
const MOST_ROWS = 1_000;

/** Returns the weight of a page: `weight` for each `rows` rows that are asked for, also for the first of them. */
const pageWeight =
  (weight: number, rows: number) =>
  (parameters: Parameters): number => {
    const limit = naturalNumber(parameters.get("limit")?.text ?? "") ?? rows;
    return weightOf(Math.min(limit, MOST_ROWS), weight, rows);
  };

const weightOf = (count: number, weight: number, rows: number): number =>
  weight * Math.max(1, Math.ceil(count / rows));

/** Returns the weight of an answer with a number of open orders, as that of a page with this limit. */
export const openOrdersWeight = (orders: number): number => weightOf(orders, 6, 100);

const PUBLIC = { method: "GET", access: "PUBLIC", scheme: "NONE", advanced: false } as const;

const ORDER_STATUS = {
  name: "order.status",
  method: "GET",
  access: "READ",
  scheme: "V2_QUERY",
  weight: 4,
  advanced: false,
} as const;

const ALL_ORDERS = { ...ORDER_STATUS, name: "allOrders", weight: pageWeight(20, 500) } as const;

/** The older POST forms of reading. They keep the nonce rules of a POST and need only READ. */
const POST_READING = { method: "POST", access: "READ", scheme: "LEGACY", advanced: false } as const;
const SCALED_STATUS = { ...POST_READING, name: "order.status.scaled", weight: 4 } as const;

const TRADING = { access: "TRADE", scheme: "LEGACY", weight: 1, advanced: false } as const;
const ORDER_CANCEL = { ...TRADING, name: "order.cancel", method: "DELETE" } as const;

const ORDER_REPLACE = { ...TRADING, name: "order.cancelReplace", method: "POST", advanced: true } as const;

const V3_READING = { method: "GET", access: "READ", scheme: "V3", advanced: false } as const;
const V3_TRADING = { ...TRADING, scheme: "V3" } as const;
const LIST_PLACE = { ...V3_TRADING, method: "POST", advanced: true } as const;

const TABLE: readonly RouteDescriptor[] = [
  { ...PUBLIC, name: "status", path: "/api/status", weight: 1 },
  { ...PUBLIC, name: "exchangeInfo", path: "/api/exchangeInfo", weight: 20 },
  { ...PUBLIC, name: "instrumentPairs", path: "/api/getInstrumentPairs", weight: 20 },
  { ...PUBLIC, name: "ticker", path: "/api/ticker", weight: 2 },
  { ...PUBLIC, name: "ticker24hr", path: "/api/ticker/24hr", weight: dayTickerWeight },
  { ...PUBLIC, name: "depth", path: "/api/depth", weight: depthWeight },
  { ...PUBLIC, name: "ping", path: "/api/ping", weight: 1 },
  { ...PUBLIC, name: "time", path: "/api/time", weight: 1 },
  { ...TRADING, name: "order.place", method: "POST", path: "/api/order", advanced: true },
  { ...TRADING, name: "order.place.native", method: "POST", path: "/api/v2/order" },
  { ...ORDER_STATUS, path: "/api/v2/order" },
  { ...ORDER_STATUS, path: "/api/v2/getOrderStatus" },
  { ...ORDER_STATUS, path: "/api/v2/orderStatus" },
  { ...ORDER_STATUS, path: "/api/order" },
  // The first path of an operation is that of its WebSocket method.
  { ...ORDER_CANCEL, path: "/api/order" },
  { ...ORDER_CANCEL, path: "/api/v2/order" },
  { ...TRADING, name: "order.amend", method: "PUT", path: "/api/order" },
  { ...ORDER_REPLACE, path: "/api/order/cancelReplace" },
  { ...ALL_ORDERS, path: "/api/v2/allOrders" },
  { ...ALL_ORDERS, path: "/api/v2/getOrderHistory" },
  { ...SCALED_STATUS, path: "/api/v2/orderStatus" },
  { ...SCALED_STATUS, path: "/api/v2/getOrderStatus" },
  // Its limit is in the body, which is not read before the request is weighed: 40 is the weight of the most rows.
  { ...POST_READING, name: "orderHistory", path: "/api/v2/getOrderHistory", weight: 40 },
  { ...V3_READING, name: "openOrders.status", path: "/api/v3/openOrders", weight: pageWeight(6, 100) },
  { ...V3_TRADING, name: "openOrders.cancelAll", method: "DELETE", path: "/api/v3/openOrders" },
  { ...LIST_PLACE, name: "orderList.place.oco", path: "/api/v3/orderList/oco" },
  { ...LIST_PLACE, name: "orderList.place.oto", path: "/api/v3/orderList/oto" },
  { ...LIST_PLACE, name: "orderList.place.otoco", path: "/api/v3/orderList/otoco" },
  { ...LIST_PLACE, name: "orderList.place.legacyOco", path: "/api/v3/order/oco" },
  { ...LIST_PLACE, name: "orderList.place.bracket", path: "/api/v3/orderList/bracket" },
  { ...LIST_PLACE, name: "orderList.place.oca", path: "/api/v3/orderList/oca" },
  { ...V3_READING, name: "orderList.status", path: "/api/v3/orderList", weight: 4 },
  { ...V3_TRADING, name: "orderList.cancel", method: "DELETE", path: "/api/v3/orderList" },
  { ...V3_READING, name: "openOrderLists.status", path: "/api/v3/openOrderList", weight: pageWeight(6, 500) },
  { ...V3_READING, name: "allOrderLists", path: "/api/v3/allOrderList", weight: pageWeight(20, 500) },
];

/**
 * Every route, aliases included. Weights are the convention's for the usual number of rows. A page of open orders is
 * bounded, so it has the weight that the convention gives one market. Source: contract, Endpoints.
 */
export const ROUTES: readonly RouteDescriptor[] = Object.freeze(TABLE.map((route) => Object.freeze(route)));

/** The prefix of the routes for clients of the public convention. */
export const COMPAT_PREFIX = "/compat/api/v3";

type Row = readonly [
  method: RouteMethod,
  path: string,
  access: RouteAccess,
  name: AnyRoute["name"],
  weight: RouteWeight,
];

const bySymbol =
  (one: number, all: number) =>
  (parameters: Parameters): number =>
    parameters.has("symbol") ? one : all;

const COMPAT_TABLE: readonly Row[] = [
  ["GET", "ping", "PUBLIC", "ping", 1],
  ["GET", "time", "PUBLIC", "time", 1],
  ["GET", "exchangeInfo", "PUBLIC", "exchangeInfo", 20],
  ["GET", "depth", "PUBLIC", "depth", depthWeight],
  ["GET", "ticker/24hr", "PUBLIC", "ticker24hr", dayTickerWeight],
  ["GET", "ticker/price", "PUBLIC", "ticker.price", bySymbol(2, 4)],
  ["GET", "ticker/bookTicker", "PUBLIC", "ticker.book", bySymbol(2, 4)],
  ["GET", "avgPrice", "PUBLIC", "avgPrice", 2],
  ["GET", "klines", "PUBLIC", "klines", pageWeight(2, 500)],
  ["GET", "uiKlines", "PUBLIC", "uiKlines", pageWeight(2, 500)],
  ["GET", "trades", "PUBLIC", "trades", pageWeight(25, 500)],
  ["GET", "historicalTrades", "PUBLIC", "trades.historical", pageWeight(25, 500)],
  ["GET", "aggTrades", "PUBLIC", "aggTrades", pageWeight(4, 500)],
  ["POST", "order", "TRADE", "order.place", 1],
  ["POST", "order/test", "TRADE", "order.test", 1],
  ["GET", "order", "READ", "order.status", 4],
  ["DELETE", "order", "TRADE", "order.cancel", 1],
  ["POST", "order/cancelReplace", "TRADE", "order.cancelReplace", 1],
  ["PUT", "order/amend/keepPriority", "TRADE", "order.amend.keepPriority", 4],
  ["GET", "openOrders", "READ", "openOrders.market", bySymbol(6, 80)],
  ["DELETE", "openOrders", "TRADE", "openOrders.cancelMarket", 1],
  ["GET", "allOrders", "READ", "orders.market", pageWeight(20, 500)],
  ["GET", "account", "READ", "account.status", 20],
  ["GET", "myTrades", "READ", "myTrades", pageWeight(20, 500)],
  ["POST", "orderList/oco", "TRADE", "orderList.place.oco", 1],
  ["POST", "orderList/oto", "TRADE", "orderList.place.oto", 1],
  ["POST", "orderList/otoco", "TRADE", "orderList.place.otoco", 1],
  ["POST", "order/oco", "TRADE", "orderList.place.legacyOco", 1],
  ["GET", "orderList", "READ", "orderList.status", 4],
  ["DELETE", "orderList", "TRADE", "orderList.cancel", 1],
  ["GET", "openOrderList", "READ", "openOrderLists.status", pageWeight(6, 500)],
  ["GET", "allOrderList", "READ", "allOrderLists", pageWeight(20, 500)],
];

/** Routes that create advanced orders. */
const ADVANCED: RegExp = /^order\.(?:place|test|cancelReplace)$|^orderList\.place/;

/**
 * The routes of the second prefix, for clients of the public convention that cannot change the paths they call. They have
 * the handlers, weights and permissions of the service's own routes. Every signed one needs a timestamp, as in the
 * convention.
 */
export const COMPAT_ROUTES: readonly AnyRoute[] = Object.freeze(
  COMPAT_TABLE.map(([method, path, access, name, weight]) =>
    Object.freeze({
      name,
      method,
      path: `${COMPAT_PREFIX}/${path}`,
      access,
      scheme: access === "PUBLIC" ? "NONE" : "V2_QUERY",
      weight,
      advanced: ADVANCED.test(name),
      compat: true,
    }),
  ),
);

const ALL: readonly AnyRoute[] = [...ROUTES, ...COMPAT_ROUTES];

const BY_PATH: ReadonlyMap<string, readonly AnyRoute[]> = new Map(
  ALL.map(({ path }) => [path, ALL.filter((route) => route.path === path)]),
);

/** Returns the routes at an exact raw path; none for an unknown path. */
export function routesAt(path: string): readonly AnyRoute[] {
  return BY_PATH.get(path) ?? [];
}

/**
 * Returns the route of a method and an exact raw path, or "wrong-method" if the path has other methods only, or undefined
 * for an unknown path. Source: hostile input 44.
 */
export function findRoute(method: string, path: string): AnyRoute | "wrong-method" | undefined {
  const here = BY_PATH.get(path);
  return here && (here.find((route) => route.method === method) ?? "wrong-method");
}
