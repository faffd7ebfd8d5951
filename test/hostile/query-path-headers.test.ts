import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  attack,
  BASE_ID,
  BASE_ORDER,
  type HostileWorld,
  openHostileWorld,
  refusal,
} from "../support/hostile-world.ts";
import { KEYS, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const DUPLICATE = refusal(-1101);
const ILLEGAL = refusal(-1100);
const BAD_SYMBOL = refusal(-1121);
const NOT_FOUND = { status: 404, code: -1099 };

/** A version 2 look-up of the base order, with this symbol and tail. */
const lookUp = (symbol: string, tail = "") =>
  attack("GET", "/api/v2/order", {
    query: `symbol=${symbol}&origClientOrderId=${BASE_ID}${tail}&timestamp=${START_MS}`,
  });

const page = (parameters: string) =>
  attack("GET", "/api/v3/openOrders", { query: `apiManaged=true&nonce=1${parameters}` });

describe("query", () => {
  it("valid requests are accepted", async () => {
    await world.accepts(lookUp("BTC/USD"));
    await world.accepts(lookUp("BTC%2FUSD"));
    await world.accepts(page("&limit=5"));
  });

  it("hostile 34: refuses a parameter twice with the same value", async () => {
    await world.refuses(lookUp("BTC/USD", "&symbol=BTC/USD"), DUPLICATE);
    await world.refuses(page("&limit=5&limit=5"), DUPLICATE);
    await world.refuses(page("&nonce=1"), DUPLICATE);
  });

  it("hostile 35: refuses a parameter twice with different values", async () => {
    await world.refuses(lookUp("BTC/USD", "&symbol=ETH/USD"), DUPLICATE);
    await world.refuses(page("&apiManaged=false"), DUPLICATE);
  });

  it("hostile 36: refuses a parameter in query and body", async () => {
    const request = { query: "nonce=1&quantity=0.01", body: BASE_ORDER };
    await world.refuses(attack("POST", "/api/order", request), DUPLICATE);
  });

  it.each(["a[]=1", "a[0]=1", "a%5B%5D=1", "limit%5B0%5D=5"])("hostile 37: refuses %s", (item) =>
    world.refuses(page(`&${item}`), ILLEGAL),
  );

  it.each(["%zz", "%", "%f", "BTC%2"])("hostile 38: refuses an incomplete percent escape: %s", (text) =>
    world.refuses(lookUp(text), ILLEGAL),
  );

  it.each(["%c0%af", "%ff", "%00", "%0d%0a", "BTC%c0%afUSD", "%ed%a0%80"])(
    "hostile 39: refuses bytes that are not text: %s",
    (text) => world.refuses(lookUp(text), ILLEGAL),
  );

  it.each(["BTC+USD", "BTC%20USD", "BTC%2BUSD", "+BTC/USD", "BTC/USD%20"])(
    "hostile 40: refuses plus and space in a symbol: %s",
    (symbol) => world.refuses(lookUp(symbol), BAD_SYMBOL),
  );

  it.each(["{", '"', "|", "^", "`", "\\", "<", ">", "[", "]"])(
    "hostile 41: refuses a raw %s in the query",
    (byte) => world.refuses(page(`&limit=5${byte}`), ILLEGAL),
  );

  it.each(["&", "&&limit=5", "&limit", "&=5", "&limit=5=5", "&limit=5&"])(
    "decision 41: refuses an invalid item: %s",
    (tail) => world.refuses(page(tail), ILLEGAL),
  );
});

describe("path", () => {
  it("hostile 42: refuses a fragment in the target", async () => {
    await world.refuses(
      attack("GET", "/api/v3/openOrders#x", { query: "apiManaged=true&nonce=1" }),
      NOT_FOUND,
    );
    await world.refuses(page("#x"), NOT_FOUND);
  });

  it("hostile 43: refuses a target in absolute form", async () => {
    for (const origin of ["http://127.0.0.1", "http://evil.example", "https://127.0.0.1:1"]) {
      const request = { query: "apiManaged=true&nonce=1" };
      await world.refuses(attack("GET", `${origin}/api/v3/openOrders`, request), NOT_FOUND);
    }
  });

  it.each([
    "//api/v3/openOrders",
    "/api//v3/openOrders",
    "/api/v2/../v3/openOrders",
    "/./api/v3/openOrders",
    "/api/v3%2FopenOrders",
    "/api/v3/open%4Frders",
    "/api/v3/openOrders/",
    "/API/V3/OPENORDERS",
    "/api/v3/openorders",
    "/api/v3/openOrders;x=1",
    "/api/v3/openOrders/x",
    "/api/v3\\openOrders",
    "/liquidityApi/v3/openOrders",
    "/v3/openOrders",
    "/",
  ])("hostile 44: %s is another path", (path) =>
    world.refuses(attack("GET", path, { query: "apiManaged=true&nonce=1" }), NOT_FOUND),
  );

  it.each(["/api/v3/order", "/api/v3/ping", "/api/v3/ticker", "/api/v2/openOrders"])(
    "hostile 45: %s does not exist",
    async (path) => {
      await world.refuses(attack("POST", path, { query: "nonce=1", body: BASE_ORDER }), NOT_FOUND);
      await world.refuses(attack("GET", path), NOT_FOUND);
    },
  );

  it.each(["PUT", "PATCH", "OPTIONS", "TRACE", "get"])(
    "decision 49: refuses %s on a known path",
    async (method) => {
      const answer = await world.send(
        attack(method, "/api/v3/openOrders", { query: "apiManaged=true&nonce=1" }),
      );
      // Node refuses a method outside its list before it calls the server.
      expect(answer.status).toBe(method === "get" ? 400 : 404);
      await world.accepts({ method: "GET", target: "/api/ping" });
    },
  );
});

describe("headers and bodies", () => {
  it.each(["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"])(
    "hostile 46: refuses a method override by %s",
    async (name) => {
      const query = "apiManaged=true&nonce=hostile-46";
      const overriding = { query, headers: [name, "DELETE"] };
      await world.refuses(attack("GET", "/api/v3/openOrders", overriding), refusal(-1130));
    },
  );

  it("hostile 47: refuses a GET with a body, signed or not", async () => {
    const v3 = { query: "apiManaged=true&nonce=1", body: '{"limit":5}' };
    await world.refuses(attack("GET", "/api/v3/openOrders", v3), refusal(-1106));
    const v2 = { query: `symbol=BTC/USD&orderId=${world.orderId}&timestamp=${START_MS}`, body: "{}" };
    await world.refuses(attack("GET", "/api/v2/order", v2), refusal(-1106));
    await world.refuses(attack("GET", "/api/v2/order", { ...v2, payload: v2.query }), refusal(-1106));
    await world.refuses({ method: "GET", target: "/api/ping", body: "a" }, refusal(-1106));
  });

  it("hostile 47: refuses a DELETE with a parameter in query and body", () =>
    world.refuses(
      attack("DELETE", "/api/v3/openOrders", {
        query: "nonce=1&apiManaged=true",
        body: '{"apiManaged":true}',
      }),
      DUPLICATE,
    ));

  it("hostile 47: a DELETE with different parameters in query and body is accepted", async () => {
    const split = { key: KEYS.stranger, query: "nonce=1", body: '{"apiManaged":true}' };
    expect(await world.accepts(attack("DELETE", "/api/v3/openOrders", split))).toEqual({
      matchedCount: 0,
      canceledCount: 0,
      cancelPendingCount: 0,
    });
  });

  it.each([
    "text/plain",
    "application/json; charset=utf-16",
    "application/x-www-form-urlencoded",
    "application/jsonp",
  ])("hostile 48: refuses JSON as %s", (contentType) =>
    world.refuses(
      attack("POST", "/api/order", { query: "nonce=1", body: BASE_ORDER, contentType }),
      refusal(-1130),
    ),
  );

  it("hostile 48: refuses two content types", () =>
    world.refuses(
      attack("POST", "/api/order", {
        query: "nonce=1",
        body: BASE_ORDER,
        headers: ["content-type", "application/json"],
      }),
      DUPLICATE,
    ));

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

  it("hostile 54: refuses 10,000 parameters", async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `a${index}=`).join("&");
    const form = { body: many, contentType: "application/x-www-form-urlencoded" };
    await world.refuses(attack("POST", "/api/order", form), DUPLICATE);
    const items = Array.from({ length: 3_000 }, (_, index) => `"a${index}":1`).join(",");
    await world.refuses(attack("POST", "/api/order", { body: `{${items}}` }), DUPLICATE);
  });
});
