import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as node from "../../src/signing/hmac-node.ts";
import * as portable from "../../src/signing/hmac-portable.ts";
import { isSignature, sign, verifySignature } from "../../src/signing/index.ts";
import { anyText } from "../wire/any-text.ts";

const secret = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
const payload = "apiManaged=true&nonce=1760000000001";
const signature = sign({ secret, payload });
const verifies = (given: string): boolean => verifySignature({ secret, payload, signature: given });

describe("verifySignature", () => {
  it("accepts the output of sign, over text and over its bytes", () => {
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(verifies(signature)).toBe(true);
    expect(sign({ secret, payload: new TextEncoder().encode(payload) })).toBe(signature);
  });

  it("hostile 2, 3: refuses an empty signature, 63 and 65 digits", () => {
    expect(verifies("")).toBe(false);
    expect(verifies(signature.slice(1))).toBe(false);
    expect(verifies(`${signature}0`)).toBe(false);
  });

  it("hostile 4: refuses digits that are not hex", () => {
    expect(verifies("z".repeat(64))).toBe(false);
    expect(verifies(`${signature.slice(0, 63)}g`)).toBe(false);
  });

  it("hostile 5: accepts upper-case hex, and mixed", () => {
    expect(verifies(signature.toUpperCase())).toBe(true);
    expect(verifies(signature.slice(0, 32).toUpperCase() + signature.slice(32))).toBe(true);
  });

  it("hostile 6: refuses base64 of the right digest", () => {
    expect(verifies(Buffer.from(signature, "hex").toString("base64"))).toBe(false);
  });

  it("hostile 7: refuses a space or a line feed around the right digest", () => {
    for (const given of [`${signature} `, `${signature}\n`, ` ${signature}`, `${signature.slice(0, 63)}\n`]) {
      expect(verifies(given)).toBe(false);
    }
  });

  it("compares every digit", () => {
    for (let index = 0; index < 64; index++) {
      const other = signature[index] === "0" ? "1" : "0";
      expect(verifies(signature.slice(0, index) + other + signature.slice(index + 1)), `digit ${index}`).toBe(
        false,
      );
    }
  });

  it.each([undefined, null, 5, {}, [signature]])(
    "hostile 4: refuses a signature that is no text: %j",
    (given) => {
      expect(verifies(given as never)).toBe(false);
      expect(isSignature(given as never)).toBe(false);
    },
  );

  it.each<readonly [options: unknown, message: string]>([
    [undefined, "verifySignature.payload must be the text to sign, as a string or Uint8Array"],
    [
      { secret, paylaod: payload, signature },
      "verifySignature.payload must be the text to sign, as a string or Uint8Array",
    ],
    [
      { secret: 5, payload, signature },
      "verifySignature.secret must be a string, or undefined for an unknown key",
    ],
    [
      { secret, payload: { a: 1 }, signature },
      "verifySignature.payload must be the text to sign, as a string or Uint8Array",
    ],
  ])("names an option of the host that is wrong, %#", (options, message) => {
    expect(() => verifySignature(options as never)).toThrow(new TypeError(message));
  });

  it("hostile 23: refuses another account's secret", () => {
    expect(verifySignature({ secret: `${secret}x`, payload, signature })).toBe(false);
  });

  it("hostile 25: every signature of an unknown key is false, also that of an empty secret", () => {
    expect(verifySignature({ secret: undefined, payload, signature })).toBe(false);
    const empty = node.hmacSha256Hex("", payload);
    expect(verifySignature({ secret: "", payload, signature: empty })).toBe(false);
    expect(verifySignature({ secret: undefined, payload, signature: empty })).toBe(false);
  });

  it("hostile 25: a signature made with the stand-in secret of unknown keys is false too", () => {
    const standIn = "nobody-".repeat(9).padEnd(64, "-");
    expect(
      verifySignature({ secret: undefined, payload, signature: node.hmacSha256Hex(standIn, payload) }),
    ).toBe(false);
  });

  it("an empty secret signs nothing", () => {
    expect(() => sign({ secret: "", payload })).toThrow(RangeError);
  });

  it("any other payload is refused", () => {
    fc.assert(
      fc.property(fc.string(), (other) => {
        expect(verifySignature({ secret, payload: other, signature })).toBe(other === payload);
      }),
    );
  });
});

describe("isSignature", () => {
  it("is 64 hex digits of either case", () => {
    expect(isSignature("0123456789abcdefABCDEF".padEnd(64, "0"))).toBe(true);
    expect(isSignature("0".repeat(63))).toBe(false);
    expect(isSignature(`0x${"0".repeat(62)}`)).toBe(false);
  });
});

describe("the two implementations of HMAC-SHA256", () => {
  it("agree on every secret, text and byte string", () => {
    fc.assert(
      fc.property(
        anyText(200),
        fc.oneof(anyText(300), fc.uint8Array({ maxLength: 300 })),
        (anySecret, message) => {
          expect(portable.hmacSha256Hex(anySecret, message)).toBe(node.hmacSha256Hex(anySecret, message));
        },
      ),
    );
  });

  it("agree with createHmac, at the lengths where keys are hashed and where buffers end", () => {
    const lengths = [0, 1, 63, 64, 65, 127, 200, 65_535, 65_536, 65_537, 70_000];
    const secrets = fc.oneof(
      anyText(200),
      fc.constantFrom(...lengths).map((length) => "é".repeat(length)),
    );
    const messages = fc.oneof(
      anyText(300),
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(...lengths).map((length) => "ü".repeat(length)),
      fc.constantFrom(...lengths).map((length) => new Uint8Array(length).fill(0xfe)),
    );
    fc.assert(
      fc.property(secrets, messages, (anySecret, message) => {
        const due = createHmac("sha256", anySecret).update(message).digest("hex");
        expect(node.hmacSha256Hex(anySecret, message)).toBe(due);
      }),
    );
  });

  it("agree on SHA-256", () => {
    expect(node.sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    fc.assert(
      fc.property(anyText(300), (text) => {
        expect(portable.sha256Hex(text)).toBe(node.sha256Hex(text));
      }),
    );
  });
});
