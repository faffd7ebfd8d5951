import { errorMessage, nextTurn, type OptionCheck, optionalOption, optionsOf } from "../../common/index.ts";
import { QuietTelemetry } from "../../host-answers/index.ts";
import type {
  Awaitable,
  ConnectionVerdict,
  OrderCounts,
  OrderVerdict,
  RateLimiter,
  Telemetry,
  WeightVerdict,
} from "../../ports/index.ts";
import { telemetryOption } from "../../ports/internal.ts";
import {
  createOldestDropper,
  DAY_MS,
  KeyedWindowCounter,
  LimitCounters,
  LONGEST_BAN_MS,
  limiterOptions,
  type RateLimiterOptions,
  type StoredBan,
} from "./rate-limiter.ts";

/** Options of a rate limiter that keeps orders of the day and bans in a store. */
export interface StoredRateLimiterOptions extends RateLimiterOptions {
  /** Receives an event when they cannot be written or read; they are tried again a second later. */
  readonly telemetry?: Telemetry;
}

/** A rate limiter whose orders of the day and bans survive the process. */
export interface StoredRateLimiter extends RateLimiter {
  /** Resolves when what was counted is written, or when writing has failed. */
  flush(): Promise<void>;
}

/** Time between two writes of counts, and before a failed write is tried again. It is what a crash can lose. */
const PAUSE_MS = 1_000;

/** After this time an earlier owner of the store, or of an account, has written what it counted before it was replaced. */
const LATE_READ_MS = 5_000;

const ROWS_PER_WRITE = 500;
const ROWS_PER_READ = 1_000;
const ROWS_PER_DELETE = 1_000;

/** After so many written bans, those beyond `maxTracked` are deleted. */
const BANS_BETWEEN_DELETIONS = 4_096;

const storedLimiterOption: OptionCheck = optionsOf<StoredRateLimiterOptions>({
  ...limiterOptions,
  telemetry: optionalOption(telemetryOption),
});

/**
 * The rate limiters that are open on one store. They write after real time, not after that of their clock, which a test
 * may hold still.
 */
export class StoredRateLimiters {
  readonly #table: LimitTable;
  readonly #later: Later;
  readonly #open: Set<WrittenLimiter> = new Set();

  constructor(table: LimitTable, later: Later) {
    this.#table = table;
    this.#later = later;
  }

  /**
   * Opens a rate limiter on the tables of the store. Rejects if they cannot be read, and with a TypeError or RangeError
   * that names an option that is missing, unknown, of the wrong type or below 1.
   */
  async open(options: StoredRateLimiterOptions): Promise<StoredRateLimiter> {
    storedLimiterOption(options, "openRateLimiter");
    const writer = await this.#table.join();
    const limiter = new WrittenLimiter(this.#table, { options, later: this.#later, writer });
    this.#open.add(limiter);
    try {
      await limiter.open();
    } catch (error) {
      this.#open.delete(limiter);
      throw error;
    }
    return limiter;
  }

  /** Writes what all of them have counted, and nothing after that. */
  async close(): Promise<void> {
    for (const limiter of this.#open) await limiter.close();
  }
}

/**
 * Counts in memory, and writes counts and bans in a later turn, so that no request waits for the database. Every count of
 * this writer is written as a whole number and not as a difference, so that a write may be repeated.
 */
class WrittenLimiter implements StoredRateLimiter {
  readonly limits: RateLimiter["limits"];
  readonly #table: LimitTable;
  readonly #options: StoredRateLimiterOptions;
  readonly #telemetry: QuietTelemetry;
  readonly #later: Later;
  readonly #writer: number;
  readonly #counters: LimitCounters;
  /** Orders of the day that this limiter has counted itself, by account. */
  readonly #own: KeyedWindowCounter<number>;
  /** Accounts whose count has changed since it was written, on the day `#day`. */
  readonly #changed: Set<number> = new Set();
  readonly #newBans: Map<string, StoredBan> = new Map();
  readonly #dropOldestBans: (most: number) => void = createOldestDropper(this.#newBans);
  #day = 0;
  #write = 0;
  #bansUntilDeletion = 0;
  #areCountsDue = false;
  #areBansUnread = false;
  /** How often a read of the counts of other writers was wanted, and which of these reads has been made. */
  #readsWanted = 0;
  #readsMade = 0;
  /** Whether the orders of an account are counted here, so that those of other writers count as well. */
  #isHere: (accountId: number) => boolean = () => true;
  #isDeletionDue = true;
  #hasFailed = false;
  #isClosed = false;
  #running: Promise<void> | undefined;
  #cancelWrite: (() => void) | undefined;
  readonly #lateRead: LateStep;
  /** Whether the next late read is that of the opening, which reads bans too. */
  #isNew = true;

  constructor(
    table: LimitTable,
    { options, later, writer }: Readonly<{ options: StoredRateLimiterOptions; later: Later; writer: number }>,
  ) {
    const { telemetry, ...limits } = options;
    this.#table = table;
    this.#options = options;
    this.#telemetry = new QuietTelemetry(telemetry);
    this.#later = later;
    this.#writer = writer;
    this.#own = new KeyedWindowCounter(DAY_MS, this.#maxTracked);
    this.#counters = new LimitCounters(limits, (ban) => this.#banned(ban));
    this.limits = this.#counters.limits;
    this.#lateRead = new LateStep({ later, delayMs: LATE_READ_MS, step: () => this.#readAgain() });
  }

  /** Reads what other writers have counted, now and once more when an earlier owner has written its last counts. */
  async open(): Promise<void> {
    await this.#readBans();
    await this.#readCounts();
    this.#lateRead.want();
    this.#start();
  }

  weigh(request: Readonly<{ address: string; weight: number }>): WeightVerdict {
    return this.#counters.weigh(request);
  }

  connect(request: Readonly<{ address: string }>): ConnectionVerdict {
    return this.#counters.connect(request);
  }

  takeOrders(placement: Readonly<{ accountId: number; count: number }>): OrderVerdict {
    const verdict = this.#counters.takeOrders(placement);
    if (verdict.refused === undefined) this.#counted(placement, verdict.takenAtMs);
    return verdict;
  }

  returnOrders(placement: Readonly<{ accountId: number; count: number; takenAtMs: number }>): OrderCounts {
    const { accountId, count, takenAtMs } = placement;
    const counts = this.#counters.returnOrders(placement);
    this.#counted({ accountId, count: -count }, takenAtMs);
    return counts;
  }

  /** Reads what other writers have counted of the accounts that are here, now and once more as an opening does. */
  gained(isHere: (accountId: number) => boolean): Promise<void> {
    this.#isHere = isHere;
    this.#readsWanted++;
    if (!this.#isClosed) this.#lateRead.want();
    return this.#start();
  }

  /** Writes what was counted without waiting for the pause. */
  lost(): Promise<void> {
    this.#areCountsDue = true;
    return this.#start();
  }

  async flush(): Promise<void> {
    await this.#running;
    this.#areCountsDue = true;
    this.#hasFailed = false;
    await this.#start();
  }

  /** Writes what was counted, and nothing after that. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#lateRead.stop();
    this.#areBansUnread = false;
    this.#readsMade = this.#readsWanted;
    await this.flush();
    this.#isClosed = true;
    this.#cancelWrite?.();
  }

  get #maxTracked(): number {
    return this.#options.maxTracked ?? 500_000;
  }

  get #today(): number {
    return Math.floor(this.#options.clock.monotonicMs() / DAY_MS);
  }

  #counted({ accountId, count }: Readonly<{ accountId: number; count: number }>, takenAtMs: number): void {
    this.#own.add(accountId, { amount: count, nowMs: takenAtMs });
    this.#beginDay();
    // While the database cannot be written, an account beyond the bound is written with its next order.
    if (this.#changed.size < this.#maxTracked) this.#changed.add(accountId);
    this.#schedule();
  }

  /** Leaves the counts of the day before as they were written, and deletes those of the days before that. */
  #beginDay(): void {
    const today = this.#today;
    if (today <= this.#day) return;
    this.#day = today;
    this.#changed.clear();
    this.#isDeletionDue = true;
  }

  #banned(ban: StoredBan): void {
    this.#newBans.delete(ban.address);
    this.#newBans.set(ban.address, ban);
    this.#dropOldestBans(this.#maxTracked);
    if (!this.#hasFailed) this.#start();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#cancelWrite ??= this.#later(PAUSE_MS, () => {
      this.#cancelWrite = undefined;
      this.#areCountsDue = true;
      this.#hasFailed = false;
      this.#start();
    });
  }

  /** Whether there is work now. Counts wait for the pause after the last write. */
  get #hasWork(): boolean {
    const hasCounts = this.#areCountsDue && this.#changed.size > 0;
    return hasCounts || this.#newBans.size > 0 || this.#isUnread || this.#isDeletionDue;
  }

  get #isUnread(): boolean {
    return this.#areBansUnread || this.#readsMade < this.#readsWanted;
  }

  #readAgain(): void {
    if (this.#isNew) this.#areBansUnread = true;
    this.#isNew = false;
    this.#readsWanted++;
    this.#start();
  }

  /** Works until nothing is due, one statement after the other. */
  #start(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    try {
      await nextTurn();
      while (this.#hasWork) await this.#step();
    } catch (error) {
      this.#hasFailed = true;
      this.#telemetry.event("warn", "limits.failed", { message: errorMessage(error) });
      this.#schedule();
    }
    // No promise is awaited between the last look for work and here: a change after it begins a new run.
    this.#areCountsDue = false;
    this.#running = undefined;
  }

  async #step(): Promise<void> {
    await this.#writeBans();
    if (this.#areCountsDue) await this.#writeCounts();
    await this.#readUnread();
    if (this.#isDeletionDue) await this.#delete();
  }

  async #writeBans(): Promise<void> {
    const bans = [...this.#newBans.values()].slice(0, ROWS_PER_WRITE);
    if (bans.length === 0) return;
    await this.#table.putBans(bans);
    // One that was extended meanwhile is written again.
    for (const ban of bans) if (this.#newBans.get(ban.address) === ban) this.#newBans.delete(ban.address);
    this.#bansUntilDeletion -= bans.length;
    if (this.#bansUntilDeletion <= 0) this.#isDeletionDue = true;
  }

  async #writeCounts(): Promise<void> {
    this.#beginDay();
    const accounts = [...this.#changed].slice(0, ROWS_PER_WRITE);
    this.#areCountsDue = this.#changed.size > accounts.length;
    if (accounts.length === 0) return;
    const [day, nowMs] = [this.#day, this.#options.clock.monotonicMs()];
    const orders = accounts.map((accountId) => ({ accountId, orders: this.#own.count(accountId, nowMs) }));
    for (const accountId of accounts) this.#changed.delete(accountId);
    try {
      await this.#table.putCounts({ day, writer: this.#writer, write: ++this.#write, orders });
    } catch (error) {
      if (day === this.#day) for (const accountId of accounts) this.#changed.add(accountId);
      throw error;
    }
  }

  async #readUnread(): Promise<void> {
    if (this.#areBansUnread) await this.#readBans();
    this.#areBansUnread = false;
    const wanted = this.#readsWanted;
    if (this.#readsMade === wanted) return;
    await this.#readCounts();
    // Accounts that were gained during the read need another one.
    this.#readsMade = Math.max(this.#readsMade, wanted);
  }

  async #readBans(): Promise<void> {
    let place = { afterMs: this.#forgottenBeforeMs, afterAddress: "" };
    for (;;) {
      const bans = await this.#table.bans({ ...place, limit: ROWS_PER_READ });
      for (const ban of bans) this.#counters.restoreBan(ban);
      const last = bans.at(-1);
      if (last === undefined) return;
      place = { afterMs: last.untilMs, afterAddress: last.address };
      await nextTurn();
    }
  }

  async #readCounts(): Promise<void> {
    for (let isWhole = false; !isWhole; ) isWhole = await this.#readDay();
  }

  /** Resolves to false if the day ended meanwhile. */
  async #readDay(): Promise<boolean> {
    const day = this.#today;
    let sum: AccountOrders | undefined;
    let place = { afterAccount: Number.MIN_SAFE_INTEGER, afterWriter: 0 };
    for (;;) {
      const page = await this.#table.counts({ day, ...place, limit: ROWS_PER_READ });
      if (this.#today !== day) return false;
      for (const { accountId, orders } of page.filter((row) => this.#isOfOthers(row))) {
        if (sum !== undefined && sum.accountId !== accountId) this.#restore(sum);
        sum = { accountId, orders: orders + (sum?.accountId === accountId ? sum.orders : 0) };
      }
      const last = page.at(-1);
      if (last === undefined) break;
      place = { afterAccount: last.accountId, afterWriter: last.writer };
      await nextTurn();
      // A read of many accounts takes seconds, and must not delay what a crash could lose.
      if (this.#areCountsDue) await this.#writeCounts();
    }
    if (sum !== undefined) this.#restore(sum);
    return true;
  }

  #isOfOthers({ accountId, writer }: WrittenOrders): boolean {
    return writer !== this.#writer && this.#isHere(accountId);
  }

  /** Sets the orders of an account to those of all other writers and its own. */
  #restore({ accountId, orders }: AccountOrders): void {
    const own = this.#own.count(accountId, this.#options.clock.monotonicMs());
    this.#counters.restoreOrders({ accountId, orders: orders + own });
  }

  /** Time before which a ban must have ended to make the next one no longer. */
  get #forgottenBeforeMs(): number {
    return Math.floor(this.#options.clock.nowMs()) - LONGEST_BAN_MS;
  }

  /**
   * Deletes some rows that are not needed any more. The counts of yesterday stay, so that a clock that is set back over
   * midnight finds them.
   */
  async #delete(): Promise<void> {
    const beforeDay = this.#today - 1;
    const endOfOldest = (await this.#table.endOfOldest(this.#maxTracked)) ?? 0;
    const endedBeforeMs = Math.max(this.#forgottenBeforeMs, endOfOldest);
    const gone = await this.#table.prune({ beforeDay, endedBeforeMs, limit: ROWS_PER_DELETE });
    if (gone > 0) return;
    this.#isDeletionDue = false;
    this.#bansUntilDeletion = BANS_BETWEEN_DELETIONS;
  }
}

/** Orders of an account on one day. */
type AccountOrders = Readonly<{ accountId: number; orders: number }>;

/** Orders of an account that one writer has counted. */
export type WrittenOrders = AccountOrders & Readonly<{ writer: number }>;

/**
 * The tables of order counts and bans in a database. Each opening of a limiter is a writer of its own, so that several
 * writers never change the same row of a count. A day is a number of UTC days since the epoch.
 */
export type LimitTable = Readonly<{
  /** Returns the number of a new writer. */
  join(): Awaitable<number>;
  /** Returns the orders of a day by rising account id and writer, after a place. */
  counts(
    page: Readonly<{ day: number; afterAccount: number; afterWriter: number; limit: number }>,
  ): Awaitable<readonly WrittenOrders[]>;
  /** Returns bans by their end and address, after a place. */
  bans(
    page: Readonly<{ afterMs: number; afterAddress: string; limit: number }>,
  ): Awaitable<readonly StoredBan[]>;
  /** Replaces the counts of a writer unless a later write has; `write` is the number of the write. */
  putCounts(
    counts: Readonly<{ day: number; writer: number; write: number; orders: readonly AccountOrders[] }>,
  ): Awaitable<void>;
  /** Keeps bans, of each address the one that ends last. */
  putBans(bans: readonly StoredBan[]): Awaitable<void>;
  /** Deletes at most `limit` counts of earlier days, and as many bans of earlier ends. Returns the number of both. */
  prune(range: Readonly<{ beforeDay: number; endedBeforeMs: number; limit: number }>): Awaitable<number>;
  /** Returns the end of the ban that has `most` bans ending after it; undefined if there are not so many. */
  endOfOldest(most: number): Awaitable<number | undefined>;
}>;

/** Runs a function after some milliseconds of real time; the returned function cancels it. */
type Later = (delayMs: number, run: () => void) => () => void;

/** Takes a step some time after it was wanted, with one timer however often it is wanted. */
class LateStep {
  readonly #later: Later;
  readonly #delayMs: number;
  readonly #step: () => void;
  #cancel: (() => void) | undefined;
  #isWantedAgain = false;

  constructor({ later, delayMs, step }: Readonly<{ later: Later; delayMs: number; step: () => void }>) {
    this.#later = later;
    this.#delayMs = delayMs;
    this.#step = step;
  }

  /** Plans the step. If it is planned already, another one follows it, because the planned one comes too early. */
  want(): void {
    if (this.#cancel !== undefined) {
      this.#isWantedAgain = true;
      return;
    }
    this.#cancel = this.#later(this.#delayMs, () => {
      this.#cancel = undefined;
      this.#step();
      if (!this.#isWantedAgain) return;
      this.#isWantedAgain = false;
      this.want();
    });
  }

  /** Cancels what is planned. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isWantedAgain = false;
  }
}
