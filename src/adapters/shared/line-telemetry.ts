import type { Telemetry } from "../../ports/index.ts";
import { FoldedEvents, type TelemetryEvent } from "./folded-events.ts";

/** Levels of events, lowest first. */
export const TELEMETRY_LEVELS: readonly TelemetryEvent["level"][] = ["debug", "info", "warn", "error"];

/** Parts of a line telemetry. `level` is the lowest that is written, `later` runs a function after some milliseconds. */
export type LineTelemetryParts = Readonly<{
  level: TelemetryEvent["level"];
  write: (line: string) => void;
  nowMs: () => number;
  later: (ms: number, run: () => void) => void;
}>;

/** Characters that JSON leaves as they are, and that a terminal obeys or hides. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the same JSON in which they are escaped: the text of a field may come from a venue or a store. */
const visible = (json: string): string =>
  json.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_none, at) => escaped(character.charCodeAt(at))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

/** Creates a telemetry that writes every event as one line of JSON. Floods of warnings and errors are folded. */
export function createLineTelemetry({ level: least, write, nowMs, later }: LineTelemetryParts): Telemetry {
  const lowest = TELEMETRY_LEVELS.indexOf(least);
  const emit = ({ level, event, fields }: TelemetryEvent): void =>
    write(visible(JSON.stringify({ time: new Date(nowMs()).toISOString(), level, event, ...fields })));
  const folded = new FoldedEvents(emit, later);
  return {
    event(level, event, fields) {
      if (TELEMETRY_LEVELS.indexOf(level) < lowest) return;
      const isProblem = level === "warn" || level === "error";
      if (!isProblem || folded.isNew({ level, event, fields })) emit({ level, event, fields });
    },
  };
}

/**
 * Writes a line to standard error, or to the console of a browser. Does nothing where there is no console. The console
 * ignores that standard error is closed; writing to the stream itself would end the process.
 */
export function toStandardError(line: string): void {
  globalThis.console?.error(line);
}
