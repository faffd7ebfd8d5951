import { describe, expect, it } from "vitest";
import { createMemoryRateLimiter } from "../../../src/adapters/memory/index.ts";
import { clientAddressBehind } from "../../../src/service/access/addresses.ts";
import { createService } from "../../../src/service/index.ts";
import { call, KEYS, openWorld, requestOf, type ServiceWorld } from "../../support/service-world.ts";
import { refusalOf, TestClient } from "../../support/socket-world.ts";

const PROXIES = ["10.0.0.0/8", "2001:db8:a::/48"];
const PROXY = "10.0.0.1";

/** Headers with these X-Forwarded-For in turn. */
const forwarded = (...values: readonly string[]): readonly string[] =>
  values.flatMap((value) => ["X-Forwarded-For", value]);

const addressOf = (peer: string, ...values: readonly string[]): string =>
  clientAddressBehind(PROXIES)({ remoteAddress: peer, rawHeaders: ["Host", "a", ...forwarded(...values)] });

describe("the address behind a trusted proxy", () => {
  it.each([
    ["the address that the proxy has added", ["192.0.2.1"], "192.0.2.1"],
    ["not the address that the client has sent before", ["198.51.100.7, 192.0.2.1"], "192.0.2.1"],
    ["not the client's in a separate header", ["198.51.100.7", "192.0.2.1"], "192.0.2.1"],
    ["trusted proxies are skipped", ["192.0.2.1, 10.1.1.1, 10.2.2.2"], "192.0.2.1"],
    ["also in a following header", ["192.0.2.1", "10.1.1.1"], "192.0.2.1"],
    ["also as IPv4-mapped IPv6", ["192.0.2.1,::ffff:10.1.1.1"], "192.0.2.1"],
    ["also IPv6 ones", ["192.0.2.1, 2001:db8:a::9"], "192.0.2.1"],
    ["a claim to come from a trusted proxy", ["10.9.9.9, 192.0.2.1"], "192.0.2.1"],
    ["an IPv6 client", ["2001:db8:b::1"], "2001:db8:b::1"],
    ["with a port", ["192.0.2.1:4711"], "192.0.2.1"],
    ["IPv6 in brackets", ["[2001:db8:b::1]"], "2001:db8:b::1"],
    ["IPv6 in brackets with a port", ["[2001:db8:b::1]:4711"], "2001:db8:b::1"],
    ["blanks around it", ["  192.0.2.1\t"], "192.0.2.1"],
    ["all of them trusted: the left-most", ["10.3.3.3, 10.1.1.1"], "10.3.3.3"],
    ["garbage left of the client is not read", ["' OR 1=1, 192.0.2.1"], "192.0.2.1"],
  ])("%s: %j", (_what, values, address) => {
    expect(addressOf(PROXY, ...values)).toBe(address);
    expect(addressOf("::ffff:10.0.0.1", ...values)).toBe(address);
  });

  it.each([
    [[]],
    [[""]],
    [["unknown"]],
    [["_hidden"]],
    [["192.0.2.256"]],
    [["192.0.2.1, "]],
    [["192.0.2.1, x"]],
    [["192.0.2.1, 10.1.1.1, x"]],
    [["192.0.2.01"]],
    [["192.0.2.1:port"]],
    [["[192.0.2.1"]],
    [["2001:db8::1::2"]],
    [["192.0.2.1 10.1.1.1"]],
  ])("if the deciding address is invalid, the proxy's own address counts: %j", (values) => {
    expect(addressOf(PROXY, ...values)).toBe(PROXY);
  });

  it.each(["192.0.2.9", "11.0.0.1", "::1", "", "2001:db8:b::1"])(
    "the header of %j, which is not a trusted proxy, is not read",
    (peer) => {
      expect(addressOf(peer, "198.51.100.7")).toBe(peer);
    },
  );

  it("without trusted proxies no header is read, whatever the peer", () => {
    for (const proxies of [undefined, []]) {
      const rawHeaders = forwarded("198.51.100.7");
      expect(clientAddressBehind(proxies)({ remoteAddress: PROXY, rawHeaders })).toBe(PROXY);
    }
  });

  it("the blocks are read once: later changes of the list have no effect", () => {
    const proxies = [...PROXIES];
    const judge = clientAddressBehind(proxies);
    proxies.splice(0, proxies.length, "198.51.100.0/24");
    const rawHeaders = forwarded("192.0.2.1");
    expect(judge({ remoteAddress: PROXY, rawHeaders })).toBe("192.0.2.1");
    expect(judge({ remoteAddress: "198.51.100.1", rawHeaders })).toBe("198.51.100.1");
  });

  it("no other header counts", () => {
    const others = ["Forwarded", "for=192.0.2.1", "X-Real-IP", "192.0.2.1", "X-Forwarded", "192.0.2.1"];
    expect(clientAddressBehind(PROXIES)({ remoteAddress: PROXY, rawHeaders: others })).toBe(PROXY);
  });

  it.each(["localhost", "10.0.0.0/33", "10.0.0", "", "::/129", "10.0.0.1,10.0.0.2"])(
    "%j is not a proxy: the service is not created",
    async (proxy) => {
      const { engine, accounts, clock } = await openWorld();
      const rateLimiter = createMemoryRateLimiter({ clock });
      const instruments = { all: () => [], find: () => undefined, resolve: () => undefined };
      const entropy = { token: () => "t" };
      const settings = { trustedProxies: [proxy] };
      const parts = { engine, accounts, clock, rateLimiter, instruments, entropy, settings };
      expect(() => createService(parts)).toThrow(
        `createService.settings.trustedProxies[0] must be an IP address or a CIDR block such as 10.0.0.0/8, got ${JSON.stringify(proxy)}`,
      );
    },
  );
});

const behind = (): Promise<ServiceWorld> =>
  openWorld({ limits: { weightPerMinute: 2 }, service: { settings: { trustedProxies: PROXIES } } });

describe("limits and lists use that address", () => {
  const ping = async (world: ServiceWorld, address: string, ...values: readonly string[]): Promise<number> =>
    (await call(world, "GET", "/api/ping", { address, headers: forwarded(...values) })).status;

  it("clients of one proxy have separate limits", async () => {
    const world = await behind();
    for (const status of [200, 200, 429, 429]) expect(await ping(world, PROXY, "192.0.2.1")).toBe(status);
    expect(await ping(world, PROXY, "192.0.2.2")).toBe(200);
    expect(await ping(world, PROXY)).toBe(200);
  });

  it("a client cannot avoid its limit with invented addresses, through the proxy or past it", async () => {
    const world = await behind();
    const seen: number[] = [];
    for (let n = 0; n < 4; n++) seen.push(await ping(world, PROXY, `198.51.100.${n}, 192.0.2.1`));
    for (let n = 0; n < 4; n++) seen.push(await ping(world, "192.0.2.7", `198.51.100.${n}`));
    expect(seen).toEqual([200, 200, 429, 429, 200, 200, 429, 429]);
  });

  it("a client cannot get another one banned", async () => {
    const world = await behind();
    for (let n = 0; n < 20; n++) await ping(world, "192.0.2.7", "192.0.2.1");
    for (let n = 0; n < 20; n++) await ping(world, PROXY, "192.0.2.1, 192.0.2.8");
    expect(await ping(world, PROXY, "192.0.2.1")).toBe(200);
  });

  it("the address list of a key applies to the client, not to the proxy", async () => {
    const world = await openWorld({ service: { settings: { trustedProxies: ["192.0.2.0/24"] } } });
    const status = async (address: string, ...values: readonly string[]): Promise<number> => {
      const query = { apiManaged: true, nonce: world.nonce() };
      const headers = forwarded(...values);
      const options = { key: KEYS.elsewhere, query, address, headers };
      return (await call(world, "GET", "/api/v3/openOrders", options)).status;
    };
    expect(await status("192.0.2.1", "10.1.2.3")).toBe(200);
    expect(await status("192.0.2.1", "198.51.100.1")).toBe(401);
    expect(await status("192.0.2.1", "10.1.2.3, 198.51.100.1")).toBe(401);
    expect(await status("198.51.100.1", "10.1.2.3")).toBe(401);
    expect(await status("10.1.2.3", "198.51.100.1")).toBe(200);
  });

  it("apply equally to WebSocket, at the upgrade and for every message", async () => {
    const world = await behind();
    const headers = forwarded("192.0.2.1");
    const upgrade = async (...values: readonly string[]): Promise<number | undefined> => {
      const request = requestOf("GET", "/ws/listenKey", { address: PROXY, headers: forwarded(...values) });
      return (await world.service.sockets.admit(request))?.status;
    };
    expect(await upgrade("192.0.2.1")).toBeUndefined();
    expect(await upgrade("192.0.2.1")).toBe(429);
    expect(await upgrade("198.51.100.7, 192.0.2.1")).toBe(429);
    expect(await upgrade("192.0.2.2")).toBeUndefined();
    const client = new TestClient(world, { address: PROXY, headers });
    expect(refusalOf(await client.ask("session.subscriptions"))).toEqual([429, -1003]);
    const other = new TestClient(world, { address: PROXY, headers: forwarded("192.0.2.3") });
    expect((await other.ask("session.subscriptions")).status).toBe(200);
    const listed = await openWorld({ service: { settings: { trustedProxies: ["192.0.2.0/24"] } } });
    for (const [value, status] of [
      ["10.1.2.3", 200],
      ["198.51.100.1", 401],
    ] as const) {
      const requesting = new TestClient(listed, { address: "192.0.2.1", headers: forwarded(value) });
      const reply = await requesting.ask("openOrders.status", { apiManaged: true }, { key: KEYS.elsewhere });
      expect(reply.status).toBe(status);
    }
  });
});
