import type { Entropy } from "../../ports/index.ts";

const SERIES_ID_LENGTH = 11;

/**
 * The series of the numbers of quotes. Each engine numbers the quotes of a market from 1, so that the numbers of two
 * nodes, or of one node before and after a restart, are comparable only under the same id. Source: decision NR.
 */
export class QuoteSeries {
  readonly #entropy: Entropy;
  #id: string | undefined;

  constructor(entropy: Entropy) {
    this.#entropy = entropy;
  }

  /** The id, made when it is first read. Undefined while the host's entropy fails: a book does not depend on randomness. */
  get id(): string | undefined {
    try {
      this.#id ??= this.#entropy.token(SERIES_ID_LENGTH);
    } catch {
      // The host is told by what checks its answers.
    }
    return this.#id;
  }
}
