import type { Batch } from "./batches.ts";
import { MarketDataError, type MarketRow } from "./market-row.ts";

/** The most by which rows of a file in the order of arrival may be late. */
const LATEST_MS = 10_000;

/** Keeps the rows of a file in the order of their times: refuses a row that steps back, or sorts those that arrived late. */
export class RowOrder {
  rows = 0;
  readonly #isSorting: boolean;
  #newestMs = 0;
  #waiting: MarketRow[] = [];

  constructor(isSorting: boolean) {
    this.#isSorting = isSorting;
  }

  /** Adds a row to `rows`, or lets it wait for rows that are late. Throws a MarketDataError. */
  add(row: MarketRow, rows: MarketRow[]): void {
    const lateMs = this.#newestMs - row.timeMs;
    if (!this.#isSorting && lateMs > 0)
      throw new MarketDataError("the time must not be before the time of the previous row");
    if (lateMs > LATEST_MS)
      throw new MarketDataError(
        `the time must not be ${LATEST_MS / 1_000} s before that of an earlier row; to take the times of arrival, pass order: "local"`,
      );
    this.#newestMs = Math.max(this.#newestMs, row.timeMs);
    this.rows += 1;
    if (this.#isSorting) this.#wait(row);
    else rows.push(row);
  }

  /** Takes the waiting rows before which no other can come. */
  due(): Batch {
    const end = this.#waiting.findIndex(({ timeMs }) => timeMs > this.#newestMs - LATEST_MS);
    return this.#waiting.splice(0, Math.max(end, 0));
  }

  /** Takes all waiting rows. */
  rest(): Batch {
    return this.#waiting.splice(0);
  }

  #wait(row: MarketRow): void {
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1]?.timeMs ?? 0) > row.timeMs) at--;
    this.#waiting.splice(at, 0, row);
  }
}
