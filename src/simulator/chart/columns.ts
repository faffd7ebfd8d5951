/** How values of a series become one. */
type Join<T> = (earlier: T, later: T) => T;

/** A value of a series and the time at which its column begins, in epoch milliseconds. */
export type Column<T> = Readonly<{ startMs: number; value: T }>;

/**
 * A series of values over time in a bounded number of columns of equal length. A column is a millisecond long at first.
 * When there would be too many columns, each two neighbours become one, so memory does not grow with the market.
 */
export class Columns<T> {
  readonly #startMs: number;
  readonly #most: number;
  readonly #join: Join<T>;
  #columns: { index: number; value: T }[] = [];
  #lengthMs = 1;

  /** `most` is the greatest number of columns. */
  constructor(startMs: number, { most, join }: Readonly<{ most: number; join: Join<T> }>) {
    this.#startMs = startMs;
    this.#most = most;
    this.#join = join;
  }

  /** Length of a column in milliseconds. */
  get lengthMs(): number {
    return this.#lengthMs;
  }

  /** Adds a value. A time before the last one counts as the last one. */
  add(timeMs: number, value: T): void {
    const last = this.#columns.at(-1);
    const index = Math.floor((timeMs - this.#startMs) / this.#lengthMs);
    if (last !== undefined && index <= last.index) {
      last.value = this.#join(last.value, value);
      return;
    }
    this.#columns.push({ index: Math.max(index, 0), value });
    while (this.#columns.length > this.#most) this.#halve();
  }

  /** Returns the columns that have a value, oldest first. */
  all(): readonly Column<T>[] {
    return this.#columns.map(({ index, value }) => ({
      startMs: this.#startMs + index * this.#lengthMs,
      value,
    }));
  }

  #halve(): void {
    const columns = this.#columns;
    this.#lengthMs *= 2;
    this.#columns = [];
    for (const { index, value } of columns) {
      const half = Math.floor(index / 2);
      const last = this.#columns.at(-1);
      if (last?.index === half) last.value = this.#join(last.value, value);
      else this.#columns.push({ index: half, value });
    }
  }
}
