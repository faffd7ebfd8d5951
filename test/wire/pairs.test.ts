import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  mergeParameters,
  type Parameters,
  percentDecode,
  percentEncode,
  readForm,
  readQuery,
} from "../../src/wire/index.ts";
import { anyText } from "./any-text.ts";
import { refusal } from "./refusal.ts";

const texts = (parameters: Parameters): Readonly<Record<string, string>> =>
  Object.fromEntries([...parameters].map(([name, value]) => [name, value.text]));

describe("readQuery and readForm", () => {
  it("read name=value joined by &, in the order sent, untyped", () => {
    const parameters = readQuery("symbol=BTC/USD&orderId=-256&recvWindow=");
    expect([...parameters]).toEqual([
      ["symbol", { text: "BTC/USD", kind: "text" }],
      ["orderId", { text: "-256", kind: "text" }],
      ["recvWindow", { text: "", kind: "text" }],
    ]);
    expect(readForm("symbol=BTC/USD&orderId=-256&recvWindow=")).toEqual(parameters);
    expect(readQuery("").size).toBe(0);
  });

  it("decode percent triples as UTF-8", () => {
    expect(texts(readQuery("a=%2F%26%3D%25&b=%EF%BC%91&c=%f0%9f%98%80"))).toEqual({
      a: "/&=%",
      b: "１",
      c: "😀",
    });
  });

  it("hostile 34, 35: a duplicate is refused, whether its value is equal or not", () => {
    expect(refusal(() => readQuery("side=BUY&side=BUY"))).toBe("DUPLICATE_PARAMETER side");
    expect(refusal(() => readForm("side=BUY&a=1&side=SELL"))).toBe("DUPLICATE_PARAMETER side");
  });

  it("hostile 36: the same parameter in query and body is refused", () => {
    expect(refusal(() => mergeParameters(readQuery("symbol=A&a=1"), readForm("b=1&symbol=A")))).toBe(
      "DUPLICATE_PARAMETER symbol",
    );
  });

  it("hostile 47: different parameters in query and body are one set", () => {
    expect(texts(mergeParameters(readQuery("a=1"), readForm("b=2")))).toEqual({ a: "1", b: "2" });
    expect(texts(mergeParameters(readQuery("a=1"), new Map()))).toEqual({ a: "1" });
    expect(texts(mergeParameters(new Map(), readForm("b=2")))).toEqual({ b: "2" });
  });

  it.each([
    ["a[]=1", "a[]"],
    ["a[0]=1", "a[0]"],
    ["a%5B%5D=1", "a%5B%5D"],
    ["%73ymbol=1", "%73ymbol"],
    ["a.b=1", "a.b"],
    ["a+b=1", "a+b"],
    ["=1", "name"],
    [`${"a".repeat(60)}-=1`, "a".repeat(40)],
    ["é-=1", "?-"],
  ])("hostile 37: the name in %j is refused", (raw, field) => {
    expect(refusal(() => readQuery(raw))).toBe(`ILLEGAL_CHARS ${field}`);
  });

  it.each(["%zz", "%", "%f", "a%", "%%41", "%4", "%u0041"])(
    "hostile 38: the value %j is refused",
    (value) => {
      expect(refusal(() => readQuery(`symbol=${value}&b=1`))).toBe("ILLEGAL_CHARS symbol");
    },
  );

  it.each([
    "%c0%af",
    "%ff",
    "%00",
    "%0d%0a",
    "%ed%a0%80",
    "%c2",
    "%f4%90%80%80",
    "%7f",
    "%c2%85",
    "%e2%80%a8",
    "%e2%80%a9",
  ])("hostile 39: the bytes %s are refused", (value) =>
    expect(refusal(() => readForm(`symbol=A${value}`))).toBe("ILLEGAL_CHARS symbol"),
  );

  it("hostile 40: + is a plus, as %2B is, and a space is %20", () => {
    expect(texts(readQuery("a=x+y&b=x%2By&c=x%20y"))).toEqual({ a: "x+y", b: "x+y", c: "x y" });
  });

  it.each(["{", "|", '"', "^", " ", "é", "<", "\\", "`", "[", "#"])(
    "hostile 41: a raw %j is refused in a value",
    (character) => {
      expect(refusal(() => readForm(`symbol=A${character}`))).toBe("ILLEGAL_CHARS symbol");
    },
  );

  it("refuses an empty item", () => {
    for (const raw of ["&", "a=1&", "&a=1", "a=1&&b=2"]) {
      expect(refusal(() => readQuery(raw))).toBe("ILLEGAL_CHARS query");
      expect(refusal(() => readForm(raw))).toBe("ILLEGAL_CHARS body");
    }
  });

  it("requires exactly one = in an item", () => {
    expect(refusal(() => readQuery("a"))).toBe("ILLEGAL_CHARS a");
    expect(refusal(() => readQuery("a=1&b"))).toBe("ILLEGAL_CHARS b");
    expect(refusal(() => readQuery("a=b=c"))).toBe("ILLEGAL_CHARS a");
    expect(refusal(() => readQuery("a=="))).toBe("ILLEGAL_CHARS a");
    expect(texts(readQuery("a=b%3Dc"))).toEqual({ a: "b=c" });
  });

  it("hostile 54: 100 parameters pass, 101 and 10 000 are refused", () => {
    const query = (count: number): string =>
      Array.from({ length: count }, (_, index) => `p${index}=1`).join("&");
    expect(readQuery(query(100)).size).toBe(100);
    expect(refusal(() => readQuery(query(101)))).toBe("TOO_MANY_PARAMETERS");
    expect(refusal(() => readForm(query(10_000)))).toBe("TOO_MANY_PARAMETERS");
    expect(() => readQuery(query(101))).toThrow("expected '100' and received '101'");
  });

  it("hostile 56: names of the prototype are plain names", () => {
    const parameters = readQuery("__proto__=1&constructor=2&toString=3");
    expect([...parameters.keys()]).toEqual(["__proto__", "constructor", "toString"]);
    expect(readQuery("a=1").get("toString")).toBeUndefined();
    expect(({} as { 1?: unknown })[1]).toBeUndefined();
  });

  it("any printable text survives encoding and reading", () => {
    const printable = fc.string({ unit: "grapheme" }).filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text));
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/), printable), (fields) => {
        const raw = Object.entries(fields).map(([name, text]) => `${name}=${percentEncode(text)}`);
        expect([...readQuery(raw.join("&"))].map(([name, { text }]) => [name, text])).toEqual(
          Object.entries(fields),
        );
      }),
    );
  });

  it("any text is read or refused with an error of the contract", () => {
    fc.assert(
      fc.property(anyText(40), (raw) => {
        try {
          readForm(raw);
        } catch {
          expect(refusal(() => readForm(raw))).toMatch(/^(ILLEGAL_CHARS|DUPLICATE_PARAMETER)/);
        }
      }),
    );
  });
});

describe("percent-encoding", () => {
  it("leaves only the unreserved characters of RFC 3986", () => {
    expect(percentEncode("aZ09-._~")).toBe("aZ09-._~");
    expect(percentEncode("BTC/USD !'()*+&=%")).toBe("BTC%2FUSD%20%21%27%28%29%2A%2B%26%3D%25");
    expect(percentEncode("é１")).toBe("%C3%A9%EF%BC%91");
  });

  it("decodes strictly", () => {
    expect(percentDecode("BTC%2fUSD+%21")).toBe("BTC/USD+!");
    expect(percentDecode("%c0%af")).toBeUndefined();
    expect(percentDecode("%")).toBeUndefined();
  });
});
