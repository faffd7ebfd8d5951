import type { Server } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createNodeServer } from "../../src/adapters/node/index.ts";
import type { ServiceOptions, ServiceSettings } from "../../src/service/index.ts";
import { FRONT_THREADS, withFronts } from "../support/front-threads.ts";
import { openConnection, type RawAnswer, rawBytes, sendRaw } from "../support/raw-http.ts";
import { openWorld, type ServiceWorld } from "../support/service-world.ts";
import { SocketClient } from "../support/socket-client.ts";

const DESK = "https://desk.example.com";
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Traffic = NonNullable<ServiceOptions["traffic"]>;
type RunningServer = Readonly<{ port: number; world: ServiceWorld; server: Server }>;

/** A service on a separate port, where an address has a weight limit of 3 a minute, or only limits of connections. */
async function serve(settings: ServiceSettings, traffic?: Traffic): Promise<RunningServer> {
  const world = await openWorld(
    traffic === undefined
      ? { limits: { weightPerMinute: 3 }, service: { settings } }
      : { service: { settings, traffic } },
  );
  const { service } = world;
  const served = createNodeServer({ service, sockets: service.sockets, ...withFronts() });
  open.push(() => served.close({ graceMs: 0 }));
  const { port } = await served.listen({ host: "127.0.0.1", port: 0 });
  return { port, world, server: served.server };
}

const ping = (port: number, ...headers: readonly string[]): Promise<RawAnswer> =>
  sendRaw(port, { method: "GET", target: "/api/ping", headers });

const forwarded = (...values: readonly string[]): readonly string[] =>
  values.flatMap((value) => ["X-Forwarded-For", value]);

describe("browsers of other origins over a real connection", () => {
  it("a preflight is 204 without body and length; the connection continues", async () => {
    const { port } = await serve({ allowedOrigins: [DESK] });
    const connection = await openConnection(port);
    connection.write(
      `OPTIONS /api/order HTTP/1.1\r\nHost: a\r\nOrigin: ${DESK}\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
    );
    const { status, headers, body } = await connection.answer();
    expect([status, body, headers.has("content-length"), headers.has("transfer-encoding")]).toEqual([
      ...[204, "", false, false],
    ]);
    expect(headers.get("access-control-allow-methods")).toBe("POST, GET, DELETE, PUT");
    connection.write(`GET /api/ping HTTP/1.1\r\nHost: a\r\nOrigin: ${DESK}\r\n\r\n`);
    const next = await connection.answer();
    expect([next.status, next.headers.get("access-control-allow-origin")]).toEqual([200, DESK]);
    connection.close();
  });
});

describe("connections of an address over a real connection", () => {
  const socketOf = (port: number, from?: string): Promise<SocketClient> =>
    SocketClient.connect(`ws://127.0.0.1:${port}/ws/liquidity`, {
      headers: from === undefined ? {} : { "X-Forwarded-For": from },
    });

  it("WebSockets and HTTP connections of an address count together", async () => {
    const { port } = await serve({}, { connectionsPerAddress: 2 });
    const socket = await socketOf(port);
    const stored = await openConnection(port);
    // The answer proves that the connection is counted, whichever thread has accepted it.
    stored.write(rawBytes({ method: "GET", target: "/api/ping" }));
    expect((await stored.answer()).status).toBe(200);
    expect((await ping(port)).status).toBe(429);
    await expect(socketOf(port)).rejects.toThrow("429");
    socket.socket.close();
    await socket.closed;
    const next = await roomFor(() => socketOf(port));
    stored.close();
    next.socket.close();
  });

  it("behind a trusted proxy a client's WebSockets count until they end, for that client alone", async () => {
    const { port } = await serve({ trustedProxies: ["127.0.0.1"] }, { connectionsPerAddress: 1 });
    const socket = await socketOf(port, "192.0.2.1");
    await expect(socketOf(port, "192.0.2.1")).rejects.toThrow("429");
    expect((await ping(port, ...forwarded("192.0.2.1"))).status).toBe(429);
    expect((await ping(port, ...forwarded("192.0.2.2"))).status).toBe(200);
    const other = await socketOf(port, "192.0.2.3");
    socket.socket.close();
    await socket.closed;
    const next = await roomFor(() => socketOf(port, "192.0.2.1"));
    for (const client of [other, next]) client.socket.close();
  });
});

// These are Node's own sockets; those of a front thread are not visible from here.
it.skipIf(FRONT_THREADS > 0)(
  "hostile 53: repeated requests for h2c on one connection leave no listener behind",
  async () => {
    const { port, server } = await serve({}, {});
    const counts: number[] = [];
    server.on("request", ({ socket }) => {
      counts.push(socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0));
    });
    const connection = await openConnection(port);
    const headers = ["Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAMAAABk"];
    for (let count = 0; count < 20; count++) {
      connection.write(rawBytes({ method: "GET", target: "/api/ping", headers }));
      expect((await connection.answer()).status).toBe(200);
    }
    connection.close();
    expect(counts).toHaveLength(20);
    expect(new Set(counts.slice(1)).size).toBe(1);
  },
);

it.skipIf(FRONT_THREADS > 0).each([
  ["h2c", ["Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAMAAABk"]],
  ["a WebSocket", ["Connection", "Upgrade", "Upgrade", "websocket"]],
])(
  "hostile 53: a connection that breaks while its request for %s waits affects no other",
  async (_name, headers) => {
    const { port, server } = await serve({}, {});
    const gone = new Promise<void>((resolve) => {
      server.once("connection", (socket) => socket.on("close", () => resolve()));
    });
    const requested = new Promise<void>((resolve) => server.once("upgrade", () => resolve()));
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => undefined);
    socket.write(
      Buffer.concat([
        rawBytes({ method: "GET", target: "/api/exchangeInfo" }),
        rawBytes({ method: "GET", target: "/api/ping", headers }),
      ]),
    );
    await requested;
    socket.resetAndDestroy();
    await gone;
    expect((await ping(port)).status).toBe(200);
  },
);

/** Retries until the server has noticed the end of the previous connection. */
async function roomFor<T>(open: () => Promise<T>): Promise<T> {
  for (;;) {
    const opened = await open().catch(() => undefined);
    if (opened !== undefined) return opened;
  }
}
