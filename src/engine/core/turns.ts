import type { Clock } from "../../ports/index.ts";
import { Fifo } from "./fifo.ts";

/** Share of a turn that work off the path of orders may take, in approximate microseconds. */
const SHARE = 4_000;

/** Cost of one unit of each kind of work, in approximate microseconds on a common machine. */
export const COSTS: Readonly<
  Record<"read" | "remember" | "arm" | "visit" | "hash" | "name" | "filter", number>
> = {
  /** A record or parent read from the store. */
  read: 8,
  /** A parent put into memory. */
  remember: 3,
  /** A parent armed, or checked for a child to look up. */
  arm: 4,
  /** A parent encoded and hashed. */
  hash: 8,
  /** An open parent visited. */
  visit: 0.25,
  /** A name of an ended parent read from the store. */
  name: 1.5,
  /** A client id put into the filter. */
  filter: 1,
};

/**
 * Cuts background work that no caller waits for into slices, with a turn of the event loop in between, so that the
 * work of orders continues. Work is counted, not timed: the same work is cut in the same places on every machine.
 */
export class WorkTurns {
  readonly #clock: Pick<Clock, "soon">;
  readonly #share: number;
  #left: number;
  /** Callers that wait for a share of a turn. */
  readonly #waiting: Fifo<() => void> = new Fifo();

  constructor(clock: Pick<Clock, "soon">, share: number = SHARE) {
    this.#clock = clock;
    this.#share = share;
    this.#left = share;
  }

  /**
   * Counts done work. Returns undefined while the share of this turn lasts. After that, returns a promise that
   * resolves when the caller may continue; each turn lets one caller continue.
   */
  spend(cost: number): Promise<void> | undefined {
    this.#left -= cost;
    if (this.#left > 0) return undefined;
    if (this.#waiting.size === 0) this.#clock.soon(() => this.#renew());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves in the next turn. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#clock.soon(resolve));
  }

  #renew(): void {
    this.#left = this.#share;
    const next = this.#waiting.first;
    this.#waiting.shift();
    if (this.#waiting.size > 0) this.#clock.soon(() => this.#renew());
    next?.();
  }
}
