import type { WireRequest, WireResponse } from "../../wire/index.ts";
import { MAX_BODY_BYTES } from "../rest/authentication.ts";

/** A request of the probe as sent over the wire, and the probe's reply to it. */
export interface ProbeRequest extends Pick<WireRequest, "method" | "target" | "rawHeaders" | "body"> {
  /** Name of the case that it tests. */
  readonly name: string;
  /** Whether the body is sent in chunks, without its length. */
  readonly chunked: boolean;
  readonly reply: WireResponse;
}

/** An address that no peer of a probe has. The forged headers claim it. */
export const FORGED_ADDRESS = "203.0.113.9";

/** The content of the probe's gzip body. */
export const INFLATED = '{"a":"1"}';

const GZIP = [
  0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x52, 0x32, 0x54,
  0xaa, 0x05, 0x00, 0x75, 0xcc, 0x0c, 0x05, 0x09, 0x00, 0x00, 0x00,
];

const JSON_TYPE: readonly string[] = ["Content-Type", "application/json"];
const FORM_TYPE: readonly string[] = ["Content-Type", "application/x-www-form-urlencoded"];

type Trial = Readonly<{
  method: string;
  target: string;
  rawHeaders?: readonly string[];
  body?: string | Uint8Array;
  chunked?: boolean;
}>;

/** Returns JSON of exactly this many bytes. */
const sized = (bytes: number): string => `{"a":"${"x".repeat(bytes - 8)}"}`;

const post = (rest: Omit<Trial, "method" | "target">): Trial => ({
  ...{ method: "POST", target: "/api/order?nonce=1" },
  ...rest,
});

const TRIALS: Readonly<Record<string, Trial>> = {
  "a GET": { method: "GET", target: "/api/ping" },
  "encodings in the query": {
    method: "GET",
    target: "/api/v2/order?symbol=BTC%2FUSD&a=%2f%7e~&b=1+2%20%2B&c=!$'()*,;:@/?&timestamp=1",
  },
  "empty and repeated pairs": { method: "GET", target: "/api/v2/order?&b=2&&a=1&a=&=&" },
  "an odd path": { method: "GET", target: "/api/v2/%6Frder/../x;y=1//?a=1" },
  "a JSON body": post({
    rawHeaders: JSON_TYPE,
    body: '{"b":"\\u0041", "a":1.0,"c":90071992547409931,\t"2":"é","1":" "}\n',
  }),
  "a form body": post({ rawHeaders: FORM_TYPE, body: "b=1+2&a=%2f&a=%7e&" }),
  "a body that is not UTF-8": post({
    rawHeaders: JSON_TYPE,
    body: Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28, 0x00, 0x7d]),
  }),
  "a DELETE with query and body": {
    ...{ method: "DELETE", target: "/api/v3/orderList?nonce=1" },
    ...{ rawHeaders: JSON_TYPE, body: '{"orderListId": -284}' },
  },
  "a body without Content-Type": post({ body: '{"a":"1"}' }),
  "a compressed body": post({
    rawHeaders: [...JSON_TYPE, "Content-Encoding", "gzip"],
    body: Uint8Array.from(GZIP),
  }),
  "the largest body": post({ rawHeaders: JSON_TYPE, body: sized(MAX_BODY_BYTES) }),
  "the largest body in chunks": post({ rawHeaders: JSON_TYPE, body: sized(MAX_BODY_BYTES), chunked: true }),
  "one byte too many": post({ rawHeaders: JSON_TYPE, body: sized(MAX_BODY_BYTES + 1) }),
  "headers that come twice": {
    ...{ method: "GET", target: "/api/v2/order?timestamp=1" },
    rawHeaders: ["X-MBX-APIKEY", "one", "x-mbx-apikey", "two", "signature", "aa", "Signature", "bb"],
  },
  "a header beyond ASCII": { method: "GET", target: "/api/ping", rawHeaders: ["X-MBX-APIKEY", "k\u00e9y"] },
  "a forged address and method": post({
    rawHeaders: [
      ...[
        "X-Forwarded-For",
        FORGED_ADDRESS,
        "X-Real-IP",
        FORGED_ADDRESS,
        "Forwarded",
        `for=${FORGED_ADDRESS}`,
      ],
      ...["X-HTTP-Method-Override", "DELETE", ...JSON_TYPE],
    ],
    body: "{}",
  }),
  "a HEAD": { method: "HEAD", target: "/api/ping" },
  "a PUT": { method: "PUT", target: "/api/order", rawHeaders: JSON_TYPE, body: "{}" },
  "an OPTIONS": {
    ...{ method: "OPTIONS", target: "/api/order" },
    rawHeaders: ["Origin", "https://app.example", "Access-Control-Request-Method", "POST"],
  },
};

const STATUSES: readonly number[] = [200, 400, 401, 404, 413, 429, 500, 503];

/** Returns the reply to the request with this number. Neighbouring requests get different replies. */
function replyOf(number: number): WireResponse {
  return {
    status: STATUSES[number % STATUSES.length] ?? 200,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Request-Id": `probe-${number}`,
      "X-MBX-USED-WEIGHT-1M": String(number),
      "Retry-After": "7",
    },
    body: `{"code": -1000, "msg":"é€", "n":${number}.0}\n`,
  };
}

/** The requests of the probe in sending order. */
export const PROBE_REQUESTS: readonly ProbeRequest[] = Object.entries(TRIALS).map(
  ([name, trial], number) => ({
    name,
    method: trial.method,
    target: trial.target,
    rawHeaders: trial.rawHeaders ?? [],
    body:
      typeof trial.body === "string"
        ? new TextEncoder().encode(trial.body)
        : (trial.body ?? new Uint8Array()),
    chunked: trial.chunked ?? false,
    reply: replyOf(number),
  }),
);
