import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import type { Rejection } from "../../../src/model/index.ts";
import { METHODS, ROUTES } from "../../../src/requests/index.ts";
import { ENTRANCES, openAccountWorld } from "../../support/entrances.ts";
import { createFaultyStore } from "../../support/faulty-store.ts";
import { ask, openNativeWorld, read } from "../../support/native-world.ts";
import {
  call,
  FAR_LIMIT,
  KEYS,
  LISTS,
  openWorld,
  place,
  requestOf,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";
import { refusalOf, TestClient } from "../../support/socket-world.ts";

const key = KEYS.owner;

describe("contract, Errors: an advanced route that is not available is 404 or 503", () => {
  const LIST_FIELDS = new Map(Object.values(LISTS).map(({ path, fields }) => [path, fields]));
  let lists = 0;
  const named = (path: string): typeof FAR_LIMIT => {
    if (path.endsWith("cancelReplace")) {
      const cancel = { cancelReplaceMode: "ALLOW_FAILURE", cancelOrigClientOrderId: "none" };
      return { ...FAR_LIMIT, ...cancel, newClientOrderId: `o-${++lists}` } as typeof FAR_LIMIT;
    }
    const fields = LIST_FIELDS.get(path);
    return fields === undefined ? FAR_LIMIT : { ...fields, listClientOrderId: `l-${++lists}` };
  };

  /** The answers of each route and method that places advanced orders. */
  async function answers(world: ServiceWorld): Promise<readonly unknown[]> {
    const received: unknown[] = [];
    for (const { method, path } of ROUTES.filter(({ advanced }) => advanced)) {
      const json = named(path);
      const { status, body } = await call(world, method, path, {
        key,
        json,
        query: { nonce: world.nonce() },
      });
      received.push([status, body.code]);
    }
    const client = new TestClient(world);
    for (const method of METHODS)
      if ("route" in method && method.route.advanced)
        received.push(refusalOf(await client.ask(method.name, named(method.route.path))));
    return received;
  }

  it.each([
    ["the deployment flag is off", { advancedOrders: false }, [404, -1020]],
    ["the deployment is not in liquidity mode", { liquidityMode: false }, [404, -1020]],
    ["the service is draining", {}, [503, -1016]],
  ] as const)("when %s", async (_when, engine, expected) => {
    const world = await openWorld({ engine });
    if (expected[0] === 503) world.engine.drain();
    const received = await answers(world);
    expect(received).toEqual(Array.from({ length: 8 + 7 }, () => expected));
    expect(world.engine.metrics().records).toBe(0);
  });

  it("available, each of them is served", async () => {
    const world = await openWorld();
    const received = await answers(world);
    expect(received.length).toBe(8 + 7);
    // The order to cancel is unknown, and the new one is placed: a half of the replacement.
    for (const [status, code] of received as readonly (readonly unknown[])[])
      expect(code === -2021 ? 200 : status).toBe(200);
  });
});

describe("contract, Errors: an empty 200 is not a result", () => {
  const rest = ENTRANCES.filter(({ name }) => !name.startsWith("WebSocket"));

  it.each(rest)("$name answers 200 with JSON that has content", async (entrance) => {
    const { status, text } = await entrance.ask(await openAccountWorld(), { key: KEYS.stranger });
    const [, , body] = JSON.parse(text) as readonly [number, unknown, string];
    expect([status, body.length > 2 || body === "[]"]).toEqual([200, true]);
    expect(typeof JSON.parse(body)).toBe("object");
  });

  it("public routes too, without a market and with one", async () => {
    const world = await openWorld();
    for (const fed of [false, true]) {
      if (fed) world.feed.quote({ symbol: "BTC/USD", bid: "6999", ask: "7001" });
      for (const { method, path } of ROUTES.filter(({ access }) => access === "PUBLIC")) {
        const { body } = await world.service.handle(
          requestOf(method, path, { query: { symbol: "BTC/USD" } }),
        );
        expect(typeof JSON.parse(body)).toBe("object");
      }
    }
  });

  it("while the store and the native orders fail, nothing that depends on them is answered with 200", async () => {
    const store = createFaultyStore(createMemoryStore());
    const failing = (): never => {
      throw new Error("no connection");
    };
    const balances = { balances: failing };
    const world = await openNativeWorld({ store, service: { replayGuard: false, balances } }, () => ({
      find: failing,
      executions: failing,
      page: failing,
    }));
    store.inject("fail-reads");
    const standing = { orderId: -256, nativeId: 5, orderListId: -512 };
    const served: string[] = [];
    for (const { name, ask: requested } of ENTRANCES.filter((entrance) => entrance.access === "READ")) {
      const { status, code } = await requested({ ...world, balances, standing }, { key: KEYS.reader });
      if (status === 200) served.push(name);
      else expect([name, status, code]).toEqual([name, 503, -1001]);
    }
    // Open orders are in memory; a subscription reports future events.
    for (const name of served) expect(name).toMatch(/openOrder|subscri/i);
  });
});

describe("contract, Errors: an outcome that is uncertain is reconciled by id", () => {
  it("the store does not answer for an order: 500 -1006, then the id finds it, and a repeated request places no second", async () => {
    const store = createFaultyStore(createMemoryStore());
    const world = await openWorld({ store });
    store.inject("slow", 1);
    const placing = place(world, { newClientOrderId: "mine" });
    while (store.waiting === 0) await Promise.resolve();
    await world.clock.advanceBy(2 * world.engine.settings.hostTimeoutMs);
    const lost = await placing;
    expect([lost.status, lost.body.code, lost.body.msg]).toEqual([
      500,
      -1006,
      expect.stringContaining("unknown"),
    ]);
    store.release();
    await world.engine.idle();
    const query = { symbol: "BTC/USD", origClientOrderId: "mine", timestamp: world.clock.nowMs() };
    const found = await call(world, "GET", "/api/v2/order", { key, query });
    expect(found.body).toMatchObject({ clientOrderId: "mine", status: "NEW" });
    const again = await place(world, { newClientOrderId: "mine" });
    expect([again.status, again.body.orderId]).toEqual([200, found.body.orderId]);
    expect(world.engine.metrics().openParents).toBe(1);
  });
});

it("contract, Errors: a retained rejection may lack order id, side, price and quantity", async () => {
  const rejection: Rejection = {
    ...{
      rejectionId: "r".repeat(22),
      accountId: 1,
      symbol: "BTC/USD",
      clientOrderId: "bare",
      timeMs: START_MS,
    },
    ...{ code: -2010, rejectReason: "OTHER", errorMessage: "no" },
  };
  const rejections = { retain: () => undefined, list: () => [rejection], counts: { retained: 1, lost: 0 } };
  const world = await openNativeWorld({ service: { rejections } });
  const bare = {
    ...{ symbol: "BTC/USD", orderListId: -1, clientOrderId: "bare", clOrdId: "bare", status: "REJECTED" },
    ...{ rejectReason: "OTHER", reason: null, errorMessage: "no", updateTime: START_MS, isWorking: false },
    ...{ accountId: 1, isPaperTrade: true },
  };
  expect((await read(world, "/api/v2/order", { clOrdId: "bare" })).body).toEqual({
    ...bare,
    executedQty: "0",
  });
  const scaled = await ask(world, "/api/v2/orderStatus", { symbol: "BTC/USD", clOrdId: "bare" });
  expect(scaled.body).toEqual({ ...bare, executedQty: 0, priceScale: 8, quantityScale: 6 });
});
