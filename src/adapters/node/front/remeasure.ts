/** Interval in milliseconds at which data that waits for its peers is measured again. */
const AGAIN_MS = 20;

/** Measures things repeatedly while data of them waits: no event reports when that data leaves. */
export class Remeasure<T> {
  readonly #again: (things: readonly T[]) => void;
  readonly #things: Set<T> = new Set();
  #planned = false;

  constructor(again: (things: readonly T[]) => void) {
    this.#again = again;
  }

  add(thing: T): void {
    this.#things.add(thing);
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(() => {
      this.#planned = false;
      const things = [...this.#things];
      this.#things.clear();
      this.#again(things);
    }, AGAIN_MS).unref();
  }
}
