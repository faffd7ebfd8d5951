import type { Instruments } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";

/** How long a symbol is not asked for after the host could not tell. */
const PAUSE_MS = 1_000;

/** Symbols of which that is remembered. */
const MOST_FAILED = 1_000;

/**
 * Which instruments the host has now, for symbols without a market and for those without quotes. After a failure a symbol is
 * asked for again a second later: a source may quote it thousands of times a second, and the operator is told of each failure.
 */
export class ListedInstruments {
  readonly #core: Pick<Core, "monotonicMs">;
  readonly #instruments: Pick<Instruments, "find">;
  /** By symbol, when it is asked for again. */
  readonly #pausedUntilMs: Map<string, number> = new Map();

  constructor(core: Pick<Core, "monotonicMs">, instruments: Pick<Instruments, "find">) {
    this.#core = core;
    this.#instruments = instruments;
  }

  /** Returns whether the host has an instrument. If it cannot tell, the answer is no. */
  has(symbol: string): boolean {
    return this.#isListed(symbol) === true;
  }

  /** Returns whether the host is known to have an instrument no more. If it cannot tell, the answer is no. */
  hasWithdrawn(symbol: string): boolean {
    return this.#isListed(symbol) === false;
  }

  /** Returns whether the host has an instrument; undefined if it cannot tell, or could not a moment ago. */
  #isListed(symbol: string): boolean | undefined {
    const untilMs = this.#pausedUntilMs.get(symbol);
    if (untilMs !== undefined && this.#core.monotonicMs() < untilMs) return undefined;
    try {
      const isListed = this.#instruments.find(symbol) !== undefined;
      this.#pausedUntilMs.delete(symbol);
      return isListed;
    } catch {
      if (this.#pausedUntilMs.size >= MOST_FAILED) this.#pausedUntilMs.clear();
      this.#pausedUntilMs.set(symbol, this.#core.monotonicMs() + PAUSE_MS);
      return undefined;
    }
  }
}
