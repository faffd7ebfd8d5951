import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createNodeMount } from "../../src/adapters/node/index.ts";
import { type FloodSocket, type FloodWorld, openFloodWorld } from "../support/flood-world.ts";
import { type Attack, attack } from "../support/hostile-world.ts";
import { rawBytes } from "../support/raw-http.ts";
import { FAR_LIMIT, place } from "../support/service-world.ts";

/** Longest wait of other clients during a flood. */
/** The longest wait of others on any machine. Floods that stopped a process stopped it for longer; `npm run siege` measures how long. */
const LONGEST_WAIT_MS = 60_000;

let world: FloodWorld;

afterEach(() => world.close());

/** A signed placement as text; the same one every time. */
const placement = (clientId = "flood"): string => {
  const body = JSON.stringify({ ...FAR_LIMIT, newClientOrderId: clientId });
  return textOf(attack("POST", "/api/order", { query: "nonce=1", body }));
};

const openOrders = async (): Promise<number> => {
  await world.engine.idle();
  return world.engine.metrics().openParents;
};

/** Writes a text byte by byte on all connections at once until the returned function is called. */
function drip(sockets: readonly FloodSocket[], text: string): () => number {
  let at = 0;
  const timer = setInterval(() => {
    const byte = text.charAt(at++);
    for (const { socket } of sockets) if (socket.writable) socket.write(byte);
  }, 20);
  return () => {
    clearInterval(timer);
    return at;
  };
}

/** A request with a long answer, and a head of the usual length. */
const LARGE = `GET /api/exchangeInfo HTTP/1.1\r\nHost: a\r\nUser-Agent: ${"a".repeat(100)}\r\n\r\n`;

const textOf = (request: Attack): string => Buffer.from(rawBytes(request)).toString("latin1");

const STATUS = /^HTTP\/1\.1 ([0-9]{3})/;
const statusOf = (answer: string): string => STATUS.exec(answer)?.[1] ?? answer.slice(0, 100);

describe("slow requests", () => {
  it("hostile 52: 200 bodies sent byte by byte create no orders, end with 408, and delay no other client", async () => {
    world = await openFloodWorld({ headTimeoutMs: 300, requestTimeoutMs: 400 });
    const text = placement();
    const head = text.indexOf("\r\n\r\n") + 4;
    const slow = await world.open(200);
    for (const { socket } of slow) socket.write(text.slice(0, head));
    const stop = drip(slow, text.slice(head));
    expect(await world.waits()).toBeLessThan(LONGEST_WAIT_MS);
    const answers = await Promise.all(slow.map(({ ended }) => ended));
    expect(stop()).toBeLessThan(text.length - head);
    expect(new Set(answers.map(statusOf))).toEqual(new Set(["408"]));
    expect(await openOrders()).toBe(0);
    await world.fallsTo(0);
  });

  it("hostile 52: 200 heads sent byte by byte end with 408; further bytes do not extend their time", async () => {
    world = await openFloodWorld({ headTimeoutMs: 300, requestTimeoutMs: 400 });
    const slow = await world.open(200);
    const stop = drip(slow, `GET /api/ping?${"x".repeat(1_000)}`);
    expect(await world.waits()).toBeLessThan(LONGEST_WAIT_MS);
    const answers = await Promise.all(slow.map(({ ended }) => ended));
    stop();
    expect(new Set(answers.map(statusOf))).toEqual(new Set(["408"]));
    await world.fallsTo(0);
  });

  it("hostile 53: 10 clients that request a long page 100 times and read nothing are disconnected; their waiting answers are bounded", async () => {
    world = await openFloodWorld({ stallMs: 400 });
    for (let count = 0; count < 200; count++) await place(world, { newClientOrderId: `page-${count}` });
    const page = textOf(attack("GET", "/api/v3/openOrders", { query: "apiManaged=true&limit=1000&nonce=1" }));
    const before = process.memoryUsage().rss;
    const slow = await world.open(10);
    for (const { socket } of slow) {
      socket.pause();
      socket.write(page.repeat(100));
    }
    expect(await world.waits()).toBeLessThan(LONGEST_WAIT_MS);
    await world.fallsTo(0);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576);
    for (const { socket } of slow) socket.destroy();
  });

  it("a client that reads slowly gets everything", async () => {
    world = await openFloodWorld({ stallMs: 300 });
    const [reader] = await world.open(1);
    if (reader === undefined) throw new Error("no connection");
    const { socket } = reader;
    socket.write(LARGE.repeat(500));
    const answers = (): number => reader.received().split("HTTP/1.1 200").length - 1;
    while (answers() < 500) {
      socket.pause();
      await new Promise((next) => setTimeout(next, 10));
      socket.resume();
      await new Promise((next) => socket.once("data", next));
    }
    socket.destroy();
  });
});

describe("too many connections", () => {
  it("hostile 52: 1,000 silent connections do no harm and are closed in time", async () => {
    world = await openFloodWorld({ headTimeoutMs: 1_500 });
    const before = process.memoryUsage().rss;
    const idle = await world.open(1_000);
    expect(await world.waits()).toBeLessThan(LONGEST_WAIT_MS);
    expect(await world.connections()).toBeGreaterThanOrEqual(1_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576);
    await Promise.all(idle.map(({ ended }) => ended));
    await world.fallsTo(0);
  });

  it("hostile 52: half open: clients that end their side at once, or in the middle of a body", async () => {
    world = await openFloodWorld();
    const silent = await world.open(100);
    for (const { socket } of silent) socket.end();
    const halves = await world.open(100);
    for (const { socket } of halves) socket.end(placement().slice(0, -10));
    const vanished = await world.open(100);
    for (const { socket } of vanished) socket.write(placement().slice(0, -10), () => socket.destroy());
    expect(await world.waits()).toBeLessThan(LONGEST_WAIT_MS);
    await Promise.all([...silent, ...halves].map(({ ended }) => ended));
    await world.fallsTo(0);
    expect(await openOrders()).toBe(0);
  });

  it("connections beyond maxConnections are closed at once; existing ones are served, and new ones when there is room", async () => {
    world = await openFloodWorld({ maxConnections: 50, headTimeoutMs: 1_500 });
    const [known] = await world.open(1);
    if (known === undefined) throw new Error("no connection");
    await world.waitsOn(known);
    const flood = await world.open(400);
    expect(await world.waitsOn(known)).toBeLessThan(LONGEST_WAIT_MS);
    expect(await world.connections()).toBeLessThanOrEqual(50);
    for (const { socket } of flood) socket.destroy();
    await world.fallsTo(1);
    expect(await world.waits()).toBeLessThan(LONGEST_WAIT_MS);
    known.socket.destroy();
  });
});

describe("too many requests", () => {
  it("hostile 53: of 100,000 requests in one piece few are read at once; other clients are served", async () => {
    world = await openFloodWorld();
    const [flood] = await world.open(1);
    flood?.socket.write("GET / HTTP/1.1\r\n\r\n".repeat(100_000));
    await flood?.until("HTTP/1.1 400");
    expect(await world.waits()).toBeLessThan(LONGEST_WAIT_MS);
    flood?.socket.destroy();
    await world.fallsTo(0);
  });

  it("hostile 53: on the host's own server, more than 1,000 requests in one piece end their connection", async () => {
    world = await openFloodWorld();
    const mount = createNodeMount({ service: world.service });
    const server = createServer((request, response) => void mount.answer(request, response));
    await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
    const socket = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
    socket.on("error", () => undefined).resume();
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100_000));
    await ended;
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
  });
});
