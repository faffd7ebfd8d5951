import type { Quote } from "../../model/index.ts";
import type { Activity } from "./activity.ts";

/**
 * Listeners of a strategy for quotes. The simulation calls them itself, after the venue has the quote: a listener of the
 * engine would count as activity, and the engine would search for rest after every quote of the market.
 */
export class QuoteListeners {
  readonly #activity: Activity;
  readonly #listeners: Set<(quote: Quote) => unknown> = new Set();

  constructor(activity: Activity) {
    this.#activity = activity;
  }

  /** Calls a listener for every quote until the returned function is called. */
  on(listener: (quote: Quote) => unknown): () => void {
    // The same function may be given twice.
    const own = (quote: Quote): unknown => listener(quote);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Calls the listeners. */
  notify(quote: Quote): void {
    if (this.#listeners.size === 0) return;
    for (const listener of [...this.#listeners]) this.#activity.listen(() => listener(quote));
  }
}
