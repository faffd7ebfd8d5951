import { describe, expect, it } from "vitest";
import { OrderError } from "../../../src/errors/index.ts";
import type { Rejections } from "../../../src/ports/index.ts";
import { ask, openNativeWorld, placeNative, read } from "../../support/native-world.ts";
import {
  call,
  KEYS,
  openWorld,
  place,
  placeList,
  type Reply,
  START_MS,
} from "../../support/service-world.ts";

const FIRST = 9_007_199_254_740_993n;
/** More than account 1 can pay. */
const POOR = { quantity: "99999" };

const code = ({ body }: Reply): unknown => body.code;
const rows = ({ body }: Reply): readonly Readonly<Record<string, unknown>>[] =>
  body as unknown as readonly Readonly<Record<string, unknown>>[];

describe("early business rejections", () => {
  it("contract, Errors: of native orders are found by client id, without an id", async () => {
    const world = await openNativeWorld();
    expect(code(await placeNative(world, { ...POOR, newClientOrderId: "poor" }))).toBe(-2010);
    const found = await read(world, "/api/v2/order", { origClientOrderId: "poor" });
    expect(found.body).toEqual({
      symbol: "BTC/USD",
      orderListId: -1,
      clientOrderId: "poor",
      clOrdId: "poor",
      status: "REJECTED",
      type: "LIMIT",
      side: "BUY",
      timeInForce: "GTC",
      price: "6000",
      origQty: "99999",
      executedQty: "0",
      rejectReason: "INSUFFICIENT_BALANCES",
      reason: null,
      errorMessage: "Account has insufficient balance for requested action.",
      updateTime: START_MS,
      isWorking: false,
      accountId: 1,
      isPaperTrade: true,
    });
    expect(
      (await ask(world, "/api/v2/orderStatus", { symbol: "BTC/USD", clOrdId: "poor" })).body,
    ).toMatchObject({
      status: "REJECTED",
      price: 600_000_000_000,
      origQty: 99_999_000_000,
      priceScale: 8,
    });
  });

  it("contract, Errors: of managed orders are found by client id too, and no part of them can execute (I02)", async () => {
    const world = await openWorld();
    expect(code(await place(world, { quantity: "0.0001", newClientOrderId: "small" }))).toBe(-1013);
    const query = { symbol: "BTC/USD", clOrdId: "small", timestamp: world.clock.nowMs() };
    const found = await call(world, "GET", "/api/v2/order", { key: KEYS.owner, query });
    expect(found.body).toMatchObject({
      status: "REJECTED",
      type: "SYNTHETIC_LIMIT",
      rejectReason: "MIN_NOTIONAL",
      errorMessage: "Filter failure: NOTIONAL",
      isPaperTrade: false,
    });
    expect(found.body).not.toHaveProperty("orderId");
    expect(found.body).not.toHaveProperty("apiState");
    expect(world.engine.metrics().records).toBe(0);
    expect((await place(world, { newClientOrderId: "small" })).status).toBe(200);
  });

  it.each([
    ["ACCOUNT_DISABLED", "ACCOUNT_INACTIVE"],
    ["ACCOUNT_RESTRICTED", "ACCOUNT_INACTIVE"],
    ["SYMBOL_RESTRICTED", "OTHER"],
    ["MARKET_CLOSED", "MARKET_CLOSED"],
    ["DUPLICATE_ORDER", "DUPLICATE_ORDER"],
    ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCES"],
    ["WOULD_MATCH", "WOULD_MATCH_IMMEDIATELY"],
    ["REDUCE_ONLY_REJECTED", "REDUCE_ONLY_REJECT"],
    ["FILTER_NOTIONAL", "MIN_NOTIONAL"],
    ["BAD_PRICE_RELATION", "OCO_BAD_PRICES"],
    ["NO_DEPTH", "OTHER"],
    ["ORDER_REJECTED", "OTHER"],
  ] as const)("convention 1, gap 5: %s is recorded as %s", async (reason, rejectReason) => {
    const refuse = async (): Promise<never> => {
      throw new OrderError(reason, { text: "no", minimum: "15", upper: "a", lower: "b" });
    };
    const world = await openNativeWorld({}, () => ({ place: refuse }));
    await placeNative(world, { newClientOrderId: "refused" });
    expect((await read(world, "/api/v2/order", { clOrdId: "refused" })).body).toMatchObject({
      status: "REJECTED",
      rejectReason,
      errorMessage: new OrderError(reason, { text: "no", upper: "a", lower: "b" }).msg,
    });
  });

  it("the text of a host keeps its quotes and control characters", async () => {
    const text = 'halted "now" \\ \n\t\u0001 \u2028';
    const refuse = async (): Promise<never> => {
      throw new OrderError("ORDER_REJECTED", { text });
    };
    const world = await openNativeWorld({}, () => ({ place: refuse }));
    await placeNative(world, { newClientOrderId: "refused" });
    expect((await read(world, "/api/v2/order", { clOrdId: "refused" })).body.errorMessage).toBe(text);
  });

  it("contract, Errors: faults of the request, the call, the rate or the service are not retained", async () => {
    const world = await openNativeWorld({ limits: { ordersPer10s: 1 } });
    const named = { newClientOrderId: "never" };
    expect(code(await placeNative(world, { ...named, quantity: "1e3" }))).toBe(-1100);
    expect(code(await placeNative(world, { ...named, account: 2 }))).toBe(-1002);
    expect(code(await placeNative(world, named, { key: KEYS.reader }))).toBe(-2015);
    expect((await placeNative(world)).status).toBe(200);
    expect(code(await placeNative(world, named))).toBe(-1015);
    expect(code(await read(world, "/api/v2/order", { clOrdId: "never" }))).toBe(-2013);
    const failing = await openNativeWorld({}, () => ({ place: () => Promise.reject(new Error("lost")) }));
    expect(code(await placeNative(failing, named))).toBe(-1006);
    failing.engine.drain();
    expect(code(await placeNative(failing, named))).toBe(-1016);
    expect(code(await read(failing, "/api/v2/order", { clOrdId: "never" }))).toBe(-2013);
  });

  it("lists are not retained", async () => {
    const world = await openNativeWorld();
    const legs = { aboveClientOrderId: "above", belowClientOrderId: "below" };
    expect(code(await placeList(world, "oco", { ...legs, quantity: "0.0001" }))).toBe(-1013);
    for (const clOrdId of ["above", "below"]) {
      expect(code(await read(world, "/api/v2/order", { clOrdId }))).toBe(-2013);
    }
  });

  it("never hide an order with that client id, managed or native, whichever came first", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { ...POOR, newClientOrderId: "native" });
    await placeNative(world, { newClientOrderId: "native" });
    await placeNative(world, { ...POOR, newClientOrderId: "native" });
    expect((await read(world, "/api/v2/order", { clOrdId: "native" })).body.orderId).toBe(FIRST);
    const { orderId } = (await place(world, { newClientOrderId: "managed" })).body;
    expect(code(await place(world, { newClientOrderId: "managed", price: "7001" }))).toBe(-2010);
    expect((await read(world, "/api/v2/order", { clOrdId: "managed" })).body.orderId).toBe(orderId);
    await placeNative(world, { ...POOR, newClientOrderId: "twice" });
    await placeNative(world, { quantity: "88888", newClientOrderId: "twice" });
    expect((await read(world, "/api/v2/order", { clOrdId: "twice" })).body.origQty).toBe("88888");
  });

  it("I07: belong to their account and their market only", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { ...POOR, newClientOrderId: "theirs" }, { key: KEYS.stranger });
    await placeNative(world, { ...POOR, newClientOrderId: "mine", symbol: "ETH/USD" });
    for (const clOrdId of ["theirs", "mine"]) {
      expect(code(await read(world, "/api/v2/order", { clOrdId }))).toBe(-2013);
    }
  });

  it("contract, Limits: the newest 16 of an account are retained", async () => {
    const world = await openNativeWorld();
    for (let index = 1; index <= 17; index++) {
      await placeNative(world, { ...POOR, newClientOrderId: `r-${index}` });
    }
    expect(code(await read(world, "/api/v2/order", { clOrdId: "r-1" }))).toBe(-2013);
    expect((await read(world, "/api/v2/order", { clOrdId: "r-2" })).body.status).toBe("REJECTED");
    expect((await read(world, "/api/v2/order", { clOrdId: "r-17" })).body.status).toBe("REJECTED");
  });

  it("contract: allOrders finds them by client id, outside a scan by id, and before the orders", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { ...POOR, newClientOrderId: "mine" });
    await placeNative(world, { newClientOrderId: "mine" });
    const shown = async (query: object): Promise<unknown> =>
      rows(await read(world, "/api/v2/allOrders", { ...query })).map(({ orderId, status }) => [
        orderId,
        status,
      ]);
    expect(await shown({ clOrdId: "mine" })).toEqual([
      [undefined, "REJECTED"],
      [FIRST, "NEW"],
    ]);
    expect(await shown({})).toEqual([[FIRST, "NEW"]]);
    expect(await shown({ clOrdId: "mine", orderId: 1 })).toEqual([[FIRST, "NEW"]]);
    expect(await shown({ clOrdId: "mine", limit: 1 })).toEqual([[FIRST, "NEW"]]);
    expect(await shown({ clOrdId: "mine", startTime: START_MS + 1 })).toEqual([]);
    await placeNative(world, { ...POOR, newClientOrderId: "other" });
    expect(await shown({ clOrdId: "other", limit: 1 })).toEqual([[undefined, "REJECTED"]]);
  });

  it("are in the execution history at their time, without an order id", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "first" });
    await world.clock.advanceBy(1);
    await placeNative(world, { ...POOR, newClientOrderId: "poor" });
    await world.clock.advanceBy(1);
    await placeNative(world, { newClientOrderId: "last" });
    const reported = async (json: object): Promise<readonly Readonly<Record<string, unknown>>[]> =>
      (await ask(world, "/api/v2/getOrderHistory", { ...json })).body.orders as never;
    const all = await reported({});
    expect(all.map(({ clientOrderId }) => clientOrderId)).toEqual(["first", "poor", "last"]);
    expect(all[1]).toEqual({
      symbol: "BTC/USD",
      clientOrderId: "poor",
      clOrdId: "poor",
      executionId: expect.stringMatching(/^[0-9]{22}$/),
      execType: "REJECTED",
      status: "REJECTED",
      side: "BUY",
      type: "LIMIT",
      price: "6000",
      origQty: "99999",
      lastQty: "0",
      lastPrice: "0",
      executedQty: "0",
      rejectReason: "INSUFFICIENT_BALANCES",
      reason: null,
      errorMessage: "Account has insufficient balance for requested action.",
      time: START_MS + 1,
    });
    expect((await reported({ limit: 2 })).map(({ clientOrderId }) => clientOrderId)).toEqual([
      "poor",
      "last",
    ]);
    expect((await reported({ clOrdId: "poor" })).length).toBe(1);
    expect(await reported({ clOrdId: "poor", orderId: FIRST })).toEqual([]);
    expect(await reported({ symbol: "ETH/USD" })).toEqual([]);
  });

  it("I71: an unreadable record is 503 -1001, never 'not found'; an order is found nevertheless", async () => {
    const list = (): never => {
      throw new Error("down");
    };
    const rejections: Rejections = { retain: list, list, counts: { retained: 0, lost: 0 } };
    const world = await openNativeWorld({ service: { rejections } });
    await placeNative(world, { newClientOrderId: "mine" });
    expect((await read(world, "/api/v2/order", { clOrdId: "mine" })).status).toBe(200);
    for (const answer of [
      await read(world, "/api/v2/order", { clOrdId: "nothing" }),
      await read(world, "/api/v2/allOrders", { clOrdId: "mine", limit: 5 }),
      await ask(world, "/api/v2/getOrderHistory"),
    ]) {
      expect([answer.status, code(answer)]).toEqual([503, -1001]);
    }
    expect((await read(world, "/api/v2/allOrders")).status).toBe(200);
  });

  it("a rejection that cannot be retained is reported to the operator, and the order is still refused", async () => {
    const retain = (): never => {
      throw new TypeError("secret text");
    };
    const rejections: Rejections = { retain, list: () => [], counts: { retained: 0, lost: 0 } };
    const world = await openNativeWorld({ service: { rejections } });
    expect(code(await placeNative(world, POOR))).toBe(-2010);
    const reported = world.reported.filter((event) => event.includes("rejections.retain"));
    expect(reported).toHaveLength(1);
    expect(reported[0]).toContain("TypeError");
    expect(reported[0]).not.toContain("secret");
  });
});
