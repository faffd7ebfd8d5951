import { connect, Server } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { createNodeServer, type NodeServerLimits } from "../../src/adapters/node/index.ts";
import type { TrafficLimits } from "../../src/service/index.ts";
import { Traffic } from "../../src/service/internal.ts";
import { FRONT_THREADS, withFronts } from "../support/front-threads.ts";
import { openConnection } from "../support/raw-http.ts";

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Setup = Readonly<{ traffic?: TrafficLimits; proxies?: readonly string[]; limits?: NodeServerLimits }>;

/** Sizes of answers; the default is 2. */
const SIZES: Readonly<Record<string, number>> = { "/large": 1_048_576, "/huge": 12 * 1_048_576 };

/** A server that answers `/slow` on request of the test. */
async function serve({ traffic = {}, proxies = [], limits = {} }: Setup) {
  const slow: (() => void)[] = [];
  const served: string[] = [];
  const answer = { status: 200, headers: {}, body: "{}" };
  const service = {
    traffic: new Traffic(traffic, proxies),
    handle: async ({ target }: Readonly<{ target: string }>) => {
      served.push(target);
      if (target === "/slow") await new Promise<void>((resolve) => slow.push(resolve));
      return { ...answer, body: "x".repeat(SIZES[target] ?? 2) };
    },
  };
  const server = createNodeServer({ service, limits, ...withFronts() });
  open.push(() => server.close({ graceMs: 0 }));
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return { port, slow, server, served };
}

/** Resolves in a turn in which this holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((next) => setImmediate(next));
}

const get = (target: string, from?: string): Buffer =>
  Buffer.from(
    `GET ${target} HTTP/1.1\r\nHost: a\r\n${from === undefined ? "" : `X-Forwarded-For: ${from}\r\n`}\r\n`,
  );

it("I84: one connection too many of an address is 429 -1003 and ends; the end of another makes room", async () => {
  const { port } = await serve({ traffic: { connectionsPerAddress: 2 } });
  const [one, two] = [await openConnection(port), await openConnection(port)];
  one.write(get("/"));
  two.write(get("/"));
  expect([(await one.answer()).status, (await two.answer()).status]).toEqual([200, 200]);
  const third = await openConnection(port);
  const refused = await third.answer();
  expect([refused.status, JSON.parse(refused.body).code, refused.headers.get("retry-after")]).toEqual([
    ...[429, -1003, "1"],
  ]);
  await third.ended;
  one.close();
  await one.ended;
  for (let status = 429; status === 429; ) {
    const next = await openConnection(port);
    next.write(get("/"));
    status = await next.answer().then(
      (answer) => answer.status,
      () => 429,
    );
    next.close();
  }
  two.close();
});

it("connections of a proxy count for the clients of the requests on them", async () => {
  const { port, slow } = await serve({
    traffic: { connectionsPerAddress: 1 },
    proxies: ["127.0.0.1"],
  });
  const [one, two, three] = [
    await openConnection(port),
    await openConnection(port),
    await openConnection(port),
  ];
  one.write(get("/slow", "192.0.2.1"));
  while (slow.length === 0) await new Promise((next) => setImmediate(next));
  two.write(get("/", "192.0.2.1"));
  three.write(get("/", "192.0.2.2"));
  expect([(await two.answer()).status, (await three.answer()).status]).toEqual([429, 200]);
  slow[0]?.();
  expect((await one.answer()).status).toBe(200);
  const again = async (): Promise<number> => {
    two.write(get("/", "192.0.2.1"));
    return (await two.answer()).status;
  };
  let status = await again();
  // The thread of the first connection reports the end of its request to the main thread a moment after the answer.
  while (FRONT_THREADS > 0 && status === 429) status = await again();
  expect(status).toBe(200);
  for (const connection of [one, two, three]) connection.close();
});

it("I84: of the clients that do not read their answers those with the most bytes are closed", async () => {
  const { port, server } = await serve({ traffic: { unsent: { perAddress: 2 * 1_048_576 } } });
  const deaf = Array.from({ length: 30 }, () => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(Buffer.concat(Array.from({ length: 20 }, () => get("/large"))));
    return socket;
  });
  let most = 0;
  await until(() => {
    most = Math.max(most, server.connections());
    return server.connections() < most;
  });
  const reader = await openConnection(port);
  reader.write(get("/"));
  expect((await reader.answer()).status).toBe(200);
  reader.close();
  for (const socket of deaf) socket.destroy();
});

// The parsed requests of a connection are visible in the thread that parses it.
it.skipIf(FRONT_THREADS > 0)(
  "I84: of one connection 4 requests wait, and the following ones in 256 bytes; no more of it is read",
  async () => {
    const { port, slow, server } = await serve({});
    let came = 0;
    server.server.on("request", () => came++);
    const many = await openConnection(port);
    const request = get("/slow");
    many.write(Buffer.concat(Array.from({ length: 200 }, () => request)));
    while (slow.length === 0) await new Promise((next) => setImmediate(next));
    const other = await openConnection(port);
    for (let count = 0; count < 20; count++) {
      other.write(get("/"));
      await other.answer();
    }
    const others = 20;
    expect(came - others).toBeLessThanOrEqual(4 + 1 + Math.ceil(256 / request.length));
    for (let count = 0; count < 200; count++) {
      while (slow.length === 0) await new Promise((next) => setImmediate(next));
      slow.shift()?.();
      expect((await many.answer()).status).toBe(200);
    }
    for (const connection of [many, other]) connection.close();
  },
);

it("I84: requests whose connection has gone hold no bytes, and waiting ones are not served", async () => {
  const { port, slow, server, served } = await serve({
    traffic: { connectionsPerAddress: 5 },
    proxies: ["127.0.0.1"],
  });
  const gone = await openConnection(port);
  gone.write(Buffer.concat([get("/slow", "192.0.2.1"), ...Array(4).fill(get("/", "192.0.2.1"))]));
  while (slow.length === 0) await new Promise((next) => setImmediate(next));
  gone.close();
  await until(() => server.connections() === 0);
  slow[0]?.();
  const next = await openConnection(port);
  next.write(get("/next", "192.0.2.1"));
  expect([(await next.answer()).status, served]).toEqual([200, ["/slow", "/next"]]);
  next.close();
});

it.skipIf(FRONT_THREADS > 0)(
  "hostile 53: further requests of a client with an unread answer are not parsed until it is read, and are answered then",
  async () => {
    const { port, server } = await serve({});
    const stuck = new Promise<void>((resolve) => {
      server.server.once("connection", async (socket) => {
        while (!socket.writableNeedDrain) await new Promise((next) => setImmediate(next));
        resolve();
      });
    });
    const socket = connect({ host: "127.0.0.1", port });
    socket.pause();
    socket.write(get("/huge"));
    await stuck;
    socket.write(Buffer.concat(Array.from({ length: 3 }, () => get(`/${"x".repeat(250)}`))));
    // Turns in which it would be parsed.
    for (let turn = 0; turn < 1_000; turn++) await new Promise((next) => setImmediate(next));
    let answers = 0;
    socket.on("data", (chunk: Buffer) => {
      answers += chunk.toString("latin1").split("HTTP/1.1 200").length - 1;
      if (answers >= 4) socket.destroy();
    });
    socket.resume();
    await new Promise((resolve) => socket.on("close", resolve));
    expect(answers).toBe(4);
  },
);

it.each([
  ["the configured number", { backlog: 7 }, 7],
  ["2,048 by default", {}, 2_048],
])("the limit of connections that wait to be accepted is %s", async (_name, limits, backlog) => {
  const requested = vi.spyOn(Server.prototype, "listen");
  onTestFinished(() => requested.mockRestore());
  await serve({ limits });
  expect(requested).toHaveBeenCalledWith(expect.objectContaining({ backlog }), expect.anything());
});
