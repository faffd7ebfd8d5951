import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Telemetry } from "../../ports/index.ts";
import type { Service, SocketService } from "../../service/index.ts";
import { Mount } from "./mount.ts";
import { ReadTurns } from "./read-turns.ts";
import { rawReply } from "./refusals.ts";
import { SocketMount } from "./socket-server.ts";
import { asksForSocket, serveUpgrades } from "./upgrades.ts";

/** Limits of a server; those of the service come on top. */
export type NodeServerLimits = Readonly<{
  /** Time for a request's line and headers to arrive; default 10000. */
  headTimeoutMs?: number;
  /** Time for a whole request to arrive; default 30000. */
  requestTimeoutMs?: number;
  /** Request line and headers together, in bytes; default 16384. */
  maxHeadBytes?: number;
  /** How long an unused connection is kept; default 65000, longer than the minute that balancers commonly use. */
  keepAliveMs?: number;
  /**
   * How long a connection may stand still with an answer due, because its peer does not read or the service does not
   * answer; then it is closed. Default 120000.
   */
  stallMs?: number;
  /** Connections at once; more are closed at once. Default 10000. */
  maxConnections?: number;
  /** Connections that wait to be accepted; the system may allow fewer. Default 2048. */
  backlog?: number;
}>;

/** What a server is made of. */
export type NodeServerOptions = Readonly<{
  service: Pick<Service, "handle" | "traffic">;
  /** The service's WebSocket interface; it needs the package ws. Without it there is REST only. */
  sockets?: SocketService;
  limits?: NodeServerLimits;
  telemetry?: Telemetry;
}>;

/** Where a server listens. */
export type ListenAddress = Readonly<{ host: string; port: number }>;

/** A server over node:http. */
export type NodeServer = Readonly<{
  /** The server itself, for a host that attaches more to it. */
  server: Server;
  /** Begins to listen, port 0 for a free one; rejects when the address is in use. */
  listen(address: ListenAddress): Promise<ListenAddress>;
  /**
   * Takes no more connections, answers what has been asked, tells WebSocket clients that the service stops, and resolves
   * when every connection has ended. What is not done after `graceMs` (default 10000) is cut off.
   */
  close(options?: Readonly<{ graceMs?: number }>): Promise<void>;
}>;

const DEFAULTS: Required<NodeServerLimits> = {
  headTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxHeadBytes: 16_384,
  keepAliveMs: 65_000,
  stallMs: 120_000,
  maxConnections: 10_000,
  backlog: 2_048,
};

const DEFAULT_GRACE_MS = 10_000;
const LATEST_CHECK_MS = 1_000;

/**
 * Mounts a service on a node:http server of its own. Targets, headers and bodies reach the service byte for byte; what
 * is too slow, too large or no HTTP is answered in the shape of the service's errors and ends its connection.
 * Throws an Error that names the install command when there are sockets and ws is not installed.
 * Source: decision 49; hostile inputs 48-54 and 94.
 *
 * @example
 * ```ts
 * import { createNodeServer } from "managed-orders/node";
 * import type { Service } from "managed-orders/service";
 * const start = async (service: Service): Promise<string> => {
 *   const { port } = await createNodeServer({ service }).listen({ host: "127.0.0.1", port: 0 });
 *   return `http://127.0.0.1:${port}/api/ping`;
 * };
 * ```
 */
export function createNodeServer(options: NodeServerOptions): NodeServer {
  const limits = { ...DEFAULTS, ...options.limits };
  const mount = new Mount(options);
  const { sockets: socketService, telemetry } = options;
  const turns = new ReadTurns();
  const socketMount = socketService && new SocketMount({ sockets: socketService, mount, telemetry, turns });
  const server = createHttpServer(limits);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    // Where a host of its own takes upgrades nobody would say that the protocol changes.
    if (socketMount !== undefined || server.listenerCount("upgrade") === 0) {
      turns.attach(socket, networkOf(mount, socket));
    }
    // One whose wish for another protocol was not granted begins again.
    if (sockets.has(socket)) return;
    const leave = enter(mount, socket);
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      leave();
    });
  });
  server.on("error", (error: NodeJS.ErrnoException) => {
    // Who asked it to listen hears of that failing.
    if (server.listening) telemetry?.event("error", "server.error", { code: error.code ?? error.name });
  });
  server.on("request", (request, response) => void mount.answer(request, response));
  server.on(
    "checkContinue",
    (request, response) => void mount.answer(request, response, { asksFirst: true }),
  );
  server.on("checkExpectation", (request, response) => mount.refuseExpectation(request, response));
  server.on("clientError", (error, socket) => mount.refuseConnection(error, socket));
  if (socketMount !== undefined) {
    serveUpgrades(server, { sockets: socketMount, mount, turns, takes: asksForSocket });
  }
  return {
    server,
    listen: (address) => listen(server, address, limits.backlog),
    close: async ({ graceMs = DEFAULT_GRACE_MS } = {}) => {
      mount.draining = true;
      socketMount?.shutdown();
      const ended = close(server, { graceMs, cutOff: () => socketMount?.terminate() });
      // Node counts a connection on which nothing was ever sent as one whose request is arriving.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      await ended;
    },
  };
}

function createHttpServer(limits: Required<NodeServerLimits>): Server {
  const { headTimeoutMs, requestTimeoutMs } = limits;
  const server = createServer({
    headersTimeout: headTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(LATEST_CHECK_MS, headTimeoutMs, requestTimeoutMs),
    keepAliveTimeout: limits.keepAliveMs,
    maxHeaderSize: limits.maxHeadBytes,
    insecureHTTPParser: false,
    // A missing Host header is answered by the mount, with a body.
    requireHostHeader: false,
  });
  // Node would drop headers beyond a number of its own; the size of the head bounds them already.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  // Node waits for ever for a peer that does not read; a few thousand of them would be all connections there are.
  server.timeout = limits.stallMs;
  return server;
}

/** Connections of a proxy, which stand for nobody yet, have one turn together. */
const networkOf = (mount: Mount, socket: Socket): string =>
  mount.traffic.peerOf(socket.remoteAddress ?? "") ?? "";

/** Counts a connection for its peer; one too many is told so and ends at once. What is returned takes it back. */
function enter(mount: Mount, socket: Socket): () => void {
  const network = mount.traffic.peerOf(socket.remoteAddress ?? "");
  if (network === undefined) return () => undefined;
  const leave = mount.traffic.enter(network);
  if (leave !== undefined) mount.opened(socket, network);
  else socket.end(rawReply(mount.tooMany), () => socket.destroy());
  return leave ?? (() => undefined);
}

function listen(server: Server, { host, port }: ListenAddress, backlog: number): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog }, () => {
      server.off("error", reject);
      const bound = server.address();
      resolve({ host, port: typeof bound === "object" && bound !== null ? bound.port : port });
    });
  });
}

async function close(
  server: Server,
  { graceMs, cutOff }: Readonly<{ graceMs: number; cutOff: () => void }>,
): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    cutOff();
    server.closeAllConnections();
  }, graceMs);
  await ended;
  clearTimeout(timer);
}
