/** How soon what waits for its peers to read it is looked at again. */
const AGAIN_MS = 20;

/** Things of which something waits that goes without a word: they are looked at again now and then. */
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
