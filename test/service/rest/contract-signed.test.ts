import { describe, expect, it, vi } from "vitest";
import { sign } from "../../../src/signing/index.ts";
import { type JsonObject, readJson } from "../../../src/wire/index.ts";
import { type AccountWorld, ENTRANCES, openAccountWorld, SUBJECT } from "../../support/entrances.ts";
import { openNativeWorld, placeNative, RESTING } from "../../support/native-world.ts";
import {
  call,
  FAR_LIMIT,
  KEYS,
  LISTS,
  openWorld,
  place,
  requestOf,
  type ServiceWorld,
} from "../../support/service-world.ts";

const key = KEYS.owner;

describe("contract, Authentication: the key is sent in X-MBX-APIKEY", () => {
  const requested = async (
    world: ServiceWorld,
    headers: readonly string[],
    more = "",
  ): Promise<readonly unknown[]> => {
    const query = `apiManaged=true&nonce=${world.nonce()}${more}`;
    const { status, body } = await world.service.handle({
      ...{ method: "GET", target: `/api/v3/openOrders?${query}`, remoteAddress: "127.0.0.1" },
      rawHeaders: ["signature", sign({ secret: key.secret, payload: query }), ...headers],
      body: new Uint8Array(),
    });
    return [status, (readJson(body) as JsonObject).code];
  };

  it.each(["X-MBX-APIKEY", "x-mbx-apikey", "X-Mbx-Apikey"])("%s is read", async (name) => {
    expect(await requested(await openWorld(), [name, key.apiKey])).toEqual([200, undefined]);
  });

  it.each([
    ["nowhere", [], ""],
    ["in Authorization", ["Authorization", `Bearer ${key.apiKey}`], ""],
    ["in X-API-KEY", ["X-API-KEY", key.apiKey], ""],
    ["in a cookie", ["Cookie", `X-MBX-APIKEY=${key.apiKey}`], ""],
    ["in the query as apiKey", [], `&apiKey=${key.apiKey}`],
    ["in the query by the header's name", [], `&X-MBX-APIKEY=${key.apiKey}`],
  ])("a key that is sent %s does not count", async (_where, headers, more) => {
    expect(await requested(await openWorld(), headers, more)).toEqual([401, -2014]);
  });
});

describe("contract, Authentication, version 2, 4: permissions are checked before any look-up", () => {
  const LOOKS = ["find", "findAny", "findList", "page", "openLists", "allLists"] as const;

  function looksInto({ engine, paper, balances }: AccountWorld): () => number {
    const spies = [
      ...LOOKS.map((name) => vi.spyOn(engine, name)),
      ...(["find", "page", "executions"] as const).map((name) => vi.spyOn(paper.native, name)),
      vi.spyOn(balances, "balances"),
    ];
    return () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  }

  const reading = ENTRANCES.filter(({ access, name }) => access === "READ" && !/subscri/i.test(name));

  it.each(reading)("$name", async (entrance) => {
    const world = await openAccountWorld();
    const looks = looksInto(world);
    for (const [requesting, expected] of [
      [{ key: KEYS.nobody }, -2015],
      [{ key: KEYS.trader }, -2015],
      [{ key: KEYS.elsewhere, address: "192.0.2.7" }, -2015],
      [{ extra: { account: SUBJECT } }, -1002],
      [{ extra: { account: 999 } }, -1002],
      [{ extra: { userId: 2 } }, -1002],
    ] as const)
      expect((await entrance.ask(world, requesting)).code).toBe(expected);
    expect(looks()).toBe(0);
    expect((await entrance.ask(world, { key: KEYS.stranger })).status).toBe(200);
    expect(looks()).toBeGreaterThan(0);
  });
});

describe("contract, Version 3 REST 4: a nonce does not make a request idempotent", () => {
  const parents = async ({ engine }: ServiceWorld): Promise<number> => engine.metrics().openParents;

  it("two requests may share one nonce; two nonces are two orders without a client id, and one order with it", async () => {
    const world = await openWorld();
    const once = { query: { nonce: "7" } };
    const [first, second] = [await place(world, {}, once), await place(world, { price: "6999" }, once)];
    expect([first.status, second.status, second.body.orderId === first.body.orderId]).toEqual([
      200,
      200,
      false,
    ]);
    await place(world, {}, { query: { nonce: "8" } });
    expect(await parents(world)).toBe(3);
    for (const nonce of ["9", "10", "9"])
      expect((await place(world, { newClientOrderId: "kept" }, { query: { nonce } })).status).toBe(200);
    expect(await parents(world)).toBe(4);
  });

  it("on version 3 too: one nonce creates two lists, and two nonces with one id create one list", async () => {
    const world = await openWorld();
    const { path, fields } = LISTS.oco;
    const listed = async (listClientOrderId: string, nonce: string): Promise<unknown> =>
      (await call(world, "POST", path, { key, json: { ...fields, listClientOrderId }, query: { nonce } }))
        .body.orderListId;
    const [one, two, again] = [await listed("a", "1"), await listed("b", "1"), await listed("a", "2")];
    expect([typeof one, two === one, again]).toEqual(["number", false, one]);
    expect(await parents(world)).toBe(4);
  });

  it("it is required: -1102 without one and without a timestamp, on each route of version 3", async () => {
    const world = await openWorld();
    for (const [method, path, rest] of [
      ["GET", "/api/v3/openOrders", { query: { apiManaged: true } }],
      ["DELETE", "/api/v3/openOrders", { query: { apiManaged: true } }],
      ["GET", "/api/v3/orderList", { query: { orderListId: -256 } }],
      ["DELETE", "/api/v3/orderList", { query: { orderListId: -256 } }],
      ["GET", "/api/v3/openOrderList", {}],
      ["GET", "/api/v3/allOrderList", {}],
      ...Object.values(LISTS).map(
        ({ path, fields }) => ["POST", path, { json: { ...fields, listClientOrderId: "l" } }] as const,
      ),
    ] as const)
      expect([path, (await call(world, method, path, { key, ...rest })).body.code]).toEqual([path, -1102]);
    expect(await parents(world)).toBe(0);
  });
});

describe("contract, Version 3 REST 5: older POST and DELETE endpoints accept every nonce, and need no timestamp", () => {
  const SYMBOL = { symbol: "BTC/USD" };
  const NONCES = [
    "1",
    "0",
    "-1",
    "1",
    "1.5",
    "1e400",
    "nonce",
    "a b&c=d",
    "é",
    "",
    "9".repeat(200),
    undefined,
  ];

  it.each([
    ["POST", "/api/order", FAR_LIMIT],
    ["POST", "/api/v2/order", RESTING],
    ["POST", "/api/v2/orderStatus", { ...SYMBOL, clOrdId: "n" }],
    ["POST", "/api/v2/getOrderStatus", { ...SYMBOL, clOrdId: "n" }],
    ["POST", "/api/v2/getOrderHistory", SYMBOL],
    ["DELETE", "/api/order", SYMBOL],
    ["DELETE", "/api/v2/order", SYMBOL],
  ] as const)("%s %s", async (method, path, fields) => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "n" });
    for (const nonce of NONCES) {
      await world.clock.advanceBy(61_000);
      const stamp = nonce === undefined ? {} : { nonce };
      const orderId = method === "DELETE" ? (await place(world)).body.orderId : undefined;
      const sent =
        orderId === undefined
          ? { json: fields, query: stamp }
          : { query: { ...fields, orderId: orderId as number, ...stamp } };
      const { status, body } = await call(world, method, path, { key, ...sent });
      expect([nonce, status, body.code]).toEqual([nonce, 200, undefined]);
    }
  });

  it("a request signed with one is served hours later: there is no freshness to check", async () => {
    const world = await openNativeWorld();
    await placeNative(world, { newClientOrderId: "n" });
    const request = requestOf("POST", "/api/v2/orderStatus", {
      key,
      json: { ...SYMBOL, clOrdId: "n" },
      query: { nonce: "1" },
    });
    const first = await world.service.handle(request);
    await world.clock.advanceBy(24 * 3_600_000);
    expect([first.status, (await world.service.handle(request)).body]).toEqual([200, first.body]);
  });
});
