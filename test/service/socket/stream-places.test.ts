import { describe, expect, it } from "vitest";
import type { StreamLimits } from "../../../src/service/index.ts";
import { type JsonObject, readJson, type WireResponse } from "../../../src/wire/index.ts";
import { call, openWorld, type ServiceWorld } from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";

const NAMES = ["btcusd@trade", "btcusd@depth", "btcusd@bookTicker"];

const worldWith = (streams: StreamLimits): Promise<ServiceWorld> =>
  openWorld({ service: { traffic: { streams } } });

const liquidity = (world: ServiceWorld, address: string): TestClient =>
  new TestClient(world, { target: "/ws/liquidity", address });

const control = (client: TestClient, method: string, params: readonly string[]): Promise<JsonObject> =>
  client.sendsRaw(JSON.stringify({ method, params, id: 1 }));

const admit = (
  world: ServiceWorld,
  target: string,
  remoteAddress: string,
): Promise<WireResponse | undefined> =>
  world.service.sockets.admit({
    method: "GET",
    target,
    rawHeaders: [],
    body: new Uint8Array(),
    remoteAddress,
  });

const refusedFor = (limit: number, interval: string): JsonObject => ({
  id: 1,
  code: -1003,
  msg: `Too many streams; current limit is ${limit} streams per ${interval}. Unsubscribe from streams that you do not need, or wait until others have ended.`,
});

describe("public streams that are open at once", () => {
  it("an address holds its limit over all connections, and a /64 is one address; each end makes room", async () => {
    const world = await worldWith({ perAddress: 3 });
    const [one, two] = [liquidity(world, "2001:db8::1"), liquidity(world, "2001:db8::2")];
    const other = liquidity(world, "2001:db8:0:1::1");
    await control(one, "SUBSCRIBE", NAMES.slice(0, 2));
    expect(await control(two, "SUBSCRIBE", NAMES.slice(0, 2))).toEqual(refusedFor(3, "ADDRESS"));
    expect(await control(two, "SUBSCRIBE", NAMES.slice(0, 1))).toEqual({ result: null, id: 1 });
    expect(await control(other, "SUBSCRIBE", NAMES)).toEqual({ result: null, id: 1 });
    await control(one, "UNSUBSCRIBE", NAMES);
    expect(await control(two, "SUBSCRIBE", NAMES)).toEqual({ result: null, id: 1 });
    two.session.closed();
    expect(await control(one, "SUBSCRIBE", NAMES)).toEqual({ result: null, id: 1 });
  });

  it("of all together, strangers hold no more than the limit; an address that proved a key gets more", async () => {
    const world = await worldWith({ inAll: 2 });
    await control(liquidity(world, "192.0.2.1"), "SUBSCRIBE", NAMES.slice(0, 2));
    const stranger = liquidity(world, "192.0.2.2");
    expect(await control(stranger, "SUBSCRIBE", NAMES)).toEqual(refusedFor(2, "SERVICE"));
    world.service.traffic?.enter("192.0.2.3");
    world.service.traffic?.proved("192.0.2.3");
    const known = liquidity(world, "192.0.2.3");
    expect(await control(known, "SUBSCRIBE", NAMES)).toEqual({ result: null, id: 1 });
  });

  it("names in the address of a connection are refused with 429 and Retry-After", async () => {
    const world = await worldWith({ perAddress: 2 });
    const refused = await admit(world, `/stream?streams=${NAMES.join("/")}`, "192.0.2.1");
    const { id: _id, ...error } = refusedFor(2, "ADDRESS");
    expect(refused?.status).toBe(429);
    expect(refused?.headers["Retry-After"]).toBe("1");
    expect(readJson(refused?.body ?? "")).toMatchObject({ code: error.code, error: error.msg });
    expect(await admit(world, `/ws/${NAMES.slice(0, 2).join("/")}`, "192.0.2.1")).toBeUndefined();
  });

  it("a connection whose places were taken since it was admitted is closed with 1013", async () => {
    const world = await worldWith({ perAddress: 2 });
    const target = `/ws/${NAMES.slice(0, 2).join("/")}`;
    expect(await admit(world, target, "192.0.2.1")).toBeUndefined();
    new TestClient(world, { target, address: "192.0.2.1" });
    const late = new TestClient(world, { target, address: "192.0.2.1" });
    const reason = "Too many streams; current limit is 2 streams per ADDRESS.";
    expect(late.closed).toEqual({ code: 1013, reason });
    expect((await call(world, "GET", "/api/ping")).status).toBe(200);
  });
});
