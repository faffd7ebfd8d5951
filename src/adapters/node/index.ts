/**
 * Parts for a host on Node.js: an HTTP server for the service or a mount in the host's own server, and the machine's
 * clock, randomness and telemetry.
 *
 * @module managed-orders/node
 */
export {
  type ConsoleTelemetryOptions,
  createConsoleTelemetry,
  type TelemetryLevel,
} from "./console-telemetry.ts";
export type {
  FastifyMountHook,
  FastifyMountPlugin,
  FastifyMountScope,
  HonoMountContext,
  HonoMountHandler,
  NodeMiddleware,
} from "./frameworks.ts";
export { createEntropy, createSystemClock } from "./machine.ts";
export {
  createNodeMount,
  type NodeAnswerOptions,
  type NodeMount,
  type NodeMountOptions,
} from "./node-mount.ts";
export { createNodeServer, type NodeServerOptions } from "./node-server.ts";
export { type ProbeMountOptions, probeMount } from "./probe-mount.ts";
export type { ListenAddress, NodeServer, NodeServerLimits } from "./server-api.ts";
