import { describe, expect, it } from "vitest";
import { answers, callLost, clientOn, openClientWorld, settled } from "./client-world.ts";
import { STOP } from "./placements.ts";

const BUSY = answers('{"code":-1008,"msg":"Busy."}', { status: 503 });
const limited = (code: number, headers: Readonly<Record<string, string>> = {}) =>
  answers(`{"code":${code},"msg":"Too many."}`, { status: 429, headers });

describe("requests that are sent again", () => {
  it("a read is sent again after failures that may pass, a bounded number of times", async () => {
    const world = await openClientWorld();
    const { client, wire } = world;
    for (const fault of [BUSY, callLost]) wire.strike("/api/ping", fault);
    await settled(world, client.ping());
    expect(wire.of("GET /api/ping").length).toBe(3);
    wire.strike("/api/ping", BUSY, 3);
    await expect(settled(world, client.ping())).rejects.toMatchObject({ code: -1008, status: 503 });
    expect(wire.of("GET /api/ping").length).toBe(6);
  });

  it("a read is not sent again after a refusal", async () => {
    const { client, wire } = await openClientWorld();
    await expect(client.order({ symbol: "NOPE/USD", orderId: -1 })).rejects.toMatchObject({ code: -1121 });
    expect(wire.of("GET /api/v2/order").length).toBe(1);
  });

  it("a placement or cancel is never sent again", async () => {
    const { client, wire } = await openClientWorld();
    wire.strike("/api/order", BUSY);
    wire.strike("/api/v3/openOrders", callLost);
    await expect(client.placeOrder(STOP)).rejects.toMatchObject({ kind: "uncertain" });
    await expect(client.cancelOpenOrders()).rejects.toMatchObject({ kind: "uncertain" });
    expect([wire.of("POST /api/order").length, wire.of("DELETE /api/v3/openOrders").length]).toEqual([1, 1]);
  });

  it("a POST that reads is sent again", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/v2/getOrderHistory", callLost);
    expect((await settled(world, world.client.executions())).orders).toEqual([]);
  });

  it("Retry-After is waited for, without Retry-After a growing pause", async () => {
    const world = await openClientWorld();
    const { client, wire, clock } = world;
    const startMs = clock.nowMs();
    wire.strike("/api/ping", limited(-1003, { "Retry-After": "7" }));
    await settled(world, client.ping());
    expect(clock.nowMs() - startMs).toBeGreaterThanOrEqual(7_000);
    const laterMs = clock.nowMs();
    wire.strike("/api/ping", limited(-1003));
    await settled(world, client.ping());
    expect(clock.nowMs() - laterMs).toBeLessThanOrEqual(500);
  });

  it.each([502, 429])("a read is sent again after %d with the JSON of a proxy", async (status) => {
    const world = await openClientWorld();
    world.wire.strike("/api/ping", answers('{"message":"Later"}', { status }));
    expect(await settled(world, world.client.ping())).toEqual({});
  });

  it("a Retry-After that is a date counts from the date of the reply, not from the client's own clock", async () => {
    const world = await openClientWorld();
    const { wire, clock } = world;
    const startMs = clock.nowMs();
    const client = clientOn(world, wire, { clock: { ...clock, nowMs: () => clock.nowMs() - 3_600_000 } });
    const [date, later] = [startMs, startMs + 7_000].map((atMs) => new Date(atMs).toUTCString());
    wire.strike("/api/ping", limited(-1003, { "Retry-After": `${later}`, Date: `${date}` }));
    await settled(world, client.ping());
    expect(clock.nowMs() - startMs).toBeGreaterThanOrEqual(7_000);
  });

  it("a longer Retry-After is an error at once, and nothing is sent before it is over", async () => {
    const world = await openClientWorld();
    const { client, wire, clock } = world;
    wire.strike("/api/ping", limited(-1003, { "Retry-After": "60" }));
    const refusal = { kind: "refused", code: -1003, retryAfterMs: 60_000, sent: true };
    await expect(client.ping()).rejects.toMatchObject(refusal);
    const sent = wire.calls.length;
    await expect(client.time()).rejects.toMatchObject({ code: -1003, retryAfterMs: 60_000, sent: false });
    await expect(client.placeOrder(STOP)).rejects.toMatchObject({ kind: "refused", sent: false });
    expect(wire.calls.length).toBe(sent);
    await clock.advanceBy(60_000);
    await client.ping();
  });

  it.each([
    ["JSON", '{"message":"Later"}'],
    ["a page", "<html>Later</html>"],
    ["nothing", ""],
    ["a body that is not UTF-8", new Uint8Array([0xff, 0xfe])],
    ["a body that is too large", " ".repeat(8 * 1024 * 1024 + 1)],
  ])("a 429 of a proxy with %s holds back requests for its Retry-After, too", async (_what, body) => {
    const { client, wire, clock } = await openClientWorld();
    wire.strike("/api/ping", answers(body, { status: 429, headers: { "Retry-After": "60" } }));
    await expect(client.ping()).rejects.toMatchObject({ kind: "protocol", retryAfterMs: 60_000 });
    const held = { kind: "refused", status: 429, retryAfterMs: 60_000, sent: false };
    await expect(client.time()).rejects.toMatchObject(held);
    await expect(client.placeOrder(STOP)).rejects.toMatchObject(held);
    expect(wire.calls.length).toBe(1);
    await clock.advanceBy(60_000);
    await client.ping();
  });

  it("too many orders hold back placements and amends, which count as orders, and no cancels", async () => {
    const { client, wire } = await openClientWorld();
    wire.strike("/api/order", limited(-1015, { "Retry-After": "60" }));
    await expect(client.placeOrder(STOP)).rejects.toMatchObject({ code: -1015, sent: true });
    await expect(client.placeOrder(STOP)).rejects.toMatchObject({ code: -1015, sent: false });
    const { symbol } = STOP;
    const amends = client.amendOrder({ symbol, orderId: -1, stopPrice: "91" });
    await expect(amends).rejects.toMatchObject({ code: -1015, sent: false });
    expect(await client.cancelOpenOrders()).toMatchObject({ matchedCount: 0 });
    expect((await client.openOrders()).total).toBe(0);
  });

  it("an abort ends the pause before the next attempt", async () => {
    const world = await openClientWorld();
    const controller = new AbortController();
    world.wire.strike("/api/ping", BUSY);
    const call = world.client.ping({ signal: controller.signal });
    await Promise.resolve();
    controller.abort();
    await expect(call).rejects.toMatchObject({ kind: "transport", reason: "aborted" });
  });

  it("calls at the same time share one reading of the server's clock", async () => {
    const world = await openClientWorld();
    const client = clientOn(world, world.wire);
    await Promise.all([client.openOrders(), client.openOrders(), client.openOrderLists()]);
    expect(world.wire.of("GET /api/time").length).toBe(1);
  });
});
