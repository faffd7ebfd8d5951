import type { IncomingMessage, Server } from "node:http";
import type { Connections } from "./connections.ts";
import { mayLackHeaders } from "./incoming.ts";
import { sendLastReply } from "./last-reply.ts";
import type { ReadTurns } from "./read-turns.ts";
import { parserRefusal } from "./refusals.ts";
import type { SocketMount } from "./socket-server.ts";

/** Handlers of a server's upgrade requests. */
export type UpgradeParts = Readonly<{
  sockets: SocketMount;
  /** The connections of the same server. */
  connections: Connections;
  /** The turns in which the server reads, if it reads in turns. */
  turns?: ReadTurns | undefined;
  /** Returns whether a request is for the service. */
  takes: (request: IncomingMessage) => boolean;
}>;

/**
 * Passes WebSocket requests to the service. Any other upgrade request is left to the server's other listeners; without
 * any listener it continues as a request without an upgrade. Both wait until earlier requests of their connection are
 * answered, because Node releases the connection before that.
 */
export function serveUpgrades(server: Server, { sockets, connections, turns, takes }: UpgradeParts): void {
  server.on("upgrade", (request, socket, head) => {
    // From here on Node no longer handles errors of the connection, and an unhandled error event ends the process.
    if (!socket.listeners("error").includes(unheard)) socket.on("error", unheard);
    const taken = takes(request);
    if (!taken && server.listenerCount("upgrade") > 1) return turns?.detach(socket);
    connections.afterAnswers(socket, () => {
      // Nothing is decided by, or rebuilt from, headers of which Node may have cut some: the length of the body, or what
      // a proxy has added.
      if (mayLackHeaders(request)) return sendLastReply(socket, parserRefusal("HPE_HEADER_OVERFLOW"));
      if (taken) return sockets.upgrade(request, socket, head);
      socket.unshift(Buffer.concat([plainHead(request), head]));
      server.emit("connection", socket);
    });
  });
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
