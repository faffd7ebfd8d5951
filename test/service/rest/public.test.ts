import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import { CANONICAL_TYPES, orderIntent } from "../../../src/requests/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { createFaultyStore } from "../../support/faulty-store.ts";
import { openNativeWorld } from "../../support/native-world.ts";
import {
  call,
  openWorld,
  place,
  type Reply,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";

const get = (world: ServiceWorld, name: string, query: RequestParameters = {}): Promise<Reply> =>
  call(world, "GET", `/api/${name}`, { query });

describe("public routes", () => {
  it("status: normal, degraded while a market's quotes are missing, draining", async () => {
    const world = await openWorld();
    const system = async (): Promise<unknown> => (await get(world, "status")).body.system;
    expect((await get(world, "status")).body).toEqual({
      system: "normal",
      reasons: [],
      serverTime: START_MS,
      features: {
        leveraged_trading: false,
        dark_pool_mode: false,
        bridge_required: false,
        advanced_orders: true,
      },
    });
    world.feed.quote({ symbol: "BTC/USD", bid: "1", ask: "2" });
    expect(await system()).toBe("normal");
    await world.clock.advanceBy(5_001);
    // The kinds alone: a detail may name what concerns one account.
    expect((await get(world, "status")).body).toMatchObject({
      system: "degraded",
      reasons: ["QUOTES_STOPPED"],
    });
    world.feed.heartbeat("BTC/USD");
    expect(await system()).toBe("normal");
    world.engine.drain();
    expect(await system()).toBe("draining");
  });

  it("status is degraded from a failed append to the next successful one", async () => {
    const store = createFaultyStore(createMemoryStore());
    const world = await openWorld({ store });
    const system = async (): Promise<unknown> => (await get(world, "status")).body.system;
    const intent = orderIntent({
      symbol: "BTC/USD",
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      quantity: "1",
      price: "100",
      newClientOrderId: "a",
    });
    store.inject("fail", 1);
    await world.engine.place({ accountId: 1, intent }).catch(() => undefined);
    expect(await system()).toBe("degraded");
    await world.engine.place({ accountId: 1, intent });
    expect(await system()).toBe("normal");
  });

  it("contract, Status: the host supplies the features", async () => {
    const world = await openWorld({ service: { settings: { features: { bridge_required: true } } } });
    expect((await get(world, "status")).body).toMatchObject({
      features: { leveraged_trading: false, bridge_required: true, advanced_orders: true },
    });
  });

  it("contract, Symbol: address and url where an instrument has them", async () => {
    const known = { address: "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", url: "https://example.com/doge" };
    const doge = { symbol: "DOGE/USD", baseAsset: "DOGE", quoteAsset: "USD", name: "DOGE", aliases: [] };
    const instrument = { id: 99, ...doge, kind: "liquidity", status: "TRADING", ...known } as const;
    const { body } = await get(await openWorld({ instruments: [instrument] }), "getInstrumentPairs");
    const symbols = body.instrumentPairs as readonly Record<string, unknown>[];
    expect(symbols.find(({ id }) => id === 99)).toMatchObject(known);
    expect(symbols.filter((one) => "address" in one || "url" in one)).toHaveLength(1);
  });

  it("advanced_orders shows whether this deployment has them", async () => {
    for (const engine of [{ advancedOrders: false }, { liquidityMode: false }]) {
      const world = await openWorld({ engine });
      expect((await get(world, "status")).body.features).toMatchObject({ advanced_orders: false });
    }
  });

  it("ping and time", async () => {
    const world = await openWorld();
    expect((await get(world, "ping")).body).toEqual({});
    expect((await get(world, "time")).body).toEqual({ serverTime: START_MS });
  });

  it("exchangeInfo: the limits that hold, symbols with types and filters, none for instruments that are not traded", async () => {
    const world = await openWorld({ limits: {} });
    const { body } = await get(world, "exchangeInfo");
    expect(body).toMatchObject({ timezone: "UTC", serverTime: START_MS, exchangeFilters: [] });
    expect(body.rateLimits).toEqual([
      { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: 6_000 },
      { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 50 },
      { rateLimitType: "ORDERS", interval: "DAY", intervalNum: 1, limit: 160_000 },
    ]);
    const symbols = body.symbols as readonly Record<string, unknown>[];
    expect(symbols[0]).toMatchObject({
      id: 1,
      symbol: "BTC/USD",
      status: "TRADING",
      baseAsset: "BTC",
      quoteAsset: "USD",
      name: "BTC",
      kind: "liquidity",
      isSpotTradingAllowed: true,
      quantityScale: 6,
      orderTypes: expect.arrayContaining(["SYNTHETIC_LIMIT", "TRAILING_STOP_LIMIT", "ICEBERG", "POV"]),
      icebergAllowed: true,
      ocoAllowed: true,
      otoAllowed: true,
      filters: [
        { filterType: "PRICE_FILTER", tickSize: "0.00000001" },
        { filterType: "LOT_SIZE", stepSize: "0.000001" },
        { filterType: "NOTIONAL", minNotional: "15" },
      ],
    });
    expect(symbols[2]).toMatchObject({
      symbol: "STETH/USD",
      status: "CANCEL_ONLY",
      kind: "staking",
      isSpotTradingAllowed: false,
      orderTypes: [],
      filters: [],
      icebergAllowed: false,
      ocoAllowed: false,
      otoAllowed: false,
    });
    expect((await get(await openWorld(), "exchangeInfo")).body.rateLimits).toEqual([]);
  });

  it("exchangeInfo lists every name of a type that a placement accepts, and no other", async () => {
    const names = [...CANONICAL_TYPES.keys(), "LIMIT", "MARKET"];
    for (const world of [await openWorld(), await openNativeWorld()]) {
      const symbols = (await get(world, "exchangeInfo")).body.symbols as readonly JsonObject[];
      const listed = symbols[0]?.orderTypes as readonly string[];
      expect(new Set(listed).size).toBe(listed.length);
      for (const type of [...names, "limit", "STOP_MARKET_LIMIT"]) {
        const { code } = (await place(world, { type, apiManaged: type === "LIMIT" ? true : undefined })).body;
        expect([type, listed.includes(type)]).toEqual([type, code !== -1116 && code !== -1020]);
      }
    }
  });

  it("ICEBERG_PARTS is among the filters if a setting limits the parts", async () => {
    const world = await openWorld({ engine: { maxIcebergParts: 100 } });
    const symbols = (await get(world, "exchangeInfo")).body.symbols as readonly Record<string, unknown>[];
    expect(symbols[0]?.filters).toContainEqual({ filterType: "ICEBERG_PARTS", limit: 100 });
  });

  it("convention 1.2 r: limit=02 is 2, with the weight of 2", async () => {
    const world = await openWorld({ limits: {} });
    expect((await get(world, "getInstrumentPairs", { limit: "02" })).body.instrumentPairs).toHaveLength(2);
    const depth = await get(world, "depth", { symbol: "BTC/USD", limit: "0001000" });
    const plain = await get(world, "depth", { symbol: "BTC/USD", limit: "1000" });
    expect(depth.body).toEqual(plain.body);
    const used = [depth, plain].map(({ headers }) => Number(headers["X-MBX-USED-WEIGHT"]));
    expect((used[1] ?? 0) - (used[0] ?? 0)).toBe(50);
  });

  it("getInstrumentPairs: the requested number", async () => {
    const world = await openWorld();
    expect((await get(world, "getInstrumentPairs")).body.instrumentPairs).toHaveLength(3);
    const { body } = await get(world, "getInstrumentPairs", { limit: 2 });
    const { symbols } = (await get(world, "exchangeInfo")).body;
    expect(body.instrumentPairs).toEqual((symbols as readonly unknown[]).slice(0, 2));
    for (const [limit, code] of [
      ["0", -1130],
      ["5001", -1102],
      ["x", -1100],
    ] as const) {
      expect((await get(world, "getInstrumentPairs", { limit })).body.code).toBe(code);
    }
  });
});

describe("ticker", () => {
  it("price is the middle before the first print and the last print's after it", async () => {
    const world = await openWorld();
    const quote = {
      symbol: "BTC/USD",
      bid: "7424.9",
      ask: "7424.91000001",
      bidQuantity: "1.50",
      timeMs: START_MS - 7,
    };
    world.feed.quote(quote);
    expect((await get(world, "ticker", { symbol: "BTC/USD" })).body).toEqual({
      symbol: "BTC/USD",
      price: "7424.905",
      lastPrice: "7424.905",
      bid: "7424.9",
      ask: "7424.91000001",
      bidPrice: "7424.9",
      bidQty: "1.5",
      askPrice: "7424.91000001",
      askQty: "999999999999.999999",
      lastUpdateId: "1",
      closeTime: START_MS - 7,
    });
    world.feed.print({ symbol: "BTC/USD", price: "7424.900", quantity: "1", id: "p1", timeMs: START_MS });
    expect((await get(world, "ticker", { symbol: "BTCUSD" })).body).toMatchObject({
      symbol: "BTC/USD",
      price: "7424.9",
      lastPrice: "7424.9",
    });
  });

  it("a print without a quote is a ticker without bid and ask", async () => {
    const world = await openWorld();
    world.feed.print({ symbol: "ETH/USD", price: "200", quantity: "1", id: "p1", timeMs: START_MS });
    const { body } = await get(world, "ticker", { symbol: "ETH/USD" });
    expect(body).toEqual({ symbol: "ETH/USD", price: "200", lastPrice: "200" });
  });

  it.each([
    [{}, -1102],
    [{ symbol: "" }, -1105],
    [{ symbol: "DOGE/USD" }, -1121],
    [{ symbol: "btc/usd" }, -1121],
    [{ symbol: "BTC/USD" }, -1112],
  ])("contract: invalid input is 400 with an error text: %j", async (query, code) => {
    const { status, body } = await get(await openWorld(), "ticker", query);
    expect([status, body.code, typeof body.error]).toEqual([400, code, "string"]);
  });

  it("convention 1.2 t: unknown parameters are ignored, duplicates are not", async () => {
    const world = await openWorld();
    world.feed.quote({ symbol: "BTC/USD", bid: "1", ask: "2" });
    expect((await get(world, "ticker", { symbol: "BTC/USD", type: "MINI" })).status).toBe(200);
    const target = "/api/ticker?symbol=BTC/USD&symbol=BTC/USD";
    const request = { method: "GET", target, rawHeaders: [], body: new Uint8Array(), remoteAddress: "" };
    expect((await world.service.handle(request)).body).toContain('"code":-1101');
  });
});

describe("depth", () => {
  it("levels are [price, quantity], best first, cut to the limit; empty ones are left out", async () => {
    const world = await openWorld();
    world.feed.quote({
      symbol: "BTC/USD",
      bid: "100",
      ask: "101",
      bids: [
        ["100", "1"],
        ["99.50", "0"],
        ["99", "2.5"],
      ],
      asks: [["101"], ["102", "3"]],
    });
    const whole = await get(world, "depth", { symbol: "BTC/USD", limit: 9_999 });
    expect(whole.body).toEqual({
      symbol: "BTC/USD",
      lastUpdateId: "1",
      seriesId: expect.any(String),
      bids: [
        ["100", "1"],
        ["99", "2.5"],
      ],
      asks: [
        ["101", "999999999999.999999"],
        ["102", "3"],
      ],
    });
    const first = await get(world, "depth", { symbol: "BTC/USD", limit: 1 });
    expect(first.body).toMatchObject({ bids: [["100", "1"]], asks: [["101", "999999999999.999999"]] });
  });

  it("without a quote both sides are empty; a limit below 1 or not an integer is refused", async () => {
    const world = await openWorld();
    const empty = await get(world, "depth", { symbol: "BTC/USD" });
    expect(empty.body).toEqual({
      ...{ symbol: "BTC/USD", lastUpdateId: "0", bids: [], asks: [] },
      seriesId: expect.any(String),
    });
    expect((await get(world, "depth", { symbol: "BTC/USD", limit: "0" })).body.code).toBe(-1130);
    expect((await get(world, "depth", { symbol: "BTC/USD", limit: "1.5" })).body.code).toBe(-1100);
  });
});
