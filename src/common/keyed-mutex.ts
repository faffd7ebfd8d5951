import { isAwaited } from "./awaitable.ts";

/** A waiting task: the number of its keys that earlier tasks hold or want, and the tasks directly behind it. */
type Ticket = { ahead: number; readonly behind: Ticket[]; begin: () => void };

const nothing = (): void => undefined;

/**
 * Mutual exclusion by key. Tasks with a common key run one after the other, in order of arrival. The end of a task wakes
 * only the tasks directly behind it, so that the cost per copy is the same for many copies as for few. A task that finds
 * its keys free and needs no promise leaves no trace here, because no other task can interleave.
 */
export class KeyedMutex {
  /** By key: the last task that holds or wants it. */
  readonly #last: Map<string, Ticket> = new Map();
  /** Whether a task has begun that may turn out to need its keys for longer. */
  #isBeginning = false;

  /**
   * Runs `task` when no other task holds any of its keys, synchronously if that is now. Holds all its keys until it
   * is done. Returns, throws, resolves or rejects as the task does. Returns a promise when the task has to wait.
   */
  runExclusive<T>(keys: readonly string[], task: () => Promise<T>): Promise<T>;
  runExclusive<T>(keys: readonly string[], task: () => T | Promise<T>): T | Promise<T>;
  runExclusive<T>(keys: readonly string[], task: () => T | Promise<T>): T | Promise<T> {
    if (this.#isBeginning) return Promise.resolve().then(() => this.runExclusive(keys, task));
    if (this.#last.size > 0 && keys.some((key) => this.#last.has(key))) return this.#inLine(keys, task);
    const done = this.#begin(task);
    return isAwaited(done) ? this.#inLine(keys, () => done) : done;
  }

  #begin<T>(task: () => T): T {
    this.#isBeginning = true;
    try {
      return task();
    } finally {
      this.#isBeginning = false;
    }
  }

  /** Holds the keys from now on if they are free, else once it is the task's turn. */
  async #inLine<T>(keys: readonly string[], task: () => T | Promise<T>): Promise<T> {
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

  /** Joins the queues of all keys in one step, so that no two tasks wait for each other. */
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
