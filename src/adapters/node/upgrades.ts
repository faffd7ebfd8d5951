import type { IncomingMessage, Server } from "node:http";
import type { Mount } from "./mount.ts";
import type { ReadTurns } from "./read-turns.ts";
import type { SocketMount } from "./socket-server.ts";

/** Whether an upgrade request asks for a WebSocket, and not for another version of HTTP. */
export function asksForSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

/** What takes the upgrade requests of a server. */
export type UpgradeParts = Readonly<{
  sockets: SocketMount;
  /** The mount of the same server's requests. */
  mount: Mount;
  /** The turns in which the server reads, when it reads in turns. */
  turns?: ReadTurns | undefined;
  /** Whether a request is for the service. */
  takes: (request: IncomingMessage) => boolean;
}>;

/**
 * Hands the service's WebSocket requests over. Any other upgrade request is left to the server's other listeners, and
 * without any goes on as if it had not asked. Both wait until the requests before them on their connection are
 * answered: Node lets the connection go before that.
 */
export function serveUpgrades(server: Server, { sockets, mount, turns, takes }: UpgradeParts): void {
  server.on("upgrade", (request, socket, head) => {
    turns?.detach(socket);
    // From here on nobody of Node's hears of a connection that breaks, and an error that nobody hears ends the process.
    if (!socket.listeners("error").includes(unheard)) socket.on("error", unheard);
    const taken = takes(request);
    if (!taken && server.listenerCount("upgrade") > 1) return;
    mount.afterAnswers(socket, () => {
      if (taken) return sockets.upgrade(request, socket, head);
      socket.unshift(Buffer.concat([plainHead(request), head]));
      server.emit("connection", socket);
    });
  });
}

/** A connection that breaks is told by its end. */
const unheard = (): void => undefined;

/** Headers that ask for an upgrade. */
const OF_THE_UPGRADE: ReadonlySet<string> = new Set(["upgrade", "http2-settings"]);

/**
 * The head of a request as it came, without the wish for another protocol: a server that does not speak it answers in
 * HTTP/1.1 (RFC 9110, 7.8). Node hands such a request over as soon as somebody listens to upgrades.
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
