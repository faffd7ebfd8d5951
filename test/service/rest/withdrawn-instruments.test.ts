import { describe, expect, it } from "vitest";
import type { RequestParameters } from "../../../src/signing/index.ts";
import type { WireRequest } from "../../../src/wire/index.ts";
import { ask, openNativeWorld, placeNative, RESTING } from "../../support/native-world.ts";
import {
  call,
  FAR_LIMIT,
  KEYS,
  LISTS,
  openWorld,
  place,
  placeList,
  type Reply,
  requestOf,
  type ServiceWorld,
  withdraw,
} from "../../support/service-world.ts";

const key = KEYS.owner;

const status = (world: ServiceWorld, query: RequestParameters, path = "/api/v2/order"): Promise<Reply> =>
  call(world, "GET", path, { key, query: { ...query, timestamp: world.clock.nowMs() } });

const cancel = (world: ServiceWorld, query: RequestParameters, path = "/api/v2/order"): Promise<Reply> =>
  call(world, "DELETE", path, { key, query: { ...query, nonce: world.nonce() } });

const idOf = ({ body }: Reply): number => body.orderId as number;
const codeOf = ({ body }: Reply): unknown => body.code;

const SYMBOL = { symbol: "BTC/USD" };
const LIST_PATH = "/api/v3/orderList";
const HISTORY = "/api/v2/getOrderHistory";

describe("an order whose instrument the host has withdrawn", () => {
  it("is read and canceled under its canonical symbol, by either id", async () => {
    const world = await openWorld();
    const placed = [await place(world, { newClientOrderId: "one" }), await place(world)];
    withdraw(world);
    const orderId = placed.map(idOf)[1] as number;
    const read = await status(world, { ...SYMBOL, orderId });
    expect(read).toMatchObject({ status: 200, body: { orderId, status: "NEW" } });
    expect((await cancel(world, { ...SYMBOL, orderId })).body.status).toBe("CANCELED");
    expect((await cancel(world, { ...SYMBOL, origClientOrderId: "one" })).body.status).toBe("CANCELED");
    expect((await status(world, { ...SYMBOL, orderId })).body.status).toBe("CANCELED");
  });

  it("-1121 for any other id or symbol, also of another account", async () => {
    const world = await openWorld();
    const orderId = idOf(await place(world));
    const foreign = idOf(await place(world, {}, { key: KEYS.stranger }));
    withdraw(world);
    const keys = [
      { ...SYMBOL, orderId: orderId - 1_000 },
      { ...SYMBOL, orderId: foreign },
      { symbol: "ETC/USD", orderId },
      { symbol: "ETCUSD", orderId },
      { ...SYMBOL, orderId: 12 },
    ];
    for (const query of keys) {
      expect(codeOf(await status(world, query))).toBe(-1121);
      expect(codeOf(await cancel(world, query))).toBe(-1121);
    }
  });

  it.each(["BTCUSD", "BTC-USD"])(
    "is canceled under its alias %s; a version 2 query needs the canonical symbol",
    async (symbol) => {
      const world = await openWorld();
      const orderId = idOf(await place(world));
      withdraw(world);
      expect(codeOf(await status(world, { symbol, orderId }))).toBe(-1121);
      expect((await cancel(world, { symbol, orderId })).body.status).toBe("CANCELED");
    },
  );

  it("contract, Native status and history: a native order is read and canceled, too", async () => {
    const world = await openNativeWorld();
    const { orderId } = (await placeNative(world, { newClientOrderId: "one" })).body as { orderId: bigint };
    withdraw(world);
    expect((await status(world, { ...SYMBOL, orderId })).body.status).toBe("NEW");
    expect((await status(world, { ...SYMBOL, origClientOrderId: "one" })).body.orderId).toBe(orderId);
    expect((await cancel(world, { ...SYMBOL, orderId })).body.status).toBe("CANCELED");
    expect((await status(world, { ...SYMBOL, orderId })).body.status).toBe("CANCELED");
    expect(codeOf(await status(world, { ...SYMBOL, orderId: orderId + 1_000n }))).toBe(-1121);
    expect((await status(world, SYMBOL, "/api/v2/allOrders")).body).toMatchObject([{ orderId }]);
    const { orders } = (await ask(world, HISTORY, SYMBOL)).body;
    expect(orders).toMatchObject([{ status: "NEW" }, { status: "CANCELED" }]);
    for (const symbol of ["BTCUSD", "ETC/USD"]) {
      expect(codeOf(await status(world, { symbol }, "/api/v2/allOrders"))).toBe(-1121);
      expect(codeOf(await ask(world, HISTORY, { symbol }))).toBe(-1121);
    }
  });

  it("is the answer to a copy of its placement; other placements stay -1121", async () => {
    const world = await openWorld();
    const one = { newClientOrderId: "one" };
    const orderId = idOf(await place(world, one));
    withdraw(world);
    for (const symbol of ["BTC/USD", "BTCUSD", "BTC-USD"]) {
      const copy = await place(world, { ...one, symbol });
      expect(copy).toMatchObject({ status: 200, body: { orderId, status: "NEW", symbol: "BTC/USD" } });
    }
    expect(codeOf(await place(world, { ...one, quantity: "0.02" }))).toBe(-2010);
    for (const other of [
      { newClientOrderId: "two" },
      { ...one, symbol: "NOUSD" },
      { ...one, symbol: "NO/USD" },
    ]) {
      expect(codeOf(await place(world, other))).toBe(-1121);
    }
    expect(codeOf(await place(world, one, { key: KEYS.stranger }))).toBe(-1121);
  });

  it("is the answer to the same signed bytes, managed or native", async () => {
    const world = await openNativeWorld();
    const native = requestOf("POST", "/api/v2/order", { key, json: RESTING, query: { nonce: "native" } });
    const managed = requestOf("POST", "/api/order", { key, json: FAR_LIMIT, query: { nonce: "managed" } });
    const bodyOf = async (request: WireRequest): Promise<string> =>
      (await world.service.handle(request)).body.replace(/"instrumentId":1,/, "");
    const first = [await bodyOf(native), await bodyOf(managed)];
    withdraw(world);
    expect([await bodyOf(native), await bodyOf(managed)]).toEqual(first);
    const other = requestOf("POST", "/api/v2/order", { key, json: RESTING, query: { nonce: "other" } });
    expect(await bodyOf(other)).toContain("-1121");
  });
});

describe("an instrument that the catalogue has", () => {
  it("is not named by a usual alias that the catalogue does not give it", async () => {
    const world = await openWorld();
    const one = { newClientOrderId: "one" };
    const orderId = idOf(await place(world, one));
    const { resolve } = world.instruments;
    const without = (name: string) => (name === "BTCUSD" ? undefined : resolve.call(world.instruments, name));
    Object.assign(world.instruments, { resolve: without });
    expect(codeOf(await cancel(world, { symbol: "BTCUSD", orderId }))).toBe(-1121);
    expect(codeOf(await place(world, { ...one, symbol: "BTCUSD" }))).toBe(-1121);
    expect((await status(world, { ...SYMBOL, orderId })).body.status).toBe("NEW");
  });

  it("is not asked about under an alias, which version 2 queries refuse", async () => {
    const requested: unknown[] = [];
    const world = await openNativeWorld({}, (native) => ({
      page: (query) => {
        requested.push(query);
        return native.page(query);
      },
      executions: (query) => {
        requested.push(query);
        return native.executions(query);
      },
    }));
    const symbol = "BTCUSD";
    expect(codeOf(await status(world, { symbol }, "/api/v2/allOrders"))).toBe(-1121);
    expect(codeOf(await ask(world, HISTORY, { symbol }))).toBe(-1121);
    expect(requested).toEqual([]);
  });
});

describe("a list whose instrument the host has withdrawn", () => {
  it.each(["oco", "oto", "otoco", "legacyOco"] as const)(
    "%s is the answer to a copy of its placement; another list stays -1121",
    async (form) => {
      const world = await openWorld();
      const { path, fields } = LISTS[form];
      const json = { ...fields, listClientOrderId: "one" };
      const request = requestOf("POST", path, { key, json, query: { nonce: "1" } });
      const { orderListId } = JSON.parse((await world.service.handle(request)).body);
      withdraw(world);
      expect(JSON.parse((await world.service.handle(request)).body).orderListId).toBe(orderListId);
      const byAlias = await placeList(world, form, { listClientOrderId: "one", symbol: "BTCUSD" });
      expect(byAlias.body.orderListId).toBe(orderListId);
      expect(codeOf(await placeList(world, form, { listClientOrderId: "two" }))).toBe(-1121);
    },
  );

  it("contract, List queries: is read and canceled under its canonical symbol; another list or symbol is -1121", async () => {
    const world = await openWorld();
    const { orderListId } = (await placeList(world, "oco")).body as { orderListId: number };
    withdraw(world);
    for (const query of [
      { ...SYMBOL, orderListId: orderListId - 1_000 },
      { symbol: "ETCUSD", orderListId },
    ]) {
      expect(codeOf(await status(world, query, LIST_PATH))).toBe(-1121);
    }
    const byAlias = await status(world, { symbol: "BTCUSD", orderListId }, LIST_PATH);
    expect(byAlias.body.orderListId).toBe(orderListId);
    const query = { ...SYMBOL, orderListId };
    expect((await status(world, query, LIST_PATH)).body.listOrderStatus).toBe("EXECUTING");
    expect((await cancel(world, query, LIST_PATH)).body.listOrderStatus).toBe("ALL_DONE");
  });
});
