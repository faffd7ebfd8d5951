import { describe, expect, it } from "vitest";
import { OrderError } from "../../../src/errors/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import {
  call,
  KEYS,
  openWorld,
  place,
  placeList,
  SECRETS,
  type ServiceWorld,
} from "../../support/service-world.ts";

const key = KEYS.owner;

const broken = (): never => {
  throw new Error(`cannot read ${KEYS.owner.secret}`);
};

function expectNothingLeaked(world: ServiceWorld, bodies: readonly unknown[]): void {
  const texts = [...bodies.map((body) => JSON.stringify(body)), ...world.reported].join("\n");
  for (const secret of [...SECRETS, KEYS.owner.apiKey]) expect(texts).not.toContain(secret);
}

describe("failures", () => {
  it("accounts that cannot be read are 503 -1001: nothing was done", async () => {
    const accounts = { key: broken, account: broken };
    const world = await openWorld({ service: { accounts } });
    const placed = await place(world);
    expect([placed.status, placed.body.code]).toEqual([503, -1001]);
    expect(world.engine.metrics().records).toBe(0);
    expectNothingLeaked(world, [placed.body]);
  });

  it("an unexpected failure is 500: -1000 for a read, -1006 (reconcile) for a write; reported without its message", async () => {
    const world = await openWorld();
    Object.assign(world.engine, { find: broken, place: broken });
    const query = { symbol: "BTC/USD", origClientOrderId: "a", timestamp: world.clock.nowMs() };
    const read = await call(world, "GET", "/api/v2/order", { key, query });
    const write = await place(world);
    expect([read.status, read.body.code, write.status, write.body.code]).toEqual([500, -1000, 500, -1006]);
    expect(world.reported.at(-1)).toContain("request.failed");
    expect(world.reported.at(-1)).toContain("failures.test.ts");
    expectNothingLeaked(world, [read.body, write.body]);
    for (const { body } of [read, write]) expect(JSON.stringify(body)).not.toMatch(/\bat |\.ts/);
  });

  it.each(["orderStatus", "getOrderStatus"])("a read by POST fails as a read: %s", async (path) => {
    const world = await openWorld();
    Object.assign(world.engine, { find: broken });
    const json = { symbol: "BTC/USD", origClientOrderId: "a" };
    const { status, body } = await call(world, "POST", `/api/v2/${path}`, { key, json });
    expect([status, body.code]).toEqual([500, -1000]);
  });

  it("lists fail in the same form: -1000 for a read, -1006 (reconcile) for a placement and a cancel", async () => {
    const world = await openWorld();
    const { body } = await placeList(world, "oco");
    const query = { orderListId: body.orderListId as number };
    Object.assign(world.engine, { placeList: broken, cancelList: broken });
    const placed = await placeList(world, "oco");
    const canceled = await call(world, "DELETE", "/api/v3/orderList", {
      key,
      query: { ...query, nonce: "a" },
    });
    Object.assign(world.engine, { findList: broken });
    const read = await call(world, "GET", "/api/v3/orderList", { key, query: { ...query, nonce: "b" } });
    expect([placed, canceled, read].map(({ status, body: { code } }) => [status, code])).toEqual([
      [500, -1006],
      [500, -1006],
      [500, -1000],
    ]);
    expectNothingLeaked(world, [placed.body, canceled.body, read.body]);
  });

  it("a canceled leg whose list cannot be read then is -1006: -1001 would say that nothing was canceled", async () => {
    const world = await openWorld();
    const { body } = await placeList(world, "oco");
    const [leg] = body.orderReports as readonly JsonObject[];
    const away = (): Promise<never> => Promise.reject(new OrderError("DISCONNECTED"));
    Object.assign(world.engine, { findList: away });
    const query = { symbol: "BTC/USD", orderId: leg?.orderId as number, nonce: "c" };
    const canceled = await call(world, "DELETE", "/api/v2/order", { key, query });
    expect([canceled.status, canceled.body.code]).toEqual([500, -1006]);
  });

  it("what was placed or canceled and cannot be shown, because the catalogue fails then, is -1006", async () => {
    const world = await openWorld();
    const find = world.instruments.find.bind(world.instruments);
    let recordsBefore = 0;
    const failing: typeof find = (symbol) =>
      world.engine.metrics().records > recordsBefore ? broken() : find(symbol);
    Object.assign(world.instruments, { find: failing });
    const answers: unknown[] = [];
    for (const act of [
      () => place(world, { newClientOrderId: "a" }),
      () => placeList(world, "oco", { listClientOrderId: "l" }),
      () =>
        call(world, "DELETE", "/api/v2/order", {
          key,
          query: { symbol: "BTC/USD", origClientOrderId: "a", nonce: "1" },
        }),
      () =>
        call(world, "DELETE", "/api/v3/orderList", { key, query: { listClientOrderId: "l", nonce: "2" } }),
    ]) {
      recordsBefore = world.engine.metrics().records;
      const { status, body } = await act();
      answers.push([status, body.code]);
    }
    expect(answers).toEqual(Array(4).fill([500, -1006]));
  });

  it("every reply has a request id in a header only, the one in telemetry", async () => {
    const world = await openWorld();
    const refused = await call(world, "GET", "/api/ticker");
    const requestId = refused.headers["X-Request-Id"] ?? "";
    expect(requestId).toHaveLength(22);
    expect(JSON.stringify(refused.body)).not.toContain(requestId);
    expect(world.reported.at(-1)).toContain(requestId);
    expect(refused.headers["Content-Type"]).toBe("application/json; charset=utf-8");
  });
});

describe("businessErrorsAs200", () => {
  it("business errors of signed routes come with 200, all others keep their status", async () => {
    const world = await openWorld({ service: { settings: { businessErrorsAs200: true } } });
    const timestamp = world.clock.nowMs();
    const unknown = await call(world, "GET", "/api/order", {
      key,
      query: { symbol: "BTC/USD", orderId: -256, timestamp },
    });
    expect([unknown.status, unknown.body.code]).toEqual([200, -2013]);
    const small = await place(world, { quantity: "0.0001" });
    expect([small.status, small.body.code]).toEqual([200, -1013]);
    const crossed = await placeList(world, "oco", { abovePrice: "6000" });
    expect([crossed.status, crossed.body.code]).toEqual([200, -2010]);
    const noList = await call(world, "DELETE", "/api/v3/orderList", {
      key,
      query: { orderListId: -256, nonce: world.nonce() },
    });
    expect([noList.status, noList.body.code]).toEqual([200, -2011]);
    const vwap = { symbol: "BTC/USD", side: "BUY", type: "VWAP", quantity: "1", intervalCount: 2 };
    const untraded = await place(world, vwap);
    expect([untraded.status, untraded.body.code]).toEqual([200, -2016]);
    const malformed = await place(world, { quantity: "1e3" });
    expect([malformed.status, malformed.body.code]).toEqual([400, -1100]);
    expect((await place(world, {}, { key: KEYS.nobody })).status).toBe(401);
    expect((await call(world, "GET", "/api/ticker", { query: { symbol: "BTC/USD" } })).status).toBe(400);
  });

  it("refusals of post-only and iceberg orders are business errors too", async () => {
    const world = await openWorld({
      engine: { maxIcebergParts: 10 },
      service: { settings: { businessErrorsAs200: true } },
    });
    world.feed.quote({ symbol: "BTC/USD", bid: "6999", ask: "7000" });
    const refused = async (fields: Record<string, string>): Promise<unknown> => {
      const { status, body } = await place(world, { quantity: "1", ...fields });
      return [status, body.code, body.msg];
    };
    const posting = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", price: "7000", timeInForce: "GTX" };
    expect(await refused(posting)).toEqual([200, -2010, "Order would immediately match and take."]);
    expect(await refused({ icebergQty: "0.099" })).toEqual([200, -1013, "Filter failure: ICEBERG_PARTS"]);
    expect(await refused({ icebergQty: "1.000001" })).toEqual([200, -1013, "IcebergQty exceeds QTY."]);
    expect((await place(world, { quantity: "1", icebergQty: "0.1", price: "6000" })).status).toBe(200);
  });
});
