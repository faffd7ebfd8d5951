import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFlatJson } from "../../src/wire/index.ts";
import { bytes, refusal } from "./refusal.ts";

const read = (text: string): ReturnType<typeof readFlatJson> => readFlatJson(bytes(text));

describe("readFlatJson", () => {
  it("reads strings, integers and booleans with their lexemes", () => {
    expect([
      ...read(
        '{"symbol":"BTC/USD","orderId":-9007199254740993,"limit":0,"reduceOnly":true,"held":false,"x":""}',
      ),
    ]).toEqual([
      ["symbol", { text: "BTC/USD", kind: "string" }],
      ["orderId", { text: "-9007199254740993", kind: "integer" }],
      ["limit", { text: "0", kind: "integer" }],
      ["reduceOnly", { text: "true", kind: "boolean" }],
      ["held", { text: "false", kind: "boolean" }],
      ["x", { text: "", kind: "string" }],
    ]);
  });

  it("accepts white space between tokens, and after the object", () => {
    expect(read('{ "a" :\t"1" ,\r\n"b" : 2 }\n').size).toBe(2);
    expect(read("{}").size).toBe(0);
    expect(read("{ }").size).toBe(0);
  });

  it("decodes escapes", () => {
    expect(read(String.raw`{"a":"\"\\\/é😀"}`).get("a")?.text).toBe('"\\/é😀');
    expect(read(String.raw`{"a":"\ud83d\ude00"}`).get("a")?.text).toBe("😀");
    expect(read('{"a":"é😀"}').get("a")?.text).toBe("é😀");
  });

  it("hostile 55: a duplicate key is refused, also one that is spelled with an escape", () => {
    expect(refusal(() => read('{"price":"1","price":"1"}'))).toBe("DUPLICATE_PARAMETER price");
    expect(refusal(() => read(String.raw`{"price":"1","pr\u0069ce":"2"}`))).toBe("DUPLICATE_PARAMETER price");
  });

  it("hostile 56: __proto__, constructor and toString are plain names and change no prototype", () => {
    const parameters = read('{"__proto__":"1","constructor":"2","toString":"3"}');
    expect([...parameters.keys()]).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(parameters)).toBe(Map.prototype);
    expect(refusal(() => read('{"__proto__":{"polluted":true}}'))).toBe("NESTED_JSON __proto__");
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each(["{}", '{"b":1}', "[]", "[1]", "null"])("hostile 57: the value %s is refused", (value) => {
    expect(refusal(() => read(`{"symbol":"A","a":${value}}`))).toBe("NESTED_JSON a");
  });

  it.each(["[]", '["a"]', '"a"', "1", "true", "null", "", " ", ' {"a":1}'])(
    "hostile 58: the document %j is refused",
    (text) => {
      expect(refusal(() => read(text))).toBe("INVALID_JSON");
    },
  );

  it.each([
    '{"a":1}{"b":2}',
    '{"a":1} x',
    '{"a":1,}',
    "{,}",
    '{"a":1 "b":2}',
    '{"a":1;"b":2}',
    '{"a" 1}',
    '{"a":}',
    '{"a":1',
    '{"a":"1',
    '{"a":"1\\',
    '{"a":"1\\"}',
    "{",
    '{"a"',
    '{"a":',
    '{/* x */"a":1}',
    '{"a":1}// x',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":undefined}',
    '{"a":TRUE}',
    '{"a":tru}',
    '{"a":truex}',
    "{'a':1}",
    "{\"a\":'1'}",
    "{a:1}",
    '{1:"a"}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":5.}',
    '{"a":1_000}',
    '{"a":0x10}',
    '{"a":1n}',
    '{"a":-}',
    String.raw`{"a":"\x41"}`,
    String.raw`{"a":"\u00g1"}`,
    String.raw`{"a":"\u12"}`,
    '{"a":"\u0000"}',
    '{"a":"x\ny"}',
    '{"a":"x\ty"}',
    '\u00a0{"a":1}',
    '{"a":\u00a01}',
  ])("hostile 59: %j is not JSON", (text) => expect(refusal(() => read(text))).toBe("INVALID_JSON"));

  it("hostile 60: a byte order mark is refused", () => {
    expect(refusal(() => read('\ufeff{"a":1}'))).toBe("INVALID_JSON");
  });

  it.each([[0xff], [0xc0, 0xaf], [0xc2], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80]])(
    "hostile 61: the byte %i and the following ones are not UTF-8",
    (...bad) => {
      const text = Uint8Array.from([...bytes('{"a":"'), ...bad, ...bytes('"}')]);
      expect(refusal(() => readFlatJson(text))).toBe("INVALID_JSON");
    },
  );

  it.each([
    String.raw`\ud800`,
    String.raw`\udc00\ud800`,
    String.raw`\u0000`,
    String.raw`\u2028`,
    "\u2028",
    "\u2029",
    String.raw`\n`,
    String.raw`\u007f`,
    "\u0085",
  ])("hostile 62: %j in a string is refused", (text) =>
    expect(refusal(() => read(`{"a":"x${text}y"}`))).toBe("ILLEGAL_CHARS a"),
  );

  it("hostile 63: nesting 16 000 deep is refused at its first level", () => {
    expect(refusal(() => read(`${'{"a":'.repeat(16_000)}1${"}".repeat(16_000)}`))).toBe("NESTED_JSON a");
    expect(refusal(() => read(`{"a":${"[".repeat(16_000)}`))).toBe("NESTED_JSON a");
    expect(refusal(() => read("[".repeat(16_000)))).toBe("INVALID_JSON");
  });

  it.each(["1.0", "1e3", "1E3", "1e400", "-0", "1.5", "-1e-7", "1e21", "0.0000001", "-0.0", "-01"])(
    "hostile 66: the number %s is not a plain integer",
    (number) => expect(refusal(() => read(`{"limit":${number}}`))).toBe("ILLEGAL_CHARS limit"),
  );

  it.each(["01", "00", "1.", "1e", "--1"])("hostile 66: %s is not a number of JSON", (number) =>
    expect(refusal(() => read(`{"limit":${number}}`))).toBe("INVALID_JSON"),
  );

  it("hostile 64, 65: a quantity sent as a number and a boolean sent as text keep their kinds", () => {
    const parameters = read('{"quantity":1,"reduceOnly":"true","apiManaged":1}');
    expect([...parameters.values()].map(({ kind }) => kind)).toEqual(["integer", "string", "integer"]);
  });

  it("hostile 69: names differ by letter case", () => {
    expect([...read('{"price":"1","Price":"2"}').keys()]).toEqual(["price", "Price"]);
  });

  it.each(["", "a b", "a.b", "é", "a-b", "a[0]", " price"])("the name %j is refused", (name) => {
    expect(refusal(() => read(`{"${name}":1}`))).toMatch(/^ILLEGAL_CHARS /);
  });

  it("hostile 54: 100 parameters pass, 101 are refused", () => {
    const body = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `"p${index}":1`).join(",")}}`;
    expect(read(body(100)).size).toBe(100);
    expect(refusal(() => read(body(101)))).toBe("TOO_MANY_PARAMETERS");
    expect(refusal(() => read(body(10_000)))).toBe("TOO_MANY_PARAMETERS");
  });

  it("agrees with JSON.parse on every flat object of clean values", () => {
    const clean = fc.string({ unit: "grapheme" }).filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text));
    const value = fc.oneof(
      clean,
      fc.boolean(),
      fc.maxSafeInteger().map((integer) => integer + 0),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/), value),
        fc.nat(4),
        (fields, indent) => {
          const parameters = read(JSON.stringify(fields, null, indent));
          expect([...parameters].map(([name, { text }]) => [name, text])).toEqual(
            Object.entries(fields).map(([name, field]) => [name, String(field)]),
          );
        },
      ),
    );
  });

  it("accepts no text that JSON.parse refuses, and throws nothing but OrderError", () => {
    const token = fc.constantFrom(
      "{",
      "}",
      '"',
      ":",
      ",",
      "a",
      "1",
      "-",
      ".",
      "e",
      "\\",
      "u0041",
      "true",
      "null",
      "[",
      " ",
      "\n",
      "é",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), (tokens) => {
        const text = `{${tokens.join("")}`;
        let accepted = true;
        try {
          read(text);
        } catch {
          accepted = false;
          expect(refusal(() => read(text))).toMatch(/./);
        }
        if (accepted) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });
});
