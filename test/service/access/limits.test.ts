import { describe, expect, it } from "vitest";
import { call, KEYS, openWorld, place, placeList, START_MS } from "../../support/service-world.ts";

const key = KEYS.owner;

describe("request weight", () => {
  it("is on every reply, including refused and unknown ones, per address", async () => {
    const world = await openWorld({ limits: {} });
    expect((await call(world, "GET", "/api/exchangeInfo")).headers["X-MBX-USED-WEIGHT"]).toBe("20");
    const refused = await call(world, "GET", "/api/v2/order");
    expect([refused.status, refused.headers["X-MBX-USED-WEIGHT-1M"]]).toEqual([401, "24"]);
    const unknown = await call(world, "GET", "/api/nothing");
    expect([unknown.status, unknown.headers["X-MBX-USED-WEIGHT"]]).toEqual([404, "25"]);
    const other = await call(world, "GET", "/api/ping", { address: "192.0.2.1" });
    expect(other.headers["X-MBX-USED-WEIGHT"]).toBe("1");
  });

  it("an address has proved a key with an admitted request, until its weight is refused", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 30 } });
    const { traffic } = world.service;
    const address = "192.0.2.1";
    traffic?.enter(address);
    const ask = async (credentials?: typeof key) => {
      const { status } = await call(world, "GET", "/api/v3/openOrders", {
        ...{ query: { apiManaged: "true", nonce: world.nonce() }, address },
        ...(credentials && { key: credentials }),
      });
      return [status, traffic?.isProved(address)];
    };
    const unsigned = await call(world, "GET", "/api/ping", { address });
    expect([unsigned.status, traffic?.isProved(address)]).toEqual([200, false]);
    expect(await ask({ ...key, secret: "x".repeat(key.secret.length) })).toEqual([400, false]);
    expect(await ask(key)).toEqual([200, true]);
    let last = await ask(key);
    while (last[0] === 200) last = await ask(key);
    expect(last).toEqual([429, false]);
  });

  it("a document weighs 20 for every caller; beyond the limit it is 429 -1003", async () => {
    const made: string[] = [];
    const maker = (name: string) => (): string => {
      made.push(name);
      return `{"${name}":1}`;
    };
    const documents = { "/openapi.json": maker("open"), "/asyncapi.json": maker("async") };
    const world = await openWorld({ limits: { weightPerMinute: 61 }, service: { documents } });
    const answers = [];
    for (const path of ["/openapi.json", "/asyncapi.json", "/openapi.json", "/nothing", "/asyncapi.json"]) {
      const { status, headers, body } = await call(world, "GET", path);
      answers.push([status, headers["X-MBX-USED-WEIGHT"], status === 200 ? body : body.code]);
    }
    expect(answers).toEqual([
      [200, "20", { open: 1 }],
      [200, "40", { async: 1 }],
      [200, "60", { open: 1 }],
      [404, "61", -1099],
      [429, "81", -1003],
    ]);
    expect(made).toEqual(["open", "async"]);
  });

  it("convention gap 8: the depth weighs by its limit, also if the rest of the query is refused", async () => {
    const world = await openWorld();
    const weigh = async (query: Record<string, string>, address: string): Promise<string | undefined> =>
      (await call(world, "GET", "/api/depth", { query, address })).headers["X-MBX-USED-WEIGHT"];
    expect(await weigh({ symbol: "BTC/USD" }, "a")).toBe("5");
    expect(await weigh({ symbol: "BTC/USD", limit: "1001" }, "b")).toBe("250");
    expect(await weigh({ symbol: "nothing", limit: "500" }, "c")).toBe("25");
    expect(await weigh({ limit: "many" }, "d")).toBe("5");
  });

  it("contract, public errors: a ticker is 400 without its symbol, and 429 beyond the limit", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 2 } });
    const ask = (query: Record<string, string>) => call(world, "GET", "/api/ticker", { query });
    const [unnamed, named, refused] = [
      await ask({}),
      await ask({ symbol: "BTC/USD" }),
      await ask({ symbol: "BTC/USD" }),
    ];
    expect([unnamed.status, unnamed.body.code]).toEqual([400, -1102]);
    expect(unnamed.body.error).toContain("symbol");
    expect([named.status, refused.status, refused.body.code]).toEqual([expect.any(Number), 429, -1003]);
  });

  it("contract, public errors: 429 with Retry-After in header and body, until the next minute", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 2 } });
    await world.clock.advanceTo(START_MS + 15_500);
    await call(world, "GET", "/api/ping");
    await call(world, "GET", "/api/ping");
    const refused = await call(world, "GET", "/api/ping");
    expect(refused.status).toBe(429);
    expect(refused.headers["Retry-After"]).toBe("45");
    expect(refused.body).toMatchObject({
      code: -1003,
      retryAfter: "45",
      error: expect.stringContaining("2 request"),
    });
    await world.clock.advanceTo(START_MS + 60_000);
    expect((await call(world, "GET", "/api/ping")).status).toBe(200);
  });

  it("an address that continues is banned, 429 and never 418, signed requests too", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 1 } });
    for (let count = 0; count < 11; count++) await call(world, "GET", "/api/ping");
    await world.clock.advanceTo(START_MS + 61_000);
    const banned = await place(world);
    expect([banned.status, banned.headers["Retry-After"]]).toEqual([429, "59"]);
    expect(banned.body.msg).toContain(`IP banned until ${START_MS + 120_000}`);
    expect(world.engine.metrics().records).toBe(0);
  });

  it("a rate limiter that fails is a failure of the service, -1001", async () => {
    const fail = (): never => {
      throw new Error("no connection to the limiter");
    };
    const rateLimiter = { limits: undefined, weigh: fail, takeOrders: fail, returnOrders: fail };
    const world = await openWorld({ service: { rateLimiter } });
    expect((await call(world, "GET", "/api/ping")).body.code).toBe(-1001);
  });
});

describe("order counts", () => {
  it("convention 5.3: each accepted placement is counted, per account", async () => {
    const world = await openWorld({ limits: {} });
    await place(world);
    const second = await place(world);
    expect(second.headers).toMatchObject({ "X-MBX-ORDER-COUNT-10S": "2", "X-MBX-ORDER-COUNT-1D": "2" });
    const other = await place(world, {}, { key: KEYS.stranger });
    expect(other.headers["X-MBX-ORDER-COUNT-10S"]).toBe("1");
  });

  it("refused and repeated placements are not counted; their replies show it", async () => {
    const world = await openWorld({ limits: {} });
    await place(world, { newClientOrderId: "one" });
    expect((await place(world, { quantity: "0.0001" })).body.code).toBe(-1013);
    const again = await place(world, { newClientOrderId: "one" });
    expect(again.headers["X-MBX-ORDER-COUNT-10S"]).toBe("1");
  });

  it("one too many is 429 -1015 with Retry-After; cancels and reads continue", async () => {
    const world = await openWorld({ limits: { ordersPer10s: 2 } });
    await world.clock.advanceTo(START_MS + 3_000);
    const first = await place(world, { newClientOrderId: "first" });
    await place(world);
    const refused = await place(world);
    expect([refused.status, refused.body.code, refused.headers["Retry-After"]]).toEqual([429, -1015, "7"]);
    expect(refused.body.msg).toBe("Too many new orders; current limit is 2 orders per 10 SECOND.");
    const again = await place(world, { newClientOrderId: "first" });
    expect([again.status, again.body.orderId]).toEqual([200, first.body.orderId]);
    const query = { symbol: "BTC/USD", orderId: first.body.orderId as number, nonce: "1" };
    expect((await call(world, "DELETE", "/api/order", { key, query })).status).toBe(200);
    await world.clock.advanceTo(START_MS + 10_000);
    expect((await place(world)).status).toBe(200);
  });

  it("100 copies at once are one order and count once, whatever the limit", async () => {
    const world = await openWorld({ limits: { ordersPer10s: 5 } });
    const copies = await Promise.all(
      Array.from({ length: 100 }, () => place(world, { newClientOrderId: "copied" })),
    );
    expect(copies.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
    expect(new Set(copies.map(({ body }) => body.orderId)).size).toBe(1);
    expect((await place(world)).headers["X-MBX-ORDER-COUNT-10S"]).toBe("2");
  });

  it.each([
    ["oco", "2"],
    ["legacyOco", "2"],
    ["oto", "2"],
    ["otoco", "3"],
  ] as const)(
    "convention 3.5: a list counts its legs, %s %s; a copy of it does not count",
    async (form, count) => {
      const world = await openWorld({ limits: {} });
      const placed = await placeList(world, form, { listClientOrderId: "counted" });
      expect(placed.headers).toMatchObject({ "X-MBX-ORDER-COUNT-10S": count, "X-MBX-ORDER-COUNT-1D": count });
      const again = await placeList(world, form, { listClientOrderId: "counted" });
      expect(again.headers["X-MBX-ORDER-COUNT-10S"]).toBe(count);
    },
  );

  it("a refused list returns the count of all its legs", async () => {
    const world = await openWorld({ limits: { ordersPer10s: 4 } });
    expect((await placeList(world, "oco", { quantity: "0.0001" })).body.code).toBe(-1013);
    expect((await placeList(world, "otoco")).headers["X-MBX-ORDER-COUNT-10S"]).toBe("3");
  });

  it("convention 3.5: a list needs room for every leg; a copy of an accepted one is answered without room", async () => {
    const world = await openWorld({ limits: { ordersPer10s: 4 } });
    const first = await placeList(world, "otoco", { listClientOrderId: "first" });
    const { records } = world.engine.metrics();
    const refused = await placeList(world, "oco");
    expect([refused.status, refused.body.code, refused.headers["Retry-After"]]).toEqual([429, -1015, "10"]);
    expect(world.engine.metrics().records).toBe(records);
    expect((await placeList(world, "otoco", { listClientOrderId: "first" })).body).toEqual(first.body);
    const other = await placeList(world, "otoco", { listClientOrderId: "first", workingQuantity: "0.02" });
    expect(other.body.code).toBe(-2010);
    expect((await place(world)).headers["X-MBX-ORDER-COUNT-10S"]).toBe("4");
  });

  it("100 copies of a list at once are one list and count once, whatever the limit", async () => {
    const world = await openWorld({ limits: { ordersPer10s: 5 } });
    const copies = await Promise.all(
      Array.from({ length: 100 }, () => placeList(world, "otoco", { listClientOrderId: "copied" })),
    );
    expect(copies.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
    expect(new Set(copies.map(({ body }) => body.orderListId)).size).toBe(1);
    expect((await placeList(world, "oco")).headers["X-MBX-ORDER-COUNT-10S"]).toBe("5");
  });

  it("the daily limit is reported with the end of the UTC day", async () => {
    const world = await openWorld({ limits: { ordersPerDay: 1 } });
    await place(world);
    const refused = await place(world);
    expect(refused.headers["Retry-After"]).toBe(String(12 * 60 * 60));
    expect(refused.body.msg).toContain("1 orders per 1 DAY");
  });
});
