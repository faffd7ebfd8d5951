import { describe, expect, it } from "vitest";
import {
  encodeQuery,
  sign,
  signBody,
  signQuery,
  signSocketParameters,
  verifySignature,
} from "../../src/signing/index.ts";
import { restSignature, socketSignature, verifySocketSignature } from "../../src/signing/internal.ts";
import { readFlatJson, writeJson } from "../../src/wire/index.ts";
import { bytes } from "../wire/refusal.ts";

const secret = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
const parameters = {
  symbol: "BTC/USD",
  orderId: -9007199254740993n,
  limit: 5,
  reduceOnly: true,
  a: undefined,
  Z: "x y",
};

describe("a client's signed requests", () => {
  it("a query has its signature last and verifies", () => {
    const query = signQuery({ secret, parameters });
    expect(query).toMatch(
      /^symbol=BTC%2FUSD&orderId=-9007199254740993&limit=5&reduceOnly=true&Z=x%20y&signature=[0-9a-f]{64}$/,
    );
    const inQuery = restSignature({ query, body: new Uint8Array(), header: undefined });
    expect(verifySignature({ secret, ...inQuery })).toBe(true);
    const inForm = restSignature({ query: "", body: bytes(query), header: undefined });
    expect(verifySignature({ secret, ...inForm })).toBe(true);
  });

  it("a query without parameters is the signature alone", () => {
    expect(signQuery({ secret, parameters: {} })).toBe(`signature=${sign({ secret, payload: "" })}`);
  });

  it("a JSON body is minified, in the given order, and verifies with its query", () => {
    const { body, signature } = signBody({ secret, query: "nonce=1", parameters });
    expect(body).toBe(
      '{"symbol":"BTC/USD","orderId":-9007199254740993,"limit":5,"reduceOnly":true,"Z":"x y"}',
    );
    const taken = restSignature({ query: "nonce=1", body: bytes(body), header: signature });
    expect(verifySignature({ secret, ...taken })).toBe(true);
  });

  it("the parameters of a WebSocket message verify in their written form", () => {
    const params = signSocketParameters({ secret, parameters: { ...parameters, apiKey: "key" } });
    const signed = socketSignature(readFlatJson(bytes(writeJson(params))));
    expect(signed.payload).toBe(
      "Z=x y&apiKey=key&limit=5&orderId=-9007199254740993&reduceOnly=true&symbol=BTC/USD",
    );
    expect(verifySocketSignature({ secret, signed })).toBe(true);
    expect(params).toMatchObject(parameters);
  });

  it("encodeQuery leaves the signature to the header", () => {
    expect(encodeQuery({ symbol: "BTC/USD", nonce: 1 })).toBe("symbol=BTC%2FUSD&nonce=1");
  });

  it.each([undefined, null, 5, "a=1", []])("encodeQuery refuses %j in place of parameters", (given) => {
    expect(() => encodeQuery(given as never)).toThrow(/^encodeQuery must be an object of parameters by name/);
  });

  it.each([null, {}, ["a"], () => "a"])("refuses a value that is %j", (value) => {
    const wrong = { value } as never;
    const message = /^parameters[.]value must be a string, number or boolean$/;
    expect(() => signQuery({ secret, parameters: wrong })).toThrow(message);
    expect(() => signBody({ secret, query: "", parameters: wrong })).toThrow(message);
    expect(() => signSocketParameters({ secret, parameters: wrong })).toThrow(message);
    expect(() => encodeQuery(wrong)).toThrow(message);
  });

  it.each([0.1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses the number %s, which would not arrive unchanged",
    (price) => {
      const unsafe = { price };
      expect(() => signQuery({ secret, parameters: unsafe })).toThrow(
        new RangeError(
          `parameters.price must be a safe integer, got ${price}: pass decimals as strings, such as "0.5", and long integers as bigint`,
        ),
      );
      expect(() => signBody({ secret, query: "", parameters: unsafe })).toThrow(RangeError);
      expect(() => signSocketParameters({ secret, parameters: unsafe })).toThrow(RangeError);
      expect(() => encodeQuery(unsafe)).toThrow(RangeError);
    },
  );
});
