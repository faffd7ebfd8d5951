import { afterAll, describe, expect, it } from "vitest";
import { quantity } from "../../../src/decimal/index.ts";
import type { Instrument } from "../../../src/model/index.ts";
import { ROUTES } from "../../../src/requests/index.ts";
import { encodeQuery, type RequestParameters } from "../../../src/signing/index.ts";
import { writeJson } from "../../../src/wire/index.ts";
import { DescribedService } from "../../support/described.ts";
import { ask, type NativeWorld, openNativeWorld, placeNative, read } from "../../support/native-world.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import {
  call,
  KEYS,
  LISTS,
  place,
  placeList,
  type Reply,
  requestOf,
  START_MS,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const described = new DescribedService();

/** Requests that were answered with 200, as METHOD path. */
const done = new Set<string>();

async function open(options: Parameters<typeof openNativeWorld>[0] = {}): Promise<NativeWorld> {
  const world = described.watch(await openNativeWorld({ service: { replayGuard: false }, ...options }));
  const { handle } = world.service;
  const watched = {
    ...world.service,
    handle: async (request: Parameters<typeof handle>[0]) => {
      const response = await handle(request);
      if (response.status === 200) done.add(`${request.method} ${request.target.split("?")[0]}`);
      return response;
    },
  };
  return { ...world, service: watched };
}

const v3 = (
  world: NativeWorld,
  method: "GET" | "DELETE",
  path: string,
  query: RequestParameters = {},
): Promise<Reply> => call(world, method, path, { key, query: { ...query, nonce: world.nonce() } });

const quote = (world: NativeWorld, bid: string, ask_: string): void => {
  world.feed.quote({ symbol: "BTC/USD", bid, ask: ask_, bids: [[bid, "1"]], asks: [[ask_, "1"]] });
};

/** Refuses all children for eleven seconds at a market. */
async function stall(world: NativeWorld, bid: string, ask_: string): Promise<void> {
  world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
  for (let second = 0; second < 12; second++) {
    await world.clock.advanceBy(1_000);
    quote(world, bid, ask_);
    await world.engine.idle();
  }
}

const EXPIRY_MS = START_MS + 3_600_000;

/** Orders of every type that rest at a market of 7,000, with all their members. */
const ORDERS: readonly RequestParameters[] = [
  { type: "SYNTHETIC_LIMIT", side: "BUY", price: "6000", icebergQty: "0.5", childTimeInForce: "FOK" },
  { type: "LIMIT_MAKER", side: "BUY", price: "6000", expireTime: EXPIRY_MS },
  { type: "ICEBERG", side: "BUY", price: "6000", icebergQty: "0.5" },
  { type: "STOP_MARKET", side: "SELL", stopPrice: "6000" },
  { type: "STOP_LOSS_LIMIT", side: "SELL", stopPrice: "6000", price: "5900" },
  { type: "TAKE_PROFIT_MARKET", side: "SELL", stopPrice: "8000" },
  { type: "TAKE_PROFIT_LIMIT", side: "SELL", stopPrice: "8000", price: "7900" },
  { type: "TRAILING_STOP_MARKET", side: "SELL", trailingDelta: 2_000 },
  { type: "TRAILING_STOP_MARKET", side: "SELL", price2: "20", stopPrice: "9000" },
  { type: "TRAILING_STOP_LIMIT", side: "SELL", trailingAmount: "1500", limitOffset: "10" },
  { type: "TWAP", side: "BUY", interval: 60_000, intervalCount: 3, intervalDelay: 60_000 },
  { type: "VWAP", side: "BUY", volumeProfile: "1,0,2", intervalDelay: 60_000 },
  { type: "POV", side: "BUY", participationBips: 500 },
];

async function placeAll(world: NativeWorld): Promise<readonly number[]> {
  const ids: number[] = [];
  for (const order of ORDERS) {
    const { status, body } = await place(world, { symbol: "BTC/USD", quantity: "1", ...order });
    expect(status, JSON.stringify(body)).toBe(200);
    ids.push(body.orderId as number);
  }
  return ids;
}

/** An instrument with all members. */
const DOGE: Instrument = {
  id: 99,
  symbol: "DOGE/USD",
  aliases: [],
  baseAsset: "DOGE",
  quoteAsset: "USD",
  name: "Dogecoin",
  kind: "liquidity",
  status: "TRADING",
  address: "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599",
  url: "https://example.com/doge",
};

/** Every way of reading one order. */
async function readEach(world: NativeWorld, query: RequestParameters): Promise<void> {
  for (const path of ["/api/v2/order", "/api/v2/getOrderStatus", "/api/v2/orderStatus", "/api/order"]) {
    await read(world, path, query);
  }
  for (const path of ["/api/v2/orderStatus", "/api/v2/getOrderStatus"]) {
    await ask(world, path, { symbol: "BTC/USD", ...query });
  }
}

afterAll(() => {
  expect(described.findings).toEqual([]);
});

describe("the service's replies match their description", () => {
  it("public routes, before and after the first quote and print", async () => {
    const world = await open({ engine: { maxIcebergParts: 100 }, limits: {}, instruments: [DOGE] });
    const paths = ["status", "exchangeInfo", "getInstrumentPairs", "ping", "time"];
    for (const path of paths) await call(world, "GET", `/api/${path}`);
    for (const path of ["ticker", "depth", "ticker/24hr"]) {
      await call(world, "GET", `/api/${path}`, { query: { symbol: "BTC/USD" } });
      quote(world, "6999", "7001");
      world.feed.print({
        symbol: "BTC/USD",
        price: "7000",
        quantity: "2",
        id: path,
        timeMs: START_MS,
      });
      await world.engine.idle();
      await call(world, "GET", `/api/${path}`, { query: { symbol: "BTC/USD" } });
      await call(world, "GET", `/api/${path}`);
    }
    expect(described.findings).toEqual([]);
  });

  it("managed orders: placed, read in every form, paged, canceled", async () => {
    const world = await open();
    quote(world, "6999", "7001");
    const ids = await placeAll(world);
    quote(world, "6998", "7002");
    await world.engine.idle();
    for (const orderId of ids) await readEach(world, { orderId });
    await v3(world, "GET", "/api/v3/openOrders", { apiManaged: true, newestFirst: true, limit: 5 });
    await v3(world, "GET", "/api/v3/openOrders", { apiManaged: true, includeHistory: true });
    for (const orderId of ids.slice(0, 2)) {
      const json = { symbol: "BTC/USD", orderId, quantity: "0.9" };
      await call(world, "PUT", "/api/order", { key, json, query: { nonce: world.nonce() } });
    }
    const unknown = { cancelReplaceMode: "ALLOW_FAILURE", cancelOrigClientOrderId: "unknown" };
    const json = { ...ORDERS[0], symbol: "BTC/USD", quantity: "1", ...unknown, newClientOrderId: "next" };
    await call(world, "POST", "/api/order/cancelReplace", { key, json, query: { nonce: world.nonce() } });
    for (const [index, orderId] of ids.slice(1).entries()) {
      const path = index % 2 === 0 ? "/api/v2/order" : "/api/order";
      await call(world, "DELETE", path, { key, query: { symbol: "BTC/USD", orderId } });
    }
    await v3(world, "DELETE", "/api/v3/openOrders", { apiManaged: true });
    await v3(world, "GET", "/api/v3/openOrders", { apiManaged: true, includeHistory: true });
    expect(described.findings).toEqual([]);
  });

  it("managed orders with children: filled in part, in flight while canceled, reduce-only", async () => {
    const world = await open();
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("5") });
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.4", price: "7001" })]);
    quote(world, "6999", "7001");
    const { body } = await place(world, { newClientOrderId: "part", price: "7100", quantity: "1" });
    quote(world, "6999", "7001");
    await world.engine.idle();
    await readEach(world, { orderId: body.orderId as number });
    world.venue.onSubmit = () => "silence";
    const flying = await place(world, { newClientOrderId: "flying", price: "7100", quantity: "1" });
    quote(world, "6999", "7000");
    await world.engine.idle();
    const trail = { type: "TRAILING_STOP_LIMIT", trailingAmount: "100", limitOffset: "10" };
    const trailing = await place(world, { symbol: "BTC/USD", side: "SELL", quantity: "1", ...trail });
    quote(world, "6999", "7000");
    quote(world, "6800", "6801");
    await world.engine.idle();
    await call(world, "DELETE", "/api/order", {
      key,
      query: { symbol: "BTC/USD", orderId: trailing.body.orderId as number },
    });
    await call(world, "DELETE", "/api/order", {
      key,
      query: { symbol: "BTC/USD", orderId: flying.body.orderId as number },
    });
    await v3(world, "GET", "/api/v3/openOrders", { apiManaged: true, includeHistory: true });
    expect(described.findings).toEqual([]);
  });

  it("a managed order that is stalled, read in every form, and canceled with a child in flight", async () => {
    const world = await open();
    quote(world, "6999", "7001");
    quote(world, "6999", "7001");
    const { body } = await place(world, {
      ...{ symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET" },
      ...{ stopPrice: "6900", quantity: "1" },
    });
    await stall(world, "6800", "6801");
    const { orderId } = body;
    await readEach(world, { orderId: orderId as number });
    await v3(world, "GET", "/api/v3/openOrders", { apiManaged: true });
    world.venue.onSubmit = () => "silence";
    await world.clock.advanceBy(5_000);
    quote(world, "6800", "6801");
    await world.engine.idle();
    await call(world, "DELETE", "/api/order", {
      key,
      query: { symbol: "BTC/USD", orderId: orderId as number },
    });
    expect(described.findings).toEqual([]);
  });

  it("lists: placed in every form, read, paged, canceled by their id and by a leg", async () => {
    const world = await open();
    quote(world, "6999", "7001");
    for (const form of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
      const { body } = await placeList(world, form);
      const orderListId = body.orderListId as number;
      await v3(world, "GET", "/api/v3/orderList", { orderListId });
      await v3(world, "GET", "/api/v3/openOrderList");
      if (form === "oco") {
        const [leg] = body.orders as readonly { orderId: number }[];
        await call(world, "DELETE", "/api/v2/order", {
          key,
          query: { symbol: "BTC/USD", orderId: leg?.orderId ?? 0 },
        });
      } else await v3(world, "DELETE", "/api/v3/orderList", { orderListId });
    }
    await v3(world, "GET", "/api/v3/allOrderList");
    expect(described.findings).toEqual([]);
  });

  it("native orders: placed, filled, read in every form, rejected, listed, canceled", async () => {
    const world = await open();
    const market = { symbol: "BTC/USD", side: "BUY", type: "MARKET" };
    for (const path of ["/api/order", "/api/v2/order"]) {
      const { body } = await placeNative(world, {}, { path });
      await readEach(world, { orderId: body.orderId as bigint });
      await call(world, "DELETE", path, {
        key,
        query: { symbol: "BTC/USD", orderId: body.orderId as bigint },
      });
    }
    await placeNative(world, { ...market, quantity: "0.5" });
    await placeNative(world, { ...market, quoteOrderQty: "3500" });
    await placeNative(world, {
      type: "LIMIT",
      symbol: "BTC/USD",
      side: "BUY",
      quantity: "1",
      price: "6000",
      timeInForce: "IOC",
    });
    await placeNative(world, { quantity: "99999", newClientOrderId: "poor" });
    await readEach(world, { origClientOrderId: "poor" });
    for (const path of ["/api/v2/allOrders", "/api/v2/getOrderHistory"]) {
      await read(world, path);
      await read(world, path, { origClientOrderId: "poor" });
    }
    await ask(world, "/api/v2/getOrderHistory");
    expect(described.findings).toEqual([]);
  });

  it("rate limits state the retry time", async () => {
    const world = await open({ limits: { weightPerMinute: 3, ordersPer10s: 1 } });
    await placeNative(world);
    await placeNative(world);
    for (let count = 0; count < 4; count++) await call(world, "GET", "/api/time");
    expect(described.findings).toEqual([]);
  });

  it.each(["application/json", "application/x-www-form-urlencoded"])(
    "the request in the description of a body is accepted unchanged: %s",
    async (type) => {
      const world = await open();
      quote(world, "63999", "64001");
      const posts = ROUTES.filter(({ method }) => method === "POST");
      // An order must be placed before it is read.
      const inOrder = [...posts].sort((a, b) => Number(a.access === "READ") - Number(b.access === "READ"));
      for (const { method, path } of inOrder) {
        const { example } = described.openApi.paths[path].post.requestBody.content[type];
        const body = type === "application/json" ? writeJson(example) : encodeQuery(example);
        const request = requestOf(method, path, { key, query: { nonce: world.nonce() }, body });
        const rawHeaders = request.rawHeaders.map((value) => (value === "application/json" ? type : value));
        const reply = await world.service.handle({ ...request, rawHeaders });
        expect([path, reply.status, reply.body.includes('"msg"')]).toEqual([path, 200, false]);
      }
    },
  );

  it("every route was answered with 200 at least once", () => {
    expect(
      [...new Set(ROUTES.map(({ method, path }) => `${method} ${path}`))].filter((route) => !done.has(route)),
    ).toEqual([]);
  });

  it("every described member of a reply was observed: none is invented", () => {
    expect(described.unseenReplies()).toEqual([]);
  });
});
