import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStrictQuery, splitTarget } from "../../src/wire/index.ts";
import { anyText } from "./any-text.ts";

describe("splitTarget", () => {
  it("splits at the first question mark and changes no byte", () => {
    expect(splitTarget("/api/order")).toEqual({ path: "/api/order", query: "" });
    expect(splitTarget("/api/order?")).toEqual({ path: "/api/order", query: "" });
    expect(splitTarget("/api/v2/order?symbol=BTC%2fUSD&x='?y=%zz")).toEqual({
      path: "/api/v2/order",
      query: "symbol=BTC%2fUSD&x='?y=%zz",
    });
  });

  it("hostile 42: a fragment is not a target", () => {
    expect(splitTarget("/api/v2/order?symbol=BTC/USD#x")).toBeUndefined();
    expect(splitTarget("/api/v2/order#x?symbol=BTC/USD")).toBeUndefined();
  });

  it.each(["http://host/api/order", "host:80", "*", "", "?a=1", "api/order"])(
    "hostile 43: %j is not an origin-form target",
    (target) => expect(splitTarget(target)).toBeUndefined(),
  );

  it.each([
    "//api/v3/openOrders",
    "/api/v2/../v3/openOrders",
    "/api%2Fv3",
    "/api/order/",
    "/API/order",
    "/api/order;x=1",
  ])("hostile 44: the path %j is kept as sent, so that no route matches it", (path) =>
    expect(splitTarget(`${path}?a=1`)).toEqual({ path, query: "a=1" }),
  );
});

describe("isStrictQuery", () => {
  it("allows every character that RFC 3986 allows in a query, and complete percent triples", () => {
    expect(isStrictQuery("")).toBe(true);
    expect(isStrictQuery("abcXYZ019-._~!$&'()*+,;=:@/?%2F%af%00")).toBe(true);
  });

  it("hostile 41: refuses all other bytes", () => {
    const allowed = /[A-Za-z0-9\-._~!$&'()*+,;=:@/?]/;
    for (let code = 0; code < 0x180; code++) {
      const character = String.fromCharCode(code);
      expect(isStrictQuery(`a=${character}b`), `character ${code}`).toBe(allowed.test(character));
    }
  });

  it.each(["%", "a=%", "a=%f", "a=%zz", "a=%1g&b=2", "a=%%41"])(
    "hostile 38: refuses the incomplete triple in %j",
    (query) => expect(isStrictQuery(query)).toBe(false),
  );

  it("hostile 19: the query half of a shifted JSON body is refused", () => {
    expect(isStrictQuery('nonce=1{"symbol":"BTC/USD"}')).toBe(false);
  });

  it("accepts every output of encodeURIComponent", () => {
    fc.assert(
      fc.property(anyText(40), (text) => {
        fc.pre(!/\p{Cs}/u.test(text));
        expect(isStrictQuery(encodeURIComponent(text))).toBe(true);
      }),
    );
  });
});
