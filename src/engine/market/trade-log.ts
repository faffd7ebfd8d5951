import { add, type Quantity } from "../../decimal/index.ts";

/** The place of a print in the log of its market, and the quantity of all trades up to it, itself included. */
export type TradePlace = Readonly<{ sequence: number; total: Quantity }>;

/** What is known of the log of one market: its newest print in this process. Nothing of it is stored (decision XO). */
export class TradeLog {
  #last: TradePlace | undefined;
  #timeMs = Number.NEGATIVE_INFINITY;

  /** The total of the newest print; undefined before the first one. */
  get total(): Quantity | undefined {
    return this.#last?.total;
  }

  /** When the newest print was executed. */
  get timeMs(): number {
    return this.#timeMs;
  }

  /** Returns whether a print of this quantity comes after the newest one, and their totals leave room for it. */
  isContinuedBy({ sequence, total }: TradePlace, quantity: Quantity): boolean {
    if (this.#last === undefined) return total >= quantity;
    return sequence > this.#last.sequence && total >= add(this.#last.total, quantity);
  }

  advance(place: TradePlace, timeMs: number): void {
    this.#last = place;
    this.#timeMs = timeMs;
  }
}
