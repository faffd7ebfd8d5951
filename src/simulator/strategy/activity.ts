import { isAwaited } from "../../common/index.ts";
import type { Quote } from "../../model/index.ts";

/** Calls and answers at one time after which a strategy counts as endless. */
const MOST_EVENTS = 10_000;

/** Counts what a strategy does, so that time moves on only after the strategy has come to rest. */
export class Activity {
  /** Calls of the strategy and answers to it so far. */
  events = 0;
  /** Value of `events` when the strategy last came to rest. */
  restedAt = 0;
  /** Whether code of the strategy ran whose promises may not have settled yet. */
  isFresh = false;
  /** Whether code other than a listener for quotes ran since the last whole turn of the event loop. */
  needsTurn = false;
  /** Promises that the strategy returned and that have not settled. */
  open = 0;
  /** The first error that the strategy threw, if any. */
  failure: Readonly<{ error: unknown }> | undefined;
  readonly #quoteListeners: Set<(quote: Quote) => unknown> = new Set();

  /** Whether the strategy can do nothing more without time. */
  get isAtRest(): boolean {
    return !this.isFresh && !this.needsTurn && this.open === 0 && this.events === this.restedAt;
  }

  /** Runs code of the strategy. An error ends the simulation. */
  run(code: () => unknown): void {
    this.needsTurn = true;
    this.#listen(code);
  }

  /**
   * Runs a listener for quotes. After it, no whole turn of the event loop is waited for, because a market has millions
   * of quotes: a listener that goes on after many promises returns its promise.
   */
  #listen(code: () => unknown): void {
    this.isFresh = true;
    try {
      const result = code();
      if (isAwaited(result)) this.#follow(result);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Calls a listener for every quote until the returned function is called. The simulation tells the quotes itself, after
   * the venue has them: a listener of the engine would count as activity, and the engine would search for rest after every
   * quote of the market.
   */
  onQuote(listener: (quote: Quote) => unknown): () => void {
    // The same function may be given twice.
    const own = (quote: Quote): unknown => listener(quote);
    this.#quoteListeners.add(own);
    return () => void this.#quoteListeners.delete(own);
  }

  /** Calls the listeners for quotes. */
  quoted(quote: Quote): void {
    if (this.#quoteListeners.size === 0) return;
    for (const listener of [...this.#quoteListeners]) this.#listen(() => listener(quote));
  }

  /** Remembers the first error. */
  fail(error: unknown): void {
    this.failure ??= { error };
  }

  /** Returns an object whose calls and answers are counted. */
  watched<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== "function") return value;
        return (...given: unknown[]): unknown => {
          this.#refuseEndless();
          return this.#counted(Reflect.apply(value, object, given));
        };
      },
    });
  }

  /** A strategy that reacts to its own orders without end would never let time move on. */
  #refuseEndless(): void {
    if (this.events - this.restedAt < MOST_EVENTS) return;
    const error = new Error(
      `the strategy does not come to rest: it made ${MOST_EVENTS / 2} calls without waiting for time or a quote`,
    );
    this.fail(error);
    throw error;
  }

  #counted(result: unknown): unknown {
    this.events += 1;
    if (!isAwaited(result)) return result;
    const answered = (): void => {
      this.events += 1;
    };
    result.then(answered, answered);
    return result;
  }

  #follow(result: PromiseLike<unknown>): void {
    this.open += 1;
    result.then(
      () => {
        this.open -= 1;
      },
      (error: unknown) => {
        this.open -= 1;
        this.fail(error);
      },
    );
  }
}
