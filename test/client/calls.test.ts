import { describe, expect, it } from "vitest";
import { type Client, createClient, type RefusedError } from "../../src/client/index.ts";
import { CLIENT_ROUTES } from "../../src/client/routes.ts";
import { sign } from "../../src/signing/index.ts";
import { KEYS, START_MS } from "../support/service-world.ts";
import { answers, type ClientWorld, clientOn, openClientWorld, settled } from "./client-world.ts";
import { PAIR, refusalOf, STOP } from "./placements.ts";

const ENTRY = {
  workingType: "LIMIT",
  workingSide: "BUY",
  workingPrice: "6500",
  workingQuantity: "0.01",
} as const;

/** Calls every method of the client once; each must be answered. */
async function callEach(client: Client): Promise<ReadonlySet<string>> {
  const called = new Set<string>();
  const each = new Proxy(client, {
    get(target, name: keyof Client) {
      called.add(name);
      return target[name];
    },
  });
  const symbol = "BTC/USD";
  await Promise.all([
    each.status(),
    each.exchangeInfo(),
    each.instrumentPairs({ limit: 1 }),
    each.ping(),
    each.time(),
  ]);
  await Promise.all([
    each.ticker({ symbol }),
    each.dayTicker({ symbol }),
    each.dayTickers(),
    each.depth({ symbol }),
  ]);
  const stop = await each.placeOrder(STOP);
  const native = await each.placeNativeOrder({
    symbol,
    side: "BUY",
    type: "LIMIT",
    quantity: "0.5",
    price: "6000",
  });
  for (const { orderId } of [stop, native]) {
    expect((await each.order({ symbol, orderId })).orderId).toBe(orderId);
    expect((await each.scaledOrder({ symbol, orderId })).orderId).toBe(orderId);
  }
  expect((await each.nativeOrders({ symbol })).map(({ orderId }) => orderId)).toEqual([native.orderId]);
  expect((await each.executions({ symbol })).orders[0]?.orderId).toBe(native.orderId);
  expect((await each.openOrders({ limit: 10 })).orders.map(({ orderId }) => orderId)).toEqual([stop.orderId]);
  expect(await each.amendOrder({ symbol, orderId: stop.orderId, stopPrice: "6100" })).toMatchObject({
    ...{ orderId: stop.orderId, stopPrice: "6100", status: "NEW" },
  });
  const before = await each.placeOrder(STOP);
  const next = { ...STOP, cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId: before.orderId } as const;
  const { cancelResponse, newOrderResponse } = await each.replaceOrder(next);
  expect([cancelResponse.orderId, cancelResponse.status]).toEqual([before.orderId, "CANCELED"]);
  await expect(each.replaceOrder(next)).rejects.toMatchObject({
    ...{ code: -2022, status: 400, data: { cancelResult: "FAILURE", newOrderResult: "NOT_ATTEMPTED" } },
  });
  await each.cancelOrder({ symbol, orderId: newOrderResponse.orderId });
  expect(await each.cancelOrder({ symbol, orderId: native.orderId })).toMatchObject({ status: "CANCELED" });
  const restricted = { cancelRestrictions: "ONLY_NEW", newClientOrderId: "cancel-1" } as const;
  expect(await each.cancelOrder({ symbol, orderId: stop.orderId, ...restricted })).toMatchObject({
    ...{ status: "CANCELED", clientOrderId: "cancel-1", origClientOrderId: stop.clientOrderId },
  });
  await each.placeOco(PAIR);
  await each.placeLegacyOco({ symbol, side: "SELL", quantity: "0.01", price: "8000", stopPrice: "6000" });
  const pending = {
    pendingType: "STOP_LOSS",
    pendingSide: "SELL",
    pendingStopPrice: "6000",
    pendingQuantity: "0.01",
  } as const;
  const oto = await each.placeOto({ symbol, ...ENTRY, ...pending });
  const pair = {
    pendingAboveType: "TAKE_PROFIT",
    pendingAboveStopPrice: "8000",
    pendingBelowType: "STOP",
    pendingBelowStopPrice: "6000",
  } as const;
  await each.placeOtoco({ symbol, ...ENTRY, pendingSide: "SELL", pendingQuantity: "0.01", ...pair });
  const exits = { takeProfit1Price: "8000", stopPrice: "6000", moveStopAfter: 1, moveStopTo: "ENTRY" };
  expect(await each.placeBracket({ symbol, ...ENTRY, ...exits })).toMatchObject({ listKind: "BRACKET" });
  const shared = { leg1Type: "LIMIT", leg1Price: "8000", leg2Type: "STOP", leg2StopPrice: "6000" } as const;
  expect(
    await each.placeOca({ symbol, side: "SELL", quantity: "0.01", mode: "REDUCE", ...shared }),
  ).toMatchObject({ listKind: "OCA" });
  const { orderListId, listClientOrderId } = oto;
  expect((await each.orderList({ orderListId })).listClientOrderId).toBe(listClientOrderId);
  expect((await each.cancelOrderList({ listClientOrderId })).listOrderStatus).toBe("ALL_DONE");
  expect([(await each.openOrderLists()).length, (await each.allOrderLists({ limit: 9 })).length]).toEqual([
    5, 6,
  ]);
  expect(await each.cancelOpenOrders()).toMatchObject({ cancelPendingCount: 0 });
  return called;
}

async function openTradedWorld(): Promise<ClientWorld> {
  const world = await openClientWorld();
  world.feed.quote({ symbol: "BTC/USD", bid: "6999", ask: "7001" });
  return world;
}

describe("the methods of the client against the service", () => {
  it("every method calls its route and reads the reply", async () => {
    const { client } = await openTradedWorld();
    expect([...(await callEach(client))].sort()).toEqual(Object.keys(CLIENT_ROUTES).sort());
  });

  it("signs the bytes that it sends; the signature is in a header", async () => {
    const { client, wire } = await openTradedWorld();
    await client.placeOrder({ ...STOP, newClientOrderId: "stop-1" });
    await client.order({ symbol: "BTC/USD", origClientOrderId: "stop-1" });
    const signed = wire.calls.filter(({ request }) => "signature" in request.headers);
    expect(signed.length).toBe(2);
    for (const { url, request } of signed) {
      const payload = `${url.search.slice(1)}${request.body ?? ""}`;
      expect(request.headers.signature).toBe(sign({ secret: KEYS.owner.secret, payload }));
      expect(request.redirect).toBe("manual");
    }
  });

  it("contract, Version 3 REST 4: nonces rise strictly, also when the clock is set back", async () => {
    const { client, wire, clock } = await openTradedWorld();
    await client.openOrders();
    clock.stepWall(-3_600_000);
    await client.openOrders();
    await client.openOrders();
    const nonces = wire
      .of("GET /api/v3/openOrders")
      .map(({ url }) => BigInt(url.searchParams.get("nonce") ?? 0));
    expect(nonces.length).toBe(3);
    expect(nonces.every((nonce, index) => index === 0 || nonce > (nonces[index - 1] ?? 0n))).toBe(true);
  });

  it("equal reads in one millisecond have different signatures, and the service answers both", async () => {
    const { client, wire } = await openTradedWorld();
    await client.placeNativeOrder({
      symbol: "BTC/USD",
      side: "BUY",
      type: "LIMIT",
      quantity: "1",
      price: "6000",
    });
    const key = { symbol: "BTC/USD", orderId: "1" };
    const results = await Promise.allSettled([
      client.order(key),
      client.nativeOrders(key),
      client.order(key),
    ]);
    const refused = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as RefusedError] : [],
    );
    expect(refused.every(({ code }) => code === -2013)).toBe(true);
    const signatures = wire.calls.flatMap(({ request }) => request.headers.signature ?? []);
    expect(new Set(signatures).size).toBe(signatures.length);
    const windows = wire.calls.flatMap(({ url }) => url.searchParams.get("recvWindow") ?? []);
    expect(windows.every((window) => Number(window) <= 5000 && Number(window) > 4999)).toBe(true);
  });

  it("every placement carries a client id from the start; one that the caller gave stays", async () => {
    const { client, wire } = await openTradedWorld();
    const { clientOrderId } = await client.placeOrder(STOP);
    expect(clientOrderId).toMatch(/^(?!aqc-)[A-Za-z0-9._-]{1,36}$/);
    const { listClientOrderId } = await client.placeOco(PAIR);
    expect(listClientOrderId).toMatch(/^(?!aqc-)[A-Za-z0-9._-]{1,36}$/);
    const own = await client.placeOrder({ ...STOP, newClientOrderId: "mine" });
    expect([own.clientOrderId, clientOrderId === listClientOrderId]).toEqual(["mine", false]);
    expect(wire.of("POST /api/order")[0]?.request.body).toContain(`"newClientOrderId":"${clientOrderId}"`);
  });

  it("a refusal has the code, text, remedy, field and status of the service", async () => {
    const { client } = await openTradedWorld();
    const refused = await refusalOf(client.order({ symbol: "BTC/USD", orderId: -99 }));
    expect([refused.code, refused.msg, refused.status, refused.sent]).toEqual([
      ...[-2013, "Order does not exist.", 400, true],
    ]);
    const small = await refusalOf(client.placeOrder({ ...STOP, quantity: "0.0001" }));
    expect([small.code, small.msg, small.kind]).toEqual([-1013, "Filter failure: NOTIONAL", "refused"]);
    expect(small.remedy).toMatch(/^Increase the quantity/);
  });

  it("contract, Errors: a negative code inside HTTP 200 is a refusal", async () => {
    const { client } = await openClientWorld({ service: { settings: { businessErrorsAs200: true } } });
    const refused = await refusalOf(client.order({ symbol: "BTC/USD", orderId: -99 }));
    expect([refused.code, refused.status]).toEqual([-2013, 200]);
  });

  it("complaint 39: a 64-bit id is neither rounded in a reply nor in a request", async () => {
    const { client, wire } = await openTradedWorld();
    const long = "8389765489680951453";
    const order = {
      symbol: "BTC/USD",
      orderListId: -1,
      clientOrderId: `"${long}"`,
      clOrdId: long,
      status: "NEW",
    };
    const rest = {
      executedQty: "0",
      rejectReason: null,
      reason: null,
      errorMessage: null,
      updateTime: START_MS,
    };
    const body = JSON.stringify({ ...order, ...rest, isWorking: true, accountId: 1, isPaperTrade: true });
    wire.strike("/api/v2/order", answers(body.replace("{", `{"orderId":${long},`)));
    const found = await client.order({ symbol: "BTC/USD", orderId: long });
    expect([found.orderId, found.clientOrderId, found.orderListId]).toEqual([long, `"${long}"`, "-1"]);
    await refusalOf(client.scaledOrder({ symbol: "BTC/USD", orderId: long }));
    expect(wire.of("GET /api/v2/order")[0]?.url.searchParams.get("orderId")).toBe(long);
    expect(wire.of("POST /api/v2/orderStatus")[0]?.request.body).toContain(`"orderId":${long}`);
  });

  it("a clock off by an hour does not matter: the estimate of the server's time counts", async () => {
    const world = await openTradedWorld();
    for (const aheadMs of [3_600_000, -3_600_000]) {
      const clock = { ...world.clock, nowMs: () => world.clock.nowMs() + aheadMs };
      const client = clientOn(world, world.wire, { clock });
      expect((await client.openOrders()).orders).toEqual([]);
    }
  });

  it("a timestamp that is refused after all makes the client read the server's clock again", async () => {
    const world = await openTradedWorld();
    const { monotonicMs, schedule } = world.clock;
    const client = clientOn(world, world.wire, { clock: { nowMs: monotonicMs, monotonicMs, schedule } });
    await client.openOrders();
    world.clock.stepWall(61_000);
    expect((await settled(world, client.openOrders())).total).toBe(0);
    expect([world.wire.of("GET /api/time").length, world.wire.of("GET /api/v3/openOrders").length]).toEqual([
      2, 3,
    ]);
  });

  it("options that depend on each other, and those of a call, are checked", async () => {
    const { client, wire } = await openTradedWorld();
    const baseUrl = "https://a.example/api/";
    expect(() => createClient({ baseUrl, apiKey: "a" })).toThrow("must be passed together");
    expect(() => createClient({ baseUrl: "https://u:p@a.example" })).toThrow("createClient.baseUrl must be");
    await expect(createClient({ baseUrl }).openOrders()).rejects.toThrow("createClient.apiKey is missing");
    await expect(client.ping({ timeoutMs: 0 })).rejects.toThrow("options.timeoutMs must be");
    await expect(client.ping({ timeout: 5 } as never)).rejects.toThrow("did you mean `timeoutMs`?");
    expect(wire.calls).toEqual([]);
    const open = createClient({ baseUrl, fetch: wire.fetch });
    await open.ping();
    expect(String(wire.calls[0]?.url)).toBe("https://a.example/api/ping");
  });
});
