/** A set of open items that reports when the last of them has ended. */
export class OpenSet<T> {
  readonly #open: Set<T> = new Set();
  readonly #waiting: Set<() => void> = new Set();

  add(item: T): void {
    this.#open.add(item);
  }

  delete(item: T): void {
    this.#open.delete(item);
    if (this.#open.size > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Resolves when nothing is open; immediately if nothing is. */
  async empty(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#open.values();
  }
}
