import { afterEach, describe, expect, it } from "vitest";
import {
  createNodeServer,
  type NodeServerLimits,
  type NodeServerOptions,
} from "../../src/adapters/node/index.ts";
import type { WireRequest, WireResponse } from "../../src/wire/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { openConnection, type RawAnswer, rawBytes, sendRaw } from "../support/raw-http.ts";

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Handler = (request: WireRequest) => WireResponse | Promise<WireResponse>;

const reply = (body = "{}"): WireResponse => ({
  status: 200,
  headers: { "Content-Type": "application/json" },
  body,
});

/** A server whose service is a function. */
async function serve(handle: Handler = () => reply(), limits: NodeServerLimits = {}): Promise<number> {
  const service: NodeServerOptions["service"] = { handle: async (request) => handle(request) };
  const server = createNodeServer({ service, limits, ...withFronts() });
  open.push(() => server.close({ graceMs: 0 }));
  return (await server.listen({ host: "127.0.0.1", port: 0 })).port;
}

const get = { method: "GET", target: "/api/ping" };

const errorOf = ({ status, body }: RawAnswer): readonly [number, number] => [status, JSON.parse(body).code];

/** A handler that records the length of each body. */
const sizes = (): Readonly<{ handler: Handler; seen: number[] }> => {
  const seen: number[] = [];
  const handler: Handler = ({ body }) => {
    seen.push(body.length);
    return reply();
  };
  return { seen, handler };
};

describe("the request that reaches the service", () => {
  it("more headers than Node's own limit arrive, within the size of the head", async () => {
    const names: number[] = [];
    const port = await serve((request) => {
      names.push(request.rawHeaders.length / 2);
      return reply();
    });
    const headers = Array.from({ length: 2_500 }, () => ["a", ""]).flat();
    expect((await sendRaw(port, { ...get, headers })).status).toBe(200);
    expect(names).toEqual([2_501]);
  });

  it("a long body is sent whole, also where a part of it ends within a character", async () => {
    const body = `"${"a".repeat(65_534)}\u{1f600}${"\u{1f600}".repeat(40_000)}"`;
    const port = await serve(() => reply(body));
    const response = await fetch(`http://127.0.0.1:${port}/api/ping`);
    expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(body)));
    expect((await response.text()) === body).toBe(true);
  });

  it("a service that throws is an error without its message", async () => {
    const port = await serve(() => {
      throw new Error("a secret");
    });
    const read = await sendRaw(port, get);
    const write = await sendRaw(port, { method: "POST", target: "/api/order" });
    expect([errorOf(read), errorOf(write)]).toEqual([
      [500, -1000],
      [500, -1006],
    ]);
    expect(read.body + write.body).not.toContain("secret");
  });
});

describe("bodies", () => {
  it("a body that is announced as too large is answered without waiting for it", async () => {
    const { seen, handler } = sizes();
    const connection = await openConnection(await serve(handler));
    connection.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n");
    expect((await connection.answer()).headers.get("connection")).toBe("close");
    expect(seen).toEqual([32_769]);
    connection.close();
  });

  it("a client that asks before it sends its body is told to continue, or refused at once", async () => {
    const { seen, handler } = sizes();
    const port = await serve(handler);
    const head = (length: number): string =>
      `POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const requested = await openConnection(port);
    requested.write(head(2));
    while (!requested.received().startsWith("HTTP/1.1 100 Continue"))
      await new Promise((next) => setImmediate(next));
    requested.write("{}");
    expect((await requested.answer()).status).toBe(200);
    requested.close();
    const refused = await openConnection(port);
    refused.write(head(40_000));
    expect((await refused.answer()).headers.get("connection")).toBe("close");
    refused.close();
    expect(seen).toEqual([2, 32_769]);
  });

  it("hostile 50: any other expectation is 417", async () => {
    const answer = await sendRaw(await serve(), { ...get, headers: ["Expect", "200-ok"] });
    expect(errorOf(answer)).toEqual([417, -1130]);
  });
});

describe("invalid requests", () => {
  const send = async (port: number, text: string): Promise<RawAnswer> => {
    const connection = await openConnection(port);
    connection.write(text);
    const answer = await connection.answer();
    await connection.ended;
    return answer;
  };

  it.each([
    ["garbage", "hello\r\n\r\n"],
    ["no version", "GET /\nHost: a\r\n\r\n"],
    ["a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["a byte beyond ASCII in the target", "GET /\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["lengths that differ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["an invalid chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ["a folded header", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n"],
  ])("%s is 400 in the shape of every error, and the connection ends", async (_name, text) => {
    const port = await serve();
    const answer = await send(port, text);
    expect(errorOf(answer)).toEqual([400, -1100]);
    expect(Object.keys(JSON.parse(answer.body))).toEqual(["code", "msg", "error"]);
    expect((await sendRaw(port, get)).status).toBe(200);
  });

  it("a head that is too large is 431", async () => {
    const port = await serve();
    const answer = await send(port, `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(errorOf(answer)).toEqual([431, -1108]);
  });

  it("HTTP/1.1 without a Host is 400; HTTP/1.0 needs none", async () => {
    const port = await serve();
    const connection = await openConnection(port);
    connection.write("GET / HTTP/1.1\r\n\r\n");
    expect(errorOf(await connection.answer())).toEqual([400, -1102]);
    connection.close();
    expect((await send(port, "GET / HTTP/1.0\r\n\r\n")).status).toBe(200);
  });

  it("earlier requests of the connection are answered first", async () => {
    let finish: (response: WireResponse) => void = () => undefined;
    let received: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      received = resolve;
    });
    const port = await serve(
      () =>
        new Promise((resolve) => {
          finish = resolve;
          received();
        }),
    );
    const connection = await openConnection(port);
    connection.write(Buffer.concat([rawBytes(get), Buffer.from("hello\r\n\r\n")]));
    await arrival;
    finish(reply('{"first":true}'));
    expect((await connection.answer()).body).toBe('{"first":true}');
    expect((await connection.answer()).status).toBe(400);
    await connection.ended;
  });
});

describe("time", () => {
  const short = { headTimeoutMs: 100, requestTimeoutMs: 150 };

  it("a head that does not arrive is 408 and ends the connection", async () => {
    const connection = await openConnection(await serve(undefined, short));
    connection.write("GET / HTTP/1.1\r\nHo");
    expect(errorOf(await connection.answer())).toEqual([408, -1007]);
    await connection.ended;
  });

  it("hostile 52: a body that does not arrive is 408 and ends the connection; the service gets nothing", async () => {
    const { seen, handler } = sizes();
    const port = await serve(handler, short);
    const connection = await openConnection(port);
    connection.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    const answer = await connection.answer();
    expect(errorOf(answer)).toEqual([408, -1007]);
    expect(answer.headers.get("connection")).toBe("close");
    await connection.ended;
    expect(seen).toEqual([]);
  });
});

describe("listening and closing", () => {
  it("a port in use rejects", async () => {
    const port = await serve();
    const server = createNodeServer({ service: { handle: async () => reply() }, ...withFronts() });
    await expect(server.listen({ host: "127.0.0.1", port })).rejects.toThrow("EADDRINUSE");
  });

  it("close answers pending requests, ends idle connections and accepts no more", async () => {
    let finish: (response: WireResponse) => void = () => undefined;
    let received: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      received = resolve;
    });
    const service: NodeServerOptions["service"] = {
      handle: (request) =>
        request.target === "/slow"
          ? new Promise((resolve) => {
              finish = resolve;
              received();
            })
          : Promise.resolve(reply()),
    };
    const server = createNodeServer({ service, ...withFronts() });
    const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
    const [idle, fresh, busy] = [
      await openConnection(port),
      await openConnection(port),
      await openConnection(port),
    ];
    idle.write(rawBytes(get));
    await idle.answer();
    busy.write(rawBytes({ method: "GET", target: "/slow" }));
    await arrival;
    const closed = server.close();
    await Promise.all([idle.ended, fresh.ended]);
    finish(reply('{"late":true}'));
    const answer = await busy.answer();
    expect([answer.body, answer.headers.get("connection")]).toEqual(['{"late":true}', "close"]);
    await closed;
    await expect(openConnection(port)).rejects.toThrow("ECONNREFUSED");
  });
});
