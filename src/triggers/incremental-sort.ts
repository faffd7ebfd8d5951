/** Returns whether one item goes before another. Returns false both ways for equal items. */
export type Before<T> = (a: T, b: T) => boolean;

/** Items that one step moves. This is about as much work as one touch of a heap. */
const PER_STEP = 16;

/**
 * Sorts items in steps of bounded work, however many there are. Items arrive in runs that are sorted already (a heap
 * yields such runs), and runs are merged in pairs. A single run needs no work.
 */
export class IncrementalSort<T> {
  readonly #before: Before<T>;
  /** Runs, each sorted. */
  #runs: T[][] = [];
  /** Runs that this pass has merged. */
  #merged: T[][] = [];
  #at = { pair: 0, left: 0, right: 0 };

  constructor(before: Before<T>) {
    this.#before = before;
  }

  /** Adds an item. Call it before the first step only. */
  add(one: T): void {
    const run = this.#runs.at(-1);
    const last = run?.at(-1);
    if (run === undefined || last === undefined || this.#before(one, last)) this.#runs.push([one]);
    else run.push(one);
  }

  /** Moves some items. Returns false when all were in order. */
  step(): boolean {
    if (this.#runs.length < 2) return false;
    for (let moves = 0; moves < PER_STEP && this.#runs.length > 1; moves++) this.#move();
    return true;
  }

  /** All items, sorted once {@link step} has returned false. */
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
