import { describe, expect, it } from "vitest";
import { quantity } from "../../../src/decimal/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { type JsonObject, readJson, writeJson } from "../../../src/wire/index.ts";
import {
  call,
  ENTRY_AND_EXITS,
  ENTRY_AND_PAIR,
  ENTRY_AND_STOP,
  FAR_LIMIT,
  KEYS,
  openWorld,
  place,
  requestOf,
  SELL_PAIR,
  SHARED_PAIR,
  START_MS,
} from "../../support/service-world.ts";
import { openSocketWorld, refusalOf, TestClient } from "../../support/socket-world.ts";

const key = KEYS.owner;

/** The exact text of a reply's result. */
const resultIn = (text: string | undefined): string => {
  const match = /^\{"id":"[^"]*","status":200,"result":(.*),"rateLimits":\[.*\]\}$/.exec(text ?? "");
  return match?.[1] ?? `no result in ${text}`;
};

describe("the envelope", () => {
  it.each([["7"], [7], [null], ["a.b c"]])("the id %j is returned in the same form", async (id) => {
    const { client } = await openSocketWorld();
    const reply = await client.ask("openOrders.status", { apiManaged: true }, { id });
    expect(reply).toMatchObject({ id, status: 200 });
    const refused = await client.ask("openOrders.status", {}, { id });
    expect(refused).toMatchObject({ id, status: 400, error: { code: -1102 } });
  });

  it("a 64-bit id is returned exactly", async () => {
    const { client } = await openSocketWorld();
    await client.sendsRaw('{"id":9223372036854775807,"method":"session.subscriptions"}');
    expect(client.texts[0]).toContain('{"id":9223372036854775807,"status":200,"result":[]');
  });

  it.each([
    '{"method":"x"}',
    '{"id":1.5,"method":"x"}',
    '{"id":{},"method":"x"}',
    `{"id":"${"x".repeat(60_000)}"}`,
  ])("hostile 94: a bad id is answered with id null, -1135", async (text) => {
    const { client } = await openSocketWorld();
    expect(await client.sendsRaw(text)).toMatchObject({
      id: null,
      status: 400,
      error: { code: -1135, msg: expect.stringContaining("Invalid 'id' in JSON request") },
    });
  });

  it.each([
    ["no JSON", "hello", null],
    ["an array", "[]", null],
    ["no method", '{"id":1}', 1],
    ["a method that is not a string", '{"id":1,"method":["order.place"]}', 1],
    ["params that are not an object", '{"id":1,"method":"order.place","params":["a"]}', 1],
    ["params null", '{"id":1,"method":"order.place","params":null}', 1],
  ])("hostile 58: %s is -1135", async (_what, text, id) => {
    const { client } = await openSocketWorld();
    expect(await client.sendsRaw(text)).toMatchObject({ id, status: 400, error: { code: -1135 } });
  });

  it("every reply to a repeated id has it", async () => {
    const { client } = await openSocketWorld();
    const ask = (): Promise<unknown> => client.ask("session.subscriptions", {}, { id: "same", key: null });
    await Promise.all([ask(), ask(), ask()]);
    await client.until(() => client.replies.length === 3);
    expect(client.replies.map(({ id }) => id)).toEqual(["same", "same", "same"]);
  });

  it("an unknown method is -1020, including those of REST and of the other socket", async () => {
    const { client } = await openSocketWorld();
    for (const method of [
      "order.amend.keepPriority",
      "POST /api/order",
      "LIST_SUBSCRIPTIONS",
      "constructor",
      "",
    ]) {
      expect(refusalOf(await client.ask(method))).toEqual([400, -1020]);
    }
  });

  it("an error is that of REST with its remedy, and names the field, without the request or a secret", async () => {
    const { client } = await openSocketWorld();
    const msg = "Order does not exist.";
    const { error } = await client.ask("order.status", { symbol: "BTC/USD", orderId: -256 });
    expect(error).toEqual({ code: -2013, msg, error: `${msg} Check the symbol, the id and the account.` });
    const { error: named } = await client.ask("order.place", { ...FAR_LIMIT, quantity: "0.0000001" });
    expect(named).toMatchObject({
      code: -1111,
      field: "quantity",
      error: expect.stringContaining("6 decimals"),
    });
  });

  it("a method whose route the allow lists exclude is unknown", async () => {
    const { client } = await openSocketWorld({
      service: { settings: { getAllowlist: ["orderStatus"], postAllowlist: ["order"] } },
    });
    expect((await client.ask("order.place", FAR_LIMIT)).status).toBe(200);
    expect(refusalOf(await client.ask("order.status", { symbol: "BTC/USD", orderId: -1 }))).toEqual([
      400, -2013,
    ]);
    expect(refusalOf(await client.ask("openOrders.status", { apiManaged: true }))).toEqual([400, -1020]);
    expect(refusalOf(await client.ask("orderList.place.oco", SELL_PAIR))).toEqual([400, -1020]);
    expect((await client.ask("openOrders.cancelAll", { apiManaged: true })).status).toBe(200);
  });

  it("business errors have status 200 where REST has it, others do not", async () => {
    const { client } = await openSocketWorld({ service: { settings: { businessErrorsAs200: true } } });
    expect(refusalOf(await client.ask("order.status", { symbol: "BTC/USD", orderId: -1 }))).toEqual([
      200, -2013,
    ]);
    expect(refusalOf(await client.ask("order.status", { orderId: -1 }))).toEqual([400, -1102]);
  });

  it("an unforeseen failure is -1000 for a read and -1006 for a write, without details", async () => {
    const fail = (): never => {
      throw new Error("the secret of the host");
    };
    const world = await openWorld();
    Object.assign(world.engine, { page: fail, cancelAll: fail });
    const client = new TestClient(world);
    expect(refusalOf(await client.ask("openOrders.status", { apiManaged: true }))).toEqual([500, -1000]);
    expect(refusalOf(await client.ask("openOrders.cancelAll", { apiManaged: true }))).toEqual([500, -1006]);
    expect(client.texts.join() + world.reported.join()).not.toContain("secret");
    expect(world.reported.filter((reported) => reported.includes("request.failed"))).toHaveLength(2);
  });

  it("a request whose connection has gone: nothing is sent, nothing breaks", async () => {
    const { world, client } = await openSocketWorld();
    client.session.receive(
      writeJson({ id: 1, method: "order.place", params: client.params({ ...FAR_LIMIT }, key) as JsonObject }),
    );
    client.session.closed();
    await world.engine.idle();
    expect([client.texts.length, world.engine.metrics().openParents]).toEqual([0, 1]);
  });
});

describe("rateLimits", () => {
  const weight = (count: number): JsonObject => ({
    rateLimitType: "REQUEST_WEIGHT",
    interval: "MINUTE",
    intervalNum: 1,
    limit: 6_000,
    count,
  });

  it("convention 4.1: are in every reply; a placement includes its orders", async () => {
    const { client } = await openSocketWorld({ limits: {} });
    expect((await client.ask("openOrders.status", { apiManaged: true })).rateLimits).toEqual([weight(6)]);
    expect((await client.ask("order.place", FAR_LIMIT)).rateLimits).toEqual([
      { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 50, count: 1 },
      { rateLimitType: "ORDERS", interval: "DAY", intervalNum: 1, limit: 160_000, count: 1 },
      weight(7),
    ]);
    expect((await client.ask("order.status", {}, { key: null })).rateLimits).toEqual([weight(11)]);
    expect((await client.ask("order.amend")).rateLimits).toEqual([weight(12)]);
    expect((await client.sendsRaw("no JSON")).rateLimits).toEqual([weight(13)]);
  });

  it("are left out if the params say so, and if the target does", async () => {
    const { world, client } = await openSocketWorld({ limits: {} });
    const fields = { apiManaged: true, returnRateLimits: false };
    expect(await client.ask("openOrders.status", fields)).not.toHaveProperty("rateLimits");
    expect(await client.ask("order.status", { returnRateLimits: false })).not.toHaveProperty("rateLimits");
    const quiet = new TestClient(world, { target: "/ws/listenKey?returnRateLimits=false" });
    expect(await quiet.ask("session.subscriptions")).not.toHaveProperty("rateLimits");
    expect(await quiet.ask("session.subscriptions", { returnRateLimits: true })).toHaveProperty("rateLimits");
  });

  it("hostile 95: returnRateLimits in quotes is -1130", async () => {
    const { client } = await openSocketWorld();
    const reply = await client.ask("session.subscriptions", { returnRateLimits: "false" });
    expect(refusalOf(reply)).toEqual([400, -1130]);
  });

  it("are empty without limits", async () => {
    const { client } = await openSocketWorld();
    expect((await client.ask("session.subscriptions")).rateLimits).toEqual([]);
  });
});

describe("params", () => {
  it("whole numbers may be strings, decimals must be", async () => {
    const { client } = await openSocketWorld();
    const page = await client.ask("openOrders.status", { apiManaged: true, limit: "1", afterOrderId: "0" });
    expect(page.status).toBe(200);
    const bySting = await client.ask("order.status", { symbol: "BTC/USD", orderId: "-256" });
    expect(refusalOf(bySting)).toEqual([400, -2013]);
  });

  const TRAILING = {
    symbol: "BTC/USD",
    side: "SELL",
    type: "TRAILING_STOP_LIMIT",
    quantity: "0.01",
    stopPrice: "9000",
  };

  it.each<readonly [string, RequestParameters]>([
    ["quantity", { ...FAR_LIMIT, quantity: 1 }],
    ["price", { ...FAR_LIMIT, price: 7000 }],
    ["icebergQty", { ...FAR_LIMIT, quantity: "2", icebergQty: 1 }],
    ["stopPrice", { ...TRAILING, stopPrice: 9000, trailingAmount: "5", limitOffset: "1" }],
    ["trailingAmount", { ...TRAILING, trailingAmount: 5, limitOffset: "1" }],
    ["limitOffset", { ...TRAILING, trailingAmount: "5", limitOffset: 1 }],
    ["price2", { ...TRAILING, price2: 5, limitOffset: "1" }],
    ["abovePrice", { ...SELL_PAIR, listClientOrderId: "n", abovePrice: 8000 }],
  ])("contract, WebSocket request methods: the decimal %s stays a string", async (name, fields) => {
    const { client } = await openSocketWorld();
    const method = name === "abovePrice" ? "orderList.place.oco" : "order.place";
    expect(refusalOf(await client.ask(method, fields))).toEqual([400, -1130]);
    const { status, result } = await client.ask(method, { ...fields, [name]: String(fields[name]) });
    expect(status).toBe(200);
    const [report = result] = ((result as JsonObject).orderReports ?? []) as readonly JsonObject[];
    for (const field of ["origQty", "executedQty"])
      expect(typeof (report as JsonObject)[field]).toBe("string");
  });

  it.each<readonly [string, string, RequestParameters]>([
    ["apiManaged", "openOrders.status", {}],
    ["includeHistory", "openOrders.status", { apiManaged: true }],
    ["newestFirst", "openOrders.status", { apiManaged: true }],
    ["apiManaged", "openOrders.cancelAll", {}],
    ["apiManaged", "order.place", { ...FAR_LIMIT, type: "LIMIT" }],
    ["reduceOnly", "order.place", { ...FAR_LIMIT, side: "SELL" }],
  ])(
    "hostile 95: the boolean %s of %s is a JSON boolean; in quotes or as 1 it is -1130",
    async (name, method, rest) => {
      const { world, client } = await openSocketWorld();
      world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("1") });
      for (const value of ["true", "1", "", 1])
        expect(refusalOf(await client.ask(method, { ...rest, [name]: value }))).toEqual([400, -1130]);
      expect((await client.ask(method, { ...rest, [name]: true })).status).toBe(200);
    },
  );

  it.each([
    ["1.0", -1100],
    ["1e3", -1100],
    ["-0", -1100],
    ["1e400", -1100],
    ["null", -1130],
    ["[1]", -1130],
    ['{"a":1}', -1130],
    ['"a\\nb"', -1100],
  ])("hostile 95, 66: a value %s is %i", async (lexeme, code) => {
    const { client } = await openSocketWorld();
    const params = writeJson(client.params({ symbol: "BTC/USD" }, key) as JsonObject);
    const text = `{"id":1,"method":"order.status","params":${params.slice(0, -1)},"orderId":${lexeme}}}`;
    expect(refusalOf(await client.sendsRaw(text))).toEqual([400, code]);
  });
});

type Twin = Readonly<{
  method: string;
  params: RequestParameters;
  rest: readonly [method: string, path: string];
  /** Fields that REST takes in its query. */
  query?: RequestParameters;
}>;

const NOW = { timestamp: START_MS };

/** Every method with the REST request that must get the same bytes. */
const TWINS: readonly Twin[] = [
  {
    method: "order.place",
    params: { ...FAR_LIMIT, newClientOrderId: "one" },
    rest: ["POST", "/api/order"],
  },
  {
    method: "orderList.place.oco",
    params: { ...SELL_PAIR, listClientOrderId: "a", aboveClientOrderId: "a1", belowClientOrderId: "a2" },
    rest: ["POST", "/api/v3/orderList/oco"],
  },
  {
    method: "orderList.place.oto",
    params: {
      ...ENTRY_AND_STOP,
      listClientOrderId: "b",
      workingClientOrderId: "b1",
      pendingClientOrderId: "b2",
    },
    rest: ["POST", "/api/v3/orderList/oto"],
  },
  {
    method: "orderList.place.otoco",
    params: {
      ...ENTRY_AND_PAIR,
      listClientOrderId: "c",
      workingClientOrderId: "c1",
      pendingAboveClientOrderId: "c2",
      pendingBelowClientOrderId: "c3",
    },
    rest: ["POST", "/api/v3/orderList/otoco"],
  },
  {
    method: "orderList.place.bracket",
    params: {
      ...ENTRY_AND_EXITS,
      listClientOrderId: "d",
      workingClientOrderId: "d1",
      stopClientOrderId: "d2",
      takeProfit1ClientOrderId: "d3",
    },
    rest: ["POST", "/api/v3/orderList/bracket"],
  },
  {
    method: "orderList.place.oca",
    params: { ...SHARED_PAIR, listClientOrderId: "e", leg1ClientOrderId: "e1", leg2ClientOrderId: "e2" },
    rest: ["POST", "/api/v3/orderList/oca"],
  },
  ...["order.status", "getOrderStatus", "orderStatus"].map((method) => ({
    method,
    params: { symbol: "BTC/USD", origClientOrderId: "one" },
    rest: ["GET", "/api/v2/order"] as const,
  })),
  { method: "orderList.status", params: { listClientOrderId: "c" }, rest: ["GET", "/api/v3/orderList"] },
  { method: "openOrderLists.status", params: { limit: 2 }, rest: ["GET", "/api/v3/openOrderList"] },
  { method: "allOrderLists", params: { startTime: START_MS }, rest: ["GET", "/api/v3/allOrderList"] },
  {
    method: "openOrders.status",
    params: { apiManaged: true, includeHistory: true, newestFirst: true, limit: 3 },
    rest: ["GET", "/api/v3/openOrders"],
  },
];

describe("issue: the same order by REST and by WebSocket", () => {
  it("every method answers with the same bytes as its route, whichever places first", async () => {
    const { world, client } = await openSocketWorld();
    for (const [index, { method, params, rest }] of TWINS.entries()) {
      const [verb, path] = rest;
      const bySocket = async (): Promise<string> => {
        await client.ask(method, params);
        return resultIn(client.texts.at(-1));
      };
      const byRest = async (): Promise<string> => {
        const signed =
          verb === "GET"
            ? { query: { ...params, ...NOW } }
            : { json: params, query: { nonce: world.nonce() } };
        return (await world.service.handle(requestOf(verb, path, { key, ...signed }))).body;
      };
      const order = index % 2 === 0 ? [bySocket, byRest] : [byRest, bySocket];
      const answers: string[] = [];
      for (const answer of order) answers.push(await answer());
      expect(answers[0], method).toBe(answers[1]);
      expect(Object.keys(readJson(answers[0] ?? "") as JsonObject), method).not.toContain("code");
    }
    expect(world.engine.metrics().openParents).toBe(1 + 2 + 2 + 3 + 3 + 2);
  });

  it("cancels get equal answers too", async () => {
    const [socket, rest] = [await openSocketWorld(), await openWorld()];
    for (const world of [socket.world, rest]) {
      await place(world, { newClientOrderId: "one" });
      await place(world, { newClientOrderId: "two" });
      await call(world, "POST", "/api/v3/orderList/oco", {
        key,
        query: { nonce: world.nonce() },
        json: { ...SELL_PAIR, listClientOrderId: "l", aboveClientOrderId: "l1", belowClientOrderId: "l2" },
      });
    }
    const cancels = [
      ["order.cancel", "/api/order", { symbol: "BTC/USD", origClientOrderId: "one" }],
      ["orderList.cancel", "/api/v3/orderList", { listClientOrderId: "l" }],
      ["openOrders.cancelAll", "/api/v3/openOrders", { apiManaged: true }],
    ] as const;
    for (const [method, path, params] of cancels) {
      await socket.client.ask(method, params);
      const request = requestOf("DELETE", path, { key, query: { ...params, nonce: rest.nonce() } });
      expect(resultIn(socket.client.texts.at(-1)), method).toBe((await rest.service.handle(request)).body);
    }
  });

  it("a copy over the other interface is the same order, another intent a duplicate", async () => {
    const { world, client } = await openSocketWorld({ limits: {} });
    const fields = { newClientOrderId: "same" };
    const first = await place(world, fields);
    const copy = await client.ask("order.place", { ...FAR_LIMIT, ...fields });
    expect(copy.result).toEqual(first.body);
    const other = await client.ask("order.place", { ...FAR_LIMIT, ...fields, price: "6999" });
    expect(refusalOf(other)).toEqual([400, -2010]);
    expect(world.engine.metrics().openParents).toBe(1);
  });

  it("the same signed message is the same order for ever", async () => {
    const { world, client } = await openSocketWorld();
    const params = client.params(FAR_LIMIT, key) as JsonObject;
    const send = (id: number): Promise<JsonObject> =>
      client.sendsRaw(writeJson({ id, method: "order.place", params }));
    const [first, second] = [await send(1), await send(2)];
    expect(second.result).toEqual(first.result);
    expect(world.engine.metrics().openParents).toBe(1);
  });
});
