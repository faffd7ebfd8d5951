/** An event with its number. `text` does not have the number. */
export type LoggedLine = Readonly<{ sequence: number; text: string }>;

/** Bounds of a log: most events without a key, and most characters in all events. The caller bounds the keys. */
export type LogBounds = Readonly<{ events: number; characters: number }>;

/**
 * The newest events of one stream, for readers that come back after a break. An event with a key replaces the one
 * before it with that key: of quotes, only the newest of each market is needed.
 */
export class EventLog {
  readonly #bounds: LogBounds;
  /** The events without a key, by number. */
  readonly #texts: Map<number, string> = new Map();
  /** The newest event of each key, in order. They go last, because those who begin anew need them. */
  readonly #keyed: Map<string, LoggedLine> = new Map();
  #characters = 0;
  #last = 0;
  /** Number of the newest event that is gone without a newer one of its key. */
  #gone = 0;

  constructor(bounds: LogBounds) {
    this.#bounds = bounds;
  }

  /** Number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** Returns the number of the next event, which `retain` must be called with. */
  next(): number {
    return ++this.#last;
  }

  /** Keeps an event. */
  retain(line: LoggedLine, key?: string): void {
    if (key === undefined) this.#texts.set(line.sequence, line.text);
    else {
      this.#characters -= this.#keyed.get(key)?.text.length ?? 0;
      this.#keyed.delete(key);
      this.#keyed.set(key, line);
    }
    this.#characters += line.text.length;
    this.#shorten();
  }

  /** Records that an event could not be kept: nobody can go on from before it. */
  lose(): void {
    this.#gone = ++this.#last;
  }

  /** Returns the events after a number; undefined if some of them are gone, or the number was never given. */
  after(sequence: number): readonly LoggedLine[] | undefined {
    if (sequence < this.#gone || sequence > this.#last) return undefined;
    const unkeyed = [...this.#texts].map(([number, text]) => ({ sequence: number, text }));
    const lines = [...unkeyed, ...this.#keyed.values()].filter((line) => line.sequence > sequence);
    return lines.toSorted((a, b) => a.sequence - b.sequence);
  }

  /** Returns the newest event of each key, in order. */
  current(): readonly LoggedLine[] {
    return [...this.#keyed.values()];
  }

  #shorten(): void {
    const { events, characters } = this.#bounds;
    for (const [sequence, text] of this.#texts) {
      if (this.#texts.size <= events && this.#characters <= characters) return;
      this.#texts.delete(sequence);
      this.#dropped({ sequence, text });
    }
    for (const [key, line] of this.#keyed) {
      if (this.#characters <= characters) return;
      this.#keyed.delete(key);
      this.#dropped(line);
    }
  }

  #dropped({ sequence, text }: LoggedLine): void {
    this.#characters -= text.length;
    this.#gone = Math.max(this.#gone, sequence);
  }
}
