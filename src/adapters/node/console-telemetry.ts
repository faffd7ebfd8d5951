import {
  functionOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wordOption,
} from "../../common/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import { createLineTelemetry, TELEMETRY_LEVELS, toStandardError } from "../shared/index.ts";

/** Lowest level of the events that are written. */
export type TelemetryLevel = Parameters<Telemetry["event"]>[0];

/** Options of a console telemetry. */
export interface ConsoleTelemetryOptions {
  /** Default "info". */
  readonly level?: TelemetryLevel;
  /** Writes a line, which has no line break; default standard error. */
  readonly write?: (line: string) => void;
}

const telemetryOptions: OptionCheck = optionsOf<ConsoleTelemetryOptions>({
  level: optionalOption(wordOption(TELEMETRY_LEVELS)),
  write: optionalOption(functionOption("writes a line")),
});

/**
 * Creates a telemetry that writes every event as one line of JSON: time, level, event, then its fields. Equal warnings and
 * errors are written once per minute. At most ten different warnings and errors with the same event name are written per
 * minute. Lines at the end of the minute count those that were not written: `repeated` the equal ones, `omitted` the
 * different ones. Throws a TypeError or RangeError for an option that is unknown or wrong.
 *
 * @example
 * ```ts
 * import { createConsoleTelemetry } from "managed-orders/node";
 * const lines: string[] = [];
 * const telemetry = createConsoleTelemetry({ write: (line) => lines.push(line) });
 * telemetry.event("warn", "order.alert", { orderId: -256 });
 * console.log(lines[0]?.includes('"event":"order.alert","orderId":-256')); // true
 * ```
 */
export function createConsoleTelemetry(options: ConsoleTelemetryOptions = {}): Telemetry {
  telemetryOptions(options, "createConsoleTelemetry");
  const { level = "info", write = toStandardError } = options;
  const later = (ms: number, run: () => void): void => void setTimeout(run, ms).unref();
  return createLineTelemetry({ level, write, nowMs: () => Date.now(), later });
}

/** Creates the telemetry of a server or mount whose host brings none. */
export const createDefaultTelemetry = (): Telemetry => createConsoleTelemetry({ level: "warn" });
