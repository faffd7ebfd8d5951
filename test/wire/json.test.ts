import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type JsonInput, readJson, writeJson } from "../../src/wire/index.ts";
import { refusal } from "./refusal.ts";

describe("readJson", () => {
  it("complaint 39: integers beyond 2^53 are exact", () => {
    expect(
      readJson('{"orderId":8389765489680951453,"other":[-9223372036854775808,9007199254740992]}'),
    ).toEqual({
      orderId: 8389765489680951453n,
      other: [-9223372036854775808n, 9007199254740992n],
    });
  });

  it("safe integers are numbers, and zero has one form", () => {
    expect(readJson("[9007199254740991,-9007199254740991,0,-0]")).toEqual([
      9007199254740991, -9007199254740991, 0, 0,
    ]);
  });

  it("a number with fraction or exponent is a double", () => {
    expect(readJson("[0.5,1e3,-1.25E-2,1.0]")).toEqual([0.5, 1000, -0.0125, 1]);
    expect(refusal(() => readJson("1e400"))).toBe("INVALID_JSON");
  });

  it("an integer has at most 40 characters", () => {
    expect(readJson("9".repeat(40))).toBe(10n ** 40n - 1n);
    expect(refusal(() => readJson("9".repeat(41)))).toBe("INVALID_JSON");
  });

  it("reads every kind of value, nested", () => {
    expect(readJson(' {"a":[{},[],null,true,false,"x\\n"]} ')).toEqual({
      a: [{}, [], null, true, false, "x\n"],
    });
    expect(readJson("null")).toBeNull();
  });

  it("hostile 63: 32 levels pass, 33 and 16 000 are refused", () => {
    const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(readJson(nested(32))).toBeDefined();
    expect(refusal(() => readJson(nested(33)))).toBe("INVALID_JSON");
    expect(refusal(() => readJson("[".repeat(16_000)))).toBe("INVALID_JSON");
    expect(refusal(() => readJson('{"a":'.repeat(33)))).toBe("INVALID_JSON");
  });

  it("hostile 55, 56: a repeated name and __proto__ are refused at every level", () => {
    expect(refusal(() => readJson(String.raw`{"a":1,"\u0061":2}`))).toBe("INVALID_JSON");
    expect(refusal(() => readJson('[{"__proto__":{"polluted":true}}]'))).toBe("INVALID_JSON");
    expect(readJson('{"constructor":1,"toString":2}')).toEqual({ constructor: 1, toString: 2 });
  });

  it.each([
    "",
    " ",
    "{",
    "[1,]",
    "[1 2]",
    '{"a":1,}',
    "1 2",
    "01",
    "nul",
    "nullx",
    "'a'",
    "[",
    "]",
    "\ufeff1",
    '"\u0001"',
  ])("hostile 59: %j is not JSON", (text) => expect(refusal(() => readJson(text))).toBe("INVALID_JSON"));

  it("agrees with JSON.parse", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "medium" }), fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes("__proto__") && !/[0-9]{16}/.test(text));
        expect(readJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("writeJson", () => {
  it("of a list, only items with a 64-bit id are not written by the platform's own writer", () => {
    const written = vi.spyOn(JSON, "stringify");
    expect(writeJson([{ id: 1 }, { id: 2n }, { id: 3 }])).toBe('[{"id":1},{"id":2},{"id":3}]');
    expect(written.mock.calls).toEqual([[{ id: 1 }], [{ id: 3 }]]);
    written.mockRestore();
  });

  it("writes members in the order of insertion, a bigint as digits, without undefined members", () => {
    const value = {
      symbol: "BTC/USD",
      orderId: 8389765489680951453n,
      b: [1, -0.5, true, null],
      a: undefined,
      é: {},
    };
    expect(writeJson(value)).toBe(
      '{"symbol":"BTC/USD","orderId":8389765489680951453,"b":[1,-0.5,true,null],"é":{}}',
    );
    expect(writeJson([])).toBe("[]");
    expect(writeJson({ a: undefined })).toBe("{}");
    expect(writeJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(writeJson(false)).toBe("false");
  });

  it("refuses a number that is not finite", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => writeJson([value])).toThrow(RangeError);
  });

  it("agrees with JSON.stringify without bigints", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeJson(value as JsonInput)).toBe(JSON.stringify(value));
      }),
    );
  });

  it("complaint 39: every 64-bit integer survives writing and reading", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
        expect(BigInt(readJson(writeJson({ id }).slice(6, -1)) as number | bigint)).toBe(id);
      }),
    );
  });
});

it("minus zero is written as zero, also beside a bigint", () => {
  expect(writeJson({ a: -0, b: 1n })).toBe('{"a":0,"b":1}');
});
