import { flagOption, numberOption, type OptionCheck, optionalOption, optionsOf } from "../../common/index.ts";
import type {
  Clock,
  ConnectionVerdict,
  OrderCounts,
  OrderVerdict,
  RateLimiter,
  WeightVerdict,
} from "../../ports/index.ts";
import { clockOption } from "../../ports/internal.ts";

/** Options of a rate limiter. The defaults are those of docs/accounts.md. */
export interface RateLimiterOptions {
  readonly clock: Clock;
  /** Request weight per minute and address; default 6000. */
  readonly weightPerMinute?: number;
  /** Orders placed in ten seconds per account; each leg of a list counts as one. Default 50. */
  readonly ordersPer10s?: number;
  /** Orders placed in a UTC day per account; default 160000. */
  readonly ordersPerDay?: number;
  /** WebSocket connections opened in five minutes per address; default 300. */
  readonly connectionsPer5Min?: number;
  /**
   * Length of an address's first ban in milliseconds; default 120000. Each further ban within three days is twice as
   * long.
   */
  readonly banMs?: number;
  /** If false, everything is counted and nothing is refused; default true. */
  readonly enforce?: boolean;
  /**
   * Number of addresses, and of accounts, that are tracked at once; default 500000. Beyond it the oldest are dropped.
   */
  readonly maxTracked?: number;
}

const limit = optionalOption(numberOption({ from: 1 }));

/** The check of each option. */
export const limiterOptions: Readonly<Record<keyof RateLimiterOptions, OptionCheck>> = {
  clock: clockOption,
  weightPerMinute: limit,
  ordersPer10s: limit,
  ordersPerDay: limit,
  connectionsPer5Min: limit,
  banMs: limit,
  enforce: optionalOption(flagOption),
  maxTracked: limit,
};

const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
/** Length of the window of `ordersPerDay`. */
export const DAY_MS: number = 24 * 60 * MINUTE_MS;
/** Length of the longest ban. For as long after a ban, the next one is twice as long. */
export const LONGEST_BAN_MS: number = 3 * DAY_MS;

/** Number of refusals in one minute at which an address is banned, because it continues in spite of them. */
const REFUSALS_BEFORE_BAN = 10;

type Ban = Readonly<{ untilMs: number; lengthMs: number }>;

/** A ban of an address as it is kept: when it ends, in epoch ms, and its length, both in whole milliseconds. */
export type StoredBan = Ban & Readonly<{ address: string }>;

/** The counters of a rate limiter, in memory. `onBan` is told of every ban. */
export class LimitCounters implements RateLimiter {
  readonly limits: RateLimiter["limits"];
  readonly #options: Required<RateLimiterOptions>;
  readonly #weights: KeyedWindowCounter<string>;
  readonly #refusals: KeyedWindowCounter<string>;
  readonly #per10s: KeyedWindowCounter<number>;
  readonly #perDay: KeyedWindowCounter<number>;
  readonly #connections: KeyedWindowCounter<string>;
  readonly #bans: Map<string, Ban> = new Map();
  readonly #dropOldestBans: (most: number) => void = createOldestDropper(this.#bans);

  readonly #onBan: (ban: StoredBan) => void;

  constructor(options: RateLimiterOptions, onBan: (ban: StoredBan) => void = () => undefined) {
    this.#onBan = onBan;
    this.#options = {
      weightPerMinute: 6_000,
      ordersPer10s: 50,
      ordersPerDay: 160_000,
      connectionsPer5Min: 300,
      banMs: 120_000,
      enforce: true,
      maxTracked: 500_000,
      ...options,
    };
    const { clock: _clock, enforce, banMs: _banMs, maxTracked, ...limits } = this.#options;
    this.limits = enforce ? limits : undefined;
    this.#weights = new KeyedWindowCounter(MINUTE_MS, maxTracked);
    this.#refusals = new KeyedWindowCounter(MINUTE_MS, maxTracked);
    this.#per10s = new KeyedWindowCounter(TEN_SECONDS_MS, maxTracked);
    this.#perDay = new KeyedWindowCounter(DAY_MS, maxTracked);
    this.#connections = new KeyedWindowCounter(FIVE_MINUTES_MS, maxTracked);
  }

  weigh({ address, weight }: Readonly<{ address: string; weight: number }>): WeightVerdict {
    const nowMs = this.#options.clock.monotonicMs();
    const ban = this.#bans.get(address);
    // Without enforcement there may still be a ban: one that a store has kept from a time with it.
    if (this.limits !== undefined && ban !== undefined && nowMs < ban.untilMs) {
      return {
        used: this.#weights.count(address, nowMs),
        refused: { kind: "ban", untilMs: this.#wallMs(ban.untilMs) },
      };
    }
    const used = this.#weights.add(address, { amount: weight, nowMs });
    if (this.limits === undefined || used <= this.limits.weightPerMinute || weight === 0) return { used };
    if (this.#refusals.add(address, { amount: 1, nowMs }) < REFUSALS_BEFORE_BAN) {
      return { used, refused: { kind: "limit", untilMs: this.#wallMs(this.#weights.endMs(nowMs)) } };
    }
    return { used, refused: { kind: "ban", untilMs: this.#wallMs(this.#ban(address, nowMs)) } };
  }

  connect({ address }: Readonly<{ address: string }>): ConnectionVerdict {
    const nowMs = this.#options.clock.monotonicMs();
    const opened = this.#connections.add(address, { amount: 1, nowMs });
    const most = this.limits?.connectionsPer5Min ?? Number.POSITIVE_INFINITY;
    return opened > most ? { refusedUntilMs: this.#wallMs(this.#connections.endMs(nowMs)) } : {};
  }

  takeOrders({ accountId, count }: Readonly<{ accountId: number; count: number }>): OrderVerdict {
    const nowMs = this.#options.clock.monotonicMs();
    const counts = this.#counts(accountId, nowMs);
    if (this.limits !== undefined && counts.perDay + count > this.limits.ordersPerDay) {
      const untilMs = this.#wallMs(this.#perDay.endMs(nowMs));
      return { counts, takenAtMs: nowMs, refused: { window: "perDay", untilMs } };
    }
    if (this.limits !== undefined && counts.per10s + count > this.limits.ordersPer10s) {
      const untilMs = this.#wallMs(this.#per10s.endMs(nowMs));
      return { counts, takenAtMs: nowMs, refused: { window: "per10s", untilMs } };
    }
    return { counts: this.#count(accountId, { amount: count, nowMs }), takenAtMs: nowMs };
  }

  returnOrders(placement: Readonly<{ accountId: number; count: number; takenAtMs: number }>): OrderCounts {
    const { accountId, count, takenAtMs } = placement;
    return this.#count(accountId, { amount: -count, nowMs: takenAtMs });
  }

  /** Sets the number of orders that an account has placed today. */
  restoreOrders({ accountId, orders }: Readonly<{ accountId: number; orders: number }>): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#perDay.add(accountId, { amount: orders - this.#perDay.count(accountId, nowMs), nowMs });
  }

  /**
   * Restores a ban that ends after the one of its address, if there is one. It never lasts longer from now than it was
   * to last, even if the wall clock was ahead when it began.
   */
  restoreBan({ address, untilMs, lengthMs }: StoredBan): void {
    const { clock, maxTracked } = this.#options;
    const bounded = Math.min(lengthMs, LONGEST_BAN_MS);
    const endMs = clock.monotonicMs() + Math.min(untilMs - clock.nowMs(), bounded);
    if (endMs <= (this.#bans.get(address)?.untilMs ?? Number.NEGATIVE_INFINITY)) return;
    this.#bans.delete(address);
    this.#bans.set(address, { untilMs: endMs, lengthMs: bounded });
    this.#dropOldestBans(maxTracked);
  }

  /** Converts a monotonic time to the wall clock's time, assuming that the wall clock is not set until then. */
  #wallMs(monotonicMs: number): number {
    const { clock } = this.#options;
    return monotonicMs + clock.nowMs() - clock.monotonicMs();
  }

  #counts(accountId: number, nowMs: number): OrderCounts {
    return { per10s: this.#per10s.count(accountId, nowMs), perDay: this.#perDay.count(accountId, nowMs) };
  }

  #count(accountId: number, change: Readonly<{ amount: number; nowMs: number }>): OrderCounts {
    return { per10s: this.#per10s.add(accountId, change), perDay: this.#perDay.add(accountId, change) };
  }

  /** Bans an address and resets its refusals, so that it starts afresh after the ban. */
  #ban(address: string, nowMs: number): number {
    const { banMs, maxTracked } = this.#options;
    const before = this.#bans.get(address);
    const repeated = before !== undefined && nowMs < before.untilMs + LONGEST_BAN_MS;
    const lengthMs = Math.min(repeated ? before.lengthMs * 2 : banMs, LONGEST_BAN_MS);
    this.#bans.delete(address);
    this.#bans.set(address, { untilMs: nowMs + lengthMs, lengthMs });
    this.#dropOldestBans(maxTracked);
    this.#refusals.evict(address);
    const untilMs = Math.ceil(this.#wallMs(nowMs + lengthMs));
    this.#onBan({ address, untilMs, lengthMs: Math.ceil(lengthMs) });
    return nowMs + lengthMs;
  }
}

const limiterOption: OptionCheck = optionsOf<RateLimiterOptions>(limiterOptions);

/**
 * Creates a rate limiter in memory, for one process: a restart forgets everything it has counted. `openRateLimiter` of the
 * stores in SQLite and Postgres opens one that keeps the orders of the day and bans. Windows are aligned to the wall clock
 * at the time the clock was created; setting the clock neither stretches nor shrinks windows or bans. Memory is bounded by
 * `maxTracked`. Throws a TypeError or RangeError that names an option that is missing, unknown, of the wrong type or below
 * 1. Source: convention 5.3.
 *
 * @example
 * ```ts
 * import { createManualClock, createMemoryRateLimiter } from "managed-orders/memory";
 * const clock = createManualClock({ startMs: 30_000 });
 * const limiter = createMemoryRateLimiter({ clock, weightPerMinute: 10 });
 * const request = { address: "192.0.2.1", weight: 6 };
 * console.log(await limiter.weigh(request)); // { used: 6 }
 * const { refused } = await limiter.weigh(request);
 * console.log(refused?.untilMs); // 60000
 * ```
 */
export function createMemoryRateLimiter(options: RateLimiterOptions): RateLimiter {
  limiterOption(options, "createMemoryRateLimiter");
  return new LimitCounters(options);
}

/**
 * Counts by key in windows that start at whole multiples of their length. A new window drops the counts of the previous
 * one. A time before the running window counts in the running one. Beyond `maxKeys` the key first seen is dropped.
 */
export class KeyedWindowCounter<K> {
  readonly #lengthMs: number;
  readonly #maxKeys: number;
  readonly #counts: Map<K, number> = new Map();
  readonly #dropOldest: (most: number) => void = createOldestDropper(this.#counts);
  #startMs = 0;

  constructor(lengthMs: number, maxKeys: number) {
    this.#lengthMs = lengthMs;
    this.#maxKeys = maxKeys;
  }

  /** Returns the count of a key in the window of `nowMs`. */
  count(key: K, nowMs: number): number {
    this.#roll(nowMs);
    return this.#counts.get(key) ?? 0;
  }

  /**
   * Adds to a key and returns its count. A negative amount reverts an amount that was added at `nowMs`, but never more
   * than is counted. If that window is over or the key was dropped, nothing changes.
   */
  add(key: K, change: Readonly<{ amount: number; nowMs: number }>): number {
    const before = this.count(key, change.nowMs);
    if (change.amount < 0 && (change.nowMs < this.#startMs || before === 0)) return before;
    const after = Math.max(0, before + change.amount);
    if (after === 0) this.#counts.delete(key);
    else this.#counts.set(key, after);
    this.#dropOldest(this.#maxKeys);
    return after;
  }

  /** Resets a key to 0. */
  evict(key: K): void {
    this.#counts.delete(key);
  }

  /** Returns the end of the window of `nowMs`, on the same clock. */
  endMs(nowMs: number): number {
    this.#roll(nowMs);
    return this.#startMs + this.#lengthMs;
  }

  #roll(nowMs: number): void {
    const startMs = nowMs - (nowMs % this.#lengthMs);
    if (startMs <= this.#startMs) return;
    this.#startMs = startMs;
    this.#counts.clear();
  }
}

/**
 * Creates a function that drops the oldest keys of a map until `most` are left. It keeps its iterator: finding the
 * oldest key from the start each time would step over all dropped keys, up to half a million.
 */
export function createOldestDropper<K>(map: Map<K, unknown>): (most: number) => void {
  let oldest: MapIterator<K> | undefined;
  return (most) => {
    while (map.size > most) {
      oldest ??= map.keys();
      const { done, value } = oldest.next();
      if (done === true) oldest = undefined;
      else map.delete(value);
    }
  };
}
