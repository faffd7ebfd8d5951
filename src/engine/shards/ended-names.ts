import { readEndedNames } from "../../host-answers/index.ts";
import type { EndedName } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { COSTS } from "../core/turns.ts";
import type { Timers } from "../time/timers.ts";

/** Names that the store is asked for at a time: a few milliseconds. */
const PAGE = 2_000;

/**
 * Fills the filter of client ids with those of all orders that had ended when the engine was opened, page by page while
 * the engine serves. A page that fails or cannot be read is asked for again after `retryMaxMs`; until the last of them
 * is in, and for a store that has no pages of them, every new client id is looked for in the store (decision IG).
 */
export class EndedNames {
  readonly #core: Core;
  readonly #timers: Pick<Timers, "after">;
  /** The last name of the last page that was read. */
  #after: EndedName | undefined;
  #stopped = false;

  constructor(core: Core, timers: Pick<Timers, "after">) {
    this.#core = core;
    this.#timers = timers;
  }

  /** After the shards are owned and read: what ends from now on was added when it was accepted or read. */
  begin(): void {
    void this.#fill();
  }

  /** Nothing is asked for from now on. */
  stop(): void {
    this.#stopped = true;
  }

  async #fill(): Promise<void> {
    const { store, clientIds, settings, questions } = this.#core;
    try {
      if (store.pageEndedNames === undefined) return;
      while (!this.#stopped && (await this.#takePage()));
      if (!this.#stopped) clientIds.complete();
    } catch (error) {
      if (this.#stopped) return;
      questions.tell("store.pageEndedNames", error);
      this.#timers.after(settings.retryMaxMs, () => this.begin());
    }
  }

  /** Whether there was one. */
  async #takePage(): Promise<boolean> {
    const { store, clientIds, questions, turns } = this.#core;
    const page = { limit: PAGE, ...(this.#after && { after: this.#after }) };
    const names = readEndedNames(await questions.inTime(async () => store.pageEndedNames?.(page)), page);
    for (const { accountId, clientOrderId } of names) clientIds.add(accountId, clientOrderId);
    this.#after = names.at(-1) ?? this.#after;
    const turn = turns.spend(COSTS.name * names.length);
    if (turn !== undefined) await turn;
    return names.length > 0;
  }
}
