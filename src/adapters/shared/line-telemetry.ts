import type { Telemetry } from "../../ports/index.ts";

/** Levels of events, lowest first. */
export const TELEMETRY_LEVELS: readonly TelemetryEvent["level"][] = ["debug", "info", "warn", "error"];

/** Parts of a line telemetry. `level` is the lowest that is written, `later` runs a function after some milliseconds. */
type LineTelemetryParts = Readonly<{
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

/** An event of a telemetry. */
type TelemetryEvent = Readonly<{
  level: Parameters<Telemetry["event"]>[0];
  event: Parameters<Telemetry["event"]>[1];
  fields: Parameters<Telemetry["event"]>[2];
}>;

const MINUTE_MS = 60_000;

/** How many different events of one name, and how many names, are written in one minute. */
const MOST_OF_A_NAME = 10;
const MOST_NAMES = 100;
type Name = Readonly<Pick<TelemetryEvent, "level" | "event">> & {
  different: number;
  omitted: number;
};

/**
 * Folds floods of events: equal events are written once in a minute, and of one name at most ten different ones. At the
 * end of the minute, lines with `repeated` and `omitted` count the others. The memory is bounded.
 */
class FoldedEvents {
  readonly #emit: (event: TelemetryEvent) => void;
  readonly #later: (ms: number, run: () => void) => void;
  readonly #counted: Map<string, { readonly first: TelemetryEvent; repeated: number }> = new Map();
  readonly #names: Map<string, Name> = new Map();
  /** Events of names beyond the bound. */
  #others = 0;

  constructor(emit: (event: TelemetryEvent) => void, later: (ms: number, run: () => void) => void) {
    this.#emit = emit;
    this.#later = later;
  }

  /** Returns whether an event is to be written now. One that is not is counted. */
  isNew(event: TelemetryEvent): boolean {
    const key = JSON.stringify(event);
    const counted = this.#counted.get(key);
    if (counted !== undefined) counted.repeated++;
    if (counted !== undefined || !this.#hasRoom(event)) return false;
    this.#counted.set(key, { first: event, repeated: 0 });
    return true;
  }

  #hasRoom({ level, event }: TelemetryEvent): boolean {
    if (this.#names.size === 0) this.#later(MINUTE_MS, () => this.#endMinute());
    const key = `${level} ${event}`;
    const known = this.#names.get(key);
    if (known === undefined && this.#names.size >= MOST_NAMES) {
      this.#others++;
      return false;
    }
    const name = known ?? { level, event, different: 0, omitted: 0 };
    this.#names.set(key, name);
    if (name.different < MOST_OF_A_NAME) name.different++;
    else name.omitted++;
    return name.omitted === 0;
  }

  #endMinute(): void {
    const counted = [...this.#counted.values()].filter(({ repeated }) => repeated > 0);
    const names = [...this.#names.values()].filter(({ omitted }) => omitted > 0);
    const others = this.#others;
    this.#counted.clear();
    this.#names.clear();
    this.#others = 0;
    for (const { first, repeated } of counted)
      this.#emit({ ...first, fields: { ...first.fields, repeated } });
    for (const { level, event, omitted } of names) this.#emit({ level, event, fields: { omitted } });
    if (others > 0) this.#emit({ level: "warn", event: "telemetry.full", fields: { omitted: others } });
  }
}
