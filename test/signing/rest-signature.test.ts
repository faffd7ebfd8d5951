import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sign, verifySignature } from "../../src/signing/index.ts";
import { refuseSignatureParameter, restSignature } from "../../src/signing/internal.ts";
import { isStrictQuery, readBody, readFlatJson, readQuery } from "../../src/wire/index.ts";
import { bytes, refusal } from "../wire/refusal.ts";

const secret = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
const text = (part: Uint8Array): string => new TextDecoder().decode(part);

type SignedParts = Readonly<{ query?: string; body?: string; header?: string }>;

const take = ({ query = "", body = "", header }: SignedParts): ReturnType<typeof restSignature> =>
  restSignature({ query, body: bytes(body), header });

const verifies = (sent: SignedParts): boolean => {
  const { payload, signature } = take(sent);
  return verifySignature({ secret, payload, signature });
};

const S = "ab".repeat(32);

describe("restSignature", () => {
  it("takes the header and covers the raw query followed by the raw body, without a separator", () => {
    const taken = take({ query: "nonce=1", body: '{"a":"é"}', header: S });
    expect(text(taken.payload)).toBe('nonce=1{"a":"é"}');
    expect(taken).toMatchObject({ signature: S, query: "nonce=1", body: bytes('{"a":"é"}') });
    expect(text(take({ query: "nonce=1", header: S }).payload)).toBe("nonce=1");
    expect(text(take({ body: "a=1", header: S }).payload)).toBe("a=1");
    expect(text(take({ header: S }).payload)).toBe("");
  });

  it("cuts the last pair of the query", () => {
    const taken = take({ query: `symbol=BTC%2fUSD&timestamp=1&signature=${S}` });
    expect(taken).toMatchObject({ signature: S, query: "symbol=BTC%2fUSD&timestamp=1" });
    expect(text(taken.payload)).toBe("symbol=BTC%2fUSD&timestamp=1");
    expect(take({ query: `signature=${S}` })).toMatchObject({ signature: S, query: "" });
  });

  it("cuts the last pair of a form body", () => {
    const taken = take({ query: "a=1", body: `b=2&signature=${S}` });
    expect(taken).toMatchObject({ signature: S, query: "a=1", body: bytes("b=2") });
    expect(text(taken.payload)).toBe("a=1b=2");
    expect(take({ body: `signature=${S}` }).body.length).toBe(0);
  });

  it("cuts the pair from the query if a body follows, which stays covered", () => {
    expect(text(take({ query: `a=1&signature=${S}`, body: '{"b":2}' }).payload)).toBe('a=1{"b":2}');
    expect(text(take({ query: `a=1&signature=${S}`, body: "b=2" }).payload)).toBe("a=1b=2");
  });

  it("cuts the form at the right byte after bytes beyond ASCII", () => {
    const taken = take({ body: `é=１&signature=${S}` });
    expect(text(taken.body)).toBe("é=１");
    expect(text(taken.payload)).toBe("é=１");
  });

  it("hostile 1, 2: missing or empty is -1102", () => {
    const missing = "PARAMETER_MISSING signature";
    expect(refusal(() => take({ query: "a=1", body: '{"a":1}' }))).toBe(missing);
    expect(refusal(() => take({ header: "" }))).toBe(missing);
    expect(refusal(() => take({ query: "a=1&signature=" }))).toBe(missing);
    expect(refusal(() => take({ body: "a=1&signature=" }))).toBe(missing);
    expect(refusal(() => take({ query: "signature=", header: "" }))).toBe(missing);
  });

  it.each([
    S.slice(1),
    `${S}0`,
    "z".repeat(64),
    `${S} `,
    `${S}%20`,
    `=${S}`,
    Buffer.from(S, "hex").toString("base64"),
  ])("hostile 3, 4, 6, 7: %j is not 64 hex digits", (given) => {
    expect(refusal(() => take({ header: given }))).toBe("BAD_SIGNATURE");
    expect(refusal(() => take({ query: `a=1&signature=${given}` }))).toBe("BAD_SIGNATURE");
    expect(refusal(() => take({ body: `a=1&signature=${given}` }))).toBe("BAD_SIGNATURE");
  });

  it("hostile 5: upper case is the same signature", () => {
    expect(take({ header: S.toUpperCase() }).signature).toBe(S);
    expect(take({ query: `signature=${S.toUpperCase()}` }).signature).toBe(S);
  });

  it("hostile 8: refuses header and pair that differ", () => {
    const other = `0${S.slice(1)}`;
    expect(refusal(() => take({ query: `a=1&signature=${S}`, header: other }))).toBe("BAD_SIGNATURE");
    expect(refusal(() => take({ body: `a=1&signature=${S}`, header: other }))).toBe("BAD_SIGNATURE");
    expect(refusal(() => take({ query: `a=1&signature=${S}`, header: "" }))).toBe("BAD_SIGNATURE");
    expect(refusal(() => take({ query: "a=1&signature=", header: S }))).toBe("BAD_SIGNATURE");
  });

  it("hostile 9: accepts header and pair that are equal, ignoring letter case", () => {
    expect(take({ query: `a=1&signature=${S}`, header: S }).query).toBe("a=1");
    expect(take({ query: `a=1&signature=${S}`, header: S.toUpperCase() }).signature).toBe(S);
    expect(take({ query: `a=1&signature=${S.toUpperCase()}`, header: S }).signature).toBe(S);
  });

  it("hostile 11: refuses a second pair, in one part or in both", () => {
    for (const header of [undefined, S]) {
      const headers = header === undefined ? {} : { header };
      expect(refusal(() => take({ query: `signature=${S}&signature=${S}`, ...headers }))).toBe(
        "BAD_SIGNATURE",
      );
      expect(refusal(() => take({ body: `a=1&signature=${S}&b=2&signature=${S}`, ...headers }))).toBe(
        "BAD_SIGNATURE",
      );
      expect(refusal(() => take({ query: `signature=${S}`, body: `signature=${S}`, ...headers }))).toBe(
        "BAD_SIGNATURE",
      );
    }
  });

  it("hostile 12: refuses anything after the pair", () => {
    for (const tail of ["&a=1", "&", "&a"]) {
      for (const header of [{}, { header: S }]) {
        expect(refusal(() => take({ query: `b=1&signature=${S}${tail}`, ...header }))).toBe("BAD_SIGNATURE");
        expect(refusal(() => take({ body: `signature=${S}${tail}`, ...header }))).toBe("BAD_SIGNATURE");
      }
    }
  });

  it.each([
    "Signature",
    "SIGNATURE",
    "%73ignature",
    "s%69gnatur%65",
    "%53IGNATURE",
    "%73%49%67%4e%61%54%75%52%45",
    "signatur%65",
  ])("hostile 13: refuses the spelling %s", (name) => {
    for (const header of [{}, { header: S }]) {
      expect(refusal(() => take({ query: `a=1&${name}=${S}`, ...header }))).toBe("BAD_SIGNATURE");
      expect(refusal(() => take({ query: `${name}=${S}&a=1`, ...header }))).toBe("BAD_SIGNATURE");
      expect(refusal(() => take({ query: `${name}`, ...header }))).toBe("BAD_SIGNATURE");
      expect(refusal(() => take({ body: `${name}=${S}`, ...header }))).toBe("BAD_SIGNATURE");
      expect(refusal(() => take({ query: `${name}=${S}&signature=${S}`, ...header }))).toBe("BAD_SIGNATURE");
    }
  });

  it("hostile 13: refuses the name without its =", () => {
    expect(refusal(() => take({ query: "a=1&signature", header: S }))).toBe("BAD_SIGNATURE");
  });

  it("similar names and values are not touched", () => {
    const query = "mysignature=1&signature2=2&a=signature&b=x%26signature";
    expect(take({ query, header: S }).query).toBe(query);
  });

  it("a JSON body never contains it", () => {
    const body = `{"a":1,"signature":"${S}"}`;
    expect(text(take({ body, header: S }).payload)).toBe(body);
    expect(refusal(() => refuseSignatureParameter(readFlatJson(bytes(body))))).toBe("BAD_SIGNATURE");
    expect(() => refuseSignatureParameter(readFlatJson(bytes('{"a":1}')))).not.toThrow();
    expect(refusal(() => take({ body }))).toBe("PARAMETER_MISSING signature");
    expect(text(take({ body: `{&signature=${S}`, header: S }).body)).toBe(`{&signature=${S}`);
  });
});

describe("the bytes that a REST signature covers", () => {
  const query = "symbol=BTC%2FUSD&orderId=-256&timestamp=1760000000000";

  it("complaint 42: raw bytes, so that every encoding signs as it is sent", () => {
    for (const value of [
      "x%20y",
      "x+y",
      "x%2By",
      "BTC%2FUSD",
      "BTC%2fUSD",
      "BTC/USD",
      "%EF%BC%91",
      "x*y",
      "x%2Ay",
    ]) {
      const raw = `symbol=${value}&timestamp=1760000000000`;
      const signature = sign({ secret, payload: raw });
      expect(verifies({ query: `${raw}&signature=${signature}` })).toBe(true);
      expect(verifies({ body: `${raw}&signature=${signature}` })).toBe(true);
    }
  });

  it("hostile 14: a signature over the decoded query is refused", () => {
    expect(verifies({ query, header: sign({ secret, payload: decodeURIComponent(query) }) })).toBe(false);
    expect(verifies({ query, header: sign({ secret, payload: query }) })).toBe(true);
  });

  it("hostile 15: a signature over the sorted query is refused", () => {
    const sorted = query.split("&").sort().join("&");
    expect(verifies({ query, header: sign({ secret, payload: sorted }) })).toBe(false);
  });

  it("hostile 16: a signature over re-serialized JSON is refused", () => {
    const body = '{ "symbol": "BTC/USD" }';
    expect(verifies({ body, header: sign({ secret, payload: '{"symbol":"BTC/USD"}' }) })).toBe(false);
    expect(verifies({ body, header: sign({ secret, payload: body }) })).toBe(true);
  });

  it("hostile 17: a signature over body followed by query is refused", () => {
    expect(verifies({ query: "a=1", body: "b=2", header: sign({ secret, payload: "b=2a=1" }) })).toBe(false);
    expect(verifies({ query: "a=1", body: "b=2", header: sign({ secret, payload: "a=1b=2" }) })).toBe(true);
  });

  it("hostile 18: a signature over the query with its question mark is refused", () => {
    expect(verifies({ query, header: sign({ secret, payload: `?${query}` }) })).toBe(false);
  });

  it("hostile 19: a JSON body moved into the query has a valid signature, but the strict query rules refuse it", () => {
    const body = '{"symbol":"BTC/USD","side":"SELL"}';
    const header = sign({ secret, payload: `nonce=1${body}` });
    expect(verifies({ query: "nonce=1", body, header })).toBe(true);
    expect(verifies({ query: `nonce=1${body}`, header })).toBe(true);
    expect(isStrictQuery(`nonce=1${body}`)).toBe(false);
  });

  it("hostile 19: of all the places where one payload can be split, only one gives known names", () => {
    const known = new Set(["nonce", "symbol", "side", "timeInForce", "price", "stopPrice", "type"]);
    const readable = (before: string, after: string): boolean => {
      if (!isStrictQuery(before)) return false;
      const type = after.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
      try {
        const names = [...readQuery(before).keys(), ...readBody(bytes(after), type).keys()];
        return names.every((name) => known.has(name));
      } catch {
        return false;
      }
    };
    for (const payload of [
      'nonce=1&side=BUY{"symbol":"BTC/USD","price":"1"}',
      "nonce=1&side=BUYtimeInForce=GTC&stopPrice=1&type=STOP",
      "nonce=1&side=BUY&symbol=BTC/USD",
      '{"symbol":"a=1&side=BUY"}',
    ]) {
      const splits = Array.from({ length: payload.length + 1 }, (_, at) => at);
      const accepted = splits.filter((at) => readable(payload.slice(0, at), payload.slice(at)));
      expect(new Set(accepted.map((at) => meaningOf(payload, at))).size, payload).toBe(1);
    }
  });

  it("hostile 23, 24: another secret is refused", () => {
    expect(verifies({ query, header: sign({ secret: "other", payload: query }) })).toBe(false);
  });

  it("a signed request verifies wherever its signature is, and not after any change", () => {
    const value = fc.stringMatching(/^[A-Za-z0-9.%2F_-]{0,12}$/);
    const pairs = fc
      .array(value, { minLength: 1, maxLength: 5 })
      .map((values) => values.map((v, i) => `p${i}=${v}`).join("&"));
    fc.assert(
      fc.property(pairs, pairs, (first, second) => {
        const signature = sign({ secret, payload: first + second });
        expect(verifies({ query: first, body: second, header: signature })).toBe(true);
        expect(verifies({ query: `${first}&signature=${signature}`, body: second })).toBe(true);
        expect(verifies({ query: first, body: `${second}&signature=${signature}` })).toBe(true);
        expect(verifies({ query: `${first}x`, body: second, header: signature })).toBe(false);
        expect(verifies({ query: first, body: `${second}x`, header: signature })).toBe(false);
      }),
    );
  });
});

/** The parameters of a payload that is split at a place. */
function meaningOf(payload: string, at: number): string {
  const after = payload.slice(at);
  const type = after.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
  const all = [...readQuery(payload.slice(0, at)), ...readBody(bytes(after), type)];
  return JSON.stringify(all.map(([name, value]) => [name, value.text]));
}
