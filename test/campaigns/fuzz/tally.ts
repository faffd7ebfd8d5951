/** Counts by name. */
export class Tally {
  readonly #counts: Map<string, number> = new Map();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** All of them, the most frequent first. */
  rows(): readonly (readonly [name: string, count: number])[] {
    return [...this.#counts].toSorted(([, a], [, b]) => b - a);
  }

  /** All of them in one line. */
  line(): string {
    return this.rows()
      .map(([name, count]) => `${name}: ${count.toLocaleString("en-US")}`)
      .join(", ");
  }
}
