import type { Clock, MarketSink } from "../../ports/index.ts";
import type { Market } from "./market.ts";
import type { ReplayPosition } from "./replay-position.ts";
import type { ReplayRow } from "./replay-rows.ts";

/**
 * Pace of a replay. `recorded`: a row is delivered when the clock reaches the row's own time (with a manual clock). A
 * number: rows are replayed from now on at that multiple of their original speed, each with the time of its delivery
 * (with the real clock); after the first row the replay waits to be run.
 */
export type ReplayPace = "recorded" | number;

/**
 * Data and settings of a replay; `rows` are in time order. With a position a row is fed at most once, even after a
 * crash.
 */
export type ReplayOptions = Readonly<{
  rows: readonly ReplayRow[];
  clock: Clock;
  pace: ReplayPace;
  position?: ReplayPosition | undefined;
}>;

/**
 * Creates a market from recorded rows. The start delivers the rows of the current time. Of the rows that were not fed
 * and are already in the past, it delivers the newest quote and trade of each symbol.
 */
export function createReplayMarket(options: ReplayOptions): Market {
  return new Replay(options);
}

type Pacing = {
  /** Returns the monotonic time at which a row is due. A manual clock is never set, so it is the row's own time. */
  dueMs(row: ReplayRow): number;
  /** Returns the time with which a row is delivered. */
  stampMs(row: ReplayRow): number;
  /** Restarts the pace now, with this row as the last that was delivered. */
  resume(last: ReplayRow): void;
};

const RECORDED: Pacing = {
  dueMs: (row) => row.timeMs,
  stampMs: (row) => row.timeMs,
  resume: () => undefined,
};

function paced(clock: Clock, speed: number): Pacing {
  let publishedMs = 0;
  let rowMs = 0;
  return {
    dueMs: (row) => publishedMs + Math.ceil((row.timeMs - rowMs) / speed),
    stampMs: () => clock.nowMs(),
    resume: (last) => {
      publishedMs = clock.monotonicMs();
      rowMs = last.timeMs;
    },
  };
}

class Replay implements Market {
  readonly #clock: Clock;
  readonly #rows: readonly ReplayRow[];
  readonly #pacing: Pacing;
  readonly #position: ReplayPosition | undefined;
  #sink: MarketSink | undefined;
  #running: boolean;
  /** Index of the next row. */
  #next: number;
  /** The due rows were already in the past when the replay started or resumed: only the newest are delivered. */
  #isBehind = false;
  /** Storage of the position in progress. The rows that it covers are delivered after it. */
  #storing: Promise<void> | undefined;
  #hasFailed = false;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, rows, pace, position }: ReplayOptions) {
    this.#clock = clock;
    this.#rows = rows;
    this.#pacing = pace === "recorded" ? RECORDED : paced(clock, pace);
    this.#running = pace === "recorded";
    this.#position = position;
    const fedToMs = position?.fedToMs ?? Number.NEGATIVE_INFINITY;
    const next = rows.findIndex(({ timeMs }) => timeMs > fedToMs);
    this.#next = next < 0 ? rows.length : next;
  }

  get running(): boolean {
    return this.#running;
  }

  start(sink: MarketSink): void {
    this.#sink = sink;
    this.#resume();
  }

  run(on: boolean): void {
    if (on === this.#running) return;
    this.#running = on;
    if (on) this.#resume();
    else this.#plan();
  }

  nextTimeMs(): number | undefined {
    const row = this.#rows[this.#next];
    return row === undefined || !this.#running ? undefined : this.#pacing.dueMs(row);
  }

  stop(): void {
    this.#running = false;
    this.#plan();
  }

  get busy(): boolean {
    return this.#storing !== undefined || this.#hasFailed;
  }

  async settled(): Promise<void> {
    if (this.#hasFailed) this.#publishDue();
    await this.#storing;
  }

  #resume(): void {
    const last = this.#rows[Math.max(this.#next - 1, 0)];
    if (last !== undefined) this.#pacing.resume(last);
    this.#isBehind = true;
    this.#publishDue();
  }

  #plan(): void {
    this.#cancelTimer?.();
    const nextMs = this.nextTimeMs();
    this.#cancelTimer =
      nextMs === undefined ? undefined : this.#clock.schedule(nextMs, () => this.#goBehind(nextMs));
  }

  /** Runs after other timers of the same time, whichever was scheduled first (decision DC). */
  #goBehind(dueMs: number): void {
    this.#cancelTimer = this.#clock.schedule(dueMs, () => this.#publishDue());
  }

  /** Delivers the due rows after the position beyond them is stored. Rows that become due meanwhile follow. */
  #publishDue(): void {
    if (this.#storing !== undefined) return;
    this.#hasFailed = false;
    const nowMs = this.#clock.monotonicMs();
    let end = this.#next;
    for (let row = this.#rows[end]; row !== undefined && this.#pacing.dueMs(row) <= nowMs; ) {
      row = this.#rows[++end];
    }
    const last = this.#rows[end - 1];
    if (end === this.#next || last === undefined || this.#position === undefined) return this.#publish(end);
    this.#storing = this.#storeAndPublish(this.#position, end, last.timeMs);
    this.#storing.catch(() => undefined);
  }

  async #storeAndPublish(position: ReplayPosition, end: number, timeMs: number): Promise<void> {
    try {
      await position.store(timeMs);
      this.#publish(end);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      this.#storing = undefined;
    }
  }

  /**
   * Delivers the rows up to `end`. Of rows in the past, it delivers only the newest of each kind and those of the
   * current time.
   */
  #publish(end: number): void {
    const rows = this.#rows.slice(this.#next, end);
    this.#next = end;
    const nowMs = this.#clock.monotonicMs();
    const newest = new Map(rows.map((row) => [keyOf(row), row]));
    for (const row of rows) {
      const isPublished =
        !this.#isBehind || newest.get(keyOf(row)) === row || this.#pacing.dueMs(row) === nowMs;
      if (isPublished) this.#deliver(row);
    }
    this.#isBehind = false;
    this.#plan();
  }

  #deliver(row: ReplayRow): void {
    const timeMs = this.#pacing.stampMs(row);
    if (row.kind === "quote") this.#sink?.quote({ ...row.quote, timeMs });
    else this.#sink?.print({ ...row.trade, id: `${timeMs}-${row.line}`, timeMs });
  }
}

const keyOf = (row: ReplayRow): string =>
  row.kind === "quote" ? `quote ${row.quote.symbol}` : `trade ${row.trade.symbol}`;
