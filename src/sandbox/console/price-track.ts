import type { Trade } from "./past.ts";

/** A moment of a market, for the chart. */
export type Tick = Readonly<{ timeMs: number; bid: number; ask: number }>;

/**
 * A place of the time axis of the chart, whose places are of equal length. `source`: whether it is known from quotes or
 * from trades, or whether nothing was observed.
 */
export type Row = Tick & Readonly<{ source: "quotes" | "trades" | "nothing" }>;

/** Length of a place of the time axis. */
export const PLACE_MS = 500;
/** How long quotes are kept at most. */
export const KEPT_MS = 900_000;

/** What was observed in one place: the lowest bid, the highest ask and the newest tick. `untilMs`: when nothing is known any more. */
type Observed = {
  readonly startMs: number;
  readonly source: Row["source"];
  low: number;
  high: number;
  last: Tick;
  untilMs: number;
};

/** Returns the beginning of the place of a time. */
export const placeOf = (timeMs: number): number => Math.floor(timeMs / PLACE_MS) * PLACE_MS;

/** Adds a tick to the place of its time, so that no spike is lost. */
function observe(observed: Observed[], tick: Tick, source: Row["source"]): void {
  const newest = observed.at(-1);
  const startMs = placeOf(tick.timeMs);
  const untilMs = Number.POSITIVE_INFINITY;
  if (newest === undefined || newest.startMs < startMs)
    observed.push({ startMs, source, low: tick.bid, high: tick.ask, last: tick, untilMs });
  else {
    const [low, high] = [Math.min(newest.low, tick.bid), Math.max(newest.high, tick.ask)];
    Object.assign(newest, { low, high, last: tick, untilMs });
  }
}

/** The last minutes of a market. */
export class PriceTrack {
  #observed: Observed[] = [];

  /** Takes a moment in. One that is older than the newest replaces nothing and is left out. */
  add(tick: Tick): void {
    if (tick.timeMs < (this.last?.timeMs ?? 0)) return;
    observe(this.#observed, tick, "quotes");
    const oldestMs = tick.timeMs - KEPT_MS;
    // Cut in larger pieces, because each cut copies the rest.
    if ((this.#observed[0]?.startMs ?? oldestMs) < oldestMs)
      this.#observed = this.#observed.filter(({ startMs }) => startMs >= oldestMs + KEPT_MS / 10);
  }

  /** Ends the line at a time: of what comes then, nothing is known until the next moment is told. */
  end(timeMs: number): void {
    const newest = this.#observed.at(-1);
    if (newest !== undefined) newest.untilMs = Math.min(newest.untilMs, timeMs);
  }

  /** The newest moment. */
  get last(): Tick | undefined {
    return this.#observed.at(-1)?.last;
  }

  /** The first moment that is kept. */
  get first(): Tick | undefined {
    return this.#observed[0]?.last;
  }

  /**
   * Returns every place between two times, from the first of which something is known. A price holds until the next one.
   * `past`: trades, which are shown up to the first quote.
   */
  rows(fromMs: number, toMs: number, past: readonly Trade[] = []): readonly Row[] {
    const traded: Observed[] = [];
    const quotedMs = this.#observed[0]?.startMs ?? Number.POSITIVE_INFINITY;
    for (const { timeMs, price } of past)
      if (timeMs < quotedMs) observe(traded, { timeMs, bid: price, ask: price }, "trades");
    const all = [...traded, ...this.#observed];
    const rows: Row[] = [];
    let next = 0;
    for (
      let timeMs = placeOf(Math.max(fromMs, all[0]?.startMs ?? toMs));
      timeMs <= toMs;
      timeMs += PLACE_MS
    ) {
      while ((all[next]?.startMs ?? Number.POSITIVE_INFINITY) <= timeMs) next++;
      const observed = all[next - 1];
      if (observed !== undefined) rows.push(rowOf(observed, timeMs, toMs));
    }
    return rows;
  }
}

/** In the newest place, the newest price counts. */
function rowOf({ startMs, source, low, high, last, untilMs }: Observed, timeMs: number, toMs: number): Row {
  if (timeMs > untilMs) return { timeMs, bid: last.bid, ask: last.ask, source: "nothing" };
  const isWhole = startMs === timeMs && startMs + PLACE_MS <= toMs;
  return { timeMs, bid: isWhole ? low : last.bid, ask: isWhole ? high : last.ask, source };
}
