import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import { OrderError } from "../../../src/errors/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { openNativeWorld } from "../../support/native-world.ts";
import { call, FAR_LIMIT, KEYS, openWorld, place, type ServiceWorld } from "../../support/service-world.ts";

const key = KEYS.owner;

/** The sentence of a refused body. */
async function reported(world: ServiceWorld, json: string, path = "/api/order"): Promise<unknown> {
  const { body } = await call(world, "POST", path, { key, query: { nonce: world.nonce() }, body: json });
  return body.error;
}

describe("POST orderStatus of a managed order", () => {
  it("scales every price and every quantity", async () => {
    const world = await openWorld();
    world.feed.quote({ symbol: "BTC/USD", bid: "7400", ask: "7500.5" });
    const { body } = await place(world, {
      ...{ symbol: "BTC/USD", side: "SELL", type: "TRAILING_STOP_LIMIT", quantity: "2.5" },
      ...{ trailingAmount: "100.25", limitOffset: "0.5", icebergQty: "0.25" },
    });
    world.feed.quote({ symbol: "BTC/USD", bid: "7400", ask: "7500.5" });
    await world.engine.idle();
    const query = { symbol: "BTC/USD", orderId: body.orderId as number, timestamp: world.clock.nowMs() };
    const read = (await call(world, "GET", "/api/v2/order", { key, query })).body;
    expect(read).toMatchObject({ trailingAmount: "100.25", dynamicLimit: "7299.25", icebergQty: "0.25" });
    const json = { symbol: "BTC/USD", orderId: body.orderId as number };
    const scaled = await call(world, "POST", "/api/v2/orderStatus", { key, json, query: { nonce: "s" } });
    expect(scaled.body).toMatchObject({
      ...{ origQty: 2_500_000, executedQty: 0, icebergQty: 250_000, quantityScale: 6 },
      ...{ trailingAmount: 10_025_000_000, limitOffset: 50_000_000, priceScale: 8 },
      ...{ dynamicLimit: 729_925_000_000, triggerLevel: 729_975_000_000, avgPrice: 0 },
    });
  });
});

describe("exchangeInfo while advanced orders are off", () => {
  it.each([
    ["without native orders", false],
    ["with native orders", true],
  ])("lists nothing that is refused: %s", async (_what, isNative) => {
    const off = { engine: { advancedOrders: false } };
    const world = await (isNative ? openNativeWorld(off) : openWorld(off));
    const { body } = await call(world, "GET", "/api/exchangeInfo");
    const [symbol] = body.symbols as readonly JsonObject[];
    expect(symbol).toMatchObject({
      orderTypes: isNative ? ["LIMIT", "MARKET"] : [],
      ...{ icebergAllowed: false, ocoAllowed: false, otoAllowed: false },
    });
  });
});

describe("a remedy never contradicts the refusal", () => {
  it("does not point to exchangeInfo for a type that it lists", async () => {
    const world = await openNativeWorld();
    const { body } = await call(world, "GET", "/api/exchangeInfo");
    const [symbol] = body.symbols as readonly JsonObject[];
    const types = symbol?.orderTypes as readonly string[];
    for (const [path, fields] of [
      ["/api/order", { apiManaged: true }],
      ["/api/v2/order", {}],
      ["/api/v2/order", { apiManaged: true }],
    ] as const)
      for (const type of types) {
        const text = String(await reported(world, JSON.stringify({ ...FAR_LIMIT, ...fields, type }), path));
        expect([path, type, text.includes("exchangeInfo lists")]).toEqual([path, type, false]);
      }
    const unknown = await reported(world, JSON.stringify({ ...FAR_LIMIT, type: "STOPP" }));
    expect(unknown).toContain("use a type that exchangeInfo lists");
  });

  it.each([
    ["0", "'recvWindow' must be greater than 0."],
    ["-1", "'recvWindow' must be greater than 0."],
    ["60001", "'recvWindow' must be less than 60000."],
  ])("a recvWindow of %s", async (recvWindow, msg) => {
    const world = await openWorld();
    const query = { apiManaged: true, timestamp: world.clock.nowMs(), recvWindow };
    const { body } = await call(world, "GET", "/api/v3/openOrders", { key, query });
    expect([body.code, body.msg]).toEqual([-1131, msg]);
  });

  it("a body that is too large is counted in bytes, not in parameters", () => {
    expect(new OrderError("BODY_TOO_LARGE", { limit: 5, received: 9 }).toBody()).toEqual({
      code: -1101,
      msg: "Request body is too large; expected at most '5' bytes and received '9'.",
      error:
        "Request body is too large; expected at most '5' bytes and received '9'. Send fewer or shorter parameters.",
    });
  });

  it("a VWAP whose market has one minute of volume needs two intervals of it", async () => {
    const world = await openWorld();
    world.feed.quote({ symbol: "BTC/USD", bid: "7400", ask: "7500" });
    const timeMs = world.clock.nowMs();
    world.engine.market.print({ symbol: "BTC/USD", price: "7450", quantity: "5", id: "1", timeMs });
    await world.clock.advanceBy(60_000 - (timeMs % 60_000));
    const { body } = await place(world, { symbol: "BTC/USD", side: "BUY", type: "VWAP", quantity: "1" });
    expect(body.code).toBe(-2016);
    expect(body.error).not.toContain("no executed volume");
    expect(body.error).toContain("at least two intervals");
  });

  it("a read that fails does not say that nothing was stored; a placement does", async () => {
    const error = new OrderError("DISCONNECTED");
    expect(error.toBody().error).toContain("Nothing was stored. Send the same request again.");
    const store = createMemoryStore();
    const world = await openWorld({
      store: { ...store, pageEnded: () => Promise.reject(error) },
    });
    const query = { apiManaged: true, includeHistory: true, nonce: "r" };
    const { body } = await call(world, "GET", "/api/v3/openOrders", { key, query });
    expect(body.code).toBe(-1001);
    expect(body.error).toBe(`${body.msg} Send the same request again.`);
  });

  it.each([
    ["FILTER_NOTIONAL", "Filter failure: NOTIONAL. Increase"],
    ["INVALID_JSON", "Invalid JSON Request. Send"],
    ["BAD_CANCEL_RESTRICTIONS", "Invalid cancelRestrictions. x"],
    ["BAD_SYMBOL", "Invalid symbol. Take"],
    ["PARAMETER_MISSING_BOTH", "were both empty/null! Send"],
  ] as const)("%s: a full stop between message and remedy", (reason, words) => {
    const text = new OrderError(reason, { advice: "x" }).toBody().error;
    if (reason === "PARAMETER_MISSING_BOTH") expect(text).toContain("empty/null! Send");
    else expect(text).toContain(words);
  });

  it("a JSON number for a decimal is named as such", async () => {
    const world = await openWorld();
    expect(await reported(world, JSON.stringify({ ...FAR_LIMIT, price: 30_000.5 }))).toBe(
      `Illegal characters found in parameter 'price'; legal range is 'a decimal in quotes, or a whole number'. Send a 'price' in the legal range. A JSON number is not read as a decimal: put it in quotes, such as "30000.5".`,
    );
  });
});
