import { type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../../src/engine/index.ts";
import { answerControl } from "../../src/sandbox/control-routes.ts";
import { createControlServer } from "../../src/sandbox/control-server.ts";
import type { Exchange } from "../../src/sandbox/exchange.ts";
import { paperDesk, type VenueControls } from "../../src/sandbox/venue-desk.ts";

const REST = "http://127.0.0.1:8080";

let verified = 0;
let failure: Error | undefined;
let port = 0;
let close: () => void;

/** The part of an exchange that these calls use. */
const exchange = {
  engine: {
    verify: async () => {
      verified++;
      if (failure !== undefined) throw failure;
      return { equal: true };
    },
  },
  instruments: { find: () => undefined },
  desk: paperDesk({ instruments: { find: () => undefined } } as unknown as VenueControls),
} as unknown as Exchange;

beforeEach(async () => {
  verified = 0;
  failure = undefined;
  const server = createControlServer(
    (call) => answerControl(exchange, call),
    () => [REST],
  );
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  port = (server.address() as AddressInfo).port;
  close = () => void server.close().closeAllConnections();
});

afterEach(() => close());

type Answer = readonly [status: number, body: string, headers: IncomingHttpHeaders];

type ControlRequest = Readonly<{
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}>;

function ask({ method = "GET", path, headers = {}, body = "" }: ControlRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: `/control/${path}`, method, headers, agent: false };
    const sent = request(options, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve([response.statusCode ?? 0, text, response.headers]));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("I83: requests that a page of another origin makes a browser send", () => {
  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "anything" },
    { referer: "http://evil.example/page" },
    { referer: "http://127.0.0.1:1/" },
  ])("a GET with %j is 403 and does no work", async (headers) => {
    const [status] = await ask({ path: "verify", headers });
    expect([status, verified]).toEqual([403, 0]);
  });

  it("a typed address, a program, the console's page and the sandbox's own origins are served", async () => {
    const own = { referer: `http://127.0.0.1:${port}/console` };
    for (const headers of [
      {},
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "same-origin" },
      own,
      { origin: REST, "sec-fetch-site": "same-site" },
    ]) {
      expect((await ask({ path: "verify", headers }))[0]).toBe(200);
    }
    expect(verified).toBe(5);
  });
});

describe("the console's page may read the replies, and no page of another origin", () => {
  const preflight = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
  };
  const grantOf = ([, , headers]: Answer): unknown => headers["access-control-allow-origin"];

  it.each([
    [503, new EngineError("DISCONNECTED", { lease: "lapsed" })],
    [500, new Error("I53: something is wrong")],
  ])("%i says whether a call that failed is made again: %s", async (status, error) => {
    failure = error;
    expect((await ask({ path: "verify" })).slice(0, 2)).toEqual([
      status,
      JSON.stringify({ error: error.message }),
    ]);
  });

  it("a preflight of the console is 204 and allows JSON by GET and POST, without any work", async () => {
    const answer = await ask({ method: "OPTIONS", path: "quotes", headers: { ...preflight, origin: REST } });
    expect([answer[0], grantOf(answer), verified]).toEqual([204, REST, 0]);
    expect(answer[2]).toMatchObject({
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "content-type",
      vary: "Origin",
    });
  });

  it("replies and refusals to the console name its origin", async () => {
    const headers = { origin: REST };
    const answers = [await ask({ path: "verify", headers }), await ask({ path: "nothing", headers })];
    expect(answers.map(([status, , sent]) => [status, sent["access-control-allow-origin"]])).toEqual([
      [200, REST],
      [404, REST],
    ]);
  });

  it.each(["http://evil.example", "null", "http://127.0.0.1:80800", "https://127.0.0.1:8080"])(
    "nothing is allowed to the origin %s",
    async (origin) => {
      const answers = [
        await ask({ method: "OPTIONS", path: "quotes", headers: { ...preflight, origin } }),
        await ask({ path: "verify", headers: { origin } }),
      ];
      expect(answers.map((answer) => [answer[0], grantOf(answer)])).toEqual([
        [403, undefined],
        [403, undefined],
      ]);
      expect(verified).toBe(0);
    },
  );

  it("a name of another machine that leads here is refused, whatever the origin", async () => {
    const headers = { ...preflight, origin: REST, host: "evil.example" };
    const answer = await ask({ method: "OPTIONS", path: "quotes", headers });
    expect([answer[0], grantOf(answer)]).toEqual([403, undefined]);
  });
});

describe("the echo of a request in its refusal", () => {
  const large = "x".repeat(100_000);

  it.each<ControlRequest>([
    { path: large },
    { path: `orders/${large}/journal` },
    { method: "POST", path: "heartbeat", body: JSON.stringify({ symbol: large }) },
    { method: "POST", path: "heartbeat", body: JSON.stringify({ symbol: "BTC/USD", [large]: 1 }) },
  ])("is short, whatever is wrong: $method", async ({ path, ...sent }) => {
    const headers = sent.method === "POST" ? { "content-type": "application/json" } : {};
    const [status, body] = await ask({ ...sent, path: path.slice(0, 12_000), headers });
    expect([400, 404]).toContain(status);
    expect(body.length).toBeLessThan(400);
  });
});
