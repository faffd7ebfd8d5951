import { describe, expect, it } from "vitest";
import { type AnyRoute, findRoute, ROUTES } from "../../src/requests/index.ts";
import { query } from "./support.ts";

const found = (method: string, path: string): AnyRoute => {
  const route = findRoute(method, path);
  if (route === undefined || route === "wrong-method") throw new Error(`no route ${method} ${path}`);
  return route;
};

describe("routes", () => {
  it.each([
    ["GET", "/api/status", "status", "PUBLIC", "NONE"],
    ["GET", "/api/exchangeInfo", "exchangeInfo", "PUBLIC", "NONE"],
    ["GET", "/api/getInstrumentPairs", "instrumentPairs", "PUBLIC", "NONE"],
    ["GET", "/api/ticker", "ticker", "PUBLIC", "NONE"],
    ["GET", "/api/ticker/24hr", "ticker24hr", "PUBLIC", "NONE"],
    ["GET", "/api/depth", "depth", "PUBLIC", "NONE"],
    ["GET", "/api/ping", "ping", "PUBLIC", "NONE"],
    ["GET", "/api/time", "time", "PUBLIC", "NONE"],
    ["POST", "/api/order", "order.place", "TRADE", "LEGACY"],
    ["POST", "/api/v2/order", "order.place.native", "TRADE", "LEGACY"],
    ["GET", "/api/v2/order", "order.status", "READ", "V2_QUERY"],
    ["GET", "/api/v2/getOrderStatus", "order.status", "READ", "V2_QUERY"],
    ["GET", "/api/v2/orderStatus", "order.status", "READ", "V2_QUERY"],
    ["GET", "/api/order", "order.status", "READ", "V2_QUERY"],
    ["DELETE", "/api/v2/order", "order.cancel", "TRADE", "LEGACY"],
    ["DELETE", "/api/order", "order.cancel", "TRADE", "LEGACY"],
    ["PUT", "/api/order", "order.amend", "TRADE", "LEGACY"],
    ["POST", "/api/order/cancelReplace", "order.cancelReplace", "TRADE", "LEGACY"],
    ["GET", "/api/v2/allOrders", "allOrders", "READ", "V2_QUERY"],
    ["GET", "/api/v2/getOrderHistory", "allOrders", "READ", "V2_QUERY"],
    ["POST", "/api/v2/orderStatus", "order.status.scaled", "READ", "LEGACY"],
    ["POST", "/api/v2/getOrderStatus", "order.status.scaled", "READ", "LEGACY"],
    ["POST", "/api/v2/getOrderHistory", "orderHistory", "READ", "LEGACY"],
    ["GET", "/api/v3/openOrders", "openOrders.status", "READ", "V3"],
    ["DELETE", "/api/v3/openOrders", "openOrders.cancelAll", "TRADE", "V3"],
    ["POST", "/api/v3/orderList/oco", "orderList.place.oco", "TRADE", "V3"],
    ["POST", "/api/v3/orderList/oto", "orderList.place.oto", "TRADE", "V3"],
    ["POST", "/api/v3/orderList/otoco", "orderList.place.otoco", "TRADE", "V3"],
    ["POST", "/api/v3/order/oco", "orderList.place.legacyOco", "TRADE", "V3"],
    ["POST", "/api/v3/orderList/bracket", "orderList.place.bracket", "TRADE", "V3"],
    ["POST", "/api/v3/orderList/oca", "orderList.place.oca", "TRADE", "V3"],
    ["GET", "/api/v3/orderList", "orderList.status", "READ", "V3"],
    ["DELETE", "/api/v3/orderList", "orderList.cancel", "TRADE", "V3"],
    ["GET", "/api/v3/openOrderList", "openOrderLists.status", "READ", "V3"],
    ["GET", "/api/v3/allOrderList", "allOrderLists", "READ", "V3"],
  ])("%s %s is %s, %s, %s", (method, path, name, access, scheme) => {
    expect(found(method, path)).toMatchObject({ method, path, name, access, scheme });
  });

  it("there are no others, and none can be changed", () => {
    expect(ROUTES).toHaveLength(35);
    expect(new Set(ROUTES.map(({ method, path }) => `${method} ${path}`)).size).toBe(35);
    for (const route of ROUTES) expect(Object.isFrozen(route)).toBe(true);
    expect(Object.isFrozen(ROUTES)).toBe(true);
  });

  it.each([
    ["POST", "/api/v3/order"],
    ["GET", "/api/v3/ticker"],
    ["POST", "/api/orderList/oco"],
    ["POST", "/api/v3/orderList/oco/"],
    ["GET", "/api/order/"],
    ["GET", "/API/order"],
    ["GET", "/api//order"],
    ["GET", "/api/v2/../order"],
    ["GET", "/api%2Forder"],
    ["GET", "/api/order;x=1"],
    ["GET", ""],
    ["POST", "__proto__"],
  ])("hostile 44, 45: %s %s is not a route", (method, path) => {
    expect(findRoute(method, path)).toBeUndefined();
  });

  it.each([
    ["PATCH", "/api/order"],
    ["get", "/api/order"],
    ["PUT", "/api/v2/order"],
    ["POST", "/api/v2/allOrders"],
    ["DELETE", "/api/v2/orderStatus"],
    ["POST", "/api/ticker"],
    ["HEAD", "/api/status"],
    ["GET", "/api/v3/orderList/oco"],
    ["DELETE", "/api/v3/openOrderList"],
    ["POST", "/api/v3/orderList"],
  ])("%s on %s is a wrong method", (method, path) => {
    expect(findRoute(method, path)).toBe("wrong-method");
  });

  it("only placements need the advanced flag", () => {
    expect(ROUTES.filter(({ advanced }) => advanced).map(({ name }) => name)).toEqual([
      "order.place",
      "order.cancelReplace",
      "orderList.place.oco",
      "orderList.place.oto",
      "orderList.place.otoco",
      "orderList.place.legacyOco",
      "orderList.place.bracket",
      "orderList.place.oca",
    ]);
  });

  it.each([
    [{}, 5],
    [{ limit: "1" }, 5],
    [{ limit: "100" }, 5],
    [{ limit: "101" }, 25],
    [{ limit: "500" }, 25],
    [{ limit: "501" }, 50],
    [{ limit: "1000" }, 50],
    [{ limit: "1001" }, 250],
    [{ limit: "999999" }, 250],
    [{ limit: "ten" }, 5],
  ])("depth with %j weighs %d", (fields, weight) => {
    const route = found("GET", "/api/depth");
    expect(typeof route.weight === "function" && route.weight(query({ symbol: "x", ...fields }))).toBe(
      weight,
    );
  });

  it.each([
    ["POST", "/api/v2/order", 1],
    ["GET", "/api/v2/order", 4],
    ["POST", "/api/v2/orderStatus", 4],
    ["POST", "/api/v2/getOrderHistory", 40],
    ["POST", "/api/v3/orderList/otoco", 1],
    ["POST", "/api/v3/order/oco", 1],
    ["GET", "/api/v3/orderList", 4],
    ["DELETE", "/api/v3/orderList", 1],
  ])("%s %s weighs %d", (method, path, weight) => expect(found(method, path).weight).toBe(weight));

  it.each([
    ["/api/v3/openOrders", [6, 6, 6, 12, 60, 60, 6]],
    ["/api/v3/openOrderList", [6, 6, 6, 6, 12, 12, 6]],
    ["/api/v3/allOrderList", [20, 20, 20, 20, 40, 40, 20]],
    ["/api/v2/allOrders", [20, 20, 20, 20, 40, 40, 20]],
    ["/api/v2/getOrderHistory", [20, 20, 20, 20, 40, 40, 20]],
    ["/compat/api/v3/allOrders", [20, 20, 20, 20, 40, 40, 20]],
    ["/compat/api/v3/myTrades", [20, 20, 20, 20, 40, 40, 20]],
    ["/compat/api/v3/openOrderList", [6, 6, 6, 6, 12, 12, 6]],
    ["/compat/api/v3/allOrderList", [20, 20, 20, 20, 40, 40, 20]],
    ["/compat/api/v3/klines", [2, 2, 2, 2, 4, 4, 2]],
    ["/compat/api/v3/uiKlines", [2, 2, 2, 2, 4, 4, 2]],
    ["/compat/api/v3/trades", [25, 25, 25, 25, 50, 50, 25]],
    ["/compat/api/v3/historicalTrades", [25, 25, 25, 25, 50, 50, 25]],
    ["/compat/api/v3/aggTrades", [4, 4, 4, 4, 8, 8, 4]],
  ])("a page of %s weighs by the rows that are asked for", (path, weights) => {
    const { weight } = found("GET", path);
    const limits = [{}, { limit: "1" }, { limit: "100" }, { limit: "101" }, { limit: "1000" }];
    const refused = [{ limit: "999999" }, { limit: "ten" }];
    const of = [...limits, ...refused].map((fields) => typeof weight === "function" && weight(query(fields)));
    expect(of).toEqual(weights);
  });

  it("convention: the ticker of a day weighs 2 for one market, 80 for all markets", () => {
    const { weight } = found("GET", "/api/ticker/24hr");
    expect(typeof weight === "function" && weight(query({ symbol: "x" }))).toBe(2);
    expect(typeof weight === "function" && weight(query({}))).toBe(80);
  });

  it("every weight that is a number is above 0", () => {
    for (const { weight } of ROUTES) if (typeof weight === "number") expect(weight).toBeGreaterThan(0);
  });
});
