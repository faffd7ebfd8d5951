import type { LiveOrder } from "../core/live-order.ts";
import type { Bursts } from "../time/bursts.ts";

/**
 * Parents that wait for an offer. An account has its turn with other accounts, and its parents that reduce a position go first.
 * A parent waits once, for the newest cause, so that what waits does not grow with the causes.
 */
export class DueOffers<T> {
  readonly #bursts: Bursts;
  readonly #offer: (live: LiveOrder, cause: T) => void;
  /** By account: those of which none has had its turn. */
  readonly #due: Map<number, Map<LiveOrder, T>> = new Map();

  constructor(bursts: Bursts, offer: (live: LiveOrder, cause: T) => void) {
    this.#bursts = bursts;
    this.#offer = offer;
  }

  add(liveOrders: readonly LiveOrder[], cause: T): void {
    const begun: number[] = [];
    for (const live of liveOrders) {
      const { accountId } = live.working;
      const due = this.#due.get(accountId) ?? new Map<LiveOrder, T>();
      if (due.size === 0) begun.push(accountId);
      this.#due.set(accountId, due.set(live, cause));
    }
    for (const accountId of begun) this.#bursts.add("attempts", accountId, this.#offerAll(accountId));
  }

  *#offerAll(accountId: number): Generator<number, void> {
    const due = [...(this.#due.get(accountId) ?? [])];
    this.#due.delete(accountId);
    for (const isReducing of [true, false])
      for (const [live, cause] of due) {
        if (live.working.intent.reduceOnly !== isReducing) continue;
        this.#offer(live, cause);
        yield 1;
      }
  }
}
