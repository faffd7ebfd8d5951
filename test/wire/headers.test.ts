import { describe, expect, it } from "vitest";
import { singleHeader } from "../../src/wire/index.ts";
import { refusal } from "./refusal.ts";

describe("singleHeader", () => {
  const rawHeaders = [
    "Host",
    "a",
    "X-MBX-ApiKey",
    "key",
    "Signature",
    "",
    "Content-Type",
    "application/json; charset=utf-8",
  ];

  it("finds a header in any letter case and returns its value as sent", () => {
    expect(singleHeader(rawHeaders, "x-mbx-apikey")).toBe("key");
    expect(singleHeader(rawHeaders, "X-MBX-APIKEY")).toBe("key");
    expect(singleHeader(rawHeaders, "signature")).toBe("");
    expect(singleHeader(rawHeaders, "Content-Type")).toBe("application/json; charset=utf-8");
    expect(singleHeader(rawHeaders, "Origin")).toBeUndefined();
  });

  it("never takes a value for a name", () => {
    expect(singleHeader(["x", "signature", "y", "z"], "signature")).toBeUndefined();
    expect(singleHeader(["x", "y", "signature"], "signature")).toBeUndefined();
  });

  it("hostile 10: two signature headers are refused, also if they are equal or differ in letter case", () => {
    expect(refusal(() => singleHeader(["signature", "a", "SIGNATURE", "a"], "signature"))).toBe(
      "BAD_SIGNATURE signature",
    );
  });

  it("hostile 26: two api-key headers are refused", () => {
    const twice = ["X-MBX-APIKEY", "a", "x-mbx-apikey", "b"];
    expect(refusal(() => singleHeader(twice, "X-MBX-APIKEY"))).toBe("BAD_API_KEY_FORMAT X-MBX-APIKEY");
  });

  it("hostile 27: an api key with a Latin-1 byte, a tab or a NUL is refused", () => {
    for (const value of ["ké", "k\ty", "k\0y", "k\x7fy", "k\ny"]) {
      expect(refusal(() => singleHeader(["X-MBX-APIKEY", value], "X-MBX-APIKEY"))).toBe(
        "BAD_API_KEY_FORMAT X-MBX-APIKEY",
      );
    }
  });

  it("hostile 48: two content types are refused", () => {
    const twice = ["Content-Type", "application/json", "Content-Type", "text/plain"];
    expect(refusal(() => singleHeader(twice, "Content-Type"))).toBe("DUPLICATE_PARAMETER Content-Type");
    expect(refusal(() => singleHeader(["Content-Type", "é"], "Content-Type"))).toBe(
      "ILLEGAL_CHARS Content-Type",
    );
  });
});
