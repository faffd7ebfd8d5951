import { describe, expect, it } from "vitest";
import vectors from "../../docs/signature-vectors.json" with { type: "json" };
import * as node from "../../src/signing/hmac-node.ts";
import * as portable from "../../src/signing/hmac-portable.ts";
import { sign, signSocketParameters, verifySignature } from "../../src/signing/index.ts";
import { restSignature, socketSignature, verifySocketSignature } from "../../src/signing/internal.ts";
import { socketPayload } from "../../src/signing/signed-request.ts";
import { type Parameters, readFlatJson, type Scalar } from "../../src/wire/index.ts";
import socketOrder from "./socket-order.json" with { type: "json" };

type Params = Readonly<Record<string, string | number | boolean>>;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const jsonParameters = (params: unknown): Parameters => readFlatJson(bytes(JSON.stringify(params)));
const isParams = (params: unknown): params is Params => typeof params === "object" && params !== null;

/** Parameters of a sorted payload, in the opposite order. */
const reversed = (payload: string): Parameters =>
  new Map(
    payload
      .split("&")
      .reverse()
      .map((item): [string, Scalar] => {
        const equals = item.indexOf("=");
        return [item.slice(0, equals), { text: item.slice(equals + 1), kind: "string" }];
      }),
  );

const withSignature = (parameters: Parameters, signature: string): Parameters =>
  new Map([...parameters, ["signature", { text: signature, kind: "string" }]]);

describe("published and derived signature vectors", () => {
  it("are complete", () => {
    expect(vectors.length).toBe(27);
    expect(new Set(vectors.map(({ kind }) => kind)).size).toBe(8);
  });

  it.each(vectors)(
    "$kind, $source $note: sign and both implementations",
    ({ secret, payload, signature }) => {
      expect(sign({ secret, payload })).toBe(signature);
      expect(node.hmacSha256Hex(secret, bytes(payload))).toBe(signature);
      expect(portable.hmacSha256Hex(secret, payload)).toBe(signature);
      expect(portable.hmacSha256Hex(secret, bytes(payload))).toBe(signature);
      expect(verifySignature({ secret, payload, signature: signature.toUpperCase() })).toBe(true);
    },
  );

  it.each(vectors.filter(({ kind }) => kind.includes("query")))(
    "$kind, $source $note: as a query, signed in its last pair or in the header",
    ({ secret, payload, signature }) => {
      for (const [query, header] of [
        [`${payload}&signature=${signature}`, undefined],
        [payload, signature],
      ] as const) {
        const taken = restSignature({ query, body: new Uint8Array(), header });
        expect(taken.query).toBe(payload);
        expect(verifySignature({ secret, ...taken })).toBe(true);
      }
    },
  );

  it.each(vectors.filter(({ kind }) => kind === "rest-body"))(
    "$kind, $source: as a form body",
    ({ secret, payload, signature }) => {
      const taken = restSignature({
        query: "",
        body: bytes(`${payload}&signature=${signature}`),
        header: undefined,
      });
      expect(verifySignature({ secret, ...taken })).toBe(true);
    },
  );

  it.each(vectors.filter(({ kind }) => kind === "v3-body-only"))(
    "$kind, $source: as a JSON body with the header",
    ({ secret, payload, signature }) => {
      const taken = restSignature({ query: "", body: bytes(payload), header: signature });
      expect(verifySignature({ secret, ...taken })).toBe(true);
    },
  );

  it.each(vectors.filter(({ kind }) => kind === "rest-mixed"))(
    "$kind, $source: query directly followed by body",
    ({ secret, payload, signature }) => {
      const split = payload.indexOf("quantity=");
      const taken = restSignature({
        query: payload.slice(0, split),
        body: bytes(`${payload.slice(split)}&signature=${signature}`),
        header: undefined,
      });
      expect(verifySignature({ secret, ...taken })).toBe(true);
    },
  );

  it.each(vectors.filter(({ kind }) => kind === "ws-sorted"))(
    "complaint 41: $kind, $source $note: parameters in any order give the payload",
    ({ secret, payload, signature }) => {
      const parameters = reversed(payload);
      expect(socketPayload(parameters)).toBe(payload);
      const signed = socketSignature(withSignature(parameters, signature));
      expect(verifySocketSignature({ secret, signed })).toBe(true);
    },
  );

  it.each(vectors.filter(({ params }) => params !== undefined))(
    "$kind, $source $note: the parameters as JSON",
    ({ secret, payload, signature, params }) => {
      expect(socketPayload(jsonParameters(params))).toBe(payload);
      expect(isParams(params) && signSocketParameters({ secret, parameters: params }).signature).toBe(
        signature,
      );
    },
  );

  it.each(socketOrder)("sort order: $note", ({ secret, params, payload, signature }) => {
    expect(socketPayload(jsonParameters(params))).toBe(payload);
    expect(sign({ secret, payload })).toBe(signature);
    const signed = socketSignature(withSignature(jsonParameters(params), signature));
    expect(verifySocketSignature({ secret, signed })).toBe(true);
  });
});
