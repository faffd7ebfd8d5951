import { MAX_BODY_BYTES } from "../../service/index.ts";
import { holds, same } from "../checks.ts";
import type { RawRequest } from "./raw-http.ts";
import { latin, type MountRules, type MountWorld } from "./world.ts";

const JSON_TYPE = ["Content-Type", "application/json"];
const FORGED = "203.0.113.9";

const post = (rest: Partial<RawRequest>): RawRequest => ({
  ...{ method: "POST", target: "/api/order?nonce=1" },
  ...rest,
});

/** Checks that a body arrives as it was sent. */
async function checkBody(world: MountWorld, request: RawRequest): Promise<void> {
  const { body } = await world.delivered(request);
  holds("the type of the body", body instanceof Uint8Array, "a Uint8Array", body);
  same(`the bytes of the body of ${request.method}`, latin(body), latin(request.body ?? ""));
}

/** Returns the headers with one of the names, as lines. Names are not case-sensitive. */
function pairsOf(rawHeaders: readonly string[], wanted: readonly string[]): readonly string[] {
  const names = new Set(wanted.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && names.has(name.toLowerCase())
      ? [`${name.toLowerCase()}: ${rawHeaders[index + 1]}`]
      : [],
  );
}

/** `{"a":"1"}` */
const GZIP = [
  ...[0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x52, 0x32],
  ...[0x54, 0xaa, 0x05, 0x00, 0x75, 0xcc, 0x0c, 0x05, 0x09, 0x00, 0x00, 0x00],
];

const sized = (bytes: number): string => `{"a":"${"x".repeat(bytes - 8)}"}`;

/** Two chunks of a socket: what a host may have read when it notices that the body is too large. */
const MOST_COLLECTED = 2 * 65_536 + MAX_BODY_BYTES;

/** Rules of the parts of a request. */
export const requestRules: MountRules = {
  "the service receives every method, unchanged, once": {
    remedy: "Mount the service for all methods, and disable method overrides and answers to OPTIONS.",
    async check(world) {
      const headers = ["X-HTTP-Method-Override", "DELETE"];
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
        same("the method", (await world.delivered({ method, target: "/api/order", headers })).method, method);
    },
  },
  "the path is the one of the request line: no decoding, no normalization": {
    remedy: "Hand over the raw target, such as `request.url` of node:http. A `URL` normalizes the path.",
    async check(world) {
      for (const path of ["/api/ping", "/api/", "/api/v2/%6Frder/../x;y=1//", "/compat/api/v3/ping"])
        same("the target", (await world.delivered({ method: "GET", target: path })).target, path);
    },
  },
  "contract, Version 2 GET: the query arrives byte for byte, in its order and with its encodings": {
    remedy:
      "Hand over the raw target. Parsed parameters lose order, blanks and encodings, which signatures cover.",
    async check(world) {
      const found = [
        "symbol=BTC%2fUSD&a=%2F%7e~&b=1+2%20%2B&c=!$'()*,;:@/?",
        "&b=2&&a=1&a=&=&",
        "z=%zz&a",
        "__proto__=1&a[]=2",
      ];
      for (const query of found) {
        const target = `/api/v2/order?${query}`;
        same("the target", (await world.delivered({ method: "GET", target })).target, target);
      }
    },
  },
  "hostile 10, hostile 26: headers arrive in their order, repeated ones as often as they were sent": {
    remedy:
      "Hand over `rawHeaders` of node:http. An object or `Headers` joins a second signature with the first.",
    async check(world) {
      const headers = [
        ...["X-MBX-APIKEY", "one", "signature", "aa", "x-mbx-apikey", "two", "Signature", "bb"],
        ...["X-Other", "k\u00e9y, with a comma", "Content-Type", "text/a", "content-type", "text/b"],
      ];
      const { rawHeaders } = await world.delivered({ method: "GET", target: "/api/ping", headers });
      same("the headers", pairsOf(rawHeaders, headers), pairsOf(headers, headers));
    },
  },
  "the address is that of the socket's peer, not one of a header that any client can send": {
    remedy:
      "Hand over `socket.remoteAddress`. The service reads X-Forwarded-For itself, with its setting `trustedProxies`.",
    async check(world) {
      const headers = ["X-Forwarded-For", FORGED, "X-Real-IP", FORGED, "Forwarded", `for=${FORGED}`];
      const { remoteAddress } = await world.delivered({ method: "GET", target: "/api/ping", headers });
      same("the address", String(remoteAddress).replace(/^::ffff:/, ""), "127.0.0.1");
    },
  },
  "contract, Version 3 REST: the body arrives as the bytes that were sent, whatever its Content-Type": {
    remedy:
      "Collect the chunks as bytes before any body parser. Parsed and written again, a body has other bytes.",
    async check(world) {
      const json = '{"b":"\\u0041", "a":1.0,"c":90071992547409931,\t"2":"\u00e9","1":" "}\r\n';
      await checkBody(world, post({ headers: JSON_TYPE, body: json }));
      await checkBody(world, post({ body: json }));
      const form = ["Content-Type", "application/x-www-form-urlencoded"];
      await checkBody(world, post({ headers: form, body: "b=1+2&a=%2f&a=%7e&" }));
      await checkBody(
        world,
        post({ headers: JSON_TYPE, body: Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0xc3, 0x28, 0) }),
      );
    },
  },
  "a compressed body is handed over compressed": {
    remedy: "Disable decompression for the paths of the service. The service refuses such a body itself.",
    async check(world) {
      const headers = [...JSON_TYPE, "Content-Encoding", "gzip"];
      await checkBody(world, post({ headers, body: Uint8Array.from(GZIP) }));
    },
  },
  "hostile 47: a body is handed over with every method, also with GET and DELETE": {
    remedy: "Read the body of every request. The service decides which methods may have one.",
    async check(world) {
      for (const method of ["DELETE", "GET", "PUT"])
        await checkBody(world, {
          method,
          target: "/api/order",
          headers: JSON_TYPE,
          body: '{"orderListId": -284}',
        });
    },
  },
  "a body in chunks is handed over whole": {
    remedy: "Read to the end of the body, and do not rely on Content-Length.",
    async check(world) {
      await checkBody(world, post({ headers: JSON_TYPE, body: '{"a": "chunked"}', chunked: true }));
    },
  },
  "hostile 51: a body of MAX_BODY_BYTES is handed over whole, with its length and in chunks": {
    remedy: "Raise the body limit of the host above `MAX_BODY_BYTES` for the paths of the service.",
    async check(world) {
      for (const isChunked of [false, true])
        await checkBody(world, post({ headers: JSON_TYPE, body: sized(MAX_BODY_BYTES), chunked: isChunked }));
    },
  },
  "hostile 51: of a body that is too large, the service receives more than MAX_BODY_BYTES, and answers itself":
    {
      remedy: "Hand over the first `MAX_BODY_BYTES` + 1 bytes. An answer of the host has another format.",
      async check(world) {
        for (const isChunked of [false, true]) {
          const sent = sized(MAX_BODY_BYTES + 1);
          const { body } = await world.delivered(
            post({ headers: JSON_TYPE, body: sent, chunked: isChunked }),
          );
          const isMore = body.length > MAX_BODY_BYTES;
          holds("the bytes of the body", isMore, `more than ${MAX_BODY_BYTES}`, body.length);
        }
      },
    },
  "hostile 51: a body far above the limit is not collected": {
    remedy: "Keep `MAX_BODY_BYTES` + 1 bytes and drop the rest, so that no client can fill the memory.",
    async check(world) {
      const { body } = await world.delivered(
        post({ headers: JSON_TYPE, body: sized(1_048_576), chunked: true }),
      );
      const isBounded = body.length > MAX_BODY_BYTES && body.length <= MOST_COLLECTED;
      const expected = `more than ${MAX_BODY_BYTES}, at most ${MOST_COLLECTED}`;
      holds("the bytes of a body of 1048576 bytes", isBounded, expected, body.length);
    },
  },
  "requests of other paths stay with the host": {
    remedy:
      "Hand over the paths below `/api/` and `/compat/api/` only, and those of the documents of the service.",
    where: { ownRoutes: true },
    async check(world) {
      for (const target of ["/", "/health", "/apiary", "/compat"])
        await world.request({ method: "GET", target });
      await world.request({ method: "POST", target: "/own", headers: JSON_TYPE, body: "{}" });
      same("requests that the service received", world.standIn.received, []);
    },
  },
  "a server without routes of its own hands over every path": {
    remedy: "Declare `ownRoutes: true`, or leave the answer to unknown paths to the service.",
    where: { ownRoutes: false },
    async check(world) {
      for (const target of ["/", "/health", "/apiary"])
        same("the target", (await world.delivered({ method: "GET", target })).target, target);
    },
  },
};
