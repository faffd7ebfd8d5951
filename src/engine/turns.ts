import type { Clock } from "../ports/index.ts";

/** What work off the path of orders may take of a turn, in about microseconds. */
const SHARE = 4_000;

/** What one of each costs, in about microseconds on a common machine. */
export const COSTS: Readonly<Record<"read" | "remember" | "arm" | "visit", number>> = {
  /** A record or parent read from the store. */
  read: 8,
  /** A parent put into memory. */
  remember: 2,
  /** A parent armed, or looked at for a child to look up. */
  arm: 2,
  /** An open parent looked at. */
  visit: 0.25,
};

/**
 * Cuts work that nobody waits for into slices, with a turn of the event loop in between, so that what orders need goes
 * on. Work is counted, not timed: the same work is cut in the same places on every machine.
 */
export class Turns {
  readonly #clock: Pick<Clock, "soon">;
  readonly #share: number;
  #left: number;

  constructor(clock: Pick<Clock, "soon">, share: number = SHARE) {
    this.#clock = clock;
    this.#share = share;
    this.#left = share;
  }

  /** Work was done; a promise, when the share of this turn is used up, that resolves in the next. */
  spend(cost: number): Promise<void> | undefined {
    this.#left -= cost;
    return this.#left > 0 ? undefined : this.next();
  }

  /** Resolves in the next turn. */
  next(): Promise<void> {
    this.#left = this.#share;
    return new Promise((resolve) => this.#clock.soon(resolve));
  }
}
