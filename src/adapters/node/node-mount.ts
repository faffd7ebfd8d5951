import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type OptionCheck, optionalOption, optionsOf, textOption } from "../../common/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import { telemetryOption } from "../../ports/internal.ts";
import type { Service, SocketService } from "../../service/index.ts";
import { QuietTelemetry, Traffic } from "../../service/internal.ts";
import { Connections, gateOf } from "./connections.ts";
import { createDefaultTelemetry } from "./console-telemetry.ts";
import {
  type FastifyMountPlugin,
  fastifyPluginOf,
  type HonoMountHandler,
  honoHandlerOf,
  middlewareOf,
  type NodeMiddleware,
} from "./frameworks.ts";
import { isPrefix, ServicePaths } from "./incoming.ts";
import { Mount } from "./mount.ts";
import { DEFAULT_GRACE_MS, graceOption, serviceOption } from "./server-api.ts";
import { SocketMount } from "./socket-server.ts";

/** Dependencies and settings of a mount. */
export interface NodeMountOptions {
  readonly service: Pick<Service, "handle" | "traffic" | "documents" | "reportTo">;
  /**
   * A path of the host in front of the service's paths, for REST and WebSocket, such as `/trading`. The mount removes
   * it from the path. A framework may also remove it before the mount. Default none.
   */
  readonly prefix?: string;
  /**
   * Also told the warnings and errors of a service and an engine that have no telemetry. Default: warnings and errors on
   * standard error, as `createConsoleTelemetry({ level: "warn" })` writes them.
   */
  readonly telemetry?: Telemetry;
}

/** Options for answering one request. */
export interface NodeAnswerOptions {
  /**
   * The bytes of the body, if the host has read and kept them. Without this option, the mount reads the body from the
   * connection, or takes it from `request.rawBody`.
   */
  readonly body?: Uint8Array | undefined;
}

/** A service mounted in the host's own HTTP server. */
export interface NodeMount {
  /**
   * Answers a request with the service, byte for byte. Resolves when the answer was sent or the connection has ended,
   * and never rejects. Pass the objects of node:http, not a framework's wrappers.
   */
  answer(request: IncomingMessage, response: ServerResponse, options?: NodeAnswerOptions): Promise<void>;
  /**
   * Returns middleware for Express and connect. It answers the requests for the service's paths and passes on all
   * others. Use it before every body parser.
   *
   * @example
   * ```ts
   * import express from "express";
   * import type { NodeMount } from "managed-orders/node";
   * const app = (mount: NodeMount) => express().use(mount.middleware()).use(express.json());
   * ```
   */
  middleware(): NodeMiddleware;
  /**
   * Returns a plugin for Fastify. It answers the requests for the service's paths before Fastify parses their bodies.
   * It rejects with a RangeError if it is registered below a prefix that the mount does not have.
   *
   * @example
   * ```ts
   * import { fastify } from "fastify";
   * import type { NodeMount } from "managed-orders/node";
   * const app = (mount: NodeMount) => fastify().register(mount.fastifyPlugin());
   * ```
   */
  fastifyPlugin(): FastifyMountPlugin;
  /**
   * Returns a handler for Hono on `@hono/node-server`. It answers the requests for the service's paths and passes on
   * all others. On another server it rejects with a TypeError. Use it before middleware that reads the body.
   *
   * @example
   * ```ts
   * import { Hono } from "hono";
   * import type { NodeMount } from "managed-orders/node";
   * const app = (mount: NodeMount) => new Hono().use(mount.honoHandler());
   * ```
   */
  honoHandler(): HonoMountHandler;
  /**
   * Handles the WebSocket requests for the service's paths on a server. The mount leaves every other upgrade request to
   * the server's own listeners; if there is none, the server treats such a request as an ordinary request, as it does
   * without a mount. Throws an Error if ws is not installed.
   */
  attach(server: Server, sockets: SocketService): void;
  /**
   * Closes connections after their next answer and tells WebSocket clients that the service stops. Resolves when every
   * request is answered and every WebSocket has ended. Work that is not done after `graceMs` (default 10000) is cut
   * off. New requests are still answered: close the server as well. The engine's warnings are no longer reported.
   */
  drain(options?: Readonly<{ graceMs?: number }>): Promise<void>;
}

const mountOption: OptionCheck = optionsOf<NodeMountOptions>({
  service: serviceOption,
  prefix: optionalOption(textOption("empty or a path such as /trading, without a trailing slash", isPrefix)),
  telemetry: optionalOption(telemetryOption),
});

/**
 * Mounts a service in an existing HTTP server of the host: node:http, Express, Fastify, Hono on Node, and any other
 * framework that exposes the objects of node:http. A body that was already read, and whose bytes were not kept in
 * `request.rawBody`, is refused with 500 -1000 and reported by name, in telemetry (`mount.fault`) and in the header
 * X-Mount-Fault. Throws a TypeError or RangeError that names an option that is missing, unknown or wrong. Source:
 *.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createNodeMount } from "managed-orders/node";
 * import type { Service } from "managed-orders/service";
 * const serve = (service: Service) => {
 *   const mount = createNodeMount({ service });
 *   const server = createServer((request, response) => {
 *     if (/^\/(compat\/)?api\//.test(request.url ?? "")) return void mount.answer(request, response);
 *     response.writeHead(404).end();
 *   });
 *   mount.attach(server, service.sockets);
 *   return server;
 * };
 * ```
 */
export function createNodeMount(options: NodeMountOptions): NodeMount {
  mountOption(options, "createNodeMount");
  const { service, prefix } = options;
  // A telemetry that throws must not end the process.
  const telemetry = new QuietTelemetry(options.telemetry ?? createDefaultTelemetry());
  const connections = new Connections(gateOf(service.traffic ?? new Traffic()));
  const paths = new ServicePaths({ prefix, documents: service.documents });
  const mount = new Mount({ service, connections, paths, telemetry });
  const attached: SocketMount[] = [];
  const endReports = service.reportTo?.(telemetry);
  const answer: NodeMount["answer"] = (request, response, { body } = {}) =>
    mount.answer(request, response, { body });
  const parts = { paths, answer };
  return {
    answer,
    middleware: () => middlewareOf(parts),
    fastifyPlugin: () => fastifyPluginOf(parts),
    honoHandler: () => honoHandlerOf(parts),
    attach(server, service) {
      const sockets = new SocketMount({ sockets: service, connections, paths, telemetry });
      attached.push(sockets);
      sockets.serveUpgrades(server, (request) => paths.hasSocket(request));
    },
    async drain(options = {}) {
      graceOption(options, "drain");
      const { graceMs = DEFAULT_GRACE_MS } = options;
      mount.draining = true;
      for (const sockets of attached) sockets.shutdown();
      const draining = [connections, ...attached];
      const timer = setTimeout(() => {
        for (const part of draining) part.terminate();
      }, graceMs);
      await Promise.all(draining.map((part) => part.idle()));
      clearTimeout(timer);
      endReports?.();
    },
  };
}
