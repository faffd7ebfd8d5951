import { readEndedNames } from "../../host-answers/index.ts";
import type { EndedCount, EndedName } from "../../ports/index.ts";
import type { ReadonlyIdMap } from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder, ParentStep } from "../core/live-order.ts";
import { COSTS } from "../core/turns.ts";
import type { Timers } from "../time/timers.ts";

/** Accounts of a shard whose number is kept. The number that was asked for first leaves first. */
const MOST_KNOWN = 256;

/** A question to the store, and the endings that became durable since: the sequence of each. */
type Question = { readonly ended: number[]; answer: Promise<EndedCount> };

/** A number that the store told up to `countedTo`, and that endings of later records, up to `sequence`, were added to. */
type Known = { count: number; sequence: number; readonly countedTo: number };

/**
 * The number of ended parents of each account of a shard that was asked for. A store may have to count all their rows, so
 * it is asked once, and every ending that becomes durable is added. While rows are deleted, and until a deletion has ended
 * well, the store is asked each time.
 */
export class EndedCounts {
  readonly #known: Map<number, Known> = new Map();
  readonly #questions: Map<number, Question> = new Map();
  #rowsLeave = false;

  /**
   * Resolves to the number and the last record that it includes. `query` asks the store; callers at the same time share one
   * question, and reject with it.
   */
  async of(accountId: number, query: () => Promise<EndedCount>): Promise<EndedCount> {
    for (;;) {
      const known = this.#known.get(accountId);
      if (known !== undefined) return { count: known.count, sequence: known.sequence };
      if (this.#rowsLeave) return await query();
      const question = this.#questions.get(accountId);
      if (question === undefined) return await this.#query(accountId, query);
      // Its answer may be older than this call. What is known after it is not.
      await question.answer;
    }
  }

  /** Adds a parent whose ending became durable with a record. */
  ended(accountId: number, sequence: number): void {
    this.#questions.get(accountId)?.ended.push(sequence);
    const known = this.#known.get(accountId);
    if (known !== undefined) addEnding(known, sequence);
  }

  /** Forgets everything: the shard has been read again. */
  clear(): void {
    this.#known.clear();
    this.#questions.clear();
  }

  /** Notes that a deletion of rows begins. */
  rowsLeave(): void {
    this.#rowsLeave = true;
    this.clear();
  }

  /** Notes that a deletion of rows has ended, and that none can follow from it. */
  rowsStay(): void {
    this.#rowsLeave = false;
  }

  #query(accountId: number, query: () => Promise<EndedCount>): Promise<EndedCount> {
    const question: Question = { ended: [], answer: query() };
    question.answer = question.answer.then(
      (result) => {
        if (this.#close(accountId, question)) this.#retain(accountId, result, question.ended);
        return result;
      },
      (error: unknown) => {
        this.#close(accountId, question);
        throw error;
      },
    );
    this.#questions.set(accountId, question);
    return question.answer;
  }

  /** Returns whether the question still counts. */
  #close(accountId: number, question: Question): boolean {
    return this.#questions.get(accountId) === question && this.#questions.delete(accountId);
  }

  #retain(accountId: number, { count, sequence }: EndedCount, ended: readonly number[]): void {
    const known: Known = { count, sequence, countedTo: sequence };
    for (const one of ended) addEnding(known, one);
    this.#known.set(accountId, known);
    if (this.#known.size <= MOST_KNOWN) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

function addEnding(known: Known, sequence: number): void {
  if (sequence <= known.countedTo) return;
  known.count++;
  known.sequence = Math.max(known.sequence, sequence);
}

type Ending = Readonly<{ orderId: number; accountId: number; sequence: number }>;

/** The endings of one account's parents since a moment, so that none of them is counted both as open and as ended. */
type EndingWatch = Readonly<{
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

  /** Notes the parents that had not ended before, and do so by a record. */
  decided(sequence: number, steps: readonly ParentStep[], before: ReadonlyIdMap<LiveOrder>): void {
    for (const { order } of steps) {
      const { orderId, accountId, ended } = order;
      if (ended === undefined || before.get(orderId)?.working.ended !== undefined) continue;
      const ending = { orderId, accountId, sequence };
      this.#undurable.set(orderId, ending);
      for (const watch of this.#watches) if (watch.accountId === accountId) watch.seen.push(ending);
    }
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

/** Names per request to the store. A request takes a few milliseconds. */
const PAGE = 2_000;

/**
 * Adds the client ids of all orders that had ended when the engine was opened to the filter, page by page while the engine
 * serves. A page that fails or cannot be read is asked for again after `retryMaxMs`. Until the last page is in, and with a
 * store that has no such pages, every new client id is looked up in the store.
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
