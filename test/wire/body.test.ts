import { describe, expect, it } from "vitest";
import { bytesToText, isJsonBody, readBody } from "../../src/wire/index.ts";
import { bytes, refusal } from "./refusal.ts";

const FORM = "application/x-www-form-urlencoded";

describe("readBody", () => {
  it.each([undefined, "", "application/json", FORM, "text/plain"])(
    "an empty body is never parsed, with type %j",
    (type) => {
      expect(readBody(bytes(""), type).size).toBe(0);
    },
  );

  it.each([
    "application/json",
    "application/json;charset=utf-8",
    "application/json; charset=UTF-8",
    'Application/JSON ; charset="utf-8"',
  ])("a body that begins with { is JSON, with type %j", (type) => {
    expect(readBody(bytes('{"symbol":"BTC/USD"}'), type).get("symbol")).toEqual({
      text: "BTC/USD",
      kind: "string",
    });
  });

  it.each([
    FORM,
    `${FORM}; charset=utf-8`,
    `${FORM};charset=UTF-8`,
    `${FORM} ;  charset="utf-8"`,
    FORM.toUpperCase(),
  ])("any other body is a form, with type %j", (type) => {
    expect(readBody(bytes("symbol=BTC/USD"), type).get("symbol")).toEqual({
      text: "BTC/USD",
      kind: "text",
    });
  });

  it.each([
    undefined,
    "",
    "text/plain",
    FORM,
    "application/json, application/json",
    "application/json, text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=utf-16",
    "application/json;",
    "application/jsonx",
    "xapplication/json",
    "application/json; boundary=x",
  ])("hostile 48: the type %j does not agree with JSON", (type) => {
    expect(refusal(() => readBody(bytes('{"symbol":"BTC/USD"}'), type))).toBe(
      "INVALID_PARAMETER Content-Type",
    );
  });

  it.each([
    undefined,
    "",
    "text/plain",
    "multipart/form-data; boundary=x",
    `${FORM}, ${FORM}`,
    `${FORM}; charset=utf-16`,
  ])("hostile 48: the type %j does not agree with a form", (type) =>
    expect(refusal(() => readBody(bytes("symbol=BTC/USD"), type))).toBe("INVALID_PARAMETER Content-Type"),
  );

  it("the remedy names the expected type", () => {
    const remedy = (body: string): string => {
      try {
        readBody(bytes(body), "text/plain");
      } catch (error) {
        return String((error as { remedy?: string }).remedy);
      }
      return "";
    };
    expect(remedy("{}")).toContain("application/json");
    expect(remedy("a=1")).toContain(FORM);
  });

  it.each(["[]", '"a"', "null", " {}", "a=1", "\ufeff{}"])(
    "hostile 58, 60: %j of type JSON is not a JSON body",
    (body) => {
      expect(refusal(() => readBody(bytes(body), "application/json"))).toBe("INVALID_JSON");
    },
  );

  it("a byte beyond ASCII is refused in a form", () => {
    expect(refusal(() => readBody(bytes("symbol=é"), FORM))).toBe("ILLEGAL_CHARS symbol");
    expect(refusal(() => readBody(Uint8Array.of(0x61, 0x3d, 0x80), FORM))).toBe("ILLEGAL_CHARS a");
  });
});

describe("bytes", () => {
  it("isJsonBody reads the first byte only", () => {
    expect(isJsonBody(bytes("{"))).toBe(true);
    expect(isJsonBody(bytes(" {"))).toBe(false);
    expect(isJsonBody(bytes(""))).toBe(false);
  });

  it("bytesToText returns one character for each byte, ASCII unchanged and nothing else as ASCII", () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const text = bytesToText(all);
    expect(text.length).toBe(256);
    for (const byte of all) {
      if (byte < 0x80) expect(text.charCodeAt(byte)).toBe(byte);
      else expect(text.charCodeAt(byte)).toBeGreaterThanOrEqual(0x80);
    }
  });
});
