import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Telemetry } from "../../ports/index.ts";
import type { Service, SocketService } from "../../service/index.ts";
import { SOCKET_PATHS, Traffic } from "../../service/internal.ts";
import { gateOf } from "./gate.ts";
import { checkPrefix, targetOf } from "./incoming.ts";
import { Mount } from "./mount.ts";
import { SocketMount } from "./socket-server.ts";
import { asksForSocket, serveUpgrades } from "./upgrades.ts";

/** Dependencies and settings of a mount. */
export interface NodeMountOptions {
  readonly service: Pick<Service, "handle" | "traffic">;
  /**
   * A path of the host in front of the service's paths, such as `/trading`. It is removed if present, so a framework
   * may have removed it before. Default none.
   */
  readonly prefix?: string;
  readonly telemetry?: Telemetry;
}

/** Options for answering one request. */
export interface NodeAnswerOptions {
  /** The bytes of the body, if the host has read and kept them. Undefined: they are still to be read. */
  readonly body?: Uint8Array | undefined;
}

/** A service mounted in the host's own HTTP server. */
export interface NodeMount {
  /**
   * Answers a request with the service, byte for byte. Resolves when the answer has gone out or the connection has
   * ended, and never rejects. Pass the objects of node:http, not a framework's wrappers.
   */
  answer(request: IncomingMessage, response: ServerResponse, options?: NodeAnswerOptions): Promise<void>;
  /**
   * Takes the WebSocket requests for the service's paths on a server. Every other upgrade request is left to the
   * server's own listeners; without any listener it is an ordinary request, as before. Throws an Error if ws is not
   * installed.
   */
  attach(server: Server, sockets: SocketService): void;
  /**
   * Closes connections after their next answer and tells WebSocket clients that the service stops. Resolves when every
   * request is answered and every WebSocket has ended. Work that is not done after `graceMs` (default 10000) is cut
   * off. New requests are still answered: close the server as well.
   */
  drain(options?: Readonly<{ graceMs?: number }>): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/**
 * Mounts a service in an existing HTTP server of the host: node:http, Express, Fastify, Hono on Node, and any other
 * framework that exposes the objects of node:http. A body that was already read is refused with 500 -1000 and reported
 * by name, in telemetry (`mount.fault`) and in the header X-Mount-Fault. Throws a RangeError for a prefix that is not a
 * path.
 * Source: architecture, Transport-neutral service.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createNodeMount } from "managed-orders/node";
 * import type { Service } from "managed-orders/service";
 * const serve = (service: Service) => {
 *   const mount = createNodeMount({ service });
 *   const server = createServer((request, response) => {
 *     if (request.url?.startsWith("/api/")) return void mount.answer(request, response);
 *     response.writeHead(404).end();
 *   });
 *   mount.attach(server, service.sockets);
 *   return server;
 * };
 * ```
 */
export function createNodeMount({ service, prefix = "", telemetry }: NodeMountOptions): NodeMount {
  const gate = gateOf(service.traffic ?? new Traffic());
  const mount = new Mount({ service, gate, prefix: checkPrefix(prefix), telemetry });
  const attached: SocketMount[] = [];
  const takes = (request: IncomingMessage): boolean => isSocketRequest(request, prefix);
  return {
    answer: (request, response, { body } = {}) => mount.answer(request, response, { body }),
    attach(server, service) {
      const sockets = new SocketMount({ sockets: service, mount, prefix, telemetry });
      attached.push(sockets);
      serveUpgrades(server, { sockets, mount, takes });
    },
    async drain({ graceMs = DEFAULT_GRACE_MS } = {}) {
      mount.draining = true;
      for (const sockets of attached) sockets.shutdown();
      const timer = setTimeout(() => {
        for (const part of [mount, ...attached]) part.terminate();
      }, graceMs);
      await Promise.all([mount, ...attached].map((part) => part.idle()));
      clearTimeout(timer);
    },
  };
}

/** Returns whether a request asks for a WebSocket at a path of the service, below the host's prefix. */
function isSocketRequest(request: IncomingMessage, prefix: string): boolean {
  if (!asksForSocket(request) || request.url?.startsWith(`${prefix}/`) !== true) return false;
  const [path = ""] = targetOf(request, prefix).split("?", 1);
  return SOCKET_PATHS.includes(path);
}
