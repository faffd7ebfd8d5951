import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { createFaultyStore } from "../support/faulty-store.ts";
import { call, KEYS, openWorld, place, SECRETS, type ServiceWorld } from "../support/service-world.ts";

const key = KEYS.owner;

const broken = (): never => {
  throw new Error(`cannot read ${KEYS.owner.secret}`);
};

function expectNothingLeaked(world: ServiceWorld, bodies: readonly unknown[]): void {
  const texts = [...bodies.map((body) => JSON.stringify(body)), ...world.told].join("\n");
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

  it("I71: a store that cannot be read is an error, never an empty page", async () => {
    const store = createFaultyStore(createMemoryStore());
    const world = await openWorld({ store });
    store.inject("fail-reads");
    const query = { apiManaged: true, includeHistory: true, nonce: "1" };
    const page = await call(world, "GET", "/api/v3/openOrders", { key, query });
    expect([page.status, page.body.code]).toEqual([503, -1001]);
  });

  it("what nobody expected is 500: -1000 for a read, -1006 (reconcile) for a write; told without its message", async () => {
    const world = await openWorld();
    Object.assign(world.engine, { find: broken, place: broken });
    const query = { symbol: "BTC/USD", origClientOrderId: "a", timestamp: world.clock.nowMs() };
    const read = await call(world, "GET", "/api/v2/order", { key, query });
    const write = await place(world);
    expect([read.status, read.body.code, write.status, write.body.code]).toEqual([500, -1000, 500, -1006]);
    expect(world.told.at(-1)).toContain("request.failed");
    expect(world.told.at(-1)).toContain("failures.test.ts");
    expectNothingLeaked(world, [read.body, write.body]);
    for (const { body } of [read, write]) expect(JSON.stringify(body)).not.toMatch(/\bat |\.ts/);
  });

  it("every reply carries a request id in a header only, the one that telemetry tells", async () => {
    const world = await openWorld();
    const refused = await call(world, "GET", "/api/ticker");
    const requestId = refused.headers["X-Request-Id"] ?? "";
    expect(requestId).toHaveLength(22);
    expect(JSON.stringify(refused.body)).not.toContain(requestId);
    expect(world.told.at(-1)).toContain(requestId);
    expect(refused.headers["Content-Type"]).toBe("application/json; charset=utf-8");
  });
});

describe("businessErrorsAs200", () => {
  it("decision 37: business errors of signed routes come with 200, all others keep their status", async () => {
    const world = await openWorld({ service: { settings: { businessErrorsAs200: true } } });
    const timestamp = world.clock.nowMs();
    const unknown = await call(world, "GET", "/api/order", {
      key,
      query: { symbol: "BTC/USD", orderId: -256, timestamp },
    });
    expect([unknown.status, unknown.body.code]).toEqual([200, -2013]);
    const small = await place(world, { quantity: "0.0001" });
    expect([small.status, small.body.code]).toEqual([200, -1013]);
    const malformed = await place(world, { quantity: "1e3" });
    expect([malformed.status, malformed.body.code]).toEqual([400, -1100]);
    expect((await place(world, {}, { key: KEYS.nobody })).status).toBe(401);
    expect((await call(world, "GET", "/api/ticker", { query: { symbol: "BTC/USD" } })).status).toBe(400);
  });
});
