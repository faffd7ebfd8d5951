import { Slicer } from "../../common/index.ts";
import type { Awaitable, Clock } from "../../ports/index.ts";

/** Most rows of an answer that one turn of the event loop makes. */
const ROWS_PER_TURN = 512;

/** Time after which the rest of an answer waits for a further turn. */
const TURN_MS = 4;

/** Rows that are made before the time is looked at. An answer of no more rows is short. */
const ROWS_AT_ONCE = 16;

/**
 * Makes long answers in shares. Of all those that are under way, one turn of the event loop makes one further share, so that
 * they delay other requests little, however many of them clients ask for. Short answers do not wait. Source: decisions AJ
 * and NB.
 */
export class LongAnswers {
  readonly #clock: Pick<Clock, "soon" | "monotonicMs">;
  readonly #turns: Slicer;

  constructor(clock: Pick<Clock, "soon" | "monotonicMs">) {
    this.#clock = clock;
    this.#turns = new Slicer(clock);
  }

  /** Maps the rows of an answer, and begins at most `rowsPerTurn` of them in one turn, fewer if they take long. */
  async map<T, U>(
    rows: readonly T[],
    map: (row: T) => Awaitable<U>,
    rowsPerTurn: number = ROWS_PER_TURN,
  ): Promise<readonly U[]> {
    const begun: Promise<U[]>[] = [];
    const isLong = rows.length > Math.min(rowsPerTurn, ROWS_AT_ONCE);
    for (let from = 0; from < rows.length; ) {
      if (from > 0 || (isLong && this.#turns.isBusy)) await this.#turns.turn();
      const untilMs = this.#clock.monotonicMs() + TURN_MS;
      const end = Math.min(rows.length, from + rowsPerTurn);
      do {
        const to = Math.min(end, from + ROWS_AT_ONCE);
        const share = Promise.all(rows.slice(from, to).map(map));
        // A share that fails before the others have begun is handled at the end.
        share.catch(() => undefined);
        begun.push(share);
        from = to;
      } while (from < end && this.#clock.monotonicMs() < untilMs);
    }
    return (await Promise.all(begun)).flat() as U[];
  }
}
