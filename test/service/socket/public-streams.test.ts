import { describe, expect, it } from "vitest";
import type { QuoteInput } from "../../../src/ports/index.ts";
import { tradeIdOf } from "../../../src/service/views/native-order.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { call, openWorld, type ServiceWorld, START_MS, withdraw } from "../../support/service-world.ts";
import { openSocketWorld, type SocketWorld, TestClient } from "../../support/socket-world.ts";

const open = (): Promise<SocketWorld> => openSocketWorld({}, { target: "/ws/liquidity" });

const control = (
  client: TestClient,
  method: string,
  params?: unknown,
  id: unknown = 1,
): Promise<JsonObject> =>
  client.sendsRaw(JSON.stringify({ method, ...(params !== undefined && { params }), id }));

const eventsOf = (client: TestClient): readonly JsonObject[] =>
  client.messages.filter((message) => "e" in message);

const quote = (world: ServiceWorld, more: Partial<QuoteInput> = {}): unknown =>
  world.feed.quote({ symbol: "BTC/USD", bid: "100", ask: "101", ...more });

type Level = readonly [price: string, quantity: string];

describe("control frames", () => {
  it("convention 4.12: SUBSCRIBE, LIST_SUBSCRIPTIONS, UNSUBSCRIBE", async () => {
    const { client } = await open();
    const streams = ["btcusd@bookTicker", "BTC/USD@depth", "eth-usd@trade", "BTCUSD@bookTicker"];
    expect(await control(client, "SUBSCRIBE", streams)).toEqual({ result: null, id: 1 });
    expect(await control(client, "LIST_SUBSCRIPTIONS", undefined, "x")).toEqual({
      result: ["btcusd@bookTicker", "btcusd@depth", "ethusd@trade"],
      id: "x",
    });
    expect(await control(client, "UNSUBSCRIBE", ["BTC/USD@bookTicker", "btcusd@depth20"])).toEqual({
      result: null,
      id: 1,
    });
    expect((await control(client, "LIST_SUBSCRIPTIONS", undefined, null)).result).toEqual([
      "btcusd@depth",
      "ethusd@trade",
    ]);
  });

  it.each([
    ["/ws/liquidity", "btcusd@trade"],
    ["/stream", "btcusd@kline_1m"],
  ])(
    "convention 4.12: UNSUBSCRIBE at %s ends a stream whose instrument the host has withdrawn",
    async (target, name) => {
      const { world, client } = await openSocketWorld({}, { target });
      await control(client, "SUBSCRIBE", [name]);
      withdraw(world);
      expect(await control(client, "UNSUBSCRIBE", [name, "btcusd@depth"])).toMatchObject({ code: 2 });
      expect((await control(client, "LIST_SUBSCRIPTIONS")).result).toEqual([name]);
      expect(await control(client, "UNSUBSCRIBE", [name])).toEqual({ result: null, id: 1 });
      expect((await control(client, "LIST_SUBSCRIPTIONS")).result).toEqual([]);
      expect(await control(client, "SUBSCRIBE", [name])).toMatchObject({ code: 2 });
    },
  );

  const tenNames = Array.from({ length: 10 }, () => "btcusd@depth");

  it.each([
    ["SUBSCRIBE of ten names", { method: "SUBSCRIBE", params: tenNames }, 10],
    ["UNSUBSCRIBE of ten names", { method: "UNSUBSCRIBE", params: tenNames }, 10],
    ["names of which none is known", { method: "SUBSCRIBE", params: tenNames.map(() => "x@y") }, 10],
    ["one long name", { method: "SUBSCRIBE", params: ["x".repeat(10_000)] }, 20],
    ["a long text that is no request", "x".repeat(10_000), 20],
  ])("%s weighs as much as it names and is long", async (_what, message, weight) => {
    const sent = typeof message === "string" ? message : JSON.stringify({ ...message, id: 1 });
    const { world, client } = await openSocketWorld({}, { target: "/ws/liquidity" });
    await client.sendsRaw(sent);
    const { headers } = await call(world, "GET", "/api/ping");
    expect(headers["X-MBX-USED-WEIGHT-1M"]).toBe(`${weight + 1}`);
  });

  it("a short message weighs 1, whatever its content; beyond the limit it is refused with -1003", async () => {
    const { world, client } = await openSocketWorld(
      { limits: { weightPerMinute: 4 } },
      { target: "/ws/liquidity" },
    );
    expect(await control(client, "SUBSCRIBE", ["btcusd@trade"])).toEqual({ result: null, id: 1 });
    expect(await control(client, "LIST_SUBSCRIPTIONS")).toEqual({ result: ["btcusd@trade"], id: 1 });
    expect(await control(client, "order.place", {})).toMatchObject({ code: 2 });
    expect(await client.sendsRaw("hello")).toMatchObject({ code: 3 });
    expect(await control(client, "UNSUBSCRIBE", ["btcusd@trade"], "late")).toMatchObject({
      code: -1003,
      id: "late",
    });
    await world.clock.advanceTo(START_MS + 60_000);
    expect(await control(client, "LIST_SUBSCRIPTIONS")).toEqual({ result: ["btcusd@trade"], id: 1 });
  });

  it("convention 4.1: a client that continues beyond the limit is banned and disconnected", async () => {
    const { client } = await openSocketWorld({ limits: { weightPerMinute: 1 } }, { target: "/ws/liquidity" });
    for (let count = 0; count < 10; count++) {
      expect(client.closed).toBeUndefined();
      await control(client, "LIST_SUBSCRIPTIONS");
    }
    await control(client, "LIST_SUBSCRIPTIONS").catch(() => undefined);
    expect(client.closed).toEqual({ code: 1008, reason: "banned" });
  });

  it.each([
    ["no JSON", "hello", 3, null],
    ["an array", "[1]", 3, null],
    ["a bad id", '{"method":"SUBSCRIBE","params":[],"id":1.5}', 2, null],
    ["no id", '{"method":"SUBSCRIBE","params":[]}', 2, null],
    ["no method", '{"params":[],"id":1}', 2, 1],
    ["another method", '{"method":"order.place","params":{},"id":1}', 2, 1],
    ["a property", '{"method":"SET_PROPERTY","params":["combined",true],"id":1}', 2, 1],
    ["no params", '{"method":"SUBSCRIBE","id":1}', 2, 1],
    ["params that are not an array", '{"method":"SUBSCRIBE","params":{"a":1,"a":2},"id":1}', 1, 1],
    ["a name that is not text", '{"method":"SUBSCRIBE","params":["btcusd@depth",7],"id":1}', 1, 1],
    ["an unknown symbol", '{"method":"SUBSCRIBE","params":["dogeusd@depth"],"id":1}', 2, 1],
    ["an unknown stream", '{"method":"SUBSCRIBE","params":["btcusd@candles"],"id":1}', 2, 1],
    [
      "too many parameters",
      JSON.stringify({
        method: "SUBSCRIBE",
        params: Array.from({ length: 1_025 }, () => "btcusd@depth"),
        id: 1,
      }),
      2,
      1,
    ],
  ])("convention 4.12: %s is an error with its code", async (_what, text, code, id) => {
    const { client } = await open();
    expect(await client.sendsRaw(text)).toEqual({ code, msg: expect.stringMatching(/^Invalid /), id });
    expect((await control(client, "LIST_SUBSCRIPTIONS")).result).toEqual([]);
  });

  it("one bad name refuses the whole subscription", async () => {
    const { world, client } = await open();
    await control(client, "SUBSCRIBE", ["btcusd@bookTicker", "btcusd@nothing"]);
    quote(world);
    expect(eventsOf(client)).toEqual([]);
  });

  it("convention 4.2: a connection has a limit of streams", async () => {
    const { client } = await openSocketWorld(
      { service: { sockets: { settings: { maxStreams: 2 } } } },
      { target: "/ws/liquidity" },
    );
    await control(client, "SUBSCRIBE", ["btcusd@trade", "btcusd@depth"]);
    expect(await control(client, "SUBSCRIBE", ["btcusd@trade"])).toEqual({ result: null, id: 1 });
    expect((await control(client, "SUBSCRIBE", ["ethusd@depth"])).code).toBe(2);
    await control(client, "UNSUBSCRIBE", ["btcusd@trade"]);
    expect(await control(client, "SUBSCRIBE", ["ethusd@depth"])).toEqual({ result: null, id: 1 });
  });

  it("hostile 94: invalid control frames end the connection after ten, a wrong name does not", async () => {
    const { client } = await open();
    for (let count = 0; count < 50; count++) await control(client, "SUBSCRIBE", ["btcusd@nothing"]);
    expect(client.closed).toBeUndefined();
    for (let count = 0; count < 11; count++) await client.sendsRaw("hello");
    expect(client.closed?.code).toBe(1008);
  });

  it("request methods do not exist here, and nothing is signed", async () => {
    const { client } = await open();
    expect(await client.ask("openOrders.status", { apiManaged: true })).toMatchObject({ code: 2, id: "r-1" });
  });
});

describe("streams", () => {
  it("@bookTicker: best prices and sizes of every counted quote", async () => {
    const { world, client } = await open();
    quote(world);
    await control(client, "SUBSCRIBE", ["btcusd@bookTicker"]);
    quote(world, { bid: "100.5", bidQuantity: "2", askQuantity: "0.25" });
    quote(world, { bid: "0" });
    world.feed.quote({ symbol: "ETH/USD", bid: "1", ask: "2" });
    quote(world, { bid: "100", bidQuantity: "0" });
    expect(eventsOf(client)).toEqual([
      { e: "bookTicker", E: START_MS, u: 2, s: "BTC/USD", b: "100.5", B: "2", a: "101", A: "0.25" },
      {
        e: "bookTicker",
        E: START_MS,
        u: 3,
        s: "BTC/USD",
        b: "100",
        B: "0",
        a: "101",
        A: "999999999999.999999",
      },
    ]);
  });

  it("@bookTicker: the size is that of the best price, as in GET /api/ticker, also if that level is empty", async () => {
    const { world, client } = await open();
    await control(client, "SUBSCRIBE", ["btcusd@bookTicker"]);
    const bids: readonly Level[] = [
      ["100", "0"],
      ["99", "5"],
    ];
    quote(world, { bids, asks: [["101", "2"]] });
    const [{ b, B, a, A } = {}] = eventsOf(client);
    const { body } = await call(world, "GET", "/api/ticker", { query: { symbol: "BTC/USD" } });
    expect([b, B, a, A]).toEqual(["100", "0", "101", "2"]);
    expect([body.bidPrice, body.bidQty, body.askPrice, body.askQty]).toEqual([b, B, a, A]);
  });

  it("@depth20: at most twenty levels a side, as GET /api/depth shows them", async () => {
    const { world, client } = await open();
    await control(client, "SUBSCRIBE", ["btcusd@depth20"]);
    const asks = Array.from(
      { length: 30 },
      (_, index): Level => [String(101 + index), index === 3 ? "0" : "1"],
    );
    quote(world, { asks });
    const [event] = eventsOf(client);
    const { body } = await call(world, "GET", "/api/depth", { query: { symbol: "BTC/USD", limit: "20" } });
    expect(event).toEqual({
      e: "depth20",
      E: START_MS,
      s: "BTC/USD",
      ...body,
      symbol: undefined,
      seriesId: undefined,
    });
    expect(event?.asks).toHaveLength(20);
  });

  it("@trade: each counted print once", async () => {
    const { world, client } = await open();
    await control(client, "SUBSCRIBE", ["btcusd@trade"]);
    const print = { symbol: "BTC/USD", price: "100.50", quantity: "0.250", id: "p-1", timeMs: START_MS - 3 };
    world.feed.print(print);
    world.feed.print(print);
    world.feed.print({ ...print, id: "p-2", price: "0" });
    world.feed.print({ ...print, id: "p-3", symbol: "ETH/USD" });
    expect(eventsOf(client)).toEqual([
      {
        e: "trade",
        E: START_MS,
        s: "BTC/USD",
        t: tradeIdOf("p-1"),
        executionId: "p-1",
        p: "100.5",
        q: "0.25",
        T: START_MS - 3,
        m: false,
        M: true,
      },
    ]);
  });

  it("@depth: the changes, with 0 for a removed level; U and u are the number of the quote", async () => {
    const { world, client } = await open();
    quote(world, {
      bids: [
        ["100", "1"],
        ["99", "2"],
      ],
      asks: [["101", "1"]],
    });
    await control(client, "SUBSCRIBE", ["btcusd@depth"]);
    quote(world, {
      bid: "100",
      bids: [
        ["100", "1"],
        ["98", "3"],
      ],
      asks: [["101", "4"]],
    });
    quote(world, {
      bid: "100",
      bids: [
        ["100", "1"],
        ["98", "3"],
      ],
      asks: [["101", "4"]],
    });
    const { seriesId } = await depthOf(world);
    expect(seriesId).toEqual(expect.any(String));
    expect(eventsOf(client)).toEqual([
      {
        e: "depthUpdate",
        E: START_MS,
        s: "BTC/USD",
        U: 2,
        u: 2,
        seriesId,
        b: [
          ["98", "3"],
          ["99", "0"],
        ],
        a: [["101", "4"]],
      },
      { e: "depthUpdate", E: START_MS, s: "BTC/USD", U: 3, u: 3, seriesId, b: [], a: [] },
    ]);
  });

  it("convention 4.12: snapshot and diffs give the book, whenever the snapshot is taken", async () => {
    for (const snapshotAt of [0, 1, 7, 20]) {
      const { world, client } = await open();
      for (let count = 0; count < 3; count++) quote(world, bookAt(count));
      await control(client, "SUBSCRIBE", ["btcusd@depth"]);
      let snapshot: JsonObject = {};
      for (let count = 0; count <= 20; count++) {
        if (count === snapshotAt) snapshot = await depthOf(world);
        if (count < 20) quote(world, bookAt(count * 7));
      }
      const book = localBook(snapshot, eventsOf(client));
      const now = await depthOf(world);
      expect(book, `snapshot at ${snapshotAt}`).toEqual({
        lastUpdateId: Number(now.lastUpdateId),
        bids: Object.fromEntries(now.bids as readonly Level[]),
        asks: Object.fromEntries(now.asks as readonly Level[]),
      });
    }
  });

  it("a restarted stream begins with the present book", async () => {
    const { world, client } = await open();
    await control(client, "SUBSCRIBE", ["btcusd@depth"]);
    quote(world, { bid: "90" });
    await control(client, "UNSUBSCRIBE", ["btcusd@depth"]);
    quote(world, { bid: "95" });
    await control(client, "SUBSCRIBE", ["btcusd@depth"]);
    quote(world, { bid: "96" });
    const unlimited = "999999999999.999999";
    expect(eventsOf(client).map(({ u, b }) => [u, b])).toEqual([
      [1, [["90", unlimited]]],
      [
        3,
        [
          ["96", unlimited],
          ["95", "0"],
        ],
      ],
    ]);
  });

  it("only subscribers are told, and none after the end", async () => {
    const { world, client } = await open();
    const [other, gone] = [
      new TestClient(world, { target: "/ws/liquidity" }),
      new TestClient(world, { target: "/ws/liquidity" }),
    ];
    await control(client, "SUBSCRIBE", ["btcusd@bookTicker"]);
    await control(gone, "SUBSCRIBE", ["btcusd@bookTicker", "btcusd@depth"]);
    gone.session.closed();
    quote(world);
    expect([eventsOf(client).length, eventsOf(other).length, eventsOf(gone).length]).toEqual([1, 0, 0]);
    await control(client, "UNSUBSCRIBE", ["btcusd@bookTicker"]);
    quote(world);
    expect(eventsOf(client)).toHaveLength(1);
  });

  it("a staking market has streams like any other; an instrument is also found by another alias", async () => {
    const { client } = await open();
    expect(await control(client, "SUBSCRIBE", ["stethusd@bookTicker"])).toEqual({ result: null, id: 1 });
  });
});

describe("cost", () => {
  it("the service stops listening to the market once the last stream has ended", async () => {
    const world = await openWorld();
    const listening = new Map<string, number>();
    const count = (event: string, change: number): void => {
      listening.set(event, (listening.get(event) ?? 0) + change);
    };
    const { events } = world.engine;
    const on = events.on.bind(events);
    Object.assign(events, {
      on: (...[event, listener]: Parameters<typeof on>) => {
        count(event, 1);
        const leave = on(event, listener);
        return () => {
          count(event, -1);
          leave();
        };
      },
    });
    const [one, two] = [
      new TestClient(world, { target: "/ws/liquidity" }),
      new TestClient(world, { target: "/ws/liquidity" }),
    ];
    for (const client of [one, two]) await control(client, "SUBSCRIBE", ["btcusd@depth", "ethusd@trade"]);
    expect([listening.get("quote"), listening.get("print")]).toEqual([1, 1]);
    await control(one, "UNSUBSCRIBE", ["btcusd@depth", "ethusd@trade"]);
    expect(listening.get("quote")).toBe(1);
    two.session.closed();
    expect([listening.get("quote"), listening.get("print")]).toEqual([0, 0]);
  });
});

/** A book that changes with `n` in prices, sizes and depth. */
function bookAt(n: number): Partial<QuoteInput> {
  const side = (from: number, step: number): readonly Level[] =>
    Array.from({ length: 1 + (n % 5) }, (_, index): Level => {
      return [String(from + step * (index * 2 + (index > 0 ? n % 3 : 0))), String(1 + ((n + index) % 4))];
    });
  const [bids, asks] = [side(100 - (n % 2), -1), side(101 + (n % 2), 1)];
  return { bid: bids[0]?.[0] ?? "", ask: asks[0]?.[0] ?? "", bids, asks };
}

async function depthOf(world: ServiceWorld): Promise<JsonObject> {
  const { body } = await call(world, "GET", "/api/depth", { query: { symbol: "BTC/USD" } });
  return body;
}

/** The client's rule: drop diffs that the snapshot includes, then every diff must continue the last one. */
function localBook(snapshot: JsonObject, diffs: readonly JsonObject[]): JsonObject {
  let last = Number(snapshot.lastUpdateId);
  const sides = {
    b: new Map(snapshot.bids as readonly Level[]),
    a: new Map(snapshot.asks as readonly Level[]),
  };
  for (const diff of diffs) {
    if (Number(diff.u) <= last) continue;
    if (Number(diff.U) > last + 1) throw new Error(`gap: ${last} then ${diff.U}`);
    for (const side of ["a", "b"] as const) {
      for (const [price, size] of diff[side] as readonly Level[]) {
        if (size === "0") sides[side].delete(price);
        else sides[side].set(price, size);
      }
    }
    last = Number(diff.u);
  }
  return { lastUpdateId: last, bids: Object.fromEntries(sides.b), asks: Object.fromEntries(sides.a) };
}
