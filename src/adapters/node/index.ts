/**
 * What a host on Node.js needs: an HTTP server for the service, clock, randomness and telemetry of the machine.
 *
 * @packageDocumentation
 */
export {
  type ConsoleTelemetryOptions,
  createConsoleTelemetry,
  type TelemetryLevel,
} from "./console-telemetry.ts";
export { createEntropy } from "./entropy.ts";
export {
  createNodeServer,
  type ListenAddress,
  type NodeServer,
  type NodeServerLimits,
  type NodeServerOptions,
} from "./node-server.ts";
export { createSystemClock } from "./system-clock.ts";
