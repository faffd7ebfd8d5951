/** A moment of a market, for the chart. `isEnd`: nothing is known after it, until the next one. */
export type Tick = Readonly<{ timeMs: number; bid: number; ask: number; isEnd?: true }>;

/** How long a chart looks back at most. */
export const KEPT_MS = 900_000;
/** Ticks of a market that is faster than any that a person watches. */
const MOST_TICKS = 20_000;

/** The last minutes of a market. */
export class PriceTrack {
  #ticks: Tick[] = [];

  /** Takes a moment in. One that is older than the newest replaces nothing and is left out. */
  add(tick: Tick): void {
    const last = this.#ticks.at(-1);
    if (last !== undefined && tick.timeMs < last.timeMs) return;
    this.#ticks.push(tick);
    const first = this.#ticks[0];
    const isOld = first !== undefined && tick.timeMs - first.timeMs > KEPT_MS;
    // Cut in larger pieces, because each cut copies the rest.
    if (isOld || this.#ticks.length > MOST_TICKS) {
      const cut = this.#ticks.findIndex(({ timeMs }) => tick.timeMs - timeMs <= (KEPT_MS * 9) / 10);
      this.#ticks = this.#ticks.slice(Math.max(cut, this.#ticks.length - MOST_TICKS / 2));
    }
  }

  /** Ends the line at a time: of what comes then, nothing is known until the next moment is told. */
  end(timeMs: number): void {
    const { last } = this;
    if (last !== undefined && last.isEnd === undefined)
      this.#ticks.push({ ...last, timeMs: Math.max(timeMs, last.timeMs), isEnd: true });
  }

  /** The newest moment. */
  get last(): Tick | undefined {
    return this.#ticks.at(-1);
  }

  /** The first moment that is kept. */
  get first(): Tick | undefined {
    return this.#ticks[0];
  }

  /** Returns the moments from a time on, and the one before it, so that a line begins at the edge. */
  since(timeMs: number): readonly Tick[] {
    const index = this.#ticks.findIndex((tick) => tick.timeMs >= timeMs);
    return index === -1 ? this.#ticks.slice(-1) : this.#ticks.slice(Math.max(0, index - 1));
  }
}
