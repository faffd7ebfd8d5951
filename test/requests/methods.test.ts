import { describe, expect, it } from "vitest";
import type { Instrument } from "../../src/model/index.ts";
import {
  findMethod,
  METHODS,
  ROUTES,
  readNothing,
  readRequestToken,
  readStreamName,
  readSubscription,
  readUnsubscription,
} from "../../src/requests/index.ts";
import type { Parameters, Scalar } from "../../src/wire/index.ts";
import { refusal } from "../wire/refusal.ts";

/** The contract's table, and order.cancel of the rule "Support for clients of the public convention". */
const TABLE = [
  ["order.place", "POST /api/order", "TRADE", 1],
  ["orderList.place.oco", "POST /api/v3/orderList/oco", "TRADE", 1],
  ["orderList.place.oto", "POST /api/v3/orderList/oto", "TRADE", 1],
  ["orderList.place.otoco", "POST /api/v3/orderList/otoco", "TRADE", 1],
  ["orderList.place.bracket", "POST /api/v3/orderList/bracket", "TRADE", 1],
  ["orderList.place.oca", "POST /api/v3/orderList/oca", "TRADE", 1],
  ["orderList.status", "GET /api/v3/orderList", "READ", 4],
  ["orderList.cancel", "DELETE /api/v3/orderList", "TRADE", 1],
  ["openOrderLists.status", "GET /api/v3/openOrderList", "READ", 6],
  ["allOrderLists", "GET /api/v3/allOrderList", "READ", 20],
  ["openOrders.status", "GET /api/v3/openOrders", "READ", 6],
  ["openOrders.cancelAll", "DELETE /api/v3/openOrders", "TRADE", 1],
  ["order.status", "GET /api/v2/order", "READ", 4],
  ["getOrderStatus", "GET /api/v2/order", "READ", 4],
  ["orderStatus", "GET /api/v2/order", "READ", 4],
  ["allOrders", "GET /api/v2/allOrders", "READ", 20],
  ["getOrderHistory", "GET /api/v2/allOrders", "READ", 20],
  ["order.cancel", "DELETE /api/order", "TRADE", 1],
  ["order.amend", "PUT /api/order", "TRADE", 1],
  ["order.cancelReplace", "POST /api/order/cancelReplace", "TRADE", 1],
] as const;

const parametersOf = (fields: Readonly<Record<string, Scalar>>): Parameters =>
  new Map(Object.entries(fields));
const text = (value: string): Scalar => ({ text: value, kind: "string" });

describe("METHODS", () => {
  it.each(TABLE)("contract, WebSocket request methods: %s is %s", (name, place, access, weight) => {
    const method = findMethod(name);
    if (method === undefined || !("route" in method)) throw new Error(`no method ${name}`);
    const { route } = method;
    const usual = typeof method.weight === "number" ? method.weight : method.weight(new Map());
    expect([`${route.method} ${route.path}`, method.access, usual]).toEqual([place, access, weight]);
    expect(method.weight).toBe(route.weight);
    expect(route.access).toBe(access);
    expect(ROUTES).toContain(route);
  });

  it("convention 4.1: the version prefix may precede every name, once", () => {
    expect(findMethod("v3/order.place")).toBe(findMethod("order.place"));
    for (const name of [
      "v2/order.place",
      "v3/v3/order.place",
      "/order.place",
      "Order.place",
      "order.place ",
      "",
    ]) {
      expect(findMethod(name)).toBeUndefined();
    }
  });

  it("no name means two methods, and none is inherited", () => {
    const names = METHODS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of ["constructor", "__proto__", "toString"]) expect(findMethod(name)).toBeUndefined();
  });

  it("a stream needs READ; an act on the connection itself needs no key", () => {
    expect(METHODS.filter((method) => "act" in method).map(({ name, access }) => [name, access])).toEqual([
      ["userDataStream.subscribe.signature", "READ"],
      ["userDataStream.unsubscribe", "PUBLIC"],
      ["session.subscriptions", "PUBLIC"],
      ["SUBSCRIBE", "PUBLIC"],
    ]);
  });
});

describe("parameters of the streams", () => {
  it("a subscription may name an account and a user, and nothing else", () => {
    const account: Scalar = { text: "7", kind: "integer" };
    expect(readSubscription(parametersOf({ account, timestamp: account }))).toEqual({ accountId: 7 });
    expect(refusal(() => readSubscription(parametersOf({ symbol: text("BTC/USD") })))).toBe(
      "UNREAD_PARAMETER symbol",
    );
    expect(refusal(() => readNothing(parametersOf({ subscriptionId: account })))).toBe(
      "UNREAD_PARAMETER subscriptionId",
    );
  });

  it("an unsubscribe names one subscription or none", () => {
    expect(readUnsubscription(parametersOf({}))).toEqual({});
    expect(readUnsubscription(parametersOf({ subscriptionId: { text: "0", kind: "integer" } }))).toEqual({
      subscriptionId: 0,
    });
    expect(refusal(() => readUnsubscription(parametersOf({ subscriptionId: text("a") })))).toBe(
      "INVALID_PARAMETER subscriptionId",
    );
  });

  it("a session token is 1-512 visible characters", () => {
    expect(readRequestToken(parametersOf({ requestToken: text("t".repeat(512)) }))).toHaveLength(512);
    expect(refusal(() => readRequestToken(parametersOf({})))).toBe("PARAMETER_MISSING requestToken");
    expect(refusal(() => readRequestToken(parametersOf({ requestToken: text("") })))).toBe(
      "PARAMETER_EMPTY requestToken",
    );
    for (const token of ["t".repeat(513), "a b", "é"]) {
      expect(refusal(() => readRequestToken(parametersOf({ requestToken: text(token) })))).toBe(
        "ILLEGAL_CHARS requestToken",
      );
    }
  });
});

describe("readStreamName", () => {
  const instrument: Instrument = {
    id: 1,
    symbol: "BTC/USD",
    aliases: ["BTCUSD", "BTC-USD"],
    baseAsset: "BTC",
    quoteAsset: "USD",
    name: "Bitcoin",
    kind: "liquidity",
    status: "TRADING",
  };
  const resolve = (symbol: string): Instrument | undefined =>
    [instrument.symbol, ...instrument.aliases].includes(symbol) ? instrument : undefined;

  it.each(["btcusd@depth20", "BTC/USD@depth20", "btc-usd@depth20"])(
    "%s is the stream btcusd@depth20",
    (name) => {
      expect(readStreamName(name, resolve)).toEqual({
        name: "btcusd@depth20",
        symbol: "BTC/USD",
        kind: "depth20",
      });
    },
  );

  it.each([
    "btcusd",
    "@depth",
    "btcusd@",
    "btcusd@Depth",
    "btcusd@depth5",
    "btcusd@depth@100ms",
    "ethusd@depth",
  ])("%s is not a stream", (name) => {
    expect(readStreamName(name, resolve)).toBeUndefined();
  });
});
