import { describe, expect, it } from "vitest";
import { readFlatJson, readFlatText, readSocketMessage } from "../../src/wire/index.ts";
import { bytes, refusal } from "./refusal.ts";

const idOf = (lexeme: string): unknown => readSocketMessage(`{"id":${lexeme}}`).id;

describe("readSocketMessage", () => {
  it("reads the members in any order and keeps the params as they were sent", () => {
    const text =
      ' "params" : {"price":"1.50", "n":[1.0,{"a":null}]} ,"x":[{}],"method":"order\\u002eplace","id":"7"';
    expect(readSocketMessage(`{${text}}`)).toEqual({
      id: "7",
      method: "order.place",
      params: '{"price":"1.50", "n":[1.0,{"a":null}]}',
    });
  });

  it("names the missing part", () => {
    expect(readSocketMessage("{}")).toEqual({ id: undefined, method: undefined, params: undefined });
    expect(readSocketMessage('{"id":null,"method":7,"params":"x"}')).toEqual({
      id: null,
      method: undefined,
      params: '"x"',
    });
  });

  it.each([
    ['"a"', "a"],
    ['"a b.c:d"', "a b.c:d"],
    [`"${"x".repeat(36)}"`, "x".repeat(36)],
    ["0", 0n],
    ["-12", -12n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    ["null", null],
  ])("the id %s is legal and exact", (lexeme, id) => {
    expect(idOf(lexeme)).toBe(id);
  });

  it.each([
    '""',
    `"${"x".repeat(37)}"`,
    '"é"',
    '"a\\nb"',
    "1.0",
    "1e3",
    "-0",
    "9223372036854775808",
    "true",
    "{}",
    "[1]",
  ])("hostile 94: the id %s is refused", (lexeme) => {
    expect(idOf(lexeme)).toBeUndefined();
  });

  it.each([
    "",
    "null",
    "[]",
    '"x"',
    "{",
    '{"id":1',
    '{"id":1,}',
    '{"id":01}',
    '{"id":1}{"id":2}',
    "{id:1}",
    " {}",
    "\ufeff{}",
    '{"params":{"a":1,}}',
    '{"params":{"a" 1}}',
    '{"params":[1 2]}',
    '{"params":{"a":NaN}}',
    '{"id":"\\x"}',
  ])("hostile 58-60: %j is not a message", (text) => {
    expect(refusal(() => readSocketMessage(text))).toBe("INVALID_JSON");
  });

  it.each(["id", "method", "params"])("hostile 55: %s twice is refused, escaped too", (name) => {
    const escaped = `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    expect(refusal(() => readSocketMessage(`{"${name}":"{}","${escaped}":"{}"}`))).toBe("INVALID_JSON");
  });

  it("hostile 63: 16,000 levels are refused, 32 are not", () => {
    const nested = (depth: number): string => `{"params":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(readSocketMessage(nested(32)).params).toHaveLength(64);
    expect(refusal(() => readSocketMessage(nested(33)))).toBe("INVALID_JSON");
    expect(refusal(() => readSocketMessage(nested(16_000)))).toBe("INVALID_JSON");
  });

  it("hostile 56: a member named __proto__ is skipped like any other", () => {
    expect(readSocketMessage('{"__proto__":{"id":1},"id":2}').id).toBe(2n);
  });
});

describe("readFlatText", () => {
  it("agrees with readFlatJson on the same text", () => {
    const text = '{"price":"1.50","n":-7,"on":true}';
    expect(readFlatText(text)).toEqual(readFlatJson(bytes(text)));
    expect(refusal(() => readFlatText('{"a":{}}'))).toBe("NESTED_JSON a");
  });
});
