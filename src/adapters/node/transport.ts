import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Telemetry } from "../../ports/index.ts";
import type { Service, SocketService } from "../../service/index.ts";
import type { Gate } from "./gate.ts";
import { Mount } from "./mount.ts";
import { ReadTurns, type Soon } from "./read-turns.ts";
import type { ListenAddress, NodeServerLimits } from "./server-api.ts";
import { SocketMount } from "./socket-server.ts";
import { asksForSocket, serveUpgrades } from "./upgrades.ts";

/** What a transport is made of, in the service's own thread or in a front thread. */
export type TransportParts = Readonly<{
  service: Pick<Service, "handle">;
  sockets?: SocketService | undefined;
  /** Who counts what strangers hold. */
  gate: Gate;
  limits: Required<NodeServerLimits>;
  telemetry?: Telemetry | undefined;
  /** When the next share of what has come is parsed; default the next turn of the event loop. */
  soon?: Soon | undefined;
}>;

/** A service on a node:http server that somebody lets listen. */
export type Transport = Readonly<{
  server: Server;
  connections: () => number;
  /** Answers what has been asked and ends; what is not done in time is cut off. */
  close: (graceMs: number) => Promise<void>;
}>;

/** One that takes its own address. */
export type ListeningTransport = Transport &
  Readonly<{ listen: (address: ListenAddress) => Promise<ListenAddress> }>;

const LATEST_CHECK_MS = 1_000;

/** Puts mounts for requests and WebSockets on a server. Throws an Error when there are sockets and ws is not installed. */
export function createTransport({
  service,
  gate,
  limits,
  telemetry,
  soon,
  ...given
}: TransportParts): Transport {
  const mount = new Mount({ service, gate, telemetry });
  const turns = new ReadTurns(gate, soon);
  const socketMount = given.sockets && new SocketMount({ sockets: given.sockets, mount, telemetry, turns });
  const server = createHttpServer(limits);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    // Where a host of its own takes upgrades nobody would say that the protocol changes.
    if (socketMount !== undefined || server.listenerCount("upgrade") === 0) {
      // Connections of a proxy, which stand for nobody yet, have one turn together.
      turns.attach(socket, gate.peerOf(socket.remoteAddress ?? "") ?? "");
    }
    // One whose wish for another protocol was not granted begins again.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.on("close", () => void sockets.delete(socket));
    mount.opened(socket);
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
    connections: () => sockets.size,
    close: async (graceMs) => {
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
