import { readEndedNames } from "../../host-answers/index.ts";
import type { EndedName } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { COSTS } from "../core/turns.ts";
import type { Timers } from "../time/timers.ts";

/** Names per request to the store. A request takes a few milliseconds. */
const PAGE = 2_000;

/**
 * Adds the client ids of all orders that had ended when the engine was opened to the filter, page by page while the
 * engine serves. A page that fails or cannot be read is asked for again after `retryMaxMs`. Until the last page is
 * in, and with a store that has no such pages, every new client id is looked up in the store (decision IG).
 */
export class EndedNames {
  readonly #core: Core;
  readonly #timers: Pick<Timers, "after">;
  /** The last name of the last page that was read. */
  #after: EndedName | undefined;
  #stopped = false;
  /** Rises when the reading begins anew. A page of an earlier reading does not count. */
  #reading = 0;

  constructor(core: Core, timers: Pick<Timers, "after">) {
    this.#core = core;
    this.#timers = timers;
  }

  /**
   * Starts filling the filter. Call it after the shards are owned and read: orders that end from then on were added
   * when they were accepted or read.
   */
  begin(): void {
    void this.#fill(this.#reading);
  }

  /**
   * Reads all names again, because orders may have ended elsewhere of which this engine has seen nothing. Until then every
   * new client id is looked up.
   */
  again(): void {
    this.#reading++;
    this.#after = undefined;
    this.#core.clientIds.reopen();
    this.begin();
  }

  /** Stops asking for pages. */
  stop(): void {
    this.#stopped = true;
  }

  async #fill(reading: number): Promise<void> {
    const { store, clientIds, settings, questions } = this.#core;
    const isCurrent = (): boolean => !this.#stopped && reading === this.#reading;
    try {
      if (store.pageEndedNames === undefined) return;
      while (isCurrent() && (await this.#takePage(isCurrent)));
      if (isCurrent()) clientIds.complete();
    } catch (error) {
      if (!isCurrent()) return;
      questions.report("store.pageEndedNames", error);
      this.#timers.after(settings.retryMaxMs, () => this.begin());
    }
  }

  /** Reads the next page. Resolves to false if it is empty. */
  async #takePage(isCurrent: () => boolean): Promise<boolean> {
    const { store, clientIds, questions, turns } = this.#core;
    const page = { limit: PAGE, ...(this.#after && { after: this.#after }) };
    const names = readEndedNames(await questions.inTime(async () => store.pageEndedNames?.(page)), page);
    for (const { accountId, clientOrderId } of names) clientIds.add(accountId, clientOrderId);
    if (!isCurrent()) return false;
    this.#after = names.at(-1) ?? this.#after;
    const turn = turns.spend(COSTS.name * names.length);
    if (turn !== undefined) await turn;
    return names.length > 0;
  }
}
