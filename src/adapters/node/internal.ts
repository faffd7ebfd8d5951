/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { OpenSet } from "./connections.ts";
export { createDefaultTelemetry } from "./console-telemetry.ts";
export { MOST_THREADS } from "./front/fronts.ts";
export { listen } from "./listen.ts";
export { refusal } from "./refusals.ts";
export { addressOption, DEFAULT_GRACE_MS, graceOption } from "./server-api.ts";
