import { connect, type Socket } from "node:net";
import { createNodeServer, createSystemClock, type NodeServerLimits } from "../../src/adapters/node/index.ts";
import { withFronts } from "./front-threads.ts";
import { openWorld, type ServiceWorld, type WorldOptions } from "./service-world.ts";

/** A service on a real socket under more connections than it should have. */
export type FloodWorld = ServiceWorld &
  Readonly<{
    port: number;
    /** Connections that the server has open now. */
    connections: () => Promise<number>;
    /** Resolves once the server has at most that many open. */
    fallsTo: (most: number) => Promise<void>;
    /** Opens many connections at once, including those that the server closes. */
    open: (count: number) => Promise<readonly FloodSocket[]>;
    /** Milliseconds until a new client is answered, including its connection. */
    waits: () => Promise<number>;
    /** Milliseconds until a client with an open connection is answered. */
    waitsOn: (socket: FloodSocket) => Promise<number>;
    close: () => Promise<void>;
  }>;

/** A connection that writes and reads only on request. */
export type FloodSocket = Readonly<{
  socket: Socket;
  /** The received text. */
  received: () => string;
  /** Resolves to the received text when the connection has ended. */
  ended: Promise<string>;
  /** Resolves once the received text contains this; rejects if the connection ends before. */
  until: (text: string | RegExp) => Promise<void>;
}>;

/** A request that every route table answers. */
export const PING = "GET /api/ping HTTP/1.1\r\nHost: a\r\n\r\n";

/** Wraps a connection. */
export function floodSocket(socket: Socket): FloodSocket {
  let text = "";
  let open = true;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const run of waiting) run();
  };
  socket.setEncoding("latin1");
  socket.on("error", () => undefined);
  socket.on("data", (more: string) => {
    text += more;
    wake();
  });
  const ended = new Promise<string>((resolve) => {
    socket.on("close", () => {
      open = false;
      wake();
      resolve(text);
    });
  });
  const holds = (sought: string | RegExp): boolean =>
    typeof sought === "string" ? text.includes(sought) : sought.test(text);
  return {
    ...{ socket, ended },
    received: () => text,
    async until(sought) {
      while (!holds(sought)) {
        if (!open) throw new Error(`the connection ended after ${JSON.stringify(text.slice(0, 300))}`);
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
    },
  };
}

/** Opens a world without rate limits and listens on a free port, for REST and WebSocket. */
export async function openFloodWorld(
  limits: NodeServerLimits = {},
  options: WorldOptions = {},
): Promise<FloodWorld> {
  const sockets = { realClock: createSystemClock(), ...options.service?.sockets };
  const world = await openWorld({ ...options, service: { ...options.service, sockets } });
  const server = createNodeServer({
    ...{ service: world.service, sockets: world.service.sockets, limits },
    ...withFronts(),
  });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  const connections = async (): Promise<number> => server.connections();
  const one = (): Promise<FloodSocket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
      const flood = floodSocket(socket);
      socket.on("end", () => socket.end());
      socket.once("connect", () => resolve(flood));
      socket.once("error", reject);
    });
  const waitsOn = async ({ socket, received, until }: FloodSocket): Promise<number> => {
    const from = performance.now();
    const before = received().length;
    socket.write(PING);
    await until(new RegExp(`^[^]{${before}}HTTP/1.1 200`));
    return performance.now() - from;
  };
  return {
    ...world,
    ...{ port, connections, waitsOn },
    async fallsTo(most) {
      while ((await connections()) > most) await new Promise((next) => setTimeout(next, 5));
    },
    open: (count) => Promise.all(Array.from({ length: count }, one)),
    async waits() {
      const from = performance.now();
      const client = await one();
      await waitsOn(client);
      client.socket.destroy();
      return performance.now() - from;
    },
    close: () => server.close({ graceMs: 100 }),
  };
}
