import { describe, expect, it } from "vitest";
import { readJson, readQuery, readSocketMessage, writeJson } from "../../src/wire/index.ts";
import { refusal } from "./refusal.ts";

describe("a WebSocket message", () => {
  it("is an object from its first character on", () => {
    expect(refusal(() => readSocketMessage('x"id":1}'))).toBe("INVALID_JSON");
  });

  it("may have members that it does not know, more than once", () => {
    expect(readSocketMessage('{"x":1,"x":true,"method":"m","params":false}')).toEqual({
      id: undefined,
      method: "m",
      params: "false",
    });
  });

  it("has an id within 64 bits", () => {
    const idOf = (id: string): unknown => readSocketMessage(`{"id":${id}}`).id;
    expect([idOf("9223372036854775807"), idOf("-9223372036854775808")]).toEqual([
      2n ** 63n - 1n,
      -(2n ** 63n),
    ]);
    expect([idOf("9223372036854775808"), idOf("-9223372036854775809")]).toEqual([undefined, undefined]);
  });
});

it("a query with too many parameters is refused with their number", () => {
  const query = Array.from({ length: 150 }, (_, number) => `a${number}=1`).join("&");
  expect(() => readQuery(query)).toThrow("expected '100' and received '150'");
});

describe("JSON", () => {
  it.each(['"', '"a', '"ab', '["', '{"'])("has no text without an end: %s", (text) => {
    expect(refusal(() => readJson(text))).toBe("INVALID_JSON");
  });

  it.each([
    ["arrays", "[", "]", ""],
    ["objects", '{"a":', "}", "1"],
  ])("has at most 32 levels of %s", (_what, open, close, inside) => {
    const nested = (levels: number): string => open.repeat(levels) + inside + close.repeat(levels);
    expect(() => readJson(nested(32))).not.toThrow();
    expect(refusal(() => readJson(nested(33)))).toBe("INVALID_JSON");
  });

  it("is written with bigints anywhere", () => {
    expect(writeJson([1, 1n])).toBe("[1,1]");
    expect(writeJson({ a: [null, { b: 1n, c: "x" }] })).toBe('{"a":[null,{"b":1,"c":"x"}]}');
  });

  it("cannot be written with a number that is not finite", () => {
    const refused = new RangeError("JSON cannot represent a number that is not finite");
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => writeJson({ a: [value] })).toThrow(refused);
  });
});
