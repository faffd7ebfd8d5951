import { EngineError } from "./engine-error.ts";
import type { Moment } from "./engine-time.ts";

/** How long a lease lasts, and how much earlier its owner stops relying on it, in milliseconds. */
export type LeaseTerm = Readonly<{ ttlMs: number; marginMs: number }>;

/**
 * Whether an engine may rely on owning its shards now. An engine without a lease always may. One with a lease may from
 * the moment at which its last successful renewal was asked for, until `ttlMs - marginMs` after it by the monotonic clock
 * or the wall clock, whichever comes first: a machine that was suspended has stopped only the former, and a wall clock
 * behind that moment was set. Trust that has lapsed suspends the engine; the next renewal brings it back (decision WP).
 */
export class Trust {
  readonly #term: LeaseTerm | undefined;
  readonly #now: () => Moment;
  readonly #listeners: Set<() => void> = new Set();
  /** When the last successful renewal was asked for. */
  #renewedAt: Moment | undefined;
  #isOver = false;

  /** Creates the trust of an engine without a lease, or with the term of one. `now` returns both clocks. */
  constructor(now: () => Moment, term?: LeaseTerm) {
    this.#now = now;
    this.#term = term;
  }

  /** Whether the engine has a lease, so that its trust can lapse. */
  get isLeased(): boolean {
    return this.#term !== undefined;
  }

  get holds(): boolean {
    return this.#term === undefined || this.#isWithin(this.#term);
  }

  /** Whether trust has ended for good. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Monotonic time at which trust lapses without a further renewal; undefined while it does not hold. */
  get untilMs(): number | undefined {
    if (this.#term === undefined || this.#renewedAt === undefined || !this.holds) return undefined;
    return this.#renewedAt.monotonicMs + this.#term.ttlMs - this.#term.marginMs;
  }

  /** Throws DISCONNECTED unless trust holds. */
  requireHeld(): void {
    if (!this.holds) throw new EngineError("DISCONNECTED", { lease: "lapsed" });
  }

  /** Extends trust by a renewal that succeeded and was asked for at that moment, and tells all listeners. */
  extend(requestedAt: Moment): void {
    if (this.#isOver || requestedAt.monotonicMs < (this.#renewedAt?.monotonicMs ?? Number.NEGATIVE_INFINITY))
      return;
    this.#renewedAt = requestedAt;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Ends trust for good: the shards are released, or the node was declared dead. */
  end(): void {
    this.#isOver = true;
  }

  /** Calls a listener after every renewal, until the returned function is called. */
  onExtended(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #isWithin({ ttlMs, marginMs }: LeaseTerm): boolean {
    if (this.#isOver || this.#renewedAt === undefined) return false;
    const { monotonicMs, wallMs } = this.#now();
    const [passedMs, passedOnWallMs] = [
      monotonicMs - this.#renewedAt.monotonicMs,
      wallMs - this.#renewedAt.wallMs,
    ];
    return passedMs < ttlMs - marginMs && passedOnWallMs < ttlMs - marginMs && passedOnWallMs >= 0;
  }
}
