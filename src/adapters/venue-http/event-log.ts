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
  readonly #texts: Map<number, string> = new Map();
  /** The newest event of each key. They go last, because those who begin anew need them. */
  readonly #keyed: Map<number, Readonly<{ text: string; key: string }>> = new Map();
  readonly #byKey: Map<string, number> = new Map();
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

  /** Returns the number of the next event, which `keep` must be called with. */
  next(): number {
    return ++this.#last;
  }

  /** Keeps an event. */
  keep({ sequence, text }: LoggedLine, key?: string): void {
    const before = key === undefined ? undefined : this.#byKey.get(key);
    if (before !== undefined) this.#remove(before);
    if (key === undefined) this.#texts.set(sequence, text);
    else {
      this.#keyed.set(sequence, { text, key });
      this.#byKey.set(key, sequence);
    }
    this.#characters += text.length;
    this.#shorten();
  }

  /** Records that an event could not be kept: nobody can go on from before it. */
  lose(): void {
    this.#gone = ++this.#last;
  }

  /** Returns the events after a number; undefined if some of them are gone, or the number was never given. */
  after(sequence: number): readonly LoggedLine[] | undefined {
    if (sequence < this.#gone || sequence > this.#last) return undefined;
    const lines: LoggedLine[] = [];
    for (const [number, text] of this.#texts) if (number > sequence) lines.push({ sequence: number, text });
    for (const [number, { text }] of this.#keyed)
      if (number > sequence) lines.push({ sequence: number, text });
    return lines.toSorted((a, b) => a.sequence - b.sequence);
  }

  /** Returns the newest event of each key, in order. */
  current(): readonly LoggedLine[] {
    const newest = [...this.#byKey.values()].toSorted((a, b) => a - b);
    return newest.map((sequence) => ({ sequence, text: this.#keyed.get(sequence)?.text ?? "" }));
  }

  #shorten(): void {
    const { events, characters } = this.#bounds;
    for (const sequence of this.#texts.keys()) {
      if (this.#texts.size <= events && this.#characters <= characters) return;
      this.#drop(sequence);
    }
    for (const sequence of this.#keyed.keys()) {
      if (this.#characters <= characters) return;
      this.#drop(sequence);
    }
  }

  #drop(sequence: number): void {
    this.#remove(sequence);
    this.#gone = Math.max(this.#gone, sequence);
  }

  #remove(sequence: number): void {
    const keyed = this.#keyed.get(sequence);
    this.#characters -= (keyed?.text ?? this.#texts.get(sequence) ?? "").length;
    this.#texts.delete(sequence);
    this.#keyed.delete(sequence);
    if (keyed !== undefined) this.#byKey.delete(keyed.key);
  }
}
