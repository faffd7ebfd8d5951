import type { Awaitable, Clock } from "../../ports/index.ts";

/** Rows of an answer that one turn of the event loop makes, which takes some milliseconds. */
const ROWS_PER_TURN = 512;

/** Resolves after all events that have already happened are handled. */
export function nextTurn(clock: Pick<Clock, "soon">): Promise<void> {
  return new Promise((resolve) => clock.soon(resolve));
}

/**
 * Makes long answers in shares. Of all those that are under way, one turn of the event loop makes one further share, so that
 * they delay other requests little, however many of them clients ask for. Answers of one share do not wait. Source:
 * decisions AJ and NB.
 */
export class LongAnswers {
  readonly #clock: Pick<Clock, "soon">;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Pick<Clock, "soon">) {
    this.#clock = clock;
  }

  /** Maps the rows of an answer, and begins at most `rowsPerTurn` of them in one turn. */
  async map<T, U>(
    rows: readonly T[],
    map: (row: T) => Awaitable<U>,
    rowsPerTurn: number = ROWS_PER_TURN,
  ): Promise<readonly U[]> {
    const begun: Promise<U[]>[] = [];
    const isLong = rows.length > rowsPerTurn;
    for (let from = 0; from < rows.length; from += rowsPerTurn) {
      if (from > 0 || (isLong && this.#waiting.length > 0)) await this.#turn();
      const share = Promise.all(rows.slice(from, from + rowsPerTurn).map(map));
      // A share that fails before the others have begun is handled at the end.
      share.catch(() => undefined);
      begun.push(share);
    }
    return (await Promise.all(begun)).flat() as U[];
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#plan();
    });
  }

  #plan(): void {
    this.#clock.soon(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#plan();
    });
  }
}
