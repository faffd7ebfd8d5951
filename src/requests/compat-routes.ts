import type { Parameters } from "../wire/index.ts";
import {
  type AnyRoute,
  dayTickerWeight,
  depthWeight,
  pageWeight,
  type RouteAccess,
  type RouteMethod,
  type RouteWeight,
} from "./routes.ts";

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

const TABLE: readonly Row[] = [
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
const ADVANCED: RegExp = /^order\.(?:place|test)$|^orderList\.place/;

/**
 * The routes of the second prefix, for clients of the public convention that cannot change the paths they call. They
 * have the handlers, weights and permissions of the service's own routes. Every signed one needs a timestamp, as in the
 * convention. Source: decision NA.
 */
export const COMPAT_ROUTES: readonly AnyRoute[] = Object.freeze(
  TABLE.map(([method, path, access, name, weight]) =>
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
