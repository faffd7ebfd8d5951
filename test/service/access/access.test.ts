import { describe, expect, it } from "vitest";
import type { Permission } from "../../../src/model/index.ts";
import { ROUTES } from "../../../src/requests/index.ts";
import { type RequestParameters, sign } from "../../../src/signing/index.ts";
import type { WireResponse } from "../../../src/wire/index.ts";
import {
  call,
  KEYS,
  openWorld,
  place,
  type Reply,
  type RequestOptions,
  requestOf,
  type ServiceWorld,
} from "../../support/service-world.ts";
import { refusalOf, TestClient } from "../../support/socket-world.ts";

const key = KEYS.owner;

const NOT_VALID = "Signature for this request is not valid.";

/** The refusal of a signature that was used for something else, with its remedy beside the convention's text. */
const REUSED = {
  code: -1022,
  msg: NOT_VALID,
  error: `${NOT_VALID} The same signature was already used for another request. Vary the timestamp or the recvWindow, and sign again.`,
};

/** A page request signed with a nonce. */
const page = (world: ServiceWorld, rest: Parameters<typeof requestOf>[2] = {}): Promise<WireResponse> =>
  world.service.handle(
    requestOf("GET", "/api/v3/openOrders", {
      key,
      query: { apiManaged: true, nonce: world.nonce() },
      ...rest,
    }),
  );

describe("permissions", () => {
  it("a wrong address or a missing permission is refused before the request is parsed, dated or remembered, so that its time is that of an unknown key", async () => {
    const world = await openWorld();
    const stale = world.clock.nowMs() - 60_000;
    const requested = (use: RequestOptions, query: RequestParameters): Promise<Reply> =>
      call(world, "GET", "/api/order", { ...use, query });
    for (const use of [{ key: KEYS.elsewhere, address: "192.0.2.7" }, { key: KEYS.trader }])
      for (const query of [{ symbol: "BTC/USD", timestamp: stale }, { "a[]": "1" }])
        expect((await requested(use, query)).body.code).toBe(-2015);
    const query = { symbol: "BTC/USD", orderId: -256, timestamp: world.clock.nowMs(), nonce: "1" };
    expect((await call(world, "DELETE", "/api/v2/order", { key: KEYS.reader, query })).body.code).toBe(-2015);
    expect((await requested({ key: KEYS.reader }, query)).body.code).toBe(-2013);
  });

  it.each(["10.1.2.3", "::ffff:10.1.2.3", "2001:db8::5"])(
    "an address on the list is admitted: %s",
    async (address) => {
      const world = await openWorld();
      expect((await page(world, { key: KEYS.elsewhere, address })).status).toBe(200);
    },
  );
});

describe("the account of a request", () => {
  it("the owner's consent counts, also for an order on the caller's own account", async () => {
    const world = await openWorld();
    world.accounts.put({
      account: { accountId: 4, userId: 1, enableDataSharing: false, delegates: [], restricted: false },
      keys: [],
    });
    expect((await place(world, { account: 4 })).body.code).toBe(-2010);
    const placed = await place(world, { account: 1 });
    expect(placed.body.accountId).toBe(1);
  });
});

describe("contract, Authentication: consent of the owner, delegated permission", () => {
  const OWNED = 5;
  const put = (world: ServiceWorld, enableDataSharing: boolean, permissions: readonly Permission[]): void =>
    world.accounts.put({
      account: {
        ...{ accountId: OWNED, userId: 9, enableDataSharing, restricted: false },
        delegates: [{ userId: 3, permissions }],
      },
      keys: [],
    });

  it("a delegate's order needs TRADE from the owner and the owner's consent, not the delegate's own", async () => {
    const world = await openWorld();
    const requested = async (account: number): Promise<unknown> => {
      const placed = await place(world, { account }, { key: KEYS.silent });
      return placed.body.code ?? placed.body.accountId;
    };
    expect(await requested(3)).toBe(-2010);
    for (const [consent, permissions, expected] of [
      [true, [], -1002],
      [true, ["READ"], -1002],
      [false, ["TRADE"], -2010],
      [true, ["TRADE"], OWNED],
      [false, ["READ", "TRADE"], -2010],
    ] as const) {
      put(world, consent, permissions);
      expect([consent, permissions, await requested(OWNED)]).toEqual([consent, permissions, expected]);
    }
    expect(world.engine.metrics().openParents).toBe(1);
  });
});

describe("the order of defences", () => {
  const bare = { method: "GET", rawHeaders: [], body: new Uint8Array(), remoteAddress: "127.0.0.1" };
  const codeOf = async (
    world: ServiceWorld,
    request: Partial<ReturnType<typeof requestOf>>,
  ): Promise<number> => {
    const { body } = await world.service.handle({ ...bare, target: "/api/v3/openOrders", ...request });
    return Number(/"code":(-[0-9]+)/.exec(body)?.[1]);
  };

  it("each defense answers before the next is checked", async () => {
    const world = await openWorld();
    const keyHeader = ["X-MBX-APIKEY", key.apiKey];
    const signed = (query: string, secret = key.secret): Partial<ReturnType<typeof requestOf>> => ({
      target: `/api/v3/openOrders?${query}`,
      rawHeaders: [...keyHeader, "signature", sign({ secret, payload: query })],
    });
    const twice = [...keyHeader, ...keyHeader];
    expect(await codeOf(world, { target: "/api/v3/nothing?{" })).toBe(-1099);
    expect(await codeOf(world, { target: "/api/v3/openOrders?{", rawHeaders: twice })).toBe(-2014);
    expect(await codeOf(world, { target: "/api/v3/openOrders?{" })).toBe(-1100);
    const big = { method: "DELETE", body: new Uint8Array(32_769) };
    expect(await codeOf(world, big)).toBe(-1101);
    expect(await codeOf(world, {})).toBe(-2014);
    expect(await codeOf(world, { rawHeaders: [...keyHeader, "signature", "zz"] })).toBe(-1022);
    expect(await codeOf(world, signed("a=1&a=2", "wrong"))).toBe(-1022);
    expect(await codeOf(world, signed("a=1&a=2"))).toBe(-1101);
    expect(await codeOf(world, signed("limit=0"))).toBe(-1102);
    expect(await codeOf(world, signed("limit=0&timestamp=1"))).toBe(-1021);
    expect(await codeOf(world, signed("limit=0&nonce=1"))).toBe(-1102);
    expect(await codeOf(world, signed("apiManaged=true&limit=0&nonce=1&account=2"))).toBe(-1130);
    expect(await codeOf(world, signed("apiManaged=true&nonce=1&account=2"))).toBe(-1002);
  });

  it("of all pairs of signed routes, queries share a signature, an alias is its route, one cancel follows a query; nothing else passes", async () => {
    const signed = ROUTES.filter(({ access }) => access !== "PUBLIC");
    for (const first of signed) {
      const world = await openWorld();
      for (const [index, later] of signed.entries()) {
        const query = { nonce: `n${index}`, timestamp: world.clock.nowMs() };
        await call(world, first.method, first.path, { key, query });
        const { body } = await call(world, later.method, later.path, { key, query });
        const passes =
          first.access === "READ"
            ? later.access === "READ" || later.method === "DELETE"
            : first.name === later.name;
        const pair = `${first.method} ${first.path}, ${later.method} ${later.path}`;
        expect([pair, body.code !== -1022]).toEqual([pair, passes]);
        if (!passes) expect(body).toEqual(REUSED);
      }
    }
  });

  it("an honest status and cancel in one millisecond are accepted; a stranger's cancel is not", async () => {
    const world = await openWorld();
    const { orderId } = (await place(world)).body as { orderId: number };
    const query = { symbol: "BTC/USD", orderId, timestamp: world.clock.nowMs() };
    const cancelFrom = async (address: string): Promise<unknown> =>
      (await call(world, "DELETE", "/api/v2/order", { key, query, address })).body.code;
    expect((await call(world, "GET", "/api/v2/order", { key, query })).body.status).toBe("NEW");
    expect(await cancelFrom("127.0.0.2")).toBe(-1022);
    await world.clock.advanceBy(1001);
    expect(await cancelFrom("127.0.0.1")).toBe(-1022);
    const again = { ...query, timestamp: world.clock.nowMs() };
    expect((await call(world, "GET", "/api/v2/order", { key, query: again })).body.status).toBe("NEW");
    const canceled = await call(world, "DELETE", "/api/v2/order", { key, query: again });
    expect(canceled.body.status).toBe("CANCELED");
    expect((await call(world, "DELETE", "/api/v3/orderList", { key, query: again })).body).toEqual(REUSED);
  });

  it("a signature is valid for one method and path; the guard can be turned off", async () => {
    const query = { apiManaged: true, nonce: "1" };
    for (const [replayGuard, code] of [[{}, -1022] as const, [false, undefined] as const]) {
      const world = await openWorld({ service: { replayGuard } });
      await place(world);
      expect((await call(world, "GET", "/api/v3/openOrders", { key, query })).status).toBe(200);
      const elsewhere = { key, query, address: "127.0.0.2" };
      const replayed = await call(world, "DELETE", "/api/v3/openOrders", elsewhere);
      expect(replayed.body.code).toBe(code);
      expect((await call(world, "GET", "/api/v3/openOrders", { key, query })).status).toBe(200);
    }
  });
});

describe("allow lists", () => {
  it("a listed route is served, any other answers as an unknown one; DELETE has no list", async () => {
    const settings = { getAllowlist: ["orderStatus", "allOrders"], postAllowlist: ["getOrderStatus"] };
    const world = await openWorld({ service: { settings } });
    const query = { symbol: "BTC/USD", orderId: -256, timestamp: world.clock.nowMs() };
    expect((await call(world, "GET", "/api/v2/orderStatus", { key, query })).body.code).toBe(-2013);
    expect((await call(world, "GET", "/api/v2/order", { key, query })).status).toBe(404);
    expect((await call(world, "GET", "/api/ping")).status).toBe(404);
    expect((await place(world)).status).toBe(404);
    const again = { ...query, nonce: "1" };
    expect((await call(world, "DELETE", "/api/v2/order", { key, query: again })).body.code).toBe(-2011);
  });

  it("contract, Versioning: a restricted list is not replaced by a wildcard", async () => {
    for (const wildcard of ["*", "**", ".*", "", "/", "/api/*", "v2/*", "ORDERSTATUS", "orderstatus"]) {
      const settings = { getAllowlist: [wildcard], postAllowlist: [wildcard] };
      const world = await openWorld({ service: { settings } });
      for (const { method, path } of ROUTES) {
        const { status, body } = await call(world, method, path);
        if (method === "DELETE") expect([path, body.code]).toEqual([path, -2014]);
        else expect([path, status, body.code]).toEqual([path, 404, -1099]);
      }
    }
  });

  it.each(["GET", "POST"] as const)(
    "the list of %s, which PUT shares with POST, does not affect the other; an empty one serves none",
    async (method) => {
      const settings = method === "GET" ? { getAllowlist: [] } : { postAllowlist: [] };
      const world = await openWorld({ service: { settings } });
      for (const route of ROUTES) {
        const { status } = await call(world, route.method, route.path);
        expect([route.method, route.path, status === 404]).toEqual([
          route.method,
          route.path,
          (route.method === "PUT" ? "POST" : route.method) === method,
        ]);
      }
    },
  );

  it("contract, Versioning: a listed name is served under each path that ends so, by WebSocket as its route", async () => {
    const settings = { getAllowlist: ["order"], postAllowlist: ["getOrderStatus"] };
    const world = await openWorld({ service: { settings } });
    const served = async (method: string): Promise<readonly string[]> => {
      const open: string[] = [];
      for (const route of ROUTES)
        if (route.method === method && (await call(world, method, route.path)).status !== 404)
          open.push(route.path);
      return open;
    };
    expect(await served("GET")).toEqual(["/api/v2/order", "/api/order"]);
    expect(await served("POST")).toEqual(["/api/v2/getOrderStatus"]);
    const codeOf = async (method: string): Promise<unknown> =>
      refusalOf(await new TestClient(world).ask(method))[1];
    expect(await codeOf("order.status")).not.toBe(-1020);
    expect(await codeOf("order.place")).toBe(-1020);
    expect(await codeOf("allOrders")).toBe(-1020);
  });
});
