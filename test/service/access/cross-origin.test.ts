import { describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/requests/index.ts";
import type { WireResponse } from "../../../src/wire/index.ts";
import {
  KEYS,
  openWorld,
  requestOf,
  type ServiceWorld,
  type WorldOptions,
} from "../../support/service-world.ts";

const DESK = "https://desk.example.com";
const OTHER = "https://evil.example.com";

const openDesk = (
  options: WorldOptions = {},
  allowedOrigins: readonly string[] = [DESK],
): Promise<ServiceWorld> =>
  openWorld({ ...options, service: { settings: { allowedOrigins, ...options.service?.settings } } });

type Options = NonNullable<Parameters<typeof requestOf>[2]>;

const ask = (
  world: ServiceWorld,
  [method, path]: readonly [string, string],
  { headers = [], ...rest }: Options & Readonly<{ origin?: string }> = {},
): Promise<WireResponse> => {
  const origin = rest.origin === undefined ? [] : ["Origin", rest.origin];
  return world.service.handle(requestOf(method, path, { ...rest, headers: [...origin, ...headers] }));
};

const PREFLIGHT = ["Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-mbx-apikey"];

/** Names of the headers for browsers. */
const spoken = ({ headers }: WireResponse): readonly string[] =>
  Object.keys(headers).filter((name) => /^(access-control-|vary$)/i.test(name));

const GRANTED = ["Vary", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers"];

describe("preflights", () => {
  it("every path: 204 without a body, its methods, the three request headers, and no credentials", async () => {
    const world = await openDesk();
    for (const path of new Set(ROUTES.map((route) => route.path))) {
      const response = await ask(world, ["OPTIONS", path], { origin: DESK, headers: PREFLIGHT });
      const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
      expect([path, response.status, response.body]).toEqual([path, 204, ""]);
      expect(response.headers).toMatchObject({
        "Access-Control-Allow-Origin": DESK,
        "Access-Control-Allow-Methods": methods.join(", "),
        "Access-Control-Allow-Headers": "X-MBX-APIKEY, signature, Content-Type",
        "Access-Control-Max-Age": "7200",
        Vary: "Origin",
        "Cache-Control": "no-store",
      });
      expect(response.headers).not.toHaveProperty("Content-Type");
      expect(response.headers).not.toHaveProperty("Access-Control-Allow-Credentials");
    }
  });

  it.each([
    ["another origin", ["/api/order", OTHER]],
    ["no origin", ["/api/order", undefined]],
    ["an origin in another letter case", ["/api/order", "https://DESK.example.com"]],
    ["the origin with a path", ["/api/order", `${DESK}/`]],
    ["another port", ["/api/order", `${DESK}:8443`]],
    ["another scheme", ["/api/order", "http://desk.example.com"]],
    ["a longer host", ["/api/order", `${DESK}.evil.example.com`]],
    ["null", ["/api/order", "null"]],
    ["an unknown path", ["/api/nothing", DESK]],
    ["an unknown path of version 3", ["/api/v3/order", DESK]],
    ["the asterisk form", ["*", DESK]],
  ] as const)("%s: 404 -1099, like any other wrong method", async (_what, [path, origin]) => {
    const world = await openDesk();
    const response = await ask(world, ["OPTIONS", path], { ...(origin && { origin }), headers: PREFLIGHT });
    expect([response.status, response.body.includes('"code":-1099')]).toEqual([404, true]);
    expect(spoken(response)).toEqual(origin === DESK ? GRANTED : ["Vary"]);
  });

  it("two Origin headers are refused", async () => {
    const world = await openDesk();
    const headers = ["Origin", DESK, "origin", DESK, ...PREFLIGHT];
    const response = await ask(world, ["OPTIONS", "/api/order"], { headers });
    expect([response.status, spoken(response)]).toEqual([404, ["Vary"]]);
  });

  it("without the setting OPTIONS is a wrong method and no reply has headers for browsers", async () => {
    const world = await openWorld();
    const preflight = await ask(world, ["OPTIONS", "/api/order"], { origin: DESK, headers: PREFLIGHT });
    const ping = await ask(world, ["GET", "/api/ping"], { origin: DESK });
    expect([preflight.status, ping.status]).toEqual([404, 200]);
    expect([...spoken(preflight), ...spoken(ping)]).toEqual([]);
  });

  it("an allow list also hides excluded routes from preflights", async () => {
    const world = await openDesk({ service: { settings: { getAllowlist: ["order"], postAllowlist: [] } } });
    const at = (path: string): Promise<WireResponse> =>
      ask(world, ["OPTIONS", path], { origin: DESK, headers: PREFLIGHT });
    expect((await at("/api/order")).headers["Access-Control-Allow-Methods"]).toBe("GET, DELETE");
    expect((await at("/api/ping")).status).toBe(404);
  });

  it("it costs no weight, shows the weight, and a banned address gets it too", async () => {
    const world = await openDesk({ limits: { weightPerMinute: 1 } });
    const preflight = (): Promise<WireResponse> =>
      ask(world, ["OPTIONS", "/api/ping"], { origin: DESK, headers: PREFLIGHT });
    for (let count = 0; count < 20; count++)
      expect((await preflight()).headers).toMatchObject({
        "X-MBX-USED-WEIGHT": "0",
        "X-MBX-USED-WEIGHT-1M": "0",
      });
    for (let count = 0; count < 20; count++) await ask(world, ["GET", "/api/ping"]);
    expect((await preflight()).status).toBe(204);
    const banned = await ask(world, ["GET", "/api/ping"], { origin: DESK });
    expect(banned).toMatchObject({ status: 429, headers: { "Access-Control-Allow-Origin": DESK } });
  });
});

describe("replies to an allowed origin", () => {
  it("may be read with their limits, including refusals, unknown paths and failures", async () => {
    const world = await openDesk({ limits: { weightPerMinute: 20 } });
    const query = { apiManaged: true, nonce: "1" };
    const replies = [
      await ask(world, ["GET", "/api/ping"], { origin: DESK }),
      await ask(world, ["GET", "/api/v3/openOrders"], { origin: DESK, key: KEYS.owner, query }),
      await ask(world, ["GET", "/api/ticker"], { origin: DESK }),
      await ask(world, ["GET", "/api/v3/openOrders"], { origin: DESK }),
      await ask(world, ["GET", "/api/nothing"], { origin: DESK }),
      await ask(world, ["PATCH", "/api/order"], { origin: DESK }),
      await ask(world, ["GET", "/api/allOrderLists"], { origin: DESK }),
      await ask(world, ["GET", "/api/exchangeInfo"], { origin: DESK }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 400, 401, 404, 404, 404, 429]);
    for (const response of replies) {
      expect(response.headers).toMatchObject({
        "Access-Control-Allow-Origin": DESK,
        "Access-Control-Expose-Headers":
          "Retry-After, X-MBX-USED-WEIGHT, X-MBX-USED-WEIGHT-1M, X-MBX-ORDER-COUNT-10S, X-MBX-ORDER-COUNT-1D, X-Request-Id",
        Vary: "Origin",
      });
      expect(spoken(response)).toEqual(GRANTED);
    }
    expect(replies.at(-1)?.headers).toHaveProperty("Retry-After");
  });

  it("another origin is answered as usual, without permission; caches are told of the dependency", async () => {
    const world = await openDesk();
    for (const options of [{ origin: OTHER }, { origin: "null" }, {}]) {
      const response = await ask(world, ["GET", "/api/ping"], options);
      expect([response.status, spoken(response), response.headers.Vary]).toEqual([200, ["Vary"], "Origin"]);
    }
  });

  it("* is every origin, without credentials", async () => {
    const world = await openDesk({}, ["*"]);
    for (const origin of [DESK, OTHER, "null"]) {
      const response = await ask(world, ["GET", "/api/ping"], { origin });
      expect(response.headers["Access-Control-Allow-Origin"]).toBe("*");
      expect(response.headers).not.toHaveProperty("Access-Control-Allow-Credentials");
      const preflight = await ask(world, ["OPTIONS", "/api/order"], { origin, headers: PREFLIGHT });
      expect(preflight.status).toBe(204);
    }
  });

  it("the Origin header changes neither the signed bytes nor the permissions", async () => {
    const world = await openDesk();
    const reply = async (origin: string): Promise<WireResponse> =>
      ask(world, ["GET", "/api/v3/openOrders"], {
        origin,
        key: KEYS.owner,
        query: { apiManaged: true, nonce: world.nonce() },
      });
    expect((await reply(OTHER)).body).toBe((await reply(DESK)).body);
  });
});

describe("invalid origins", () => {
  it.each([
    "desk.example.com",
    "https://desk.example.com/",
    "https://Desk.example.com",
    "https://desk.example.com:443",
    "http://desk.example.com:80",
    "https://*.example.com",
    "https://user@desk.example.com",
    "null",
    "",
    " https://desk.example.com",
    "https://desk.example.com\r\nX: y",
  ])("%j: the service is not created", async (origin) => {
    await expect(openDesk({}, [DESK, origin])).rejects.toThrow(
      new RangeError(
        `createService.settings.allowedOrigins[1] must be * or an origin such as https://desk.example.com, got ${JSON.stringify(origin)}`,
      ),
    );
  });

  it.each(["http://127.0.0.1:3000", "http://localhost", "https://[::1]:8443", "capacitor://localhost"])(
    "%s is accepted",
    async (origin) => {
      const world = await openDesk({}, [origin]);
      const { headers } = await ask(world, ["GET", "/api/ping"], { origin });
      expect(headers["Access-Control-Allow-Origin"]).toBe(origin);
    },
  );
});

describe("WebSockets of browsers", () => {
  const upgrade = async (
    world: ServiceWorld,
    headers: readonly string[],
    path = "/ws/liquidity",
  ): Promise<unknown> => {
    const refused = await world.service.sockets.admit(requestOf("GET", path, { headers }));
    return refused === undefined ? 101 : [refused.status, refused.body.includes('"code":-1099')];
  };

  it.each(["/ws/listenKey", "/ws-api/v3", "/ws/liquidity"])("%s: another origin is refused", async (path) => {
    const world = await openDesk({ limits: {} });
    expect(await upgrade(world, ["Origin", DESK], path)).toBe(101);
    expect(await upgrade(world, [], path)).toBe(101);
    for (const origin of [OTHER, "null", "", `${DESK}/`])
      expect(await upgrade(world, ["Origin", origin], path)).toEqual([404, true]);
    expect(await upgrade(world, ["Origin", DESK, "Origin", OTHER], path)).toEqual([404, true]);
    expect(await upgrade(world, ["Origin", DESK, "Origin", DESK], path)).toEqual([404, true]);
  });

  it("a client that names the service itself is not a page of another origin", async () => {
    const world = await openDesk();
    const own = ["Host", "api.example.com:8443", "Origin", "https://api.example.com:8443"];
    expect(await upgrade(world, own)).toBe(101);
    expect(await upgrade(world, ["Host", "api.example.com", "Origin", OTHER])).toEqual([404, true]);
    expect(await upgrade(world, ["Host", "", "Origin", "https://"])).toEqual([404, true]);
  });

  it("a refused one weighs 1; with * or without the setting every origin is accepted", async () => {
    const world = await openDesk({ limits: { weightPerMinute: 4 } });
    for (let count = 0; count < 2; count++) await upgrade(world, ["Origin", OTHER]);
    expect(await upgrade(world, ["Origin", DESK])).toBe(101);
    expect(await upgrade(world, ["Origin", DESK])).not.toBe(101);
    expect(await upgrade(await openDesk({}, ["*"]), ["Origin", OTHER])).toBe(101);
    expect(await upgrade(await openWorld(), ["Origin", OTHER])).toBe(101);
  });
});
