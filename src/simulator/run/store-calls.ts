import type { OrderStore } from "../../ports/index.ts";

/** Calls that a store has not answered yet. The store in memory answers in turns of the event loop, which take no time. */
export class StoreCalls {
  #open = 0;
  #waiting: (() => void)[] = [];

  get busy(): boolean {
    return this.#open > 0;
  }

  /** Resolves when every call is answered. */
  idle(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** Returns the store, whose calls are counted. */
  of(store: OrderStore): OrderStore {
    const counted = Object.entries(store).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === "function" ? (...args: unknown[]) => this.#counted(member(...args)) : member,
    ]);
    return Object.fromEntries(counted) as OrderStore;
  }

  #counted(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    this.#open += 1;
    const answered = (): void => {
      this.#open -= 1;
      if (!this.busy) for (const resolve of this.#waiting.splice(0)) resolve();
    };
    answer.then(answered, answered);
    return answer;
  }
}
