import { type OptionCheck, optionalOption, optionsOf, wholeOption } from "../../common/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import { telemetryOption } from "../../ports/internal.ts";
import type { Service, SocketService } from "../../service/index.ts";
import { QuietTelemetry, Traffic } from "../../service/internal.ts";
import { programOption } from "../threads/index.ts";
import { gateOf } from "./connections.ts";
import { createDefaultTelemetry } from "./console-telemetry.ts";
import { createFronts, type FrontsParts, MOST_THREADS } from "./front/fronts.ts";
import { listen } from "./listen.ts";
import {
  DEFAULT_GRACE_MS,
  graceOption,
  limitsOption,
  type NodeServer,
  type NodeServerLimits,
  resolveLimits,
  serviceOption,
  socketsOption,
} from "./server-api.ts";
import { createTransport, type ListeningTransport } from "./transport.ts";

/** Dependencies and settings of a server. */
export interface NodeServerOptions {
  readonly service: Pick<Service, "handle" | "traffic" | "reportTo">;
  /** The service's WebSocket interface, which needs the package ws. Without it the server has REST only. */
  readonly sockets?: SocketService;
  readonly limits?: NodeServerLimits;
  /**
   * Also told the warnings and errors of a service and an engine that have no telemetry. Default: warnings and errors on
   * standard error, as `createConsoleTelemetry({ level: "warn" })` writes them.
   */
  readonly telemetry?: Telemetry;
  /**
   * Number of threads that do the work before and after the service: HTTP, WebSocket, signatures, parsing, writing.
   * Default 0: everything runs in this thread. It pays off with many placements per second and at least one core more
   * than threads. Not available on Windows.
   */
  readonly frontThreads?: number;
  /**
   * The program of a front thread; default the package's own. Set it if you bundle the package into one file, to a
   * bundle of `managed-orders/dist/adapters/node/front/thread.js`.
   */
  readonly frontProgram?: URL;
}

const serverOption: OptionCheck = optionsOf<NodeServerOptions>({
  service: serviceOption,
  sockets: optionalOption(socketsOption),
  limits: optionalOption(limitsOption),
  telemetry: optionalOption(telemetryOption),
  frontThreads: optionalOption(wholeOption({ from: 0, to: MOST_THREADS })),
  frontProgram: optionalOption(programOption),
});

/**
 * Creates a node:http server for a service. Targets, headers and bodies reach the service byte for byte. Input that is too
 * slow, too large or not HTTP is answered in the shape of the service's errors and closes its connection. Throws an Error
 * that names the install command if there are sockets and ws is not installed, and a TypeError or RangeError that names an
 * option that is missing, unknown or wrong. Source: hostile inputs 48-54 and 94.
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
  serverOption(options, "createNodeServer");
  const { service, frontThreads = 0, limits, ...rest } = options;
  // A telemetry that throws must not end the process.
  const telemetry = new QuietTelemetry(options.telemetry ?? createDefaultTelemetry());
  const traffic = service.traffic ?? new Traffic();
  const parts = { ...rest, service, traffic, limits: resolveLimits(limits), telemetry };
  const { close: end, ...server } =
    frontThreads === 0 ? inThisThread(parts) : createFronts(parts, frontThreads);
  const endReports = service.reportTo?.(telemetry);
  const close: NodeServer["close"] = async (options = {}) => {
    graceOption(options, "close");
    try {
      await end(options.graceMs ?? DEFAULT_GRACE_MS);
    } finally {
      endReports?.();
    }
  };
  return { ...server, close, [Symbol.asyncDispose]: () => close() };
}

function inThisThread(parts: FrontsParts): ListeningTransport {
  const transport = createTransport({ ...parts, gate: gateOf(parts.traffic) });
  return { ...transport, listen: (address) => listen(transport.server, address, parts.limits.backlog) };
}
