import { afterEach, describe, expect, it } from "vitest";
import { createNodeServer } from "../../src/adapters/node/index.ts";
import type { ServiceSettings } from "../../src/service/index.ts";
import { openConnection, type RawAnswer, sendRaw } from "../support/raw-http.ts";
import { openWorld, type ServiceWorld } from "../support/service-world.ts";
import { SocketClient } from "../support/socket-client.ts";

const DESK = "https://desk.example.com";
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Served = Readonly<{ port: number; world: ServiceWorld }>;

/** A service of its own port, where an address may weigh 3 a minute. */
async function serve(settings: ServiceSettings): Promise<Served> {
  const world = await openWorld({ limits: { weightPerMinute: 3 }, service: { settings } });
  const { service } = world;
  const server = createNodeServer({ service, sockets: service.sockets });
  open.push(() => server.close({ graceMs: 0 }));
  return { port: (await server.listen({ host: "127.0.0.1", port: 0 })).port, world };
}

const ping = (port: number, ...headers: readonly string[]): Promise<RawAnswer> =>
  sendRaw(port, { method: "GET", target: "/api/ping", headers });

const forwarded = (...values: readonly string[]): readonly string[] =>
  values.flatMap((value) => ["X-Forwarded-For", value]);

describe("decision 47 over a real connection", () => {
  it("a preflight is 204 without body and length; the connection goes on", async () => {
    const { port } = await serve({ allowedOrigins: [DESK] });
    const connection = await openConnection(port);
    connection.write(
      `OPTIONS /api/order HTTP/1.1\r\nHost: a\r\nOrigin: ${DESK}\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
    );
    const { status, headers, body } = await connection.answer();
    expect([status, body, headers.has("content-length"), headers.has("transfer-encoding")]).toEqual([
      ...[204, "", false, false],
    ]);
    expect(headers.get("access-control-allow-methods")).toBe("POST, GET, DELETE");
    connection.write(`GET /api/ping HTTP/1.1\r\nHost: a\r\nOrigin: ${DESK}\r\n\r\n`);
    const next = await connection.answer();
    expect([next.status, next.headers.get("access-control-allow-origin")]).toEqual([200, DESK]);
    connection.close();
  });

  it("decision AH: a WebSocket of another origin is refused, one of a client that is no browser is not", async () => {
    const { port } = await serve({ allowedOrigins: [DESK] });
    const url = `ws://127.0.0.1:${port}/ws/liquidity`;
    await expect(SocketClient.connect(url, { origin: "https://evil.example.com" })).rejects.toThrow("404");
    const client = await SocketClient.connect(url, { origin: DESK });
    client.socket.close();
    for (const own of [false, true]) {
      const { port: free } = await serve({ allowedOrigins: [DESK] });
      const options = own ? { origin: `http://127.0.0.1:${free}` } : {};
      const plain = await SocketClient.connect(`ws://127.0.0.1:${free}/ws/liquidity`, options);
      plain.socket.close();
    }
  });
});

describe("decision AI over a real connection", () => {
  it("behind a trusted proxy each client has a limit of its own, REST and WebSocket together", async () => {
    const { port } = await serve({ trustedProxies: ["127.0.0.1", "::1"] });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await ping(port, ...forwarded("198.51.100.9", "192.0.2.1"))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const url = `ws://127.0.0.1:${port}/ws/listenKey`;
    const connect = (value: string): Promise<SocketClient> =>
      SocketClient.connect(url, { headers: { "X-Forwarded-For": value } });
    await expect(connect("192.0.2.1")).rejects.toThrow("429");
    const client = await connect("192.0.2.2");
    expect(await client.ask("session.subscriptions")).toMatchObject({ status: 429 });
    client.socket.close();
    expect((await ping(port)).status).toBe(200);
  });

  it("a ban over REST ends the client's WebSocket, and no other that came through the same proxy", async () => {
    const { port } = await serve({ trustedProxies: ["127.0.0.1"] });
    const connect = (value: string): Promise<SocketClient> =>
      SocketClient.connect(`ws://127.0.0.1:${port}/ws/liquidity`, { headers: { "X-Forwarded-For": value } });
    const [banned, other] = [await connect("192.0.2.1"), await connect("192.0.2.2")];
    for (let count = 0; count < 11; count++) await ping(port, ...forwarded("192.0.2.1"));
    expect(await banned.closed).toEqual([1008, "banned"]);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    other.socket.close();
  });

  it("without the setting everybody who says to be somebody else is who they are", async () => {
    const { port } = await serve({});
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++)
      statuses.push((await ping(port, ...forwarded(`198.51.100.${count}`))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
