/** Whether one goes before another; false both ways for none that are different. */
export type Before<T> = (a: T, b: T) => boolean;

/** Things that one step moves: about as much work as one touch of a heap. */
const PER_STEP = 16;

/**
 * Puts things in order, some a step, however many there are. They come in runs that are in order already (a heap yields
 * such), and runs are merged two by two; with a single run nothing is left to do.
 */
export class IncrementalSort<T> {
  readonly #before: Before<T>;
  /** In order each. */
  #runs: T[][] = [];
  /** Those that this pass has merged. */
  #merged: T[][] = [];
  #at = { pair: 0, left: 0, right: 0 };

  constructor(before: Before<T>) {
    this.#before = before;
  }

  /** Takes in one more, before the first step. */
  add(one: T): void {
    const run = this.#runs.at(-1);
    const last = run?.at(-1);
    if (run === undefined || last === undefined || this.#before(one, last)) this.#runs.push([one]);
    else run.push(one);
  }

  /** Moves some things; false when all were in order. */
  step(): boolean {
    if (this.#runs.length < 2) return false;
    for (let moves = 0; moves < PER_STEP && this.#runs.length > 1; moves++) this.#move();
    return true;
  }

  /** All, in order once {@link step} has said so. */
  get inOrder(): readonly T[] {
    return this.#runs[0] ?? [];
  }

  #move(): void {
    const { pair, left, right } = this.#at;
    const into = this.#merged[pair / 2] ?? this.#begin();
    const [a, b] = [this.#runs[pair]?.[left], this.#runs[pair + 1]?.[right]];
    if (b !== undefined && (a === undefined || this.#before(b, a))) {
      into.push(b);
      this.#at.right++;
    } else if (a !== undefined) {
      into.push(a);
      this.#at.left++;
    } else this.#endPair();
  }

  #begin(): T[] {
    const into: T[] = [];
    this.#merged.push(into);
    return into;
  }

  #endPair(): void {
    this.#at = { pair: this.#at.pair + 2, left: 0, right: 0 };
    if (this.#at.pair < this.#runs.length) return;
    this.#runs = this.#merged;
    this.#merged = [];
    this.#at.pair = 0;
  }
}
