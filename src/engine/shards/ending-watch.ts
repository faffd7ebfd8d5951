import { EndedCounts } from "./ended-counts.ts";

type Ending = Readonly<{ orderId: number; accountId: number; sequence: number }>;

/** The endings of one account's parents since a moment, so that none of them is counted both as open and as ended. */
export type EndingWatch = Readonly<{
  /** Returns how many of these endings are in a store whose last record of the shard is `sequence`. */
  until: (sequence: number) => number;
  end: () => void;
}>;

/** The endings that a shard has decided: those not durable yet, and all that come during a watch. */
export class Endings {
  /** How many parents of an account have ended. */
  readonly counts: EndedCounts = new EndedCounts();
  readonly #undurable: Map<number, Ending> = new Map();
  readonly #watches: Set<{ readonly accountId: number; seen: Ending[] }> = new Set();

  /** Notes a record that ends a parent. */
  decided(ending: Ending): void {
    this.#undurable.set(ending.orderId, ending);
    for (const watch of this.#watches) if (watch.accountId === ending.accountId) watch.seen.push(ending);
  }

  /** Forgets the ending of a parent: its record is durable, and the parent is not among the open ones any more. */
  durable(orderId: number): void {
    const ending = this.#undurable.get(orderId);
    if (ending === undefined) return;
    this.#undurable.delete(orderId);
    this.counts.ended(ending.accountId, ending.sequence);
  }

  /**
   * Drops endings after `sequence`. The store kept nothing after it, and those sequence numbers are assigned again.
   */
  reloaded(sequence: number): void {
    this.#undurable.clear();
    this.counts.clear();
    for (const watch of this.#watches) watch.seen = watch.seen.filter((seen) => seen.sequence <= sequence);
  }

  /** Watches the endings of an account: those decided and not durable yet, and all that follow. */
  watch(accountId: number): EndingWatch {
    const undurable = [...this.#undurable.values()];
    const watch = { accountId, seen: undurable.filter((ending) => ending.accountId === accountId) };
    this.#watches.add(watch);
    return {
      until: (sequence) => watch.seen.filter((ending) => ending.sequence <= sequence).length,
      end: () => void this.#watches.delete(watch),
    };
  }
}
