type Ending = Readonly<{ orderId: number; accountId: number; sequence: number }>;

/** The endings of one account's parents from a moment on, so that none of them is counted both open and ended. */
export type EndingWatch = Readonly<{
  /** How many of them a store holds whose last record of the shard is `sequence`. */
  until: (sequence: number) => number;
  end: () => void;
}>;

/** The endings that a shard has decided: those that are not durable yet, and all that come while somebody watches. */
export class Endings {
  readonly #undurable: Map<number, Ending> = new Map();
  readonly #watches: Set<{ readonly accountId: number; seen: Ending[] }> = new Set();

  /** A record ends a parent. */
  decided(ending: Ending): void {
    this.#undurable.set(ending.orderId, ending);
    for (const watch of this.#watches) if (watch.accountId === ending.accountId) watch.seen.push(ending);
  }

  /** The record is durable: the parent is no longer among the open ones. */
  durable(orderId: number): void {
    this.#undurable.delete(orderId);
  }

  /** The store says that nothing after `sequence` was kept; those numbers are given again. */
  reloaded(sequence: number): void {
    this.#undurable.clear();
    for (const watch of this.#watches) watch.seen = watch.seen.filter((seen) => seen.sequence <= sequence);
  }

  /** Watches the endings of an account that its open parents of now have ahead of them. */
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
