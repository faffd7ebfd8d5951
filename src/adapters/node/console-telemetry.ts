import { functionOption, type OptionCheck, optional, optionsOf, wordOption } from "../../common/index.ts";
import type { Telemetry } from "../../ports/index.ts";

/** Lowest level of the events that are written. */
export type TelemetryLevel = Parameters<Telemetry["event"]>[0];

/** Options of a console telemetry. */
export interface ConsoleTelemetryOptions {
  /** Default "info". */
  readonly level?: TelemetryLevel;
  /** Writes a line, which has no line break; default standard error. */
  readonly write?: (line: string) => void;
}

const LEVELS: readonly TelemetryLevel[] = ["debug", "info", "warn", "error"];

const telemetryOptions: OptionCheck = optionsOf<ConsoleTelemetryOptions>({
  level: optional(wordOption(LEVELS)),
  write: optional(functionOption("writes a line")),
});

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Creates a telemetry that writes every event as one line of JSON: time, level, event, then its fields. Throws
 * a TypeError or RangeError for an option that is unknown or wrong.
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
  const lowest = LEVELS.indexOf(level);
  return {
    event(eventLevel, event, fields) {
      if (LEVELS.indexOf(eventLevel) < lowest) return;
      write(JSON.stringify({ time: new Date().toISOString(), level: eventLevel, event, ...fields }));
    },
  };
}
