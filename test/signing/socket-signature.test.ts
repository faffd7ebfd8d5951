import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signing/index.ts";
import { socketSignature, verifySocketSignature } from "../../src/signing/internal.ts";
import { socketPayload } from "../../src/signing/signed-request.ts";
import { type Parameters, percentEncode, readFlatJson, type Scalar } from "../../src/wire/index.ts";
import { bytes, refusal } from "../wire/refusal.ts";

const secret = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
const S = "ab".repeat(32);

const parametersOf = (fields: Readonly<Record<string, string>>): Parameters =>
  new Map(Object.entries(fields).map(([name, text]): [string, Scalar] => [name, { text, kind: "string" }]));

const verifies = (fields: Readonly<Record<string, string>>): boolean =>
  verifySocketSignature({ secret, signed: socketSignature(parametersOf(fields)) });

const signed = { apiKey: "key", symbol: "BTC/USD", timestamp: "1760000000000" };
const signature = sign({ secret, payload: "apiKey=key&symbol=BTC/USD&timestamp=1760000000000" });

describe("socketPayload", () => {
  it("joins name=value sorted by name, without the signature", () => {
    expect(socketPayload(parametersOf({ ...signed, signature: S }))).toBe(
      "apiKey=key&symbol=BTC/USD&timestamp=1760000000000",
    );
    expect(socketPayload(new Map())).toBe("");
  });

  it("sorts in code units: Z before a, price before price2", () => {
    expect(socketPayload(parametersOf({ a: "1", Z: "2", price2: "3", price: "4" }))).toBe(
      "Z=2&a=1&price=4&price2=3",
    );
  });

  it("keeps the lexemes of JSON", () => {
    const parameters = readFlatJson(
      bytes('{"quantity":"0.010000","orderId":-9007199254740993,"reduceOnly":true,"limit":0}'),
    );
    expect(socketPayload(parameters)).toBe(
      "limit=0&orderId=-9007199254740993&quantity=0.010000&reduceOnly=true",
    );
  });
});

describe("socketSignature", () => {
  it("returns key, signature in lower case and both payloads", () => {
    expect(socketSignature(parametersOf({ ...signed, signature: S.toUpperCase() }))).toEqual({
      apiKey: "key",
      signature: S,
      payload: "apiKey=key&symbol=BTC/USD&timestamp=1760000000000",
      encodedPayload: "apiKey=key&symbol=BTC%2FUSD&timestamp=1760000000000",
    });
  });

  it("a refusal says where key and signature are in a WebSocket message, not only in a REST request", () => {
    expect(() => socketSignature(parametersOf({ ...signed, apiKey: "" }))).toThrow(
      "over WebSocket in the parameter apiKey",
    );
    expect(() => socketSignature(parametersOf({ ...signed, signature: "ab" }))).toThrow(
      "the parameters sorted by name",
    );
  });

  it("complaint 41: parameters in any order verify, a missing apiKey does not", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(Object.entries({ ...signed, signature }), { minLength: 4 }),
        (entries) => {
          expect(verifies(Object.fromEntries(entries))).toBe(true);
        },
      ),
    );
    const { apiKey: _, ...others } = signed;
    expect(refusal(() => verifies({ ...others, signature }))).toBe("BAD_API_KEY_FORMAT");
    expect(refusal(() => verifies({ ...signed, apiKey: "", signature }))).toBe("BAD_API_KEY_FORMAT");
  });

  it("complaint 42: decoded values are signed; a signature over their percent-encoded form is accepted too", () => {
    for (const symbol of ["x y", "x+y", "BTC/USD", "x*y", "x!'()~y"]) {
      const fields = { ...signed, symbol };
      const plain = socketPayload(parametersOf(fields));
      expect(plain).toContain(`symbol=${symbol}&`);
      const encoded = `apiKey=key&symbol=${percentEncode(symbol)}&timestamp=1760000000000`;
      expect(verifies({ ...fields, signature: sign({ secret, payload: plain }) })).toBe(true);
      expect(verifies({ ...fields, signature: sign({ secret, payload: encoded }) })).toBe(true);
      expect(verifies({ ...fields, signature: sign({ secret, payload: encodeURIComponent(plain) }) })).toBe(
        false,
      );
    }
  });

  it("refuses a changed value, an added and a left-out parameter, another secret and an unknown key", () => {
    expect(verifies({ ...signed, signature })).toBe(true);
    expect(verifies({ ...signed, symbol: "ETH/USD", signature })).toBe(false);
    expect(verifies({ ...signed, side: "BUY", signature })).toBe(false);
    expect(verifies({ apiKey: "key", symbol: "BTC/USD", signature })).toBe(false);
    expect(verifies({ ...signed, apiKey: "other", signature })).toBe(false);
    const message = socketSignature(parametersOf({ ...signed, signature }));
    expect(verifySocketSignature({ secret: "other", signed: message })).toBe(false);
    expect(verifySocketSignature({ secret: undefined, signed: message })).toBe(false);
  });

  it("hostile 1-4: a signature that is missing, empty or not 64 hex digits is refused", () => {
    expect(refusal(() => verifies(signed))).toBe("PARAMETER_MISSING signature");
    expect(refusal(() => verifies({ ...signed, signature: "" }))).toBe("PARAMETER_MISSING signature");
    for (const given of [S.slice(1), `${S}0`, "z".repeat(64)]) {
      expect(refusal(() => verifies({ ...signed, signature: given }))).toBe("BAD_SIGNATURE");
    }
  });

  it.each(["x&side=BUY", "x=y", "100%", "%26", "x\ny", "x\0y", "é", "１", "\x7f", "😀"])(
    "hostile 95: the value %j is refused, in every parameter",
    (text) => {
      expect(refusal(() => verifies({ ...signed, listClientOrderId: text, signature }))).toBe(
        "ILLEGAL_CHARS listClientOrderId",
      );
      expect(refusal(() => verifies({ ...signed, apiKey: text, signature }))).toBe("ILLEGAL_CHARS apiKey");
      expect(refusal(() => verifies({ ...signed, signature: text }))).toBe("ILLEGAL_CHARS signature");
    },
  );

  it.each(["a=b", "a&b", "a%b", "é", "a\nb"])("hostile 95: the name %j is refused", (name) => {
    const refused = (): unknown => verifies({ ...signed, [name]: "1", signature });
    expect(refusal(refused)).toBe("ILLEGAL_CHARS name");
    expect(refused).toThrow("legal range is 'printable ASCII without & = %'");
  });

  it("every other printable character is allowed in a value", () => {
    const printable = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index)).join("");
    const text = printable.replace(/[&=%]/g, "");
    expect(text.length).toBe(92);
    expect(socketSignature(parametersOf({ ...signed, text, signature })).payload).toContain(`text=${text}&`);
  });

  it("two different sets of parameters never share a payload", () => {
    const joinable = fc.stringMatching(/^[\x20-\x24\x27-\x3c\x3e-\x7e]{0,6}$/);
    const fields = fc.dictionary(fc.stringMatching(/^[A-Za-z0-9_]{1,4}$/), joinable, { maxKeys: 4 });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        const same = JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
        fc.pre(!("signature" in a) && !("signature" in b));
        expect(socketPayload(parametersOf(a)) === socketPayload(parametersOf(b))).toBe(same);
      }),
    );
  });
});
