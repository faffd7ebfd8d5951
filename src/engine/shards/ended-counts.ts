import type { EndedCount } from "../../ports/index.ts";

/** Accounts of a shard whose number is kept. The number that was asked for first leaves first. */
const MOST_KNOWN = 256;

/** A question to the store, and the endings that became durable since: the sequence of each. */
type Question = { readonly ended: number[]; answer: Promise<EndedCount> };

/** A number that the store told up to `countedTo`, and that endings of later records, up to `sequence`, were added to. */
type Known = { count: number; sequence: number; readonly countedTo: number };

/**
 * The number of ended parents of each account of a shard that was asked for. A store may have to count all their rows, so
 * it is asked once, and every ending that becomes durable is added. While rows are deleted, and until a deletion has
 * ended well, the store is asked each time (decision XD).
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
