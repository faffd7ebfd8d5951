import {
  createManualClock,
  type ManualClock,
  type RateLimiterOptions,
} from "../../src/adapters/memory/index.ts";
import {
  type LimitTable,
  type StoredBan,
  type StoredRateLimiter,
  StoredRateLimiters,
  type WrittenOrders,
} from "../../src/adapters/shared/index.ts";

const START_MS = 1_767_355_200_000;
const DAY_MS = 86_400_000;
const ROWS_PER_PAGE = 2;

type Row = WrittenOrders & Readonly<{ day: number }>;

/** A database in memory, on which several nodes open rate limiters. Timers run when a test says so. */
export class LimitDatabase {
  readonly clock: ManualClock;
  readonly rows: Map<string, Row> = new Map();
  readonly timers: { readonly delayMs: number; readonly run: () => void }[] = [];
  /** What was read and written, in order. */
  readonly calls: string[] = [];
  readonly reported: string[] = [];
  isAway = false;
  /** Called before each page of counts. */
  beforePage: () => void = () => undefined;
  /** Whether a row of the counts is found on a day. */
  isOf: (row: Row, day: number) => boolean = (row, day) => row.day === day;
  readonly #bans: Map<string, StoredBan> = new Map();
  #writers = 0;
  readonly #limiters: StoredRateLimiters;

  constructor({ startMs = START_MS }: Readonly<{ startMs?: number }> = {}) {
    this.clock = createManualClock({ startMs });
    this.#limiters = new StoredRateLimiters(this.#table(), (delayMs, run) => {
      const timer = { delayMs, run };
      this.timers.push(timer);
      return () => this.#forget(timer);
    });
  }

  /** Opens a limiter, as a node does. */
  open(options: Omit<RateLimiterOptions, "clock"> = {}): Promise<StoredRateLimiter> {
    const telemetry = { event: (_level: string, name: string) => void this.reported.push(name) };
    return this.#limiters.open({ clock: this.clock, telemetry, ...options });
  }

  close(): Promise<void> {
    return this.#limiters.close();
  }

  /** The key of today's row of an account and writer. */
  place(accountId: number, writer: number): string {
    return `${Math.floor(this.clock.monotonicMs() / DAY_MS)} ${accountId} ${writer}`;
  }

  /** Runs the timers of a delay that are planned now, and resolves when nothing more is done. */
  async due(delayMs: number): Promise<void> {
    for (const timer of this.timers.filter((one) => one.delayMs === delayMs)) {
      this.#forget(timer);
      timer.run();
    }
    for (let turn = 0; turn < 40; turn++) await new Promise(setImmediate);
  }

  #forget(timer: LimitDatabase["timers"][number]): void {
    const place = this.timers.indexOf(timer);
    if (place >= 0) this.timers.splice(place, 1);
  }

  #table(): LimitTable {
    return {
      join: () => ++this.#writers,
      counts: ({ day, afterAccount, afterWriter }) => {
        this.beforePage();
        this.#requested("read");
        return [...this.rows.values()]
          .filter((row) => this.isOf(row, day))
          .filter(
            ({ accountId, writer }) =>
              accountId > afterAccount || (accountId === afterAccount && writer > afterWriter),
          )
          .sort((a, b) => a.accountId - b.accountId || a.writer - b.writer)
          .slice(0, ROWS_PER_PAGE);
      },
      bans: ({ afterMs }) => {
        this.#requested("bans");
        return [...this.#bans.values()].filter(({ untilMs }) => untilMs > afterMs);
      },
      putCounts: ({ day, writer, orders: all }) => {
        this.#requested("write");
        for (const { accountId, orders } of all)
          this.rows.set(`${day} ${accountId} ${writer}`, { day, accountId, writer, orders });
      },
      putBans: (bans) => {
        for (const ban of bans) this.#bans.set(ban.address, ban);
      },
      prune: () => 0,
      endOfOldest: () => undefined,
    };
  }

  #requested(call: string): void {
    if (this.isAway) throw new Error("no database");
    this.calls.push(call);
  }
}
