import type { PricedPrint } from "../../model/index.ts";

const NONE: ReadonlyMap<string, PricedPrint> = new Map();

/**
 * Counted prints that are not known to be stored, in the order in which they were counted. An engine that writes the market
 * journal appends them. Any other waits until it reads them in the store, and has them ready in case it becomes the writer
 * (decision XP).
 */
export class PendingPrints {
  readonly #most: number;
  readonly #all: Set<PricedPrint> = new Set();
  readonly #bySymbol: Map<string, Map<string, PricedPrint>> = new Map();
  /** Those that no append has taken yet. Some may have been read in the store since. */
  #due: PricedPrint[] = [];
  /** Those that an append has taken since this engine last began to write. */
  readonly #taken: Set<PricedPrint> = new Set();
  #writes = true;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether this engine writes the market journal. */
  get writes(): boolean {
    return this.#writes;
  }

  /** Whether as many prints wait as may. */
  get isFull(): boolean {
    return this.#all.size >= this.#most;
  }

  /** Whether there are prints to append. */
  get hasDue(): boolean {
    return this.#due.length > 0;
  }

  get oldest(): PricedPrint | undefined {
    return this.#all.values().next().value;
  }

  add(print: PricedPrint): void {
    const { symbol, id } = print;
    this.#all.add(print);
    const ofSymbol = this.#bySymbol.get(symbol) ?? new Map<string, PricedPrint>();
    this.#bySymbol.set(symbol, ofSymbol.set(id, print));
    if (this.#writes) this.#due.push(print);
  }

  /** Returns the prints of a symbol by id, in the order in which they were counted. */
  of(symbol: string): ReadonlyMap<string, PricedPrint> {
    return this.#bySymbol.get(symbol) ?? NONE;
  }

  /** Removes a print. */
  remove(print: PricedPrint): void {
    this.#all.delete(print);
    this.#bySymbol.get(print.symbol)?.delete(print.id);
    this.#taken.delete(print);
  }

  /** Returns the prints that were counted since the last call, for an append. Its end is told by `stored` or `requeue`. */
  take(): readonly PricedPrint[] {
    const prints = this.#due.filter((print) => this.#all.has(print));
    this.#due = [];
    for (const print of prints) this.#taken.add(print);
    return prints;
  }

  /**
   * Returns those prints of an append that was kept which still wait. What an append kept of the prints that it took before
   * the engine last stopped to write is not known: the market journal may have had another owner by then.
   */
  stored(prints: readonly PricedPrint[]): readonly PricedPrint[] {
    return prints.filter((print) => this.#taken.has(print));
  }

  /** Appends the prints of an append again that was not kept, before all others. */
  requeue(prints: readonly PricedPrint[]): void {
    this.#due = [...this.stored(prints), ...this.#due];
  }

  /** Appends all prints from now on, also those that wait. */
  startWriting(): void {
    this.#writes = true;
    this.#due = [...this.#all];
  }

  /** Appends none any more. Those of an append under way wait as well: the store tells whether it has them. */
  stopWriting(): void {
    this.#writes = false;
    this.#due = [];
    this.#taken.clear();
  }
}
