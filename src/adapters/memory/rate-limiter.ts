import { flagOption, numberOption, type OptionCheck, optional, optionsOf } from "../../common/index.ts";
import type {
  Clock,
  ConnectionVerdict,
  OrderCounts,
  OrderVerdict,
  RateLimiter,
  WeightVerdict,
} from "../../ports/index.ts";
import { clockOption } from "../../ports/internal.ts";
import { createOldestDropper } from "./oldest-dropper.ts";
import { WindowCounter } from "./window-counter.ts";

/** Options of a rate limiter. The defaults are those of decision 42. */
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

const limit = optional(numberOption({ from: 1 }));

const limiterOption: OptionCheck = optionsOf<RateLimiterOptions>({
  clock: clockOption,
  weightPerMinute: limit,
  ordersPer10s: limit,
  ordersPerDay: limit,
  connectionsPer5Min: limit,
  banMs: limit,
  enforce: optional(flagOption),
  maxTracked: limit,
});

const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LONGEST_BAN_MS = 3 * DAY_MS;

/** Number of refusals in one minute at which an address is banned, because it continues in spite of them. */
const REFUSALS_BEFORE_BAN = 10;

/**
 * Creates a rate limiter in memory, for one process. Windows are aligned to the wall clock at the time the clock was
 * created; setting the clock neither stretches nor shrinks windows or bans. Memory is bounded by `maxTracked`. Throws a
 * TypeError or RangeError that names an option that is missing, unknown, of the wrong type or below 1. Source: decision 42; convention 5.3.
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
  return new MemoryRateLimiter(options);
}

type Ban = Readonly<{ untilMs: number; lengthMs: number }>;

class MemoryRateLimiter implements RateLimiter {
  readonly limits: RateLimiter["limits"];
  readonly #options: Required<RateLimiterOptions>;
  readonly #weights: WindowCounter<string>;
  readonly #refusals: WindowCounter<string>;
  readonly #per10s: WindowCounter<number>;
  readonly #perDay: WindowCounter<number>;
  readonly #connections: WindowCounter<string>;
  readonly #bans: Map<string, Ban> = new Map();
  readonly #dropOldestBans: (most: number) => void = createOldestDropper(this.#bans);

  constructor(options: RateLimiterOptions) {
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
    this.#weights = new WindowCounter(MINUTE_MS, maxTracked);
    this.#refusals = new WindowCounter(MINUTE_MS, maxTracked);
    this.#per10s = new WindowCounter(TEN_SECONDS_MS, maxTracked);
    this.#perDay = new WindowCounter(DAY_MS, maxTracked);
    this.#connections = new WindowCounter(FIVE_MINUTES_MS, maxTracked);
  }

  weigh({ address, weight }: Readonly<{ address: string; weight: number }>): WeightVerdict {
    const nowMs = this.#options.clock.monotonicMs();
    const ban = this.#bans.get(address);
    if (ban !== undefined && nowMs < ban.untilMs) {
      return {
        used: this.#weights.count(address, nowMs),
        refused: { kind: "ban", untilMs: this.#toldMs(ban.untilMs) },
      };
    }
    const used = this.#weights.add(address, { amount: weight, nowMs });
    if (this.limits === undefined || used <= this.limits.weightPerMinute || weight === 0) return { used };
    if (this.#refusals.add(address, { amount: 1, nowMs }) < REFUSALS_BEFORE_BAN) {
      return { used, refused: { kind: "limit", untilMs: this.#toldMs(this.#weights.endMs(nowMs)) } };
    }
    return { used, refused: { kind: "ban", untilMs: this.#toldMs(this.#ban(address, nowMs)) } };
  }

  connect({ address }: Readonly<{ address: string }>): ConnectionVerdict {
    const nowMs = this.#options.clock.monotonicMs();
    const opened = this.#connections.add(address, { amount: 1, nowMs });
    const most = this.limits?.connectionsPer5Min ?? Number.POSITIVE_INFINITY;
    return opened > most ? { refusedUntilMs: this.#toldMs(this.#connections.endMs(nowMs)) } : {};
  }

  takeOrders({ accountId, count }: Readonly<{ accountId: number; count: number }>): OrderVerdict {
    const nowMs = this.#options.clock.monotonicMs();
    const counts = this.#counts(accountId, nowMs);
    if (this.limits !== undefined && counts.perDay + count > this.limits.ordersPerDay) {
      const untilMs = this.#toldMs(this.#perDay.endMs(nowMs));
      return { counts, takenAtMs: nowMs, refused: { window: "perDay", untilMs } };
    }
    if (this.limits !== undefined && counts.per10s + count > this.limits.ordersPer10s) {
      const untilMs = this.#toldMs(this.#per10s.endMs(nowMs));
      return { counts, takenAtMs: nowMs, refused: { window: "per10s", untilMs } };
    }
    return { counts: this.#count(accountId, { amount: count, nowMs }), takenAtMs: nowMs };
  }

  returnOrders(placement: Readonly<{ accountId: number; count: number; takenAtMs: number }>): OrderCounts {
    const { accountId, count, takenAtMs } = placement;
    return this.#count(accountId, { amount: -count, nowMs: takenAtMs });
  }

  /** Converts a monotonic time to the wall clock's time, assuming that the wall clock is not set until then. */
  #toldMs(monotonicMs: number): number {
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
    this.#refusals.forget(address);
    return nowMs + lengthMs;
  }
}
