import { connect as dial } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createNodeServer, type NodeServer } from "../../src/adapters/node/index.ts";
import { loadSocketDriver } from "../../src/adapters/node/socket-server.ts";
import type { Service, SocketPeer, SocketService, SocketSession } from "../../src/service/index.ts";
import { Traffic } from "../../src/service/internal.ts";
import type { WireRequest, WireResponse } from "../../src/wire/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { openConnection, type RawConnection } from "../support/raw-http.ts";
import { SocketClient } from "../support/socket-client.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The calls to a session of the tests, in order. */
type EventLog = string[];

type ScriptedSockets = SocketService &
  Readonly<{ received: EventLog; peers: SocketPeer[]; requests: WireRequest[]; stops: () => number }>;

/** A WebSocket interface that records its calls and echoes texts. */
function scripted(
  refuse: (request: WireRequest) => WireResponse | undefined = () => undefined,
): ScriptedSockets {
  const received: EventLog = [];
  const peers: SocketPeer[] = [];
  const requests: WireRequest[] = [];
  let stops = 0;
  return {
    received,
    peers,
    requests,
    stops: () => stops,
    admit: async (request) => {
      requests.push(request);
      return refuse(request);
    },
    connect: (peer): SocketSession => {
      peers.push(peer);
      return {
        receive: (text) => {
          received.push(`text ${text.length > 60 ? text.length : text}`);
          peer.send(text);
        },
        receiveBinary: () => void received.push("binary"),
        pinged: () => void received.push("ping"),
        ponged: () => void received.push("pong"),
        closed: () => void received.push("closed"),
      };
    },
    shutdown: () => {
      stops++;
      for (const peer of peers) peer.close(1001, "the service stops");
    },
  };
}

const rest: Pick<Service, "handle"> = {
  handle: async ({ method, target, body }) => ({
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ method, target, length: body.length }),
  }),
};

type RunningServer = Readonly<{ port: number; server: NodeServer; url: string }>;

async function serve(sockets?: SocketService, traffic: Traffic = new Traffic()): Promise<RunningServer> {
  const server = createNodeServer({
    service: { ...rest, traffic },
    ...(sockets && { sockets }),
    ...withFronts(),
  });
  open.push(() => server.close({ graceMs: 0 }));
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return { port, server, url: `ws://127.0.0.1:${port}` };
}

async function connect(
  url: string,
  options?: Parameters<typeof SocketClient.connect>[1],
): Promise<SocketClient> {
  const client = await SocketClient.connect(url, options);
  open.push(() => client.close());
  return client;
}

const receivedBy = async ({ received }: ScriptedSockets, line: string): Promise<void> => {
  while (!received.includes(line)) await new Promise((next) => setImmediate(next));
};

describe("limits of the transport", () => {
  it("hostile 94: 65,536 bytes are a message, one more ends with 1009 and never reaches the service", async () => {
    const sockets = scripted();
    const { url } = await serve(sockets);
    const client = await connect(`${url}/ws/listenKey`);
    client.socket.send(`"${"x".repeat(65_534)}"`);
    await receivedBy(sockets, "text 65536");
    client.socket.send("x".repeat(65_537));
    expect((await client.closed)[0]).toBe(1009);
    expect(sockets.received.filter((line) => line.startsWith("text"))).toEqual(["text 65536"]);
  });

  it("hostile 94: a message in 2,000 fragments ends the connection", async () => {
    const sockets = scripted();
    const { url } = await serve(sockets);
    const client = await connect(`${url}/ws/listenKey`);
    for (let count = 0; count < 2_000; count++) client.socket.send("x", { fin: count === 1_999 });
    await client.closed;
    await receivedBy(sockets, "closed");
    expect(sockets.received).toEqual(["closed"]);
  });

  it("compression is not negotiated, so that decompression bombs are impossible", async () => {
    const { url } = await serve(scripted());
    const client = await connect(`${url}/ws/listenKey`, { perMessageDeflate: true });
    expect(client.socket.extensions).toBe("");
  });

  it("hostile 94: an unmasked frame and one marked as compressed end the connection", async () => {
    const { port } = await serve(scripted());
    for (const frame of [
      [0x81, 0x01, 0x78],
      [0xc1, 0x81, 1, 2, 3, 4, 0x79],
    ]) {
      const connection = await upgraded(port);
      connection.write(Uint8Array.from(frame));
      await connection.ended;
    }
  });
});

it("an invalid frame ends only its connection, also if the telemetry of the host throws at it", async () => {
  const reported: string[] = [];
  const event = (_level: string, name: string): void => {
    reported.push(name);
    throw new Error("the log is full");
  };
  const server = createNodeServer({
    ...{ service: rest, sockets: scripted(), telemetry: { event } },
    ...withFronts(),
  });
  open.push(() => server.close({ graceMs: 0 }));
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  const connection = await upgraded(port);
  connection.write(Uint8Array.from([0x81, 0x01, 0x78]));
  await connection.ended;
  // A front thread reports it a moment later.
  while (reported.length === 0) await new Promise((next) => setImmediate(next));
  expect(reported).toEqual(["socket.error"]);
});

/** A raw connection that has become a WebSocket. */
async function upgraded(port: number): Promise<RawConnection> {
  const connection = await openConnection(port);
  connection.write(head("/ws/listenKey"));
  expect((await connection.answer()).status).toBe(101);
  open.push(() => connection.close());
  return connection;
}

const head = (path: string, more: readonly string[] = HANDSHAKE): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${more.join("\r\n")}\r\n\r\n`;

const HANDSHAKE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

describe("refusals", () => {
  it.each([
    ["no key", HANDSHAKE.filter((line) => !line.includes("Key"))],
    ["a short key", [...HANDSHAKE.slice(0, 3), "Sec-WebSocket-Key: abc"]],
    ["an old version", HANDSHAKE.map((line) => line.replace("13", "7"))],
  ])("a handshake with %s is 400 in the shape of the service's errors", async (_what, lines) => {
    const sockets = scripted();
    const { port } = await serve(sockets);
    const connection = await openConnection(port);
    connection.write(head("/ws/listenKey", lines));
    const answer = await connection.answer();
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([400, { code: -1130 }]);
    await connection.ended;
    expect(sockets.peers).toEqual([]);
  });

  it("a service that throws is 500 without its message", async () => {
    const sockets = { ...scripted(), admit: () => Promise.reject(new Error("a secret")) };
    const { port } = await serve(sockets);
    const connection = await openConnection(port);
    connection.write(head("/ws/listenKey"));
    const answer = await connection.answer();
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([500, -1000]);
    expect(answer.body).not.toContain("secret");
  });

  it("a connection that the service cannot take after its handshake is cut off, with nothing in its stream", async () => {
    const connect = (): never => {
      throw new Error("a secret");
    };
    const { port } = await serve({ ...scripted(), connect });
    const connection = await openConnection(port);
    connection.write(head("/ws/listenKey"));
    expect((await connection.answer()).status).toBe(101);
    await connection.ended;
    expect(connection.received()).toBe("");
  });

  it("a peer that leaves while it is checked does no harm", async () => {
    let admit: () => void = () => undefined;
    const waiting = new Promise<undefined>((resolve) => {
      admit = () => resolve(undefined);
    });
    const sockets = scripted();
    const { port, url } = await serve({ ...sockets, admit: () => waiting });
    const connection = await openConnection(port);
    connection.write(head("/ws/listenKey"));
    connection.close();
    await connection.ended;
    admit();
    const client = await connect(`${url}/ws/listenKey`);
    client.socket.send('"x"');
    await client.until(() => client.messages.length === 1);
  });

  it("and it is not counted for ever if a proxy's connections count for their clients", async () => {
    const requested: (() => void)[] = [];
    const admit = (): Promise<undefined> =>
      new Promise((resolve) => requested.push(() => resolve(undefined)));
    const traffic = new Traffic({ connectionsPerAddress: 1 }, ["127.0.0.1"]);
    const { port, url, server } = await serve({ ...scripted(), admit }, traffic);
    const socket = dial({ host: "127.0.0.1", port });
    socket.write(head("/ws/listenKey", [...HANDSHAKE, "X-Forwarded-For: 192.0.2.1"]));
    while (requested.length === 0) await new Promise((next) => setImmediate(next));
    socket.resetAndDestroy();
    while (server.connections() > 0) await new Promise((next) => setImmediate(next));
    requested.pop()?.();
    const client = connect(`${url}/ws/listenKey`, { headers: { "X-Forwarded-For": "192.0.2.1" } });
    while (requested.length === 0) await new Promise((next) => setImmediate(next));
    requested.pop()?.();
    await client;
  });

  it("without sockets the server is REST only: an upgrade request is answered as a request", async () => {
    const { port } = await serve();
    const connection = await openConnection(port);
    connection.write(head("/ws/listenKey"));
    expect(JSON.parse((await connection.answer()).body)).toMatchObject({ target: "/ws/listenKey" });
    connection.close();
  });
});

describe("requests that ask for another protocol", () => {
  const h2c = [
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAMAAABkAAQBAAAAAAIAAAAA",
  ];

  it("continue as plain HTTP, including the body, and so does the connection", async () => {
    const sockets = scripted();
    const { port } = await serve(sockets);
    const connection = await openConnection(port);
    open.push(() => connection.close());
    connection.write(head("/api/ping?x=%41", h2c));
    expect(JSON.parse((await connection.answer()).body)).toMatchObject({ target: "/api/ping?x=%41" });
    const body = "x".repeat(1_000);
    connection.write(
      `POST /api/order HTTP/1.1\r\nHost: a\r\n${h2c.join("\r\n")}\r\nContent-Length: 1000\r\n\r\n${body.slice(0, 10)}`,
    );
    connection.write(body.slice(10));
    expect(JSON.parse((await connection.answer()).body)).toEqual({
      method: "POST",
      target: "/api/order",
      length: 1_000,
    });
    connection.write("GET /again HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(JSON.parse((await connection.answer()).body)).toMatchObject({ target: "/again" });
    expect(sockets.requests).toEqual([]);
  });

  it("two of them at once on one connection are both answered", async () => {
    const { port } = await serve(scripted());
    const connection = await openConnection(port);
    open.push(() => connection.close());
    connection.write(head("/one", h2c) + head("/two", h2c));
    const targets = [await connection.answer(), await connection.answer()].map(
      ({ body }) => JSON.parse(body).target,
    );
    expect(targets).toEqual(["/one", "/two"]);
  });
});

describe("closing", () => {
  it("a peer that does not close is cut off after the grace period", async () => {
    const sockets = { ...scripted(), shutdown: () => undefined };
    const { server, url } = await serve(sockets);
    const client = await connect(`${url}/ws/listenKey`);
    client.socket.pause();
    await server.close({ graceMs: 1 });
    client.socket.resume();
    expect((await client.closed)[0]).toBe(1006);
  });

  it("so is a connection that asks for a WebSocket behind a request without an answer", async () => {
    const requested: WireRequest[] = [];
    const handle = (request: WireRequest): Promise<never> => {
      requested.push(request);
      return new Promise(() => undefined);
    };
    const server = createNodeServer({ service: { handle }, sockets: scripted(), ...withFronts() });
    const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
    const connection = await openConnection(port);
    open.push(() => connection.close());
    connection.write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${head("/ws/listenKey")}`);
    while (requested.length === 0) await new Promise((next) => setImmediate(next));
    await server.close({ graceMs: 1 });
    await connection.ended;
  });
});

describe("the package ws", () => {
  it("if it is missing, one sentence names the install command", () => {
    const load = (): never => {
      throw new Error("Cannot find module 'ws'");
    };
    expect(() => loadSocketDriver(load)).toThrow(
      "WebSocket connections need the package ws, which cannot be loaded. Install it: npm install ws@8",
    );
  });
});
