import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AttackOptions,
  attack,
  BASE_ID,
  BASE_ORDER,
  type HostileWorld,
  openHostileWorld,
  type Refusal,
  refusal,
} from "../support/hostile-world.ts";
import type { RawRequest } from "../support/raw-http.ts";
import { KEYS, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const DUPLICATE = refusal(-1101);
const ILLEGAL = refusal(-1100);
const BAD_SYMBOL = refusal(-1121);
const INVALID = refusal(-1130);
const NOT_READ = refusal(-1106);
const NOT_FOUND = { status: 404, code: -1099 };
const PAGE = "apiManaged=true&nonce=1";
const MANY = Array.from({ length: 3_000 }, (_, index) => `"a${index}":1`).join(",");

/** A version 2 look-up of the base order, with this symbol and tail. */
const lookUp = (symbol: string, tail = "") =>
  attack("GET", "/api/v2/order", {
    query: `symbol=${symbol}&origClientOrderId=${BASE_ID}${tail}&timestamp=${START_MS}`,
  });

const page = (parameters: string) =>
  attack("GET", "/api/v3/openOrders", { query: `apiManaged=true&nonce=1${parameters}` });

const at = (path: string, headers: readonly string[] = []) => attack("GET", path, { query: PAGE, headers });
const placing = (options: AttackOptions) =>
  attack("POST", "/api/order", { query: "nonce=1", body: BASE_ORDER, ...options });

type Case = readonly [what: string, request: RawRequest, expected: Refusal];

describe("requests that are not read as they are meant", () => {
  it("valid requests are accepted", async () => {
    await world.accepts(lookUp("BTC/USD"));
    await world.accepts(lookUp("BTC%2FUSD"));
    await world.accepts(page("&limit=5"));
  });

  // One row for each kind; test/wire/ and test/requests/routes.test.ts have the values of each.
  const cases: readonly Case[] = [
    ["34: a parameter twice with one value", page("&limit=5&limit=5"), DUPLICATE],
    ["35: a parameter twice with two values", lookUp("BTC/USD", "&symbol=ETH/USD"), DUPLICATE],
    ["36: a parameter in query and body", placing({ query: "nonce=1&quantity=0.01" }), DUPLICATE],
    ["37: an encoded bracket in a name", page("&limit%5B0%5D=5"), ILLEGAL],
    ["38: an incomplete percent escape", lookUp("BTC%2"), ILLEGAL],
    ["39: an overlong slash", lookUp("BTC%c0%afUSD"), ILLEGAL],
    ["39: line ends", lookUp("%0d%0a"), ILLEGAL],
    ["40: a plus in a symbol", lookUp("BTC+USD"), BAD_SYMBOL],
    ["40: a space in a symbol", lookUp("BTC%20USD"), BAD_SYMBOL],
    ["41: a raw bracket in the query", page("&limit=5["), ILLEGAL],
    ["41: a raw quote in the query", page('&limit=5"'), ILLEGAL],
    ["42: a fragment in the target", page("#x"), NOT_FOUND],
    ["42: a fragment in the path", at("/api/v3/openOrders#x"), NOT_FOUND],
    ["43: a target in absolute form", at("http://evil.example/api/v3/openOrders"), NOT_FOUND],
    ["44: an encoded slash in the path", at("/api/v3%2FopenOrders"), NOT_FOUND],
    ["44: a path with dots", at("/api/v2/../v3/openOrders"), NOT_FOUND],
    ["44: a path in capitals", at("/API/V3/OPENORDERS"), NOT_FOUND],
    ["46: a method override", at("/api/v3/openOrders", ["X-HTTP-Method-Override", "DELETE"]), INVALID],
    ["47: a body of a GET", attack("GET", "/api/v3/openOrders", { query: PAGE, body: "{}" }), NOT_READ],
    ["47: a body of a public GET", { method: "GET", target: "/api/ping", body: "a" }, NOT_READ],
    ["48: JSON as a form", placing({ contentType: "application/x-www-form-urlencoded" }), INVALID],
    ["48: JSON as text", placing({ contentType: "text/plain" }), INVALID],
    ["48: two content types", placing({ headers: ["content-type", "application/json"] }), DUPLICATE],
    ["54: 3,000 parameters", placing({ body: `{${MANY}}` }), DUPLICATE],
  ];
  it.each(cases)("hostile %s", (_what, request, expected) => world.refuses(request, expected));

  it.each(["/api/v3/order", "/api/v3/ping", "/api/v3/ticker", "/api/v2/openOrders"])(
    "hostile 45: %s does not exist",
    async (path) => {
      await world.refuses(attack("POST", path, { query: "nonce=1", body: BASE_ORDER }), NOT_FOUND);
      await world.refuses(attack("GET", path), NOT_FOUND);
    },
  );

  it("hostile 47: a parameter of a DELETE is in the query or in the body, never in both", async () => {
    const both = { query: PAGE, body: '{"apiManaged":true}' };
    await world.refuses(attack("DELETE", "/api/v3/openOrders", both), DUPLICATE);
    const split = { key: KEYS.stranger, query: "nonce=1", body: '{"apiManaged":true}' };
    expect(await world.accepts(attack("DELETE", "/api/v3/openOrders", split))).toEqual({
      ...{ matchedCount: 0, canceledCount: 0, cancelPendingCount: 0 },
    });
  });

  it.each(["PUT", "PATCH", "OPTIONS", "TRACE", "get"])("refuses %s on a known path", async (method) => {
    const answer = await world.send(
      attack(method, "/api/v3/openOrders", { query: "apiManaged=true&nonce=1" }),
    );
    // Node refuses a method outside its list before it calls the server.
    expect(answer.status).toBe(method === "get" ? 400 : 404);
    await world.accepts({ method: "GET", target: "/api/ping" });
  });

  it.each([false, true])(
    "hostile 51: 32,768 bytes are accepted, one more is not; chunked: %s",
    async (chunked) => {
      const padded = (length: number): string => BASE_ORDER + " ".repeat(length - BASE_ORDER.length);
      await world.accepts(attack("POST", "/api/order", { query: "nonce=1", body: padded(32_768), chunked }));
      const tooLarge = attack("POST", "/api/order", { query: "nonce=1", body: padded(32_769), chunked });
      await world.refuses(tooLarge, { status: 413, code: -1101 });
      expect((await world.send(tooLarge)).headers.get("connection")).toBe("close");
    },
  );
});
