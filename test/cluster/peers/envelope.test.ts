import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ForwardedRequest } from "../../../src/cluster/index.ts";
import {
  type Frame,
  FrameReader,
  frameOf,
  openRequest,
  packRefusal,
  packReply,
  sealRequest,
  unpackRefusal,
  unpackReply,
} from "../../../src/cluster/peers/protocol.ts";

const SECRET = "a secret of all nodes";
const PLACE = { session: "5e".repeat(16), number: 7 };

const REQUEST: ForwardedRequest = {
  form: "REST",
  incarnation: 3,
  expiresAtMs: 1_790_000_000_000,
  usedWeight: 12,
  remoteAddress: "2001:db8::7",
  method: "POST",
  target: "/api/order?nonce=1",
  rawHeaders: ["X-MBX-APIKEY", "key", "signature", "ab".repeat(32)],
  body: new TextEncoder().encode('{"symbol":"BTC/USD"}'),
};

const bytes = (value: Uint8Array): number[] => [...value];

/** Names as the service reads them, in any letter case. */
const headers = fc
  .array(fc.tuple(fc.constantFrom("X-MBX-APIKEY", "signature", "Content-Type", "origin"), fc.string()))
  .map((pairs) => pairs.flat());

const requests = fc.record({
  form: fc.constantFrom("REST" as const, "MESSAGE" as const, "SUBSCRIPTION" as const),
  incarnation: fc.nat(),
  expiresAtMs: fc.maxSafeNat(),
  usedWeight: fc.nat(),
  remoteAddress: fc.string(),
  method: fc.string(),
  target: fc.string({ unit: "binary" }),
  rawHeaders: headers,
  body: fc.uint8Array(),
});

describe("an envelope is sealed as a whole", () => {
  it("any request comes out as it went in", () => {
    fc.assert(
      fc.property(requests, (request) => {
        const opened = openRequest([SECRET], PLACE, sealRequest(SECRET, PLACE, request));
        expect(opened).toEqual({ ...request, body: expect.anything() });
        expect(bytes((opened as ForwardedRequest).body)).toEqual(bytes(request.body));
      }),
    );
  });

  it("bytes beyond ASCII, a mark of byte order and empty texts stay what they are", () => {
    const request = {
      ...REQUEST,
      target: "/api/\u00ff\ufeff?\u0080=\ud83d\ude00",
      method: "\ufeffGET",
    };
    expect(openRequest([SECRET], PLACE, sealRequest(SECRET, PLACE, request))).toEqual(request);
  });

  it("one changed bit anywhere is refused as SEAL", () => {
    const sealed = sealRequest(SECRET, PLACE, REQUEST);
    const verdicts = new Set<unknown>();
    for (let at = 0; at < sealed.length; at++) {
      const forged = Uint8Array.from(sealed);
      // A digit of the seal in the other letter case is the same digit.
      forged[at] = (forged[at] ?? 0) ^ (at < 64 ? 1 : 1 << (at % 8));
      verdicts.add(openRequest([SECRET], PLACE, forged));
    }
    expect([...verdicts]).toEqual(["SEAL"]);
  });

  it.each([
    ["another secret", "another secret of nodes", PLACE],
    ["another connection", SECRET, { ...PLACE, session: "00".repeat(16) }],
    ["another number", SECRET, { ...PLACE, number: 8 }],
    [
      "a number and a session that only join to the same text",
      SECRET,
      { session: PLACE.session, number: 77 },
    ],
  ])("the seal of %s is refused", (_, secret, place) => {
    expect(openRequest([SECRET], PLACE, sealRequest(secret, place, REQUEST))).toBe("SEAL");
  });

  it("an earlier secret counts while it is named", () => {
    const sealed = sealRequest("the earlier secret", PLACE, REQUEST);
    expect(openRequest([SECRET, "the earlier secret"], PLACE, sealed)).toEqual(REQUEST);
    expect(openRequest([SECRET], PLACE, sealed)).toBe("SEAL");
  });

  it("empty and short bytes are refused as SEAL, and a sealed text without its parts as MALFORMED", () => {
    for (const length of [0, 1, 63, 64, 65])
      expect(openRequest([SECRET], PLACE, new Uint8Array(length))).toBe("SEAL");
    const wrong = { ...REQUEST, incarnation: 1.5 };
    expect(openRequest([SECRET], PLACE, sealRequest(SECRET, PLACE, wrong))).toBe("MALFORMED");
    const odd = { ...REQUEST, rawHeaders: ["signature"] };
    expect(openRequest([SECRET], PLACE, sealRequest(SECRET, PLACE, odd))).toBe("MALFORMED");
    const endless = { ...REQUEST, expiresAtMs: Number.POSITIVE_INFINITY };
    expect(openRequest([SECRET], PLACE, sealRequest(SECRET, PLACE, endless))).toBe("MALFORMED");
  });

  it("headers that the service does not read are dropped by the receiver as well", () => {
    const sent = {
      ...REQUEST,
      rawHeaders: [...REQUEST.rawHeaders, "X-Forwarded-For", "10.0.0.1"],
    };
    expect(openRequest([SECRET], PLACE, sealRequest(SECRET, PLACE, sent))).toEqual(REQUEST);
  });
});

describe("a reply is passed on byte for byte", () => {
  it("any reply comes out as it went in", () => {
    const response = fc.record({
      status: fc.integer({ min: 100, max: 599 }),
      headers: fc.dictionary(fc.stringMatching(/^[A-Z][a-z-]{0,9}$/), fc.string()),
      body: fc.string({ unit: "binary" }),
    });
    fc.assert(
      fc.property(response, (reply) => {
        expect(unpackReply(packReply(reply))).toEqual({
          kind: "reply",
          response: reply,
        });
      }),
    );
  });

  it("bytes that are no reply are none", () => {
    for (const text of ["", "\0", "\0\u0001\0\0\0\u0009200", "\0\u0001\0\0\0\u0003999"])
      expect(unpackReply(new TextEncoder().encode(text))).toBeUndefined();
  });
});

describe("a refusal names the shard", () => {
  it("comes out as it went in, and a shard that does not exist is no refusal", () => {
    const shards = fc.option(fc.nat({ max: 255 }), { nil: undefined });
    fc.assert(
      fc.property(shards, (shard) => {
        const refusal = { reason: "ELSEWHERE" as const, ...(shard !== undefined && { shard }) };
        expect(unpackRefusal(packRefusal(refusal))).toEqual({ kind: "refused", ...refusal });
      }),
    );
    for (const text of ["", "ELSEWHERE ", "ELSEWHERE 256", "ELSEWHERE -1", "ELSEWHERE 1 2", "NOWHERE 1"])
      expect(unpackRefusal(new TextEncoder().encode(text))).toBeUndefined();
  });
});

describe("frames", () => {
  const frames = fc.array(
    fc.record({
      kind: fc.constantFrom("request" as const, "reply" as const),
      number: fc.nat(),
      payload: fc.uint8Array({ maxLength: 50 }),
    }),
    { maxLength: 8 },
  );

  it("are read alike however the bytes arrive", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sent, steps) => {
        const stream = Buffer.concat(sent.map(frameOf));
        const reader = new FrameReader(50);
        const read: Frame[] = [];
        for (let at = 0, step = 0; at < stream.length; step++) {
          const end = at + (steps[step % steps.length] ?? 1);
          read.push(...reader.read(stream.subarray(at, end)).frames);
          at = end;
        }
        const plain = (list: readonly Frame[]): unknown =>
          list.map(({ payload, ...rest }) => ({
            ...rest,
            payload: bytes(payload),
          }));
        expect(plain(read)).toEqual(plain(sent));
        expect(reader.isInside).toBe(false);
      }),
    );
  });

  it("a frame that is too long is refused by its head, and what came before is read", () => {
    const short = frameOf({
      kind: "request",
      number: 1,
      payload: new Uint8Array(50),
    });
    const long = frameOf({
      kind: "request",
      number: 2,
      payload: new Uint8Array(51),
    });
    const { frames: read, fault } = new FrameReader(50).read(Buffer.concat([short, long.subarray(0, 10)]));
    expect([read.length, fault]).toEqual([1, "TOO_LONG"]);
  });

  it("another version and an unknown kind are refused", () => {
    const frame = frameOf({
      kind: "request",
      number: 1,
      payload: new Uint8Array(),
    });
    for (const at of [4, 5]) {
      const wrong = Uint8Array.from(frame);
      wrong[at] = 9;
      expect(new FrameReader(50).read(wrong)).toEqual({
        frames: [],
        fault: "MALFORMED",
      });
    }
  });
});
