import { createServer, type RequestListener, type Server } from "node:http";
import express from "express";
import { fastify } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { createNodeMount, type NodeMount, probeMount } from "../../src/adapters/node/index.ts";
import type { Telemetry } from "../../src/ports/index.ts";
import {
  createMountProbe,
  MOUNT_FAULTS,
  type MountFault,
  type SocketPeer,
  type SocketService,
} from "../../src/service/index.ts";
import type { WireRequest } from "../../src/wire/index.ts";
import { listening } from "../support/listening.ts";
import { openConnection, type RawAnswer, rawBytes, sendRaw } from "../support/raw-http.ts";
import { SocketClient } from "../support/socket-client.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type World = Readonly<{
  mount: NodeMount;
  received: WireRequest[];
  /** Names of the faults in telemetry, in order. */
  reported: unknown[];
}>;

/** A mount whose service records its requests. */
function mountWorld(prefix = ""): World {
  const received: WireRequest[] = [];
  const reported: unknown[] = [];
  const telemetry: Telemetry = { event: (...event) => reported.push(event) };
  const handle = async (request: WireRequest) => {
    received.push(request);
    return { status: 200, headers: { "Content-Type": "application/json" }, body: "{}" };
  };
  return { received, reported, mount: createNodeMount({ service: { handle }, prefix, telemetry }) };
}

async function serve(listener: RequestListener | Server): Promise<number> {
  const server = typeof listener === "function" ? createServer(listener) : listener;
  const port = await listening(server);
  open.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return port;
}

const post = {
  ...{ method: "POST", target: "/api/order?nonce=1", body: '{"a": "1"}' },
  headers: ["Content-Type", "application/json"],
};

const reported = (fault: MountFault): unknown => ["error", "mount.fault", { fault, ...MOUNT_FAULTS[fault] }];

/** A request whose body is lost is refused by name, before the service receives it. */
async function expectRefused(
  { received, reported: events }: World,
  fault: MountFault,
  answer: RawAnswer,
): Promise<void> {
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([500, -1000]);
  expect(answer.headers.get("x-mount-fault")).toBe(fault);
  expect(received).toEqual([]);
  expect(events).toEqual([reported(fault)]);
}

describe("a body that was read before the mount", () => {
  it("Express: a body parser before the mount is named, and the request does not hang", async () => {
    const world = mountWorld();
    const app = express().use(
      express.json(),
      (request, response) => void world.mount.answer(request, response),
    );
    const port = await serve(app);
    await expectRefused(world, "BODY_CONSUMED", await sendRaw(port, post));
    expect((await sendRaw(port, { method: "GET", target: "/api/ping" })).status).toBe(200);
    expect((await sendRaw(port, { ...post, body: "" })).status).toBe(200);
  });

  it("Fastify: a handler after its parser", async () => {
    const world = mountWorld();
    const app = fastify();
    app.all("/api/*", (request, reply) => {
      reply.hijack();
      void world.mount.answer(request.raw, reply.raw);
    });
    await app.ready();
    await expectRefused(world, "BODY_CONSUMED", await sendRaw(await serve(app.server), post));
  });

  it("node:http: a reader in progress, and text in place of bytes", async () => {
    const reading = mountWorld();
    const port = await serve((request, response) => {
      request.on("readable", () => undefined);
      void reading.mount.answer(request, response);
    });
    await expectRefused(reading, "BODY_CONSUMED", await sendRaw(port, post));
    const decoding = mountWorld();
    const other = await serve((request, response) => {
      request.setEncoding("utf8");
      void decoding.mount.answer(request, response);
    });
    await expectRefused(decoding, "BODY_DECODED", await sendRaw(other, post));
    for (const each of [port, other])
      expect((await sendRaw(each, { method: "GET", target: "/api/ping" })).status).toBe(200);
  });

  it("node:http: a reader that took the beginning only", async () => {
    const world = mountWorld();
    const port = await serve((request, response) => {
      request.once("data", () => {
        request.pause();
        void world.mount.answer(request, response);
      });
    });
    await expectRefused(world, "BODY_CONSUMED", await sendRaw(port, { ...post, body: "x".repeat(200_000) }));
  });

  it("an empty body that was read before is not reported as lost", async () => {
    const { mount, received } = mountWorld();
    const port = await serve((request, response) => {
      request.resume().on("end", () => void mount.answer(request, response));
    });
    const connection = await openConnection(port);
    connection.write("POST /api/order HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    expect((await connection.answer()).status).toBe(200);
    connection.close();
    expect(received[0]?.body).toHaveLength(0);
  });

  it("bytes that the host kept are the body; a parser's result is named as a fault", async () => {
    const stored = mountWorld();
    const raw = express.raw({ type: () => true, inflate: false, limit: 40_000 });
    const port = await serve(
      express().use(raw, (request, response) => {
        void stored.mount.answer(request, response, { body: request.body });
      }),
    );
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    expect((await sendRaw(port, { ...post, body })).status).toBe(200);
    expect((await sendRaw(port, { method: "GET", target: "/api/ping" })).status).toBe(200);
    expect(stored.received.map((request) => Buffer.from(request.body))).toEqual([body, Buffer.from("")]);
    const parsed = mountWorld();
    const other = await serve(
      express().use(express.json(), (request, response) => {
        void parsed.mount.answer(request, response, { body: request.body });
      }),
    );
    await expectRefused(parsed, "BODY_NOT_BYTES", await sendRaw(other, post));
  });

  it("a host that makes an asynchronous call first loses no part of the body", async () => {
    const { mount, received } = mountWorld();
    const port = await serve(async (request, response) => {
      for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
      await mount.answer(request, response);
    });
    const body = "x".repeat(30_000);
    expect((await sendRaw(port, { ...post, body })).status).toBe(200);
    expect(Buffer.from(received[0]?.body ?? []).toString()).toBe(body);
  });

  it("the mount resolves when the answer has been sent", async () => {
    const { mount } = mountWorld();
    const server = createServer();
    const finished = new Promise<boolean>((resolve) => {
      server.on("request", (request, response) => {
        void mount
          .answer(request, response)
          .then(() => resolve(response.writableFinished && response.closed));
      });
    });
    await sendRaw(await serve(server), post);
    expect(await finished).toBe(true);
  });

  it("a client that left meanwhile does not count as a fault of the host", async () => {
    const world = mountWorld();
    const server = createServer();
    const left = new Promise<void>((resolve) => {
      server.on("request", (request, response) => {
        connection.close();
        response.on("close", () => void world.mount.answer(request, response).then(resolve));
      });
    });
    const connection = await openConnection(await serve(server));
    connection.write(rawBytes(post).subarray(0, -3));
    await left;
    expect([world.received, world.reported]).toEqual([[], []]);
  });
});

describe("an answer that the host has sent itself", () => {
  it("is reported, whether the service was at work or had not started", async () => {
    const early = mountWorld();
    const port = await serve((request, response) => {
      response.writeHead(503).end();
      void early.mount.answer(request, response);
    });
    expect((await sendRaw(port, { method: "GET", target: "/api/ping" })).status).toBe(503);
    expect([early.received, early.reported]).toEqual([[], [reported("REPLY_TAKEN")]]);
    const late = mountWorld();
    const other = await serve((request, response) => {
      void late.mount.answer(request, response);
      response.writeHead(503).end();
    });
    expect((await sendRaw(other, { method: "GET", target: "/api/ping" })).status).toBe(503);
    expect([late.received.length, late.reported]).toEqual([1, [reported("REPLY_TAKEN")]]);
  });
});

/** A WebSocket interface that records targets and echoes texts. */
function echo(): SocketService & Readonly<{ targets: string[] }> {
  const targets: string[] = [];
  const peers = new Set<SocketPeer>();
  return {
    targets,
    admit: async ({ target }) => void targets.push(target),
    connect: (peer) => {
      targets.push(peer.target);
      peers.add(peer);
      const ignore = (): void => undefined;
      const closed = (): void => void peers.delete(peer);
      return {
        receive: (text) => peer.send(text),
        receiveBinary: ignore,
        pinged: ignore,
        ponged: ignore,
        closed,
      };
    },
    shutdown: () => {
      for (const peer of peers) peer.close(1001, "the service stops");
    },
  };
}

const connect = async (port: number, path: string): Promise<SocketClient> => {
  const client = await SocketClient.connect(`ws://127.0.0.1:${port}${path}`);
  open.push(() => client.close());
  return client;
};

describe("a prefix of the host's own", () => {
  it.each([
    [
      "cut by the mount",
      (mount: NodeMount) => createServer((request, response) => void mount.answer(request, response)),
    ],
    [
      "cut by Express, and by the mount for WebSockets",
      (mount: NodeMount) =>
        createServer(express().use("/trading", (request, response) => void mount.answer(request, response))),
    ],
  ])("%s: REST, WebSocket and probe", async (_how, host) => {
    const { mount, received } = mountWorld("/trading");
    const sockets = echo();
    const server = host(mount);
    mount.attach(server, sockets);
    const port = await serve(server);
    await sendRaw(port, { method: "GET", target: "/trading/api/ping?a=%2f" });
    expect(received[0]?.target).toBe("/api/ping?a=%2f");
    await connect(port, "/trading/ws/listenKey?returnRateLimits=false");
    const target = "/ws/listenKey?returnRateLimits=false";
    expect(sockets.targets).toEqual([target, target]);
    await expect(connect(port, "/ws/listenKey")).rejects.toThrow();
    await expect(connect(port, "/trading/ws/other")).rejects.toThrow();
    expect(sockets.targets).toHaveLength(2);
    const probe = createMountProbe();
    const probed = await serve(host(createNodeMount({ service: probe.service, prefix: "/trading" })));
    expect(await probeMount(probe, { url: `http://127.0.0.1:${probed}/trading/` })).toEqual([]);
  });

  it("only a whole segment is cut; other paths are handed over unchanged", async () => {
    const { mount, received } = mountWorld("/trading");
    const port = await serve((request, response) => void mount.answer(request, response));
    for (const target of ["/trading2/api/ping", "/trading", "/api/trading/"]) {
      await sendRaw(port, { method: "GET", target });
      expect(received.at(-1)?.target).toBe(target);
    }
  });

  it.each(["trading", "/", "/trading/", "/a//b", "/a?b", "/a#b"])("%j is refused", (prefix) => {
    expect(() => mountWorld(prefix)).toThrow(RangeError);
  });
});

describe("a host with its own WebSockets", () => {
  it("keeps its paths, the service has its own, and other protocols continue as HTTP", async () => {
    const { mount, received } = mountWorld();
    const sockets = echo();
    const server = createServer((request, response) => void mount.answer(request, response));
    mount.attach(server, sockets);
    const port = await serve(server);
    const h2c = ["Connection", "Upgrade", "Upgrade", "h2c"];
    expect((await sendRaw(port, { method: "GET", target: "/api/ping", headers: h2c })).status).toBe(200);
    expect(received).toHaveLength(1);

    const own = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
      if (request.url !== "/own") return;
      own.handleUpgrade(request, socket, head, (client) => client.send('"own"'));
    });
    const mine = await connect(port, "/own");
    await mine.until(() => mine.messages.length === 1);
    const client = await connect(port, "/ws/liquidity");
    client.socket.send('"echo"');
    await client.until(() => client.messages.length === 1);
    expect([mine.messages, client.messages]).toEqual(
      [['"own"'], ['"echo"']].map(([text = ""]) => [JSON.parse(text)]),
    );
    expect(sockets.targets).toEqual(["/ws/liquidity", "/ws/liquidity"]);
  });

  it("a head with more headers than the host's server keeps is 431: the last of them may be the proxy's", async () => {
    const { mount, received } = mountWorld();
    const sockets = echo();
    const many = Array.from({ length: 1_000 }, () => ["a", ""]).flat();
    const ask = async (maxHeadersCount?: number, count = 1_000, ...more: readonly string[]) => {
      const server = createServer((request, response) => void mount.answer(request, response));
      if (maxHeadersCount !== undefined) server.maxHeadersCount = maxHeadersCount;
      mount.attach(server, sockets);
      const target = more.includes("h2c") ? "/api/ping" : "/ws/liquidity";
      const headers = [...more, ...many.slice(0, 2 * count), "X-Forwarded-For", "203.0.113.5"];
      const answer = await sendRaw(await serve(server), { method: "GET", target, headers });
      if (answer.status === 431) expect(answer.headers.get("connection")).toMatch(/close/i);
      return answer.status;
    };
    const upgrade = ["Connection", "Upgrade", "Upgrade", "websocket"];
    // Those that ask for another protocol are left out of the head that goes on, so that it looks whole.
    const settings = Array.from({ length: 100 }, () => ["HTTP2-Settings", "AAMAAABk"]).flat();
    const h2c = ["Connection", "Upgrade", "Upgrade", "h2c", ...settings];
    const refused = [
      await ask(),
      await ask(undefined, 1_000, ...upgrade),
      await ask(undefined, 1_000, ...h2c),
      await ask(100, 150),
      await ask(100, 150, ...h2c),
    ];
    expect([refused, received, sockets.targets]).toEqual([[431, 431, 431, 431, 431], [], []]);
    expect([await ask(undefined, 900), await ask(0), await ask(2_000)]).toEqual([200, 200, 200]);
    expect(received.every(({ rawHeaders }) => rawHeaders.at(-1) === "203.0.113.5")).toBe(true);
  });

  it("two servers are drained as one", async () => {
    const { mount } = mountWorld();
    const clients = [];
    for (let count = 0; count < 2; count++) {
      const server = createServer();
      mount.attach(server, echo());
      clients.push(await connect(await serve(server), "/ws/listenKey"));
    }
    await mount.drain();
    for (const client of clients) expect(await client.closed).toEqual([1001, "the service stops"]);
  });

  it("a WebSocket that the service could not take does not stay open", async () => {
    const { mount, reported } = mountWorld();
    const server = createServer();
    const connect = (): never => {
      throw new Error("a secret");
    };
    mount.attach(server, { ...echo(), connect });
    const client = await SocketClient.connect(`ws://127.0.0.1:${await serve(server)}/ws/listenKey`);
    expect((await client.closed)[0]).toBe(1006);
    await mount.drain();
    expect(reported).toEqual([["error", "service.threw", { error: "Error" }]]);
  });

  it("a WebSocket that does not close is cut off after the grace period", async () => {
    const { mount } = mountWorld();
    const server = createServer();
    mount.attach(server, { ...echo(), shutdown: () => undefined });
    const client = await connect(await serve(server), "/ws/listenKey");
    await mount.drain({ graceMs: 1 });
    expect((await client.closed)[0]).toBe(1006);
  });
});
