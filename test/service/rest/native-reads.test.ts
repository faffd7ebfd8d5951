import { describe, expect, it } from "vitest";
import { price } from "../../../src/decimal/index.ts";
import type { NativeOrder } from "../../../src/model/index.ts";
import type { NativeOrders } from "../../../src/ports/index.ts";
import {
  ask,
  cancel,
  openNativeWorld,
  placeNative,
  read,
  reportedExecution,
  reportedOrder,
} from "../../support/native-world.ts";
import { KEYS, place, type Reply, requestOf, START_MS } from "../../support/service-world.ts";

const key = KEYS.owner;
const FIRST = 9_007_199_254_740_993n;

const code = ({ body }: Reply): unknown => body.code;
const rows = ({ body }: Reply): readonly Readonly<Record<string, unknown>>[] =>
  body as unknown as readonly Readonly<Record<string, unknown>>[];
const idsOf = (reply: Reply): readonly unknown[] => rows(reply).map(({ orderId }) => orderId);

/** A port that has one order in current or archived orders, and others only in its execution reports. */
const holding =
  (found: readonly NativeOrder[], reported: readonly NativeOrder[] = []) =>
  (): Partial<NativeOrders> => ({
    find: (requested) =>
      found.find((order) =>
        "orderId" in requested
          ? order.orderId === requested.orderId
          : order.clientOrderId === requested.clientOrderId,
      ),
    executions: (query) =>
      reported
        .filter(({ orderId }) => query.orderId === undefined || orderId === query.orderId)
        .filter(
          ({ clientOrderId }) => query.clientOrderId === undefined || clientOrderId === query.clientOrderId,
        )
        .slice(-query.limit)
        .map((order) => reportedExecution(order)),
  });

const failing = (): never => {
  throw new Error("the database is down");
};

describe("GET /api/v2/order for native orders", () => {
  it.each(["/api/v2/order", "/api/v2/getOrderStatus", "/api/v2/orderStatus", "/api/order"])(
    "contract: %s answers with the snapshot",
    async (path) => {
      const world = await openNativeWorld();
      await placeNative(world, { newClientOrderId: "mine" });
      const snapshot = {
        symbol: "BTC/USD",
        orderId: FIRST,
        orderListId: -1,
        clientOrderId: "mine",
        clOrdId: "mine",
        status: "NEW",
        type: "LIMIT",
        side: "BUY",
        timeInForce: "GTC",
        price: "6000",
        origQty: "0.5",
        executedQty: "0",
        stopPrice: "0",
        rejectReason: null,
        reason: null,
        errorMessage: null,
        updateTime: START_MS,
        isWorking: true,
        accountId: 1,
        isPaperTrade: true,
      };
      for (const query of [{ orderId: FIRST }, { clOrdId: "mine" }, { orderId: FIRST, clordid: "mine" }]) {
        const { status, body } = await read(world, path, query);
        expect([status, body]).toEqual([200, snapshot]);
      }
    },
  );

  it("complaint 39: a 64-bit id, the widest price and every member of a host's order are exact in the reply", async () => {
    const order = reportedOrder({
      orderListId: 8_389_765_489_680_951_454n,
      stopPrice: price("0.00000001"),
      status: "CANCELED",
      type: "STOP_LOSS_LIMIT",
      reason: "EXCHANGE_CANCELED",
    });
    const world = await openNativeWorld({}, holding([order]));
    const query = { symbol: "BTC/USD", orderId: order.orderId, timestamp: world.clock.nowMs() };
    const { body } = await world.service.handle(requestOf("GET", "/api/v2/order", { key, query }));
    expect(body).toContain('"orderId":8389765489680951453,"orderListId":8389765489680951454,');
    expect(body).toContain('"price":"7000.12345678","origQty":"0.000001","executedQty":"0.000001",');
    expect(body).toContain('"stopPrice":"0.00000001","rejectReason":null,"reason":"EXCHANGE_CANCELED"');
    expect(body).toContain('"type":"STOP_LOSS_LIMIT"');
  });

  it.each([true, false])("contract: isPaperTrade comes from the host: %s", async (isPaperTrade) => {
    const world = await openNativeWorld({}, () => ({ isPaperTrade }));
    await placeNative(world, {});
    expect((await read(world, "/api/v2/order", { orderId: FIRST })).body.isPaperTrade).toBe(isPaperTrade);
  });

  it("contract: the JSON escaping of errorMessage is kept", async () => {
    const errorMessage = 'price "7000" \\ not\tallowed\n</script> \u0001 \u2028';
    const order = reportedOrder({
      status: "REJECTED",
      rejectReason: "OTHER",
      reason: "EXCHANGE_CANCELED",
      errorMessage,
      isWorking: false,
    });
    const world = await openNativeWorld({}, holding([order]));
    const { body } = await read(world, "/api/v2/order", { orderId: order.orderId });
    const recorded = { errorMessage, rejectReason: "OTHER", reason: "EXCHANGE_CANCELED", isWorking: false };
    expect(body).toMatchObject(recorded);
  });

  it("contract: execution reports are read only on a miss, and the newest of them counts", async () => {
    const [stored, gone] = [reportedOrder(), reportedOrder({ orderId: 77n, clientOrderId: "archived" })];
    const older = { ...gone, status: "NEW" } as const;
    const world = await openNativeWorld({}, holding([stored], [older, gone]));
    for (const query of [{ orderId: 77n }, { origClientOrderId: "archived" }]) {
      expect((await read(world, "/api/v2/order", query)).body).toMatchObject({
        orderId: 77,
        status: "FILLED",
      });
    }
    const hit = await openNativeWorld({}, () => ({ ...holding([stored])(), executions: failing }));
    expect((await read(hit, "/api/v2/order", { orderId: stored.orderId })).status).toBe(200);
    const missed = await read(hit, "/api/v2/order", { orderId: 77n });
    expect([missed.status, code(missed)]).toEqual([503, -1001]);
  });

  it("managed parents come before native orders, these before reports; a negative id belongs to a parent", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "mine" });
    expect((await read(world, "/api/v2/order", { clOrdId: "mine" })).body.orderId).toBe(FIRST);
    const parent = (await place(world, { newClientOrderId: "mine" })).body.orderId as number;
    expect((await read(world, "/api/v2/order", { clOrdId: "mine" })).body).toMatchObject({
      orderId: parent,
      apiManaged: true,
    });
    expect((await read(world, "/api/v2/order", { orderId: FIRST, clOrdId: "mine" })).body.orderId).toBe(
      FIRST,
    );
    expect((await read(world, "/api/v2/order", { orderId: parent, clOrdId: "mine" })).body.orderId).toBe(
      parent,
    );
  });

  it("a managed parent of another market does not hide a native order", async () => {
    const world = await openNativeWorld();
    await place(world, { symbol: "ETH/USD", newClientOrderId: "mine" });
    await placeNative(world, { newClientOrderId: "mine" });
    expect((await read(world, "/api/v2/order", { clOrdId: "mine" })).body.orderId).toBe(FIRST);
  });

  it("I07: unknown, foreign and other-market orders all get -2013 in one form", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "theirs" }, { key: KEYS.stranger });
    await placeNative(world, { newClientOrderId: "mine" });
    const answers = [
      await read(world, "/api/v2/order", { orderId: 2n ** 63n - 1n }),
      await read(world, "/api/v2/order", { orderId: 0 }),
      await read(world, "/api/v2/order", { orderId: FIRST }),
      await read(world, "/api/v2/order", { clOrdId: "theirs" }),
      await read(world, "/api/v2/order", { symbol: "ETH/USD", orderId: FIRST + 10n }),
      await read(world, "/api/v2/order", { symbol: "ETH/USD", clOrdId: "mine" }),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([400, answers[0]?.body]);
    expect(answers[0]?.body.code).toBe(-2013);
  });
});

describe("GET /api/v2/allOrders", () => {
  it.each(["/api/v2/allOrders", "/api/v2/getOrderHistory"])(
    "contract: %s, ids rising, every status",
    async (path) => {
      const world = await openNativeWorld();
      await placeNative(world, { newClientOrderId: "one" });
      await placeNative(world, { price: "8000" });
      await place(world);
      await cancel(world, { orderId: FIRST });
      const page = await read(world, path);
      expect(page.status).toBe(200);
      expect(rows(page).map(({ orderId, status }) => [orderId, status])).toEqual([
        [FIRST, "CANCELED"],
        [FIRST + 10n, "FILLED"],
      ]);
      const single = await read(world, "/api/v2/order", { orderId: FIRST });
      expect(rows(page)[0]).toEqual(single.body);
      expect(rows(await read(world, path, { symbol: "ETH/USD" }))).toEqual([]);
    },
  );

  it("contract: a forward scan from 1 returns every order once", async () => {
    const world = await openNativeWorld();
    for (let count = 0; count < 5; count++) await placeNative(world);
    const seen: unknown[] = [];
    let next = 1n;
    for (;;) {
      const ids = idsOf(await read(world, "/api/v2/allOrders", { orderId: next, limit: 2 }));
      if (ids.length === 0) break;
      seen.push(...ids);
      next = (ids.at(-1) as bigint) + 1n;
    }
    expect(seen).toEqual([0n, 10n, 20n, 30n, 40n].map((offset) => FIRST + offset));
    expect(idsOf(await read(world, "/api/v2/allOrders", { limit: 2 }))).toEqual([FIRST + 30n, FIRST + 40n]);
  });

  it("a client that reads ids as doubles gets -2013 for them, and its forward scan skips no order", async () => {
    const world = await openNativeWorld();
    for (let count = 0; count < 40; count++) await placeNative(world, { quantity: "0.01" });
    const all = idsOf(await read(world, "/api/v2/allOrders"));
    for (const orderId of all) {
      const rounded = String(Number(orderId));
      expect([rounded, code(await read(world, "/api/v2/order", { orderId: rounded }))]).toEqual([
        rounded,
        -2013,
      ]);
    }
    const seen = new Set<unknown>();
    for (let next = 1; Number.isFinite(next); ) {
      const ids = idsOf(await read(world, "/api/v2/allOrders", { orderId: String(next), limit: 3 }));
      for (const id of ids) seen.add(id);
      next = Number(ids.at(-1) ?? Number.NaN) + 1;
    }
    expect([...seen]).toEqual(all);
  });

  it("contract: times and client ids filter it; 1000 is the maximum", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "early" });
    await world.clock.advanceBy(1_000);
    await placeNative(world, { newClientOrderId: "late" });
    const ids = async (query: object): Promise<unknown> =>
      idsOf(await read(world, "/api/v2/allOrders", { ...query }));
    expect(await ids({ startTime: START_MS + 1 })).toEqual([FIRST + 10n]);
    expect(await ids({ endTime: START_MS })).toEqual([FIRST]);
    expect(await ids({ startTime: START_MS, endTime: START_MS + 1_000 })).toEqual([FIRST, FIRST + 10n]);
    expect(await ids({ clOrdId: "late" })).toEqual([FIRST + 10n]);
    expect(code(await read(world, "/api/v2/allOrders", { limit: 1_001 }))).toBe(-1102);
  });

  it("convention 3.2: weighs 20, a single order 4", async () => {
    const world = await openNativeWorld();
    const used = ({ headers }: Reply): unknown => headers["X-MBX-USED-WEIGHT-1M"];
    expect(used(await read(world, "/api/v2/allOrders"))).toBe("20");
    expect(used(await read(world, "/api/v2/order", { orderId: 1 }))).toBe("24");
  });
});

describe("POST /api/v2/orderStatus", () => {
  it.each(["/api/v2/orderStatus", "/api/v2/getOrderStatus"])(
    "%s has prices and quantities as exact whole numbers with their scales",
    async (path) => {
      const world = await openNativeWorld();
      await placeNative(world, { newClientOrderId: "mine", price: "6000.12345678", quantity: "0.500001" });
      const { body } = await ask(world, path, { symbol: "BTC/USD", clOrdId: "mine" });
      expect(body).toMatchObject({
        orderId: FIRST,
        clientOrderId: "mine",
        status: "NEW",
        price: 600_012_345_678,
        stopPrice: 0,
        priceScale: 8,
        origQty: 500_001,
        executedQty: 0,
        quantityScale: 6,
        rejectReason: null,
        reason: null,
        errorMessage: null,
      });
    },
  );

  it("complaint 39: whole numbers beyond 2^53 are exact", async () => {
    const order = reportedOrder({ price: price("9999999999.99999999") });
    const world = await openNativeWorld({}, holding([order]));
    const json = { symbol: "BTC/USD", orderId: order.orderId };
    const request = requestOf("POST", "/api/v2/orderStatus", { key, json, query: { nonce: "1" } });
    const { body } = await world.service.handle(request);
    expect(body).toContain('"price":999999999999999999,');
    expect(body).toContain('"orderId":8389765489680951453,');
  });

  it("finds managed parents too, with whole numbers; the same conflicts as the GET", async () => {
    const world = await openNativeWorld();
    const { orderId } = (await place(world, { newClientOrderId: "mine", price: "7000.5" })).body;
    const found = await ask(world, "/api/v2/orderStatus", { symbol: "BTC/USD", orderId: orderId as number });
    expect(found.body).toMatchObject({
      orderId,
      apiManaged: true,
      price: 700_050_000_000,
      origQty: 10_000,
      priceScale: 8,
    });
    expect(found.body).not.toHaveProperty("stopPrice");
    const both = { symbol: "BTC/USD", clOrdId: "mine", clordid: "other" };
    expect(code(await ask(world, "/api/v2/orderStatus", both))).toBe(-1128);
    expect(code(await ask(world, "/api/v2/orderStatus", { symbol: "BTCUSD", clOrdId: "mine" }))).toBe(-1121);
    expect(code(await ask(world, "/api/v2/orderStatus", { symbol: "BTC/USD", clOrdId: "nothing" }))).toBe(
      -2013,
    );
  });
});

describe("POST /api/v2/getOrderHistory", () => {
  it("executions with decimal strings, oldest first, without managed parents", async () => {
    const world = await openNativeWorld();
    await place(world);
    await placeNative(world, { newClientOrderId: "mine", price: "8000" });
    const { status, body } = await ask(world, "/api/v2/getOrderHistory");
    expect([status, Object.keys(body)]).toEqual([200, ["orders"]]);
    const [arrived, traded, ...more] = body.orders as readonly object[];
    expect(more).toEqual([]);
    expect(arrived).toMatchObject({ execType: "NEW", status: "NEW", lastQty: "0", lastPrice: "0" });
    expect(traded).toEqual({
      symbol: "BTC/USD",
      orderId: FIRST,
      clientOrderId: "mine",
      clOrdId: "mine",
      executionId: "1",
      tradeId: 1,
      execType: "TRADE",
      status: "FILLED",
      side: "BUY",
      type: "LIMIT",
      price: "8000",
      origQty: "0.5",
      lastQty: "0.5",
      lastPrice: "7001",
      executedQty: "0.5",
      rejectReason: null,
      reason: null,
      errorMessage: null,
      time: START_MS,
    });
  });

  it("convention 1, gap 13: narrowed by order, client id, market and time; the newest `limit`", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "one" });
    await world.clock.advanceBy(1_000);
    await placeNative(world, { newClientOrderId: "two", symbol: "ETH/USD", price: "8000" });
    const reported = async (json: object): Promise<unknown> => {
      const { body } = await ask(world, "/api/v2/getOrderHistory", { ...json });
      return (body.orders as readonly { clientOrderId: string; execType: string }[]).map(
        ({ clientOrderId, execType }) => `${clientOrderId} ${execType}`,
      );
    };
    expect(await reported({})).toEqual(["one NEW", "two NEW", "two TRADE"]);
    expect(await reported({ limit: 2 })).toEqual(["two NEW", "two TRADE"]);
    expect(await reported({ orderId: FIRST })).toEqual(["one NEW"]);
    expect(await reported({ orderId: -256 })).toEqual([]);
    expect(await reported({ clordid: "two" })).toEqual(["two NEW", "two TRADE"]);
    expect(await reported({ symbol: "BTC/USD" })).toEqual(["one NEW"]);
    expect(await reported({ endTime: START_MS })).toEqual(["one NEW"]);
  });
});
