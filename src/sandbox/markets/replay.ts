import type { Clock, MarketSink } from "../../ports/index.ts";
import type { Market } from "./market.ts";
import type { ReplayRow } from "./replay-rows.ts";

/**
 * How a replay follows the clock. `recorded`: a row comes when the clock reaches the row's own time (a manual clock).
 * A number: the rows are retold from now on, that many times as fast as they happened, each with the time at which
 * it is told (the real clock); after the first row the replay waits to be run.
 */
export type ReplayPace = "recorded" | number;

/** What a replay is made of; `rows` in time order. */
export type ReplayOptions = Readonly<{ rows: readonly ReplayRow[]; clock: Clock; pace: ReplayPace }>;

/**
 * A market out of recorded rows. The start delivers the rows of that time; of rows that the clock has passed already
 * (a restart) the newest quote and trade of each symbol.
 */
export function createReplayMarket(options: ReplayOptions): Market {
  return new Replay(options);
}

type Pacing = {
  /** When the monotonic clock shows this, the row is due; a manual clock is never set, and shows the row's own time. */
  dueMs(row: ReplayRow): number;
  /** The time that the row is delivered with. */
  stampMs(row: ReplayRow): number;
  /** From now on, with this row as the last that was told. */
  resume(last: ReplayRow): void;
};

const RECORDED: Pacing = {
  dueMs: (row) => row.timeMs,
  stampMs: (row) => row.timeMs,
  resume: () => undefined,
};

function retold(clock: Clock, speed: number): Pacing {
  let toldMs = 0;
  let rowMs = 0;
  return {
    dueMs: (row) => toldMs + Math.ceil((row.timeMs - rowMs) / speed),
    stampMs: () => clock.nowMs(),
    resume: (last) => {
      toldMs = clock.monotonicMs();
      rowMs = last.timeMs;
    },
  };
}

class Replay implements Market {
  readonly #clock: Clock;
  readonly #rows: readonly ReplayRow[];
  readonly #pacing: Pacing;
  #sink: MarketSink | undefined;
  #running: boolean;
  /** The row that comes next. */
  #next = 0;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, rows, pace }: ReplayOptions) {
    this.#clock = clock;
    this.#rows = rows;
    this.#pacing = pace === "recorded" ? RECORDED : retold(clock, pace);
    this.#running = pace === "recorded";
  }

  get running(): boolean {
    return this.#running;
  }

  start(sink: MarketSink): void {
    this.#sink = sink;
    this.#resume();
    this.#plan();
  }

  run(on: boolean): void {
    if (on === this.#running) return;
    this.#running = on;
    if (on) this.#resume();
    this.#plan();
  }

  nextTimeMs(): number | undefined {
    const row = this.#rows[this.#next];
    return row === undefined || !this.#running ? undefined : this.#pacing.dueMs(row);
  }

  stop(): void {
    this.#running = false;
    this.#plan();
  }

  #resume(): void {
    const last = this.#rows[Math.max(this.#next - 1, 0)];
    if (last !== undefined) this.#pacing.resume(last);
    const nowMs = this.#clock.monotonicMs();
    const due = this.#takeDue();
    const newest = new Map(due.map((row) => [keyOf(row), row]));
    for (const row of due) {
      if (newest.get(keyOf(row)) === row || this.#pacing.dueMs(row) === nowMs) this.#deliver(row);
    }
  }

  #plan(): void {
    this.#cancelTimer?.();
    const nextMs = this.nextTimeMs();
    this.#cancelTimer =
      nextMs === undefined ? undefined : this.#clock.schedule(nextMs, () => this.#deliverDue());
  }

  #deliverDue(): void {
    for (const row of this.#takeDue()) this.#deliver(row);
    this.#plan();
  }

  #takeDue(): readonly ReplayRow[] {
    const nowMs = this.#clock.monotonicMs();
    const first = this.#next;
    for (let row = this.#rows[first]; row !== undefined && this.#pacing.dueMs(row) <= nowMs; ) {
      row = this.#rows[++this.#next];
    }
    return this.#rows.slice(first, this.#next);
  }

  #deliver(row: ReplayRow): void {
    const timeMs = this.#pacing.stampMs(row);
    if (row.kind === "quote") this.#sink?.quote({ ...row.quote, timeMs });
    else this.#sink?.print({ ...row.trade, id: `${timeMs}-${row.line}`, timeMs });
  }
}

const keyOf = (row: ReplayRow): string =>
  row.kind === "quote" ? `quote ${row.quote.symbol}` : `trade ${row.trade.symbol}`;
