import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Telemetry } from "../../ports/index.ts";
import type { Service, SocketService } from "../../service/index.ts";
import { Connections, type TrafficGate } from "./connections.ts";
import { requestsUpgrade, ServicePaths } from "./incoming.ts";
import { Mount } from "./mount.ts";
import { ReadTurns, type Soon } from "./read-turns.ts";
import type { ListenAddress, NodeServerLimits } from "./server-api.ts";
import { SocketMount } from "./socket-server.ts";

/** Dependencies and settings of a transport, in the service's own thread or in a front thread. */
type TransportParts = Readonly<{
  service: Pick<Service, "handle">;
  sockets?: SocketService | undefined;
  /** Counts what clients hold. */
  gate: TrafficGate;
  limits: Required<NodeServerLimits>;
  telemetry?: Telemetry | undefined;
  /** Schedules the parsing of the next share of received data; default the next turn of the event loop. */
  soon?: Soon | undefined;
}>;

/** A service on a node:http server. The caller makes the server listen. */
export type Transport = Readonly<{
  server: Server;
  connections: () => number;
  /** Answers pending requests and closes. Work that is not done in time is cut off. */
  close: (graceMs: number) => Promise<void>;
}>;

/** A transport that listens on an address itself. */
export type ListeningTransport = Transport &
  Readonly<{ listen: (address: ListenAddress) => Promise<ListenAddress> }>;

const LATEST_CHECK_MS = 1_000;

/**
 * Creates a server with mounts for requests and WebSockets. Throws an Error if there are sockets and ws is not
 * installed.
 */
export function createTransport({
  service,
  gate,
  limits,
  telemetry,
  soon,
  ...given
}: TransportParts): Transport {
  const connections = new Connections(gate);
  const paths = new ServicePaths();
  const mount = new Mount({ service, connections, paths, telemetry });
  const turns = new ReadTurns(gate, soon);
  const socketMount =
    given.sockets && new SocketMount({ sockets: given.sockets, connections, paths, telemetry, turns });
  const server = createHttpServer(limits);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    // If the host handles upgrades itself, nothing would report a change of protocol.
    if (socketMount !== undefined || server.listenerCount("upgrade") === 0) {
      // Connections of proxies share one turn until their clients are known.
      const address = gate.peerOf(socket.remoteAddress ?? "") ?? "";
      turns.attach(socket, { address, requests: connections.of(socket) });
    }
    // A connection whose upgrade was not granted is emitted again.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.on("close", () => void sockets.delete(socket));
    connections.opened(socket);
  });
  server.on("error", (error: NodeJS.ErrnoException) => {
    // The caller of `listen` receives the error if listening fails.
    if (server.listening) telemetry?.event("error", "server.error", { code: error.code ?? error.name });
  });
  server.on("request", (request, response) => void mount.answer(request, response));
  server.on(
    "checkContinue",
    (request, response) => void mount.answer(request, response, { expectsContinue: true }),
  );
  server.on("checkExpectation", (request, response) => void mount.refuseExpectation(request, response));
  server.on("clientError", (error, socket) => mount.refuseConnection(error, socket));
  socketMount?.serveUpgrades(server, requestsUpgrade);
  return {
    server,
    connections: () => sockets.size,
    close: async (graceMs) => {
      mount.draining = true;
      socketMount?.shutdown();
      const cutOff = (): void => {
        // Node itself cuts off no connection that has asked for another protocol.
        for (const socket of sockets) socket.destroy();
      };
      const ended = close(server, { graceMs, cutOff });
      // Node treats a connection that has sent nothing as one whose request is arriving.
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
    // The mount answers a missing Host header, with a body.
    requireHostHeader: false,
  });
  // Node would drop headers beyond its own maximum count. The size of the head already limits them.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  // Node waits forever for a peer that does not read; a few thousand such peers would use up all connections.
  server.timeout = limits.stallMs;
  return server;
}

async function close(
  server: Server,
  { graceMs, cutOff }: Readonly<{ graceMs: number; cutOff: () => void }>,
): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(cutOff, graceMs);
  await ended;
  clearTimeout(timer);
}
