import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { type Client, ClientError, createClient, UncertainOutcome } from "../../src/client/index.ts";
import { listening } from "../support/listening.ts";
import { KEYS, START_MS } from "../support/service-world.ts";
import { STOP } from "./placements.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const body =
  (text: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(text);

const MEGABYTE = Buffer.alloc(1024 * 1024, " ");

/** A reply of ten megabytes, of unknown length. */
const endless: Answer = (response) => {
  response.writeHead(200);
  let sent = 0;
  const more = (): void => {
    while (sent < 10 && !response.destroyed) {
      sent++;
      if (!response.write(MEGABYTE)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
};

/** A hostile answer, and the error that a read becomes. */
const ANSWERS: Readonly<Record<string, readonly [Answer, object]>> = {
  "a page of HTML": [
    body("<!doctype html><p>Sign in"),
    { kind: "protocol", problem: "not JSON", status: 200 },
  ],
  "a page of HTML with 500": [body("<h1>Oops", 500), { kind: "protocol", problem: "not JSON", status: 500 }],
  "an empty body": [body(""), { kind: "protocol", problem: "empty", status: 200 }],
  "an empty body with 504": [body("", 504), { kind: "protocol", problem: "empty", status: 504 }],
  "truncated JSON": [body('{"orderId":-256,"symb'), { kind: "protocol", problem: "not JSON" }],
  "an open string of escapes": [body(`"${'\\"'.repeat(500_000)}`), { kind: "protocol", problem: "not JSON" }],
  "an open string after a long id": [
    body(`[${"1".repeat(19)},"${'\\"'.repeat(500_000)}`),
    { kind: "protocol", problem: "not JSON" },
  ],
  "arrays in arrays": [body("[".repeat(200_000)), { kind: "protocol", problem: "not JSON" }],
  null: [body("null"), { kind: "protocol", problem: "wrong type", member: "body" }],
  "a list in place of an object": [body("[]"), { kind: "protocol", problem: "wrong type", member: "body" }],
  "an object without members": [body("{}"), { kind: "protocol", problem: "wrong type", member: "symbol" }],
  "bytes that are not UTF-8": [
    body(Buffer.from([0x22, 0xc3, 0x28, 0x22])),
    { kind: "protocol", problem: "not text" },
  ],
  "ten megabytes of declared length": [
    body(Buffer.concat(Array.from({ length: 10 }, () => MEGABYTE))),
    { kind: "protocol", problem: "too large" },
  ],
  "ten megabytes in chunks": [endless, { kind: "protocol", problem: "too large" }],
  "a redirect": [
    body("", 307, { Location: "/api/elsewhere" }),
    { kind: "protocol", problem: "redirect", status: 307 },
  ],
  "a connection that closes in the body": [
    (response) => {
      response.writeHead(200, { "Content-Length": "1000" }).write('{"orderId":');
      setImmediate(() => response.destroy());
    },
    { kind: "transport", reason: "connection" },
  ],
  "a connection that closes at once": [
    (_response, request) => request.socket.destroy(),
    { kind: "transport", reason: "connection" },
  ],
  "429 as a page, without Retry-After": [
    body("<p>Slow down", 429),
    { kind: "protocol", problem: "not JSON", status: 429 },
  ],
};

/** Answers after which a reply never ends. */
const HANGS: Readonly<Record<string, Answer>> = {
  "no answer": () => undefined,
  "headers and no body": (response) => response.writeHead(200).flushHeaders(),
  "a body that drips": (response) => {
    response.writeHead(200).write('{"orderId":');
  },
};

let server: Server;
let baseUrl: string;
let answer: Answer = body("{}");
let hits: string[] = [];
let arrived = (): void => undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    hits.push(`${request.method} ${(request.url ?? "").replace(/\?.*/, "")}`);
    if (request.url === "/api/time") return response.end(JSON.stringify({ serverTime: START_MS }));
    answer(response, request);
    return arrived();
  });
  baseUrl = `http://127.0.0.1:${await listening(server)}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  hits = [];
  arrived = () => undefined;
});

const clock = createManualClock({ startMs: START_MS });
const clientOf = (readAttempts = 1): Client => createClient({ baseUrl, ...KEYS.owner, clock, readAttempts });

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a client against a hostile server over the loopback", () => {
  it.each(Object.entries(ANSWERS))("%s: a read has a typed error", async (_name, [hostile, expected]) => {
    answer = hostile;
    const error = await errorOf(clientOf().order({ symbol: "BTC/USD", orderId: -256 }));
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject(expected);
    expect(hits).toEqual(["GET /api/time", "GET /api/v2/order"]);
  });

  it.each(Object.entries(ANSWERS))("%s: a placement is uncertain and sent once", async (_name, [hostile]) => {
    answer = hostile;
    const error = await errorOf(clientOf(5).placeOrder(STOP));
    expect(error).toBeInstanceOf(UncertainOutcome);
    expect(hits).toEqual(["GET /api/time", "POST /api/order"]);
  });

  it.each(Object.entries(HANGS))("%s: the call ends with its time", async (_name, hostile) => {
    answer = hostile;
    for (const place of [false, true]) {
      const client = clientOf();
      const reached = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const key = { symbol: "BTC/USD", orderId: -256 };
      const call = errorOf(place ? client.placeOrder(STOP) : client.order(key));
      await reached;
      await clock.advanceBy(10_000);
      const timeout = { kind: "transport", reason: "timeout" };
      expect(await call).toMatchObject(place ? { kind: "uncertain", cause: timeout } : timeout);
    }
  });

  it("an id beyond 2^53 that is a fraction, an exponent or no number is a wrong type, never a rounded id", async () => {
    for (const id of ["9007199254740993.5", "9e30", "true", '"12a"', "null"]) {
      answer = body(`{"apiManaged":true,"symbol":"BTC/USD","account":1,"accountId":1,"orderId":${id}}`);
      const error = await errorOf(clientOf().order({ symbol: "BTC/USD", orderId: 1 }));
      expect(error).toMatchObject({ kind: "protocol", problem: "wrong type", member: "orderId" });
    }
  });

  it("a refusal with further members, and one with a text only, are refusals", async () => {
    answer = body('{"code":-1003,"msg":"Slow down.","extra":{}}', 429);
    expect(await errorOf(clientOf().ticker({ symbol: "BTC/USD" }))).toMatchObject({
      code: -1003,
      status: 429,
    });
    answer = body('{"error":"Unknown symbol"}', 400);
    const error = await errorOf(clientOf().ticker({ symbol: "BTC/USD" }));
    expect(error).toMatchObject({ kind: "refused", msg: "Unknown symbol", status: 400 });
    expect(error).not.toHaveProperty("code");
  });
});
