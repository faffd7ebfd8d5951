/** A task in line: how many of its keys others hold or want before it, and the tasks that come right behind it. */
type Ticket = { ahead: number; readonly behind: Ticket[]; begin: () => void };

/**
 * Mutual exclusion by key: tasks that want one of the same keys run one after the other, in the order in which they
 * came. The end of a task wakes nobody but those right behind it, so that many copies cost as much each as few.
 * Source: decision GQ.
 */
export class KeyedMutex {
  /** By key, the last that holds or wants it. */
  readonly #last: Map<string, Ticket> = new Map();

  /**
   * Runs `task` when none of its keys is held by another, at once if that is now, and holds all of them until it is done.
   * Resolves or rejects as the task does.
   */
  async runExclusive<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    const ticket = this.#join(keys);
    if (ticket.ahead > 0)
      await new Promise<void>((resolve) => {
        ticket.begin = resolve;
      });
    try {
      return await task();
    } finally {
      this.#leave(keys, ticket);
    }
  }

  /** Goes to the end of the line of every key at once, so that no two tasks wait for each other. */
  #join(keys: readonly string[]): Ticket {
    const ticket: Ticket = { ahead: 0, behind: [], begin: nothing };
    for (const key of keys) {
      const before = this.#last.get(key);
      if (before === ticket) continue;
      this.#last.set(key, ticket);
      if (before === undefined) continue;
      before.behind.push(ticket);
      ticket.ahead++;
    }
    return ticket;
  }

  #leave(keys: readonly string[], ticket: Ticket): void {
    for (const key of keys) if (this.#last.get(key) === ticket) this.#last.delete(key);
    for (const next of ticket.behind) if (--next.ahead === 0) next.begin();
  }
}

const nothing = (): void => undefined;
