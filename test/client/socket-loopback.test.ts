import { createServer, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createNodeServer } from "../../src/adapters/node/index.ts";
import {
  createSocketClient,
  followOrders,
  openOrderBook,
  type SocketClass,
  TransportError,
} from "../../src/client/index.ts";
import { findSocketClass as findOfBrowser } from "../../src/client/socket-default.ts";
import { findSocketClass as findOfNode } from "../../src/client/socket-node.ts";
import { listening } from "../support/listening.ts";
import { openNativeWorld } from "../support/native-world.ts";
import { KEYS } from "../support/service-world.ts";

const STOP = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "0.01" } as const;
const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** A service on the loopback, with a manual clock that stands still. */
async function openLoopback() {
  const world = await openNativeWorld();
  const server = createNodeServer({ service: world.service, sockets: world.service.sockets });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  ending.push(() => server.close());
  return { ...world, baseUrl: `http://127.0.0.1:${port}` };
}

describe("over the loopback", () => {
  it.each([
    ["ws", WebSocket as SocketClass],
    ["the default", undefined],
  ] as const)("places, follows and keeps a book with %s", async (_name, given) => {
    const { clock, baseUrl, engine } = await openLoopback();
    engine.market.quote({ symbol: "BTC/USD", bid: "6999", ask: "7001" });
    const options = { baseUrl, ...KEYS.owner, clock, ...(given !== undefined && { WebSocket: given }) };
    const socket = createSocketClient(options);
    const stream = followOrders(options);
    const { apiKey: _key, secret: _secret, ...open } = options;
    const book = openOrderBook({ ...open, symbol: "BTC/USD" });
    ending.push(() => [socket, stream, book].map((each) => each.close()));
    const synced = new Promise((resolve) => book.on("synced", resolve));
    await stream.ready;
    const received = stream[Symbol.asyncIterator]().next();
    const { orderId } = await socket.placeOrder({ ...STOP, stopPrice: "5000" });
    expect((await received).value).toMatchObject({ kind: "order", order: { orderId, status: "NEW" } });
    await synced;
    expect(book.bids[0]?.[0]).toBe("6999");
  });
});

/** A server that takes each upgrade in its own way; requests of REST go to the service. */
async function openHostile(upgrade: (socket: Duplex, server: WebSocketServer) => void) {
  const { clock, baseUrl } = await openLoopback();
  const server: Server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => undefined);
    sockets.handleUpgrade(request, socket, head, () => upgrade(socket, sockets));
  });
  const port = await listening(server);
  ending.push(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
  });
  const address = `ws://127.0.0.1:${port}`;
  const Redirected = class extends WebSocket {
    constructor(url: string) {
      super(url.replace(/^ws:\/\/[^/]+/, address));
    }
  };
  return createSocketClient({ baseUrl, ...KEYS.owner, clock, readAttempts: 1, WebSocket: Redirected });
}

describe("a hostile server", () => {
  it("answers the upgrade with HTML: a TransportError", async () => {
    const server = createServer((_request, response) => response.end("<html>"));
    const port = await listening(server);
    ending.push(() => server.close());
    const { clock } = await openNativeWorld();
    const socket = createSocketClient({
      ...{ baseUrl: `http://127.0.0.1:${port}`, clock, WebSocket: WebSocket as SocketClass },
    });
    const failed = await socket.subscriptions().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TransportError);
    expect(failed).toMatchObject({ reason: "connection" });
  });

  it("closes in the middle of a frame: a TransportError", async () => {
    const socket = await openHostile((raw) => {
      raw.write(Uint8Array.of(0x81, 0x7e, 0x10, 0x00, 0x7b)); // 1 of 4,096 bytes
      raw.end();
    });
    await expect(socket.openOrders()).rejects.toMatchObject({ kind: "transport", reason: "connection" });
  });

  it("sends a frame that is not one: a TransportError", async () => {
    const socket = await openHostile((raw) => void raw.write(Uint8Array.of(0xff, 0xff, 0xff, 0xff)));
    await expect(socket.openOrders()).rejects.toMatchObject({ kind: "transport", reason: "connection" });
  });

  it("sends bytes: a ProtocolError", async () => {
    const socket = await openHostile((_raw, { clients }) => {
      for (const client of clients) client.send(Uint8Array.of(1, 2, 3));
    });
    await expect(socket.openOrders()).rejects.toMatchObject({ kind: "protocol", problem: "not text" });
  });
});

describe("the WebSocket of the platform", () => {
  it("is looked up at the time of the call; Node.js without one uses `ws`", async () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
    try {
      Object.defineProperty(globalThis, "WebSocket", {
        value: undefined,
        configurable: true,
        writable: true,
      });
      expect(await findOfNode()).toBe(WebSocket);
      await expect(findOfBrowser()).rejects.toThrow(
        "this platform has no WebSocket: pass one as `WebSocket`",
      );
      Object.defineProperty(globalThis, "WebSocket", { value: WebSocketServer, configurable: true });
      expect([await findOfNode(), await findOfBrowser()]).toEqual([WebSocketServer, WebSocketServer]);
    } finally {
      if (own === undefined) Reflect.deleteProperty(globalThis, "WebSocket");
      else Object.defineProperty(globalThis, "WebSocket", own);
    }
  });
});
