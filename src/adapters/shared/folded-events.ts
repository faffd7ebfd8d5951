import type { Telemetry } from "../../ports/index.ts";

/** An event of a telemetry. */
export type TelemetryEvent = Readonly<{
  level: Parameters<Telemetry["event"]>[0];
  event: Parameters<Telemetry["event"]>[1];
  fields: Parameters<Telemetry["event"]>[2];
}>;

const MINUTE_MS = 60_000;

/** How many different events of one name, and how many names, are written in one minute. */
const MOST_OF_A_NAME = 10;
const MOST_NAMES = 100;

type Counted = { readonly first: TelemetryEvent; repeated: number };
type Name = Readonly<Pick<TelemetryEvent, "level" | "event">> & {
  different: number;
  omitted: number;
};

/**
 * Folds floods of events: equal events are written once in a minute, and of one name at most ten different ones. At the
 * end of the minute, lines with `repeated` and `omitted` count the others. The memory is bounded.
 */
export class FoldedEvents {
  readonly #emit: (event: TelemetryEvent) => void;
  readonly #later: (ms: number, run: () => void) => void;
  readonly #counted: Map<string, Counted> = new Map();
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
