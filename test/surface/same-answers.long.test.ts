import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ORDER_TYPES } from "../../src/model/index.ts";
import { findMethod, METHODS, ROUTES, type RouteDescriptor } from "../../src/requests/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import { encodeParent } from "../../src/wire/index.ts";
import { RESTING } from "../support/native-world.ts";
import type { RawAnswer } from "../support/raw-http.ts";
import { type Credentials, KEYS, LISTS, START_MS } from "../support/service-world.ts";
import { LIST_ERRORS } from "./list-errors.ts";
import { PLACEMENT_ERRORS } from "./order-errors.ts";
import { READ_ERRORS } from "./read-errors.ts";
import { WORKS } from "./works.ts";
import { type Line, NAMES, openLine, openSurface, requestOf, type SurfaceWorld } from "./world.ts";

/** Two equal worlds: actions by REST in one are done by messages in the other. */
let byRest: SurfaceWorld;
let byMessage: SurfaceWorld;
let line: Line;

beforeAll(async () => {
  byRest = await openSurface();
  byMessage = await openSurface();
  line = await openLine(byMessage);
});

afterAll(async () => {
  line.close();
  await Promise.all([byRest.close(), byMessage.close()]);
});

function routeOf(name: string): RouteDescriptor {
  const method = findMethod(name);
  if (method === undefined || !("route" in method)) throw new Error(`${name} has no route`);
  return method.route as RouteDescriptor;
}

const RESULT = /^\{"id":[0-9]+,"status":([0-9]+),"(result|error)":(.*),"rateLimits":\[.*\]\}$/;

/** Asks both; the members of the two answers must be equal byte for byte. */
async function same(method: string, fields: RequestParameters): Promise<string> {
  const answer = await byRest.rest(requestOf(byRest, routeOf(method), { fields }));
  const text = await line.askText(method, { fields });
  const [, status, member, reported = ""] = RESULT.exec(text) ?? [];
  expect(Number(status)).toBe(answer.status);
  // A message also names the parameter that the error is about.
  if (member === "result") expect(reported).toBe(answer.body);
  else expect(reported.replace(/,"field":"[^"]*"\}$/, "}")).toBe(answer.body);
  return answer.body;
}

const market = { symbol: "BTC/USD", side: "BUY", quantity: "0.01" };
const slices = { interval: 60_000, intervalCount: 5 };

/** A valid order of every type. */
const TYPES: Readonly<Record<string, RequestParameters>> = {
  SYNTHETIC_LIMIT: { ...market, price: "7000", timeInForce: "GTD", expireTime: START_MS + 60_000 },
  STOP_MARKET: { ...market, stopPrice: "8000", childTimeInForce: "FOK" },
  STOP_LOSS_LIMIT: { ...market, stopPrice: "8000", price: "8100" },
  TAKE_PROFIT_MARKET: { ...market, stopPrice: "6000" },
  TAKE_PROFIT_LIMIT: { ...market, stopPrice: "6000", price: "6100" },
  TRAILING_STOP_MARKET: { ...market, trailingDelta: 250 },
  TRAILING_STOP_LIMIT: { ...market, price2: "5", limitOffset: "0.00000001", stopPrice: "7000" },
  LIMIT_MAKER: { ...market, price: "7000" },
  ICEBERG: { ...market, price: "7000", icebergQty: "0.005" },
  TWAP: { ...market, quantity: "0.1", ...slices },
  VWAP: { ...market, quantity: "0.1", volumeProfile: "1,0,2" },
  POV: { ...market, quantity: "0.1", participationBips: 1_000 },
  STOP: { ...market, stopPrice: "8000" },
  STOP_LOSS: { ...market, stopPrice: "8000" },
  STOP_LIMIT: { ...market, stopPrice: "8000", price: "8100" },
  TAKE_PROFIT: { ...market, stopPrice: "6000" },
  TRAILING_STOP: { ...market, trailingAmount: "12.5" },
  POST_ONLY: { ...market, price: "7000" },
  LIMIT: { ...market, price: "7000", apiManaged: true, reduceOnly: false },
  MARKET: { ...market },
};

describe("by REST and by WebSocket", () => {
  it("the table has every order type", () => {
    expect(ORDER_TYPES.filter((type) => !(type in TYPES))).toEqual([]);
  });

  it.each(Object.entries(TYPES))("%s: placed, read by both ids, canceled", async (type, fields) => {
    const newClientOrderId = `same-${type}`;
    const placed = await same("order.place", { ...fields, type, newClientOrderId });
    const orderId = BigInt(/"orderId":(-?[0-9]+)/.exec(placed)?.[1] ?? 0);
    await same("order.status", { symbol: "BTC/USD", orderId });
    await same("orderStatus", { symbol: "BTC/USD", origClientOrderId: newClientOrderId });
    await same("order.cancel", { symbol: "BTC/USD", orderId });
    await same("order.cancel", { symbol: "BTC/USD", orderId });
    await same("getOrderStatus", { symbol: "BTC/USD", clOrdId: newClientOrderId });
  });

  it.each(["oco", "oto", "otoco"] as const)(
    "%s: placed, read, canceled by its id and by a leg",
    async (form) => {
      for (const way of ["list", "leg"]) {
        const names = { listClientOrderId: `same-${form}-${way}`, ...legNames(form, `${form}-${way}`) };
        const placed = await same(`orderList.place.${form}`, { ...LISTS[form].fields, ...names });
        const { orderListId, orders } = JSON.parse(placed);
        await same("orderList.status", { orderListId });
        await same("orderList.status", { origClientOrderId: names.listClientOrderId });
        if (way === "list") await same("orderList.cancel", { orderListId });
        else await same("order.cancel", { symbol: "BTC/USD", orderId: orders[0].orderId });
        await same("orderList.status", { orderListId });
      }
    },
  );

  it("native orders: placed, filled, read, canceled", async () => {
    const resting = await same("order.place", { ...RESTING, newClientOrderId: "same-native" });
    const orderId = BigInt(/"orderId":([0-9]+)/.exec(resting)?.[1] ?? 0);
    expect(orderId).toBeGreaterThan(2n ** 53n);
    await same("order.status", { symbol: "BTC/USD", orderId });
    await same("allOrders", { symbol: "BTC/USD", orderId: 1 });
    await same("order.cancel", { symbol: "BTC/USD", orderId });
    await same("getOrderHistory", { symbol: "BTC/USD", limit: 3 });
  });

  it("pages of orders and of lists, and cancel-all", async () => {
    for (const newestFirst of [false, true]) {
      for (const includeHistory of [false, true]) {
        await same("openOrders.status", { apiManaged: true, newestFirst, includeHistory, limit: 7 });
      }
    }
    await same("openOrderLists.status", {});
    await same("allOrderLists", { limit: 2 });
    await same("openOrders.cancelAll", { apiManaged: true });
    await same("openOrders.status", { apiManaged: true });
    await same("openOrderLists.status", {});
  });

  const cases = METHODS.flatMap((method) => {
    // A method that has a route for existing clients only is compared in test/service/socket/compat.long.test.ts.
    const route = "route" in method ? ROUTES.find((one) => one === method.route) : undefined;
    if (route === undefined) return [];
    const errors = { ...READ_ERRORS, ...PLACEMENT_ERRORS, ...LIST_ERRORS }[route.name] ?? [];
    const plain = errors.filter(({ world, forge, before }) => (world ?? forge ?? before) === undefined);
    return plain.map((one) => [method.name, one.error, one] as const);
  });

  it.each(cases)("%s refused as %s", async (method, _error, one) => {
    const only = typeof one.only === "function" ? one.only(byRest) : one.only;
    // Both worlds are prepared in the same way, so that they stay equal and their orders have the same names.
    const { fields } = WORKS[routeOf(method).name];
    const [here] = [await fields(byRest), await fields(byMessage)];
    await same(method, { ...(only ?? here), ...one.fields });
  });

  it("the two worlds have the same state in the end", async () => {
    const ask = { accountId: 1, includeHistory: true, newestFirst: false, limit: 1_000, afterOrderId: 0 };
    const held = async (world: SurfaceWorld) =>
      (await world.engine.page(ask)).orders.map(encodeParent).filter((text) => text.includes("same-"));
    expect((await held(byRest)).length).toBeGreaterThan(20);
    expect(await held(byMessage)).toEqual(await held(byRest));
  });
});

function legNames(form: "oco" | "oto" | "otoco", name: string): RequestParameters {
  const prefixes = {
    oco: ["above", "below"],
    oto: ["working", "pending"],
    otoco: ["working", "pendingAbove", "pendingBelow"],
  };
  return Object.fromEntries(
    prefixes[form].map((prefix) => [`${prefix}ClientOrderId`, `same-${name}-${prefix}`]),
  );
}

describe("decision 39: unknown key, wrong address and missing permission", () => {
  const REFUSED: Readonly<Record<string, (access: string) => Credentials>> = {
    "unknown key": () => KEYS.nobody,
    "wrong address": () => KEYS.elsewhere,
    "missing permission": (access) => (access === "READ" ? KEYS.trader : KEYS.reader),
  };

  /** Status, every header and the body; only the id of the request and the date may differ. */
  const whole = ({ status, headers, body }: RawAnswer): string => {
    const reported = [...headers].filter(([name]) => name !== "x-request-id" && name !== "date");
    return [status, ...reported.map((pair) => pair.join(": ")), body].join("\n");
  };

  /** Sends the same requests in a separate world for each of the three. */
  async function reportAll(
    ask: (world: SurfaceWorld, keyOf: (access: string) => Credentials) => Promise<readonly string[]>,
  ): Promise<void> {
    const reported: (readonly string[])[] = [];
    for (const keyOf of Object.values(REFUSED)) {
      const world = await openSurface();
      reported.push(await ask(world, keyOf));
      await world.close();
    }
    expect(reported[0]?.length).toBeGreaterThan(10);
    for (const line of reported[0] ?? []) expect(line).toContain("-2015");
    expect(reported[1]).toEqual(reported[0]);
    expect(reported[2]).toEqual(reported[0]);
  }

  it("by REST: status, headers and body are equal byte for byte, on every signed route", () =>
    reportAll(async (world, keyOf) => {
      const answers: string[] = [];
      for (const route of ROUTES.filter(({ access }) => access !== "PUBLIC")) {
        const fields = { symbol: "BTC/USD", origClientOrderId: NAMES.managed };
        answers.push(
          whole(await world.rest(requestOf(world, route, { fields, forge: { key: keyOf(route.access) } }))),
        );
      }
      return answers;
    }));

  it("by WebSocket: the whole reply is equal, on every signed method", () =>
    reportAll(async (world, keyOf) => {
      const own = await openLine(world);
      const replies: string[] = [];
      for (const { name, access } of METHODS.filter((method) => method.access !== "PUBLIC")) {
        replies.push(await own.askText(name, { fields: {}, forge: { key: keyOf(access) } }));
      }
      own.close();
      return replies;
    }));
});
