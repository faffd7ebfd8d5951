import type { IncomingMessage, Server } from "node:http";
import { createRequire } from "node:module";
import type { Duplex } from "node:stream";
import type * as ws from "ws";
import type { WebSocket, WebSocketServer } from "ws";
import { errorName } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import type { SocketPeer, SocketService } from "../../service/index.ts";
import type { WireResponse } from "../../wire/index.ts";
import { type Connections, type Leave, OpenSet } from "./connections.ts";
import { mayLackHeaders, type ServicePaths, wireRequestOf } from "./incoming.ts";
import type { ReadTurns } from "./read-turns.ts";
import { parserRefusal, refusal, sendLastReply } from "./refusals.ts";

/** The exports of the package ws. */
type SocketDriver = typeof ws;

/**
 * Loads ws, an optional peer dependency. Throws an Error that names the install command if it is missing or cannot be
 * used.
 */
export function loadSocketDriver(load: (name: string) => unknown = requireHere()): SocketDriver {
  try {
    return load("ws") as SocketDriver;
  } catch (cause) {
    throw new Error(
      "WebSocket connections need the package ws, which cannot be loaded. Install it: npm install ws@8",
      { cause },
    );
  }
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
function requireHere(): (name: string) => unknown {
  return createRequire(typeof __filename === "string" ? __filename : import.meta.url);
}

/** Longest message in bytes. */
const MAX_MESSAGE_BYTES = 65_536;

/**
 * Limits on the fragments of one message and on pongs that wait for a peer that does not read. They are above the
 * frames per second that the service itself allows. Older versions of ws and the types of ws do not have these limits.
 */
const PARTS = { maxFragments: 1_000, maxBufferedChunks: 1_000, maxPendingAutoPongs: 2_000 };

/** Time in milliseconds for a peer to read why its connection is closed. */
const LINGER_MS = 2_000;

/**
 * Number of bytes that a peer may still send after it was told that its connection is closed: as much as may be in
 * transit.
 */
const LAST_BYTES = 1_048_576;

/** Dependencies and settings of a mount of WebSocket connections. */
type SocketMountParts = Readonly<{
  sockets: SocketService;
  /** The connections of the same server. */
  connections: Connections;
  paths: ServicePaths;
  telemetry?: Telemetry | undefined;
  /** The turns in which the server reads, if it reads in turns. */
  turns?: ReadTurns | undefined;
}>;

/** Passes WebSocket connections of a node:http server to a service, uncompressed. */
export class SocketMount {
  readonly #parts: SocketMountParts;
  readonly #server: WebSocketServer;
  readonly #open: OpenSet<WebSocket> = new OpenSet();

  /** Throws an Error if ws is not installed. */
  constructor(parts: SocketMountParts) {
    this.#parts = parts;
    const { WebSocketServer: Server } = loadSocketDriver();
    this.#server = new Server({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      ...PARTS,
    });
    this.#server.on("wsClientError", (_error, socket) => {
      refuse(
        socket,
        refusal(
          new OrderError("INVALID_PARAMETER", { field: "Upgrade", advice: "Send a WebSocket handshake." }),
        ),
      );
    });
  }

  /**
   * Passes the WebSocket requests that `takes` selects to the service. Any other upgrade request is left to the server's
   * other listeners; without any listener it continues as a request without an upgrade. Both wait until earlier requests
   * of their connection are answered, because Node releases the connection before that.
   */
  serveUpgrades(server: Server, takes: (request: IncomingMessage) => boolean): void {
    server.on("upgrade", (request, socket, head) => {
      // From here on Node no longer handles errors of the connection, and an unhandled error event ends the process.
      if (!socket.listeners("error").includes(unheard)) socket.on("error", unheard);
      const taken = takes(request);
      if (!taken && server.listenerCount("upgrade") > 1) return this.#parts.turns?.detach(socket);
      this.#parts.connections.afterAnswers(socket, () => {
        // Nothing is decided by, or rebuilt from, headers of which Node may have cut some: the length of the body, or
        // what a proxy has added.
        if (mayLackHeaders(request)) return sendLastReply(socket, parserRefusal("HPE_HEADER_OVERFLOW"));
        if (taken) return this.#upgrade(request, socket, head);
        socket.unshift(Buffer.concat([plainHead(request), head]));
        server.emit("connection", socket);
      });
    });
  }

  /** Tells every connection that the service stops. Each closes once its requests are answered. */
  shutdown(): void {
    this.#parts.sockets.shutdown();
  }

  /** Resolves when no connection is open. */
  idle(): Promise<void> {
    return this.#open.empty();
  }

  /** Terminates all connections that are still open. */
  terminate(): void {
    for (const socket of this.#open) socket.terminate();
  }

  /** Handles a WebSocket request. A refusal has the shape of the service's errors. */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#admit(request, socket, head).catch((error: unknown) => {
      this.#parts.telemetry?.event("error", "service.threw", { error: errorName(error) });
      refuse(socket, refusal(new OrderError("UNKNOWN")));
    });
  }

  async #admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    await this.#parts.connections.entered(socket);
    // Its last answer is on the way, and nothing after it counts.
    if (this.#parts.connections.of(socket).closes) return;
    const refused = await this.#parts.sockets.admit(
      wireRequestOf(request, this.#parts.paths.target(request), new Uint8Array()),
    );
    if (refused !== undefined) return refuse(socket, refused);
    // A socket that closed meanwhile emits no further event.
    if (socket.destroyed) return;
    const leave = await this.#entered(request, socket);
    if (leave === undefined) return;
    if (socket.destroyed) return leave();
    socket.on("close", leave);
    this.#server.handleUpgrade(request, socket, head, (connected) => this.#attach(connected, request));
  }

  /** Counts a connection that was not counted when it was opened. Returns undefined if it was refused. */
  async #entered(request: IncomingMessage, socket: Duplex): Promise<Leave | undefined> {
    const network = this.#parts.connections.networkOf(request);
    if (network === "" || this.#parts.connections.isCounted(socket, network)) return () => undefined;
    const leave = await this.#parts.connections.gate.enter(network);
    if (leave === undefined) refuse(socket, this.#parts.connections.tooMany);
    return leave;
  }

  /** Connects a WebSocket to the service. One that the service cannot take is cut off: its handshake is answered. */
  #attach(socket: WebSocket, request: IncomingMessage): void {
    socket.on("error", (error) => {
      const code = "code" in error ? String(error.code) : error.name;
      this.#parts.telemetry?.event("debug", "socket.error", { code });
    });
    try {
      this.#connect(socket, request);
    } catch (error) {
      this.#parts.telemetry?.event("error", "service.threw", { error: errorName(error) });
      socket.terminate();
    }
  }

  #connect(socket: WebSocket, request: IncomingMessage): void {
    const arrival = { bytes: 0, last: false };
    const session = this.#parts.sockets.connect(
      peerOf(socket, request, { target: this.#parts.paths.target(request), arrival }),
    );
    this.#open.add(socket);
    // Listen before the driver does, so that bytes of a message it completes are counted from zero again.
    request.socket.prependListener("data", (chunk: Buffer) => {
      arrival.bytes += chunk.length;
      if (!arrival.last) session.arriving?.(arrival.bytes);
      else if (arrival.bytes > LAST_BYTES) socket.terminate();
    });
    this.#parts.turns?.attach(request.socket, { address: this.#parts.connections.networkOf(request) });
    const whole = (): void => {
      if (!arrival.last) arrival.bytes = 0;
    };
    socket.on("message", (data, isBinary) => {
      whole();
      if (isBinary) session.receiveBinary();
      else session.receive(String(data));
    });
    socket.on("ping", () => {
      whole();
      session.pinged();
    });
    socket.on("pong", () => {
      whole();
      session.ponged();
    });
    socket.on("close", () => {
      this.#open.delete(socket);
      session.closed();
    });
  }
}

/** Bytes received since the last whole message, or since the peer was told that its connection is closed. */
type Arrival = { bytes: number; last: boolean };

function peerOf(
  socket: WebSocket,
  request: IncomingMessage,
  { target, arrival }: Readonly<{ target: string; arrival: Arrival }>,
): SocketPeer {
  return {
    target,
    rawHeaders: request.rawHeaders,
    remoteAddress: request.socket.remoteAddress ?? "",
    // The close event reports a connection that breaks meanwhile.
    send: (text) => socket.send(text, () => undefined),
    ping: () => socket.ping(undefined, undefined, () => undefined),
    bufferedBytes: () => socket.bufferedAmount,
    drop: () => socket.terminate(),
    close(code, reason) {
      Object.assign(arrival, { bytes: 0, last: true });
      socket.close(code, reason);
      setTimeout(() => socket.terminate(), LINGER_MS).unref();
    },
  };
}

/** Refuses a WebSocket request. */
function refuse(socket: Duplex, reply: WireResponse): void {
  if (!socket.writable) return void socket.destroy();
  sendLastReply(socket, reply, LINGER_MS);
}

/** Ignores the error: the close event reports a connection that breaks. */
const unheard = (): void => undefined;

/** Headers that request an upgrade. */
const OF_THE_UPGRADE: ReadonlySet<string> = new Set(["upgrade", "http2-settings"]);

/**
 * Returns the head of a request as received, without the request for another protocol. A server that does not support
 * that protocol answers in HTTP/1.1 (RFC 9110, 7.8). Node emits such a request as an upgrade as soon as there is a
 * listener for upgrades.
 */
function plainHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    if (OF_THE_UPGRADE.has(name.toLowerCase())) continue;
    lines.push(`${name}: ${name.toLowerCase() === "connection" ? withoutUpgrade(value) : value}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

const withoutUpgrade = (value: string): string =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => !OF_THE_UPGRADE.has(item.toLowerCase()))
    .join(", ");
