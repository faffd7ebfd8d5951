import type { WorldTime } from "../world-time.ts";

/** Calls that their process has given up, and that have not reached the store yet. */
export class LateCalls {
  readonly #time: WorldTime;
  readonly #waiting: Set<() => Promise<void>> = new Set();

  constructor(time: WorldTime) {
    this.#time = time;
  }

  /** Lets a call arrive after `ms`. `call` does not reject. */
  hold(ms: number, call: () => Promise<void>): void {
    this.#waiting.add(call);
    void this.#time.after(ms).then(() => this.#make(call));
  }

  /** Lets every call arrive now. */
  async arrive(): Promise<void> {
    for (const call of [...this.#waiting]) await this.#make(call);
  }

  async #make(call: () => Promise<void>): Promise<void> {
    if (this.#waiting.delete(call)) await call();
  }
}
