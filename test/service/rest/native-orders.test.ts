import { describe, expect, it } from "vitest";
import { price, quantity } from "../../../src/decimal/index.ts";
import { OrderError } from "../../../src/errors/index.ts";
import type { NativePlacement } from "../../../src/ports/index.ts";
import {
  ask,
  cancel,
  type NativeWorld,
  openNativeWorld,
  placeNative,
  RESTING,
  read,
} from "../../support/native-world.ts";
import {
  call,
  KEYS,
  openWorld,
  place,
  type Reply,
  requestOf,
  START_MS,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const FIRST = 9_007_199_254_740_993n;

const code = ({ body }: Reply): unknown => body.code;

describe("placing native orders", () => {
  it.each(["/api/v2/order", "/api/order"])("convention 3.1: %s answers with the order", async (path) => {
    const world = await openNativeWorld();
    const { status, body } = await placeNative(world, { newClientOrderId: "mine" }, { path });
    expect(status).toBe(200);
    expect(body).toEqual({
      symbol: "BTC/USD",
      orderId: FIRST,
      orderListId: -1,
      clientOrderId: "mine",
      clOrdId: "mine",
      transactTime: START_MS,
      price: "6000",
      origQty: "0.5",
      executedQty: "0",
      origQuoteOrderQty: "0",
      status: "NEW",
      timeInForce: "GTC",
      type: "LIMIT",
      side: "BUY",
      accountId: 1,
      workingTime: START_MS,
      fills: [],
    });
  });

  it("complaint 39: ids beyond 2^53 are exact integers in the bytes", async () => {
    const world = await openNativeWorld();
    const request = requestOf("POST", "/api/v2/order", { key, json: RESTING, query: { nonce: "1" } });
    expect((await world.service.handle(request)).body).toContain('"orderId":9007199254740993,');
  });

  it("convention 3.1: a MARKET is filled at once, each fill with its price, by quantity and by amount", async () => {
    const world = await openNativeWorld();
    const market = { symbol: "BTC/USD", side: "BUY", type: "MARKET" };
    const byQuantity = await placeNative(world, { ...market, quantity: "0.5" });
    expect(byQuantity.body).toMatchObject({
      status: "FILLED",
      price: "0",
      executedQty: "0.5",
      timeInForce: "GTC",
      fills: [{ price: "7001", qty: "0.5", commission: "0", commissionAsset: "USD", tradeId: 1 }],
    });
    const byAmount = await placeNative(world, { ...market, quoteOrderQty: "3500.5" });
    expect(byAmount.body).toMatchObject({ origQuoteOrderQty: "3500.5", origQty: "0.5", status: "FILLED" });
  });

  it("counts as one order, and shows it; a refusal or a copy returns the count", async () => {
    const world = await openNativeWorld({ limits: { ordersPer10s: 2 } });
    const counted = ({ headers }: Reply): unknown => headers["X-MBX-ORDER-COUNT-10S"];
    expect(counted(await placeNative(world))).toBe("1");
    expect(code(await placeNative(world, { quantity: "999999" }))).toBe(-2010);
    const request = requestOf("POST", "/api/v2/order", { key, json: RESTING, query: { nonce: "copied" } });
    expect((await world.service.handle(request)).headers["X-MBX-ORDER-COUNT-10S"]).toBe("2");
    await world.clock.advanceBy(10_000);
    expect((await world.service.handle(request)).headers["X-MBX-ORDER-COUNT-10S"]).toBe("0");
    expect(counted(await placeNative(world))).toBe("1");
    expect(counted(await placeNative(world))).toBe("2");
    const refused = await placeNative(world);
    expect([refused.status, code(refused), refused.headers["Retry-After"]]).toEqual([429, -1015, "10"]);
    expect((await cancel(world, { orderId: FIRST })).status).toBe(200);
  });

  it("hostile 22: the same signed bytes are one order for ever, also after its end", async () => {
    const world = await openNativeWorld({ limits: { ordersPer10s: 1 } });
    const market = { symbol: "BTC/USD", side: "BUY", type: "MARKET", quantity: "0.5" };
    const request = requestOf("POST", "/api/order", { key, json: market, query: { nonce: "1" } });
    const copies = await Promise.all(Array.from({ length: 30 }, () => world.service.handle(request)));
    expect(copies.filter(({ status }) => status === 200).map(({ body }) => body)).toHaveLength(30);
    expect(new Set(copies.map(({ body }) => body)).size).toBe(1);
    expect(copies[0]?.body).toMatch(/"clientOrderId":"[0-9A-Za-z]{22}"/);
    expect(world.paper.balances(1).BTC).toBe("10.5");
  });

  it("a copy is answered while draining and for a restricted account too: it places nothing", async () => {
    const world = await openNativeWorld();
    const request = requestOf("POST", "/api/v2/order", { key, json: RESTING, query: { nonce: "1" } });
    const first = await world.service.handle(request);
    world.engine.drain();
    expect((await world.service.handle(request)).body).toBe(first.body);
  });

  it("another request with the id of an open order is -2010; once it has ended the id is free", async () => {
    const world = await openNativeWorld();
    const first = await placeNative(world, { newClientOrderId: "mine" });
    const second = await placeNative(world, { newClientOrderId: "mine" });
    expect([second.status, code(second), second.body.msg]).toEqual([400, -2010, "Duplicate order sent."]);
    await cancel(world, { orderId: first.body.orderId as bigint });
    expect((await placeNative(world, { newClientOrderId: "mine" })).body.orderId).toBe(FIRST + 10n);
  });

  it("managed ids are a separate space", async () => {
    const world = await openNativeWorld();
    expect((await place(world, { newClientOrderId: "mine" })).status).toBe(200);
    expect((await placeNative(world, { newClientOrderId: "mine" })).status).toBe(200);
  });

  it("an advanced order on /api/v2/order is -1116, on /api/order it is managed", async () => {
    const world = await openNativeWorld();
    for (const fields of [
      { type: "STOP", stopPrice: "8000" },
      { type: "LIMIT", price: "6000", apiManaged: true },
    ]) {
      const sent = { symbol: "BTC/USD", side: "BUY", quantity: "0.5", ...fields };
      expect(code(await placeNative(world, sent))).toBe(-1116);
      expect((await placeNative(world, sent, { path: "/api/order" })).body.apiManaged).toBe(true);
    }
  });

  it("contract: needs no consent and no advanced orders; restrictions, closed markets and draining refuse it", async () => {
    const world = await openNativeWorld({ engine: { advancedOrders: false } });
    expect((await placeNative(world, {}, { key: KEYS.silent })).status).toBe(200);
    const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [] };
    const keys = [
      { ...key, userId: 1, accountId: 1, permissions: ["READ", "TRADE"] as const, ipAllowlist: [] },
    ];
    world.accounts.put({ account: { ...account, restricted: ["BTC/USD"] }, keys });
    expect((await placeNative(world)).body.msg).toBe("This symbol is restricted for this account.");
    expect((await placeNative(world, { symbol: "ETH/USD" })).status).toBe(200);
    world.accounts.put({ account: { ...account, restricted: true }, keys });
    expect((await placeNative(world)).body.msg).toBe("This account may not place or cancel orders.");
    world.accounts.put({ account: { ...account, restricted: false }, keys });
    world.engine.drain();
    const draining = await placeNative(world);
    expect([draining.status, code(draining)]).toEqual([503, -1016]);
    expect((await world.paper.native.page({ accountId: 1, symbol: "BTC/USD", limit: 5 })).length).toBe(0);
  });

  it("a host's refusal text is passed on word for word", async () => {
    const text = 'Not now: "maintenance" \\ until\n06:00 \u2028 é';
    const place = async (): Promise<never> => {
      throw new OrderError("ORDER_REJECTED", { text });
    };
    const refused = await placeNative(await openNativeWorld({}, () => ({ place })));
    expect([refused.status, code(refused), refused.body.msg]).toEqual([400, -2010, text]);
  });

  it("a failing host leaves the outcome unknown: 500 -1006, and the order stays counted", async () => {
    const place = async (): Promise<never> => {
      throw new Error("connection lost");
    };
    const world = await openNativeWorld({ limits: { ordersPer10s: 1 } }, () => ({ place }));
    const failed = await placeNative(world);
    expect([failed.status, code(failed)]).toEqual([500, -1006]);
    expect(code(await placeNative(world))).toBe(-1015);
    expect(JSON.stringify(failed.body)).not.toContain("connection");
  });

  it("the host receives the canonical order with the names of the request", async () => {
    const placed: NativePlacement[] = [];
    const world = await openNativeWorld({}, (native) => ({
      place: (placement) => {
        placed.push(placement);
        return native.place(placement);
      },
    }));
    await placeNative(world, {
      symbol: "BTCUSD",
      quantity: "0.50",
      price: "6000.0",
      newClientOrderId: "mine",
    });
    expect(placed).toEqual([
      {
        accountId: 1,
        requestKey: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
        symbol: "BTC/USD",
        side: "BUY",
        type: "LIMIT",
        timeInForce: "GTC",
        quantity: quantity("0.5"),
        price: price("6000"),
        clientOrderId: "mine",
      },
    ]);
    await placeNative(world);
    expect(placed[1]?.requestKey).not.toBe(placed[0]?.requestKey);
    expect(placed[1]?.requestKey).not.toBe(placed[1]?.clientOrderId);
  });
});

const statusOf = async (world: NativeWorld): Promise<string | undefined> =>
  (await world.paper.native.find({ accountId: 1, symbol: "BTC/USD", orderId: FIRST }))?.status;

describe("cancelling native orders", () => {
  it("convention 3.3: by id or client id, on both routes, also by an alias of the symbol", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "one" });
    await placeNative(world, { newClientOrderId: "two" });
    const canceled = await cancel(world, { origClientOrderId: "one", newClientOrderId: "cancel-1" });
    expect(canceled.body).toMatchObject({
      orderId: FIRST,
      clientOrderId: "cancel-1",
      clOrdId: "cancel-1",
      origClientOrderId: "one",
      status: "CANCELED",
      executedQty: "0",
      accountId: 1,
    });
    expect(canceled.body).not.toHaveProperty("fills");
    const query = { symbol: "BTCUSD", orderId: FIRST + 10n, clOrdId: "two", nonce: world.nonce() };
    expect((await call(world, "DELETE", "/api/order", { key, query })).body.status).toBe("CANCELED");
  });

  it("hostile 91: unknown, foreign, ended and other-symbol orders are -2011 and change nothing", async () => {
    const world = await openNativeWorld();
    await placeNative(world);
    const theirs = (await placeNative(world, { newClientOrderId: "theirs" }, { key: KEYS.stranger })).body
      .orderId;
    const filled = (await placeNative(world, { price: "8000" })).body.orderId;
    for (const query of [
      { orderId: 1n },
      { orderId: 0n },
      { orderId: theirs as bigint },
      { origClientOrderId: "theirs" },
      { orderId: filled as bigint },
      { symbol: "ETH/USD", orderId: FIRST },
      { orderId: FIRST + 99n, origClientOrderId: "nothing" },
    ]) {
      const refused = await cancel(world, query);
      expect([refused.status, code(refused)]).toEqual([400, -2011]);
    }
    expect(await statusOf(world)).toBe("NEW");
  });

  it("hostile 77: two ids of two orders are -2039, and neither is canceled", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "one" });
    await placeNative(world, { newClientOrderId: "two" });
    expect(code(await cancel(world, { orderId: FIRST, origClientOrderId: "two" }))).toBe(-2039);
    const open = await world.paper.native.page({ accountId: 1, symbol: "BTC/USD", limit: 5 });
    expect(open.map(({ status }) => status)).toEqual(["NEW", "NEW"]);
  });

  it("a client id names a managed order first; an ended one does not hide an open native one", async () => {
    const world = await openNativeWorld();
    const managed = (await place(world, { newClientOrderId: "mine" })).body.orderId;
    await placeNative(world, { newClientOrderId: "mine" });
    expect((await cancel(world, { origClientOrderId: "mine" })).body.orderId).toBe(managed);
    expect((await cancel(world, { origClientOrderId: "mine" })).body.orderId).toBe(FIRST);
    expect(code(await cancel(world, { origClientOrderId: "mine" }))).toBe(-2011);
    expect(code(await cancel(world, { orderId: managed as number }))).toBe(-2011);
  });

  it("works while draining, for a restricted account and at the order limit", async () => {
    const world = await openNativeWorld({ limits: { ordersPer10s: 1 } });
    await placeNative(world);
    world.engine.drain();
    expect((await cancel(world, { orderId: FIRST })).body.status).toBe("CANCELED");
  });

  it("a failing host leaves the outcome unknown: 500 -1006", async () => {
    const world = await openNativeWorld({}, () => ({ cancel: () => Promise.reject(new Error("lost")) }));
    const failed = await cancel(world, { orderId: FIRST });
    expect([failed.status, code(failed)]).toEqual([500, -1006]);
  });

  it("convention 3.3: cancelRestrictions are the host's to keep; -2011 leaves the order as it is", async () => {
    const world = await openNativeWorld();
    await placeNative(world);
    const refused = await cancel(world, { orderId: FIRST, cancelRestrictions: "ONLY_PARTIALLY_FILLED" });
    expect([refused.status, code(refused), refused.body.msg]).toEqual([
      ...[400, -2011, "Order was not canceled due to cancel restrictions."],
    ]);
    expect(await statusOf(world)).toBe("NEW");
    const canceled = await cancel(world, { orderId: FIRST, cancelRestrictions: "ONLY_NEW" });
    expect(canceled.body.status).toBe("CANCELED");
    expect(code(await cancel(world, { orderId: FIRST, cancelRestrictions: "ONLY_NEW" }))).toBe(-2011);
  });

  it("a host that cannot keep them cancels nothing: -1145; an unknown order stays -2011", async () => {
    const world = await openNativeWorld({}, () => ({ cancelIf: undefined }) as never);
    await placeNative(world);
    expect(code(await cancel(world, { orderId: FIRST, cancelRestrictions: "ONLY_NEW" }))).toBe(-1145);
    expect(await statusOf(world)).toBe("NEW");
    expect(code(await cancel(world, { orderId: 1n, cancelRestrictions: "ONLY_NEW" }))).toBe(-2011);
    expect((await cancel(world, { orderId: FIRST })).body.status).toBe("CANCELED");
  });
});

describe("a host without native orders", () => {
  it("answers the native routes, a plain LIMIT and a MARKET with 404 -1020", async () => {
    const world = await openWorld();
    const limit = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", quantity: "1", price: "6000" };
    const market = { symbol: "BTC/USD", side: "BUY", type: "MARKET", quantity: "1" };
    const answers = [
      await placeNative(world),
      await placeNative(world, limit, { path: "/api/order" }),
      await placeNative(world, market, { path: "/api/order" }),
      await read(world, "/api/v2/allOrders"),
      await read(world, "/api/v2/getOrderHistory", { limit: 5 }),
      await ask(world, "/api/v2/getOrderHistory"),
    ];
    for (const answer of answers) expect([answer.status, code(answer)]).toEqual([404, -1020]);
  });

  it("still finds and cancels managed orders by client id; positive ids are unknown", async () => {
    const world = await openWorld();
    const { orderId } = (await place(world, { newClientOrderId: "mine" })).body;
    expect((await read(world, "/api/v2/order", { origClientOrderId: "mine" })).body.orderId).toBe(orderId);
    expect(code(await read(world, "/api/v2/order", { orderId: FIRST }))).toBe(-2013);
    expect(code(await cancel(world, { orderId: FIRST }))).toBe(-2011);
    expect((await cancel(world, { origClientOrderId: "mine" })).body.orderId).toBe(orderId);
  });

  it("exchangeInfo lists MARKET only if it can be placed", async () => {
    const typesOf = ({ body }: Reply): unknown =>
      (body.symbols as readonly { orderTypes: unknown }[])[0]?.orderTypes;
    const without = typesOf(await call(await openWorld(), "GET", "/api/exchangeInfo"));
    const withNative = typesOf(await call(await openNativeWorld(), "GET", "/api/exchangeInfo"));
    expect(without).not.toContain("MARKET");
    const [limit, ...managed] = without as readonly string[];
    expect(withNative).toEqual([limit, "MARKET", ...managed]);
  });
});
