/** Functions that are called with each value. */
export class Listeners<T> {
  readonly #all: Set<(value: T) => void> = new Set();

  /** Adds a function. Each call counts, also one with the same function. The returned function removes it. */
  add(listener: (value: T) => void): () => void {
    const own = (value: T): void => listener(value);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /** Removes all of them. */
  clear(): void {
    this.#all.clear();
  }

  /**
   * Calls those that are there now. The error of a listener is nobody's here: it becomes an unhandled rejection. To pass it
   * on would keep the value from the others, and break the connection of a platform that does not expect it.
   */
  notify(value: T): void {
    for (const listener of [...this.#all]) {
      if (!this.#all.has(listener)) continue;
      try {
        listener(value);
      } catch (error) {
        void Promise.reject(error);
      }
    }
  }
}
