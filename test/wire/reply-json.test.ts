import { describe, expect, it } from "vitest";
import { readReplyJson } from "../../src/wire/index.ts";

describe("JSON of replies", () => {
  it("complaint 39: a whole number that a double would round becomes its digits; every other value stays", () => {
    const text =
      '{"a":9007199254740993,"b":-9223372036854775808,"c":9007199254740991,"d":1.2345678901234567,"e":123456789012345e3,"f":1760000000000}';
    expect(readReplyJson(text)).toEqual({
      a: "9007199254740993",
      b: "-9223372036854775808",
      c: 9007199254740991,
      d: 1.2345678901234567,
      e: 123456789012345e3,
      f: 1760000000000,
    });
  });

  it("complaint 39: the digits of a fraction or an exponent are no whole number, however many", () => {
    const value = { a: 0.1 + 0.2, b: -0.000001234567890123456, c: [0.9007199254740993], d: 1.7e308 };
    const text = `${JSON.stringify(value).slice(0, -1)},"e":1e00000000000000000003,"f":9007199254740993.5,"id":-9007199254740993}`;
    const read = { ...value, e: 1000, f: 9_007_199_254_740_994, id: "-9007199254740993" };
    expect(readReplyJson(text)).toEqual(read);
  });

  it("digits inside strings and names stay as they are, whatever stands beside them", () => {
    const value = { '9007199254740993"': ["9007199254740993", '\\"9007199254740993', "\\"], n: [1] };
    const text = `[9007199254740993,${JSON.stringify(value)},9007199254740993]`;
    expect(readReplyJson(text)).toEqual(["9007199254740993", value, "9007199254740993"]);
  });

  it("text that is not JSON is a SyntaxError, in time that grows with its length only", () => {
    const open = `[${"1".repeat(19)},"${'\\"'.repeat(500_000)}`;
    for (const text of ["", "{", "NaN", "{'a':1}", open])
      expect(() => readReplyJson(text)).toThrow(SyntaxError);
  });
});
